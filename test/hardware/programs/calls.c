__attribute__((noinline)) int half(int n)
{
	if (n & 1)
		return n / 2 + 1;
	return n / 2;
}
int main(void)
{
	return half(3) - 2;
}
