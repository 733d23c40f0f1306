/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function whose label has characters that an assembler must escape.
 *
 * fact: total("a\"b\\c") == 10
 */
__attribute__((noinline)) int quoted(int x) __asm__("a\"b\\c");
int quoted(int x)
{
	return x > 3 ? 1 : 2;
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += quoted(i);
	return sum == 14 ? 0 : 1;
}
