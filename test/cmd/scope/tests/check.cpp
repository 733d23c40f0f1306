int check(int n);

int check(int n)
{
	return n > 2 ? n : 2;
}
