#include "table.h"
long alpha(long x)
{
	return x & 1 ? x : -x;
}
long beta(long x)
{
	return x & 2 ? x : -x;
}
long gamma_(long x)
{
	return x & 4 ? x : -x;
}
long delta(long x)
{
	return x & 8 ? x : -x;
}
long omega(long x)
{
	return x & 16 ? x : -x;
}
