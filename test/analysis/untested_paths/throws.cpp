#include <cstdlib>
void may_throw(int n)
{
	if (n > 5)
		throw n;
}
int careful(int n)
{
	try {
		may_throw(n);
	} catch (int) {
		return 1;
	}
	if (n == 3)
		return 2;
	return 0;
}
int main(int, char **argv)
{
	return careful(atoi(argv[1]));
}
