__attribute__((noinline)) unsigned many(unsigned n, unsigned seed)
{
	unsigned sum = 0, big = n > 50;
	for (unsigned i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		if (big && seed >> 16 & 1 && sum < 99)
			sum += i;
		else if (seed >> 17 & 1)
			sum ^= seed;
	}
	return big ? sum : n > 50;
}
__attribute__((noinline)) int few(int n)
{
	return n > 3 ? n : 7;
}
int main(void)
{
	return many(80, few(1)) == 0;
}
