#include "digits.h"
int main()
{
	int sum = 0, thrown = 0;
	for (int i = 0; i < 12; i++)
		try {
			sum += digits(i) + in_library(i);
		} catch (const negative &) {
			thrown++;
		}
	return sum > 0 && thrown == 3 ? 0 : 1;
}
