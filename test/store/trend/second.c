#include <stdlib.h>
static int price(int age, int coupon)
{
	if (age < 6)
		return 0;
	if (coupon)
		return 5;
	return 10;
}
static int tax(int cents)
{
	if (cents < 0)
		return 1;
	return cents > 7 ? cents / 7 : 0;
}
int main(int argc, char **argv)
{
	int cents = price(atoi(argv[1]), argc > 2);
	return argc > 3 ? tax(cents) : 0;
}
