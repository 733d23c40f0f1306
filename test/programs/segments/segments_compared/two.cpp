#include "twice.h"
int other(int n)
{
	return n % 3 ? outer(n) : -outer(n);
}
