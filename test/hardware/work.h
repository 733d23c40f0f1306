/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
static int work(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		if (i % 3)
			sum += i;
		else
			sum -= i;
	}
	return sum;
}
