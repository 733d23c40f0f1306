#include <stdio.h>
#include <stdlib.h>
extern long line_count[1000], outcome_count[1000][4][2];
#define HERE line_count[__LINE__]++
static inline int is(int line, int which, int value) { outcome_count[line][which][!value]++; return value; }
#define IS(which, x) is(__LINE__, which, (x) != 0)
