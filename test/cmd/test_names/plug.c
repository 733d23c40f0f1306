int work(int n);
int unplugged(int n);
int unplugged(int n)
{
	return n;
}
void plug(void);
void plug(void)
{
	for (int i = 0; i < 3; i++)
		work(unplugged(i));
}
