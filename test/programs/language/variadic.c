/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * source: f("add") | .status == "exact" and .entries == 3
 * source: ends("add"; "backedge") == 9
 */
#include <stdarg.h>
#include <stdio.h>

__attribute__((noinline)) int add(const char *kinds, ...)
{
	va_list list;
	double sum = 0;
	va_start(list, kinds);
	for (; *kinds; kinds++)
		sum += *kinds == 'i' ? va_arg(list, int) : *kinds == 'd' ? va_arg(list, double) : (double)va_arg(list, long);
	va_end(list);
	return (int)sum;
}

int main(void)
{
	printf("%d %d %d\n", add("iid", 1, 2, 2.5), add(""), add("lddidl", 10l, 1.5, 2.5, 3, 4.0, 100l));
	return 0;
}
