static int odd(int n) { return n & 1 ? n : -n; }
static int loop(int n, unsigned x)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		s += x & 1 ? odd(i) : 1;
		if (x & 2)
			s += 3;
		if (x & 4)
			s += 5;
		x = x * 1103515245 + 12345;
		x ^= x >> 16;
	}
	return s;
}
int main(void)
{
	int s = 0;
	for (unsigned i = 0; i < 9; i++)
		s += loop(40, i);
	return s == 3;
}
