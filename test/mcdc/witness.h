/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the witness of the test of MC/DC notes: LINE EXPRESSION VALUES OUTCOME, for every evaluation. */
#ifdef WITNESS
static struct {
	int line, open;
	char value[16];
} noted[128];
static inline int note(int line, char name, int condition, int value)
{
	int n = name;
	if (condition == 0) {
		noted[n].line = line;
		noted[n].open = 1;
		for (int i = 0; i < 16; i++)
			noted[n].value[i] = '-';
	}
	noted[n].value[condition] = value ? 'T' : 'F';
	return value;
}
static inline void outcome(char name, int value)
{
	int n = name;
	if (noted[n].open)
		printf("%d %c %.15s %d\n", noted[n].line, name, noted[n].value, value);
	noted[n].open = 0;
}
#endif
