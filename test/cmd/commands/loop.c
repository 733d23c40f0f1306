static __attribute__((noinline)) int thirds(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		if (i % 3)
			s++;
	return s;
}
int main(int argc, char **argv)
{
	(void)argv;
	return argc < 3 ? thirds(argc + 4) - 3 : 0;
}
