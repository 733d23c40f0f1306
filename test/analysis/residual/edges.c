int pick(int n)
{
	int s = 0;
	if (n > 1)
		s += 1;
	if (n > 2)
		s += 2;
	return s;
}
int main(int argc, char **argv)
{
	(void)argv;
	return pick(argc) > 100;
}
