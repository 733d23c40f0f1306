int count(const char *s)
{
	int n = 0;
	for (; *s; s++) {
		if (*s & 1)
			n += 2;
		else
			n -= 1;
	}
	return n;
}
int main(int argc, char **argv)
{
	int n = 0;
	for (int i = 1; i < argc; i++)
		n += count(argv[i]);
	return n > 1000;
}
