#include "digits.h"
int in_library(int n)
{
	int sum = 0;
	for (int i = -2; i < n; i++)
		try {
			sum += digits(i) + digits(100 * i);
		} catch (const negative &) {
			sum++;
		}
	return n > 8 ? digits(-n) : sum;
}
