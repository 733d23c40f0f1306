static int digits(const char *e)
{
	int n = 0;
	while (*e >= '0' && *e <= '9')
		++e, n++;
	return n;
}
int main(void)
{
	return digits("12") != 2 || digits("3x") != 1;
}
