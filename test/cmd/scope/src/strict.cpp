#include <stdlib.h>

static int strict(int n)
{
	if (n > 5)
		throw n;
	if (n < 0)
		abort();
	return n;
}

int main(int argc, char **)
{
	return strict(argc) > 9;
}
