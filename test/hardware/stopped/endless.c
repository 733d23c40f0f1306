int main(void)
{
	volatile long i = 0;
	for (;;)
		i++;
}
