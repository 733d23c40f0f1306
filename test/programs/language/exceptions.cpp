/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Invoke and landing pads; a rethrow; clean-ups that resume; frames without a pad,
 * whose paths are abandoned; an exception nobody in the function catches.
 *
 * source: f("thrower") | .entries == 40
 * source: ends("thrower"; "return") + ends("thrower"; "noreturn") == 40
 * source: f("passes_through") | .entries == 40 and .balance.abandoned == 14
 * source: ends("cleans"; "unwind") == 14
 * source: ends("cleans"; "return") == 26
 * source: f("catches") | .entries == 40 and .balance.abandoned == 0
 * source: total("catches") == 40
 */
#include <cstdio>
#include <exception>

static int destroyed;
struct odd : std::exception {
	char text[8] = "odd 0";
	explicit odd(int n) { text[4] = (char)('0' + n % 10); }
	const char *what() const noexcept override { return text; }
};

struct guard {
	~guard() { destroyed++; }
};

extern "C" {
__attribute__((noinline)) int thrower(int i)
{
	if (i % 3 == 0)
		throw i;
	return i * 2;
}

__attribute__((noinline)) int passes_through(int i)
{
	int r = thrower(i);
	return r > 20 ? r : r + 1;
}

__attribute__((noinline)) int cleans(int i)
{
	guard g;
	return passes_through(i) + 1;
}

__attribute__((noinline)) int catches(int i)
{
	try {
		try {
			return cleans(i);
		} catch (int n) {
			if (n % 2)
				throw odd(n);
			return -n;
		}
	} catch (const std::exception &e) {
		return (int)e.what()[4];
	}
}
}

int main()
{
	long sum = 0;
	for (int i = 0; i < 40; i++)
		sum += catches(i);
	std::printf("%ld %d\n", sum, destroyed);
	return 7;
}
