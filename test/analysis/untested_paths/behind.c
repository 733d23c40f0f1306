#include <stdio.h>
#include <stdlib.h>
static int region(int a, int b)
{
	switch (a) {
	case 1:
		b++;
		break;
	case 2:
		if (b) {
			if (b > 2)
				b = 1;
		} else {
			b = 5;
		}
		break;
	default:
		b--;
	}
	while (b > 100) /* never entered: both outcomes of the decision in it are behind this one */
		b = b & 1 ? b / 3 : b / 2;
	if (b == 7)
		goto shared;
	if (b == 8) {
	shared:
		return b > a;
	}
	return b;
}
int main(int argc, char **argv)
{
	(void)argc;
	printf("%d\n", region(atoi(argv[1]), atoi(argv[2])));
	return 0;
}
