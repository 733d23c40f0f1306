static inline IN int read_it(int *p, int n)
{
	if (n > 2)
		total += p[n]; /* header 1 */
	return total;
}
static inline IN int sum_up(int *p, int n)
{
	for (int i = 0; i < n; i++)
		read_it(p + i, i); /* header 2 */
	return total;
}
static inline IN int either(int *p, int n)
{
	if (n > 5) {
		total++;
		return *p + 1;
	} else {
		total--;
		return *p + 1; /* merged 1 */
	}
}
