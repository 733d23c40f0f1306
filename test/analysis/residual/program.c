#include <stdio.h>
#include <stdlib.h>
int price(int member, int coupon)
{
	int price = 100;
	if (member)
		price -= 10;
	if (coupon)
		price -= 20;
	return price;
}
int refund(int days)
{
	if (days > 30)
		return 0;
	return 100;
}
int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2)
		printf("%d\n", price(atoi(argv[i]), atoi(argv[i + 1])));
	if (argc % 2 == 0)
		printf("%d\n", refund(atoi(argv[argc - 1])));
	return 0;
}
