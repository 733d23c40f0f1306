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
int find(const char *text, int letter)
{
	int at = 0;
	while (text[at]) {
		if (text[at] == letter)
			return at;
		at++;
	}
	return -1;
}
int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2)
		printf("%d %d\n", price(atoi(argv[i]), atoi(argv[i + 1])), find(argv[i], 'x'));
	return 0;
}
