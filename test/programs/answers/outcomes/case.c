static int f(int a, int b)
{
	int n = 0;
	if (!a)
		n = 1;
	if (!(a && b))
		n += 2;
	while (!(n > 3))
		n++;
	return !b ? n : -n;
}
int main(void)
{
	return f(0, 1) != -4;
}
