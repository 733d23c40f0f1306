#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned ran[200], seed, left;
static jmp_buf back[20];
static int depth;
#define HERE ran[__LINE__]++
static unsigned next(unsigned n) { return (seed = seed * 1103515245 + 12345) / 65536 % n; }
static void leave(void)
{
	HERE; if (next(3) == 0 && depth > 0)
		longjmp(back[next((unsigned)depth)], 1);
	HERE; if (next(7) == 0)
		exit(0);
	HERE;
}
static int twist(int n)
{
	HERE; int sum = 0;
	for (int i = 0; i < n; i++) {
		HERE; if (next(4) == 0) {
			HERE; leave();
			HERE; sum++;
		} else if (i % 3 == 2) {
			HERE; sum += 2;
			continue;
		}
		HERE; if (sum > 4)
			break;
		HERE; sum += next(2) ? twist(n - 1) : 1;
		HERE;
	}
	HERE; if (sum > 7)
		return HERE, sum;
	HERE; leave();
	HERE; return 0;
}
static int guard(int n)
{
	HERE; int here = depth, sum = n; if (n > 2)
		HERE, sum++;
	else
		HERE, sum--;
	HERE; if (here < 20 && setjmp(back[depth++])) {
		HERE; depth = here;
		HERE; return sum;
	}
	HERE; sum += twist(n);
	HERE; if (left-- == 0)
		leave();
	HERE; depth = here;
	HERE; return sum;
}
static void tell(void)
{
	FILE *out = fopen("ran.txt", "w");
	for (unsigned i = 0; i < 200; i++)
		if (ran[i])
			fprintf(out, "%u %u\n", i, ran[i]);
	fclose(out);
}
int main(int argc, char **argv)
{
	HERE; seed = (unsigned)atoi(argv[1]); left = 3;
	HERE; atexit(tell);
	HERE; for (int i = 0; i < 12; i++) {
		HERE; guard((int)next(5));
		HERE;
	}
	HERE; return 0;
}
