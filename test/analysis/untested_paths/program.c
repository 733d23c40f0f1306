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
int kinds(const char *text)
{
	int sum = 0;
	for (; *text; text++) {
		switch (*text) {
		case 'a':
			sum += 1;
			break;
		case 'b':
		case 'c':
			if (sum > 3 || text[1] == 'a')
				sum += 2;
			break;
		default:
			sum += sum > 50 ? atoi(text) : 3;
		}
		if (sum % 7 == 6)
			break;
	}
	return sum;
}
int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2)
		printf("%d\n", price(atoi(argv[i]), atoi(argv[i + 1])));
	if (argc % 2 == 0)
		printf("%d\n", kinds(argv[argc - 1]));
	if (argc > 100)
		printf("%d\n", refund(argc));
	return 0;
}
