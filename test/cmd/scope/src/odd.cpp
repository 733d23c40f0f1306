#include "odd.h"

int odd(int n)
{
	return n > 1 ? n & 1 : n;
}
