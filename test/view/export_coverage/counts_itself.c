#include "counted.h"
long line_count[1000], outcome_count[1000][4][2];
static int classify(int x, int y)
{
	if (IS(0, x > 10) && IS(1, y < 5)) {
		HERE; return 1;
	}
	switch (x) {
	case 1:
		HERE; return 2;
	case 2:
		HERE; return 3;
	default:
		HERE; break;
	}
	while (IS(0, x < 0 || x > 40)) {
		HERE; x = x < 0 ? x + 3 : x - 7;
	}
	HERE; return x;
}
static int never(int x)
{
	if (IS(0, x > 3))
		HERE;
	HERE; return 3;
}
int main(int argc, char **argv)
{
	int sum = 0, n = argc > 1 ? atoi(argv[1]) : 20;
	for (int i = -9; IS(0, i < n); i++) {
		HERE; sum += classify(i, i % 7);
	}
	if (IS(0, n == 1000))
		sum += never(n);
	for (int line = 0; line < 1000; line++) {
		if (line_count[line])
			printf("line %d %ld\n", line, line_count[line]);
		for (int w = 0; w < 4; w++)
			if (outcome_count[line][w][0] + outcome_count[line][w][1])
				printf("outcome %d %d %ld %ld\n", line, w, outcome_count[line][w][0], outcome_count[line][w][1]);
	}
	return sum == 12345;
}
