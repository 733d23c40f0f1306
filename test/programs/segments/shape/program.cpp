#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#define KEEP __asm__ volatile("")
#define NOINLINE __attribute__((noinline))
NOINLINE static unsigned no_loop(unsigned x)
{
	unsigned r = 1;
	if (x % 7 == 3) {
		r += 5;
		KEEP;
	}
	if (x % 11 == 5) {
		r *= 3;
		KEEP;
	} else
		r ^= 2;
	if (x % 13 == 1) {
		r += x;
		KEEP;
	}
	return r;
}
NOINLINE static unsigned throws(unsigned x)
{
	if (x % 97 == 13)
		throw std::runtime_error("thirteen");
	if (x % 89 == 7)
		throw x;
	return x % 5;
}
struct guard {
	unsigned *r;
	~guard()
	{
		*r += 1;
	}
};
NOINLINE static unsigned catches(unsigned n, unsigned seed)
{
	unsigned r = 0;
	for (unsigned i = 0; i < n; i++) {
		guard g{&r};
		try {
			r += throws(seed + i);
			if (i % 10 == 9)
				r ^= no_loop(i);
		} catch (const std::exception &e) {
			r += strlen(e.what());
		} catch (unsigned y) {
			r ^= y;
		}
	}
	return r;
}
/* An interpreter: paths end at one back edge. */
NOINLINE static unsigned run(const unsigned char *code, unsigned size)
{
	unsigned a = 0, b = 1, steps = 0, stack[16] = {0};
	for (const unsigned char *p = code; p < code + size; p++, steps++) {
		switch (*p % 12) {
		case 0:
			a += b;
			break;
		case 1:
			b ^= a >> 3;
			if (b & 1) {
				a++;
				KEEP;
			}
			break;
		case 2:
			for (unsigned i = 0; i < (*p & 7u); i++) {
				a = a * 3 + i;
				if (a % 5 == 0) {
					b++;
					KEEP;
				}
			}
			break;
		case 3:
			stack[a & 15] = b;
			break;
		case 4:
			b = stack[b & 15];
			break;
		case 5:
			if (a > b) {
				a -= b;
				KEEP;
			} else if (a == b) {
				b = 7;
				KEEP;
			} else
				b -= a;
			break;
		case 6:
			a = no_loop(a);
			break;
		case 7: {
			unsigned many[1 + (a & 7)];
			memset(many, 0, sizeof many);
			many[a & 7 ? 1 : 0] = b;
			a += many[0];
			break;
		}
		case 8:
			if (steps > 3000)
				return a;
			[[fallthrough]];
		case 9:
			b += steps;
			break;
		default:
			a = ~a;
		}
	}
	return a ^ b;
}
/* Two loops one after the other and one around both. */
NOINLINE static unsigned nest(unsigned n, unsigned x)
{
	unsigned r = x;
	for (unsigned k = 0; k < 3; k++) {
		for (unsigned i = 0; i < n; i++) {
			if ((r + i) % 6 == 0) {
				r += i;
				KEEP;
			} else
				r ^= i;
		}
		if (r % 3 == 0) {
			r++;
			KEEP;
		}
		for (unsigned i = 0; i < n; i++) {
			if (r % 9 == 4)
				break;
			if ((r ^ i) % 5 == 1) {
				r -= i;
				KEEP;
			}
			r = r * 7 + 1;
		}
	}
	return r;
}
/* What an invoke in the loop returns is used behind it. */
NOINLINE static unsigned retry(unsigned n, unsigned k)
{
	unsigned r = 0, got;
	for (;;) {
		if (n % k == 1) {
			r += no_loop(n);
			KEEP;
		}
		try {
			got = throws(n % 2 ? n * 97 + 13 : n);
			break;
		} catch (const std::exception &) {
			n += n % 5;
			n++;
		} catch (unsigned) {
			n++;
		}
	}
	return r + got * 3;
}
/* A label cannot be there twice. */
NOINLINE static unsigned labelled(unsigned n)
{
	unsigned r = 0;
#pragma clang loop unroll(disable)
	for (unsigned i = 0; i < n; i++) {
		if (i % 7 == 6) {
			r ^= i;
			__asm__ volatile("probe_point: nop");
		} else
			r += 3;
	}
	return r;
}
static jmp_buf place;
NOINLINE static unsigned jumps(unsigned x)
{
	volatile unsigned r = 0;
	if (setjmp(place))
		r = r + 1;
	if (x % 3 == 0 && r < 2)
		longjmp(place, 1);
	return r;
}
NOINLINE static unsigned computed(unsigned x)
{
	static const void *const where[] = {&&a, &&b, &&c};
	unsigned r = 0, i = 0;
next:
	if (i++ == 9)
		return r;
	goto *where[(x >> i) % 3];
a:
	r += 1;
	goto next;
b:
	r ^= i;
	goto next;
c:
	r *= 3;
	goto next;
}
int main(int, char **argv)
{
	unsigned from = atoi(argv[1]), to = atoi(argv[2]), r = 0, state = from + 1;
	unsigned char code[4096];
	for (unsigned i = from; i < to; i++) {
		for (unsigned char &c : code)
			c = (state = state * 1103515245 + 12345) >> 24 & (i % 4 ? 7 : 255);
		r += run(code, sizeof code) + catches(i % 300, i) + nest(i % 60, i) + jumps(i) + computed(i * 77) +
		     no_loop(i) + retry(i, 3 + i % 3) + labelled(i % 30);
	}
	printf("%u\n", r);
	if (from)
		exit(0);
}
