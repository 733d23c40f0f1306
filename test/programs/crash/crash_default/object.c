int *volatile place;
__attribute__((noinline)) int object_fault(int n)
{
	*place = n;
	return n;
}
__attribute__((noinline)) int object_call(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += object_fault(i);
	return sum;
}
