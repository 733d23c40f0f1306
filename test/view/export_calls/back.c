#include <stdlib.h>
static int compare(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b ? -1 : 1;
}
__attribute__((noinline)) static int sort(int *list)
{
	qsort(list, 3, sizeof *list, compare);
	return list[1];
}
int main(void)
{
	int list[] = {3, 1, 2};
	return sort(list) - 2;
}
