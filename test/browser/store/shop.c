#include <stdio.h>
#include <stdlib.h>
int price(int member, int coupon, int late)
{
	int price = 100;
	if (member)
		price -= 10;
	if (coupon)
		price -= 20;
	if (late)
		price += 5;
	return price;
}
int main(int argc, char **argv)
{
	for (int i = 1; i + 2 < argc; i += 3)
		printf("%d\n", price(atoi(argv[i]), atoi(argv[i + 1]), atoi(argv[i + 2])));
	return 0;
}
