#include "work.h"

int work(int n)
{
	return n > 10 ? -n : n;
}
