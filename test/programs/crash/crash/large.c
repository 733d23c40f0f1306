int *volatile nothing;
volatile int zero;
__attribute__((noinline)) void use(char *array) { array[3] = zero; }
__attribute__((noinline)) int large(int bits)
{
	char array[200000];
	int sum = 0;
	use(array);
	if (bits & 1)
		sum += array[3];
	if (bits & 2)
		sum += array[4];
	return sum + *nothing + array[100000];
}
int main(int argc, char **argv)
{
	(void)argv;
	return large(argc + 1);
}
