int guarded(int (*f)(int), int n);
void escape(void);
int down(int n)
{
	if (!n)
		escape();
	return guarded(down, n - 1) + 1;
}
int main(void)
{
	return down(3) != 4;
}
