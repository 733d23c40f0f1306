/*
 * Indirect calls as chains of direct calls: tables of functions, more functions of a type than a chain has targets,
 * variadic functions, results that are structures, functions of other types, recursion through a pointer, a pointer to
 * a function of the C library, tail calls, two calls in a block, a target that ends the program.
 *
 * levels: -O0 -O2
 * scheme: context piecewise
 * indirect: targets
 * crosses: pick_long add
 * crosses: pick_long divide
 * crosses: pick_long halve
 * crosses: pick_sum sum
 * crosses: pick_box fold
 * crosses: pick_box spread
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct box {
	long side[4];
};
typedef long unary(long);

static long checksum;

__attribute__((noinline)) static long step(long x)
{
	return x & 1 ? 3 * x + 1 : x / 2;
}
__attribute__((noinline)) static long add(long x)
{
	return x & 2 ? x + step(x) : x;
}
__attribute__((noinline)) static long divide(long x)
{
	long n = 0;
	for (; x > 1; n++)
		x /= 3;
	return n;
}
__attribute__((noinline)) static long halve(long x)
{
	return x > 8 ? step(x) + step(x + 1) : x / 2;
}
__attribute__((noinline)) static long leave(long x)
{
	if (x > 58) {
		printf("%ld\n", checksum);
		exit(3);
	}
	return x;
}

static unary *const unaries[] = {leave, halve, add, divide};
static unary *volatile again;

__attribute__((noinline)) long pick_long(long i)
{
	unary *first = unaries[i % 4], *second = unaries[(i / 4) % 4];
	return first(i) - second(i + 1);
}

/* At -O2 a tail call. */
__attribute__((noinline)) static long through(long x)
{
	unary *next = x < 3 ? unaries[1] : again;
	return next(x - 1);
}

__attribute__((noinline)) static long sum(int count, ...)
{
	va_list list;
	long total = 0;
	va_start(list, count);
	for (int i = 0; i < count; i++)
		total += step(va_arg(list, int));
	va_end(list);
	return total;
}
static long (*volatile variadic)(int, ...) = sum;
__attribute__((noinline)) long pick_sum(int i)
{
	return i & 1 ? variadic(2, i, 5) : variadic(0);
}

__attribute__((noinline)) static struct box spread(long x)
{
	struct box made = {{x, x + 1, x & 4 ? step(x) : 0, 3}};
	return made;
}
__attribute__((noinline)) static struct box fold(long x)
{
	struct box made = {{0, x, 0, divide(x)}};
	return made;
}
static struct box (*volatile boxes[])(long) = {spread, fold};
__attribute__((noinline)) long pick_box(long i)
{
	struct box made = boxes[i & 1](i);
	return made.side[0] + made.side[1] * made.side[3] + made.side[2];
}

static size_t (*volatile length)(const char *) = strlen;

int main(void)
{
	again = through;
	for (long i = 1; i < 70; i++) {
		checksum += pick_box(i) + pick_sum((int)i) + through(i % 7) + (long)length("four");
		checksum += pick_long(i);
	}
	return 0;
}
