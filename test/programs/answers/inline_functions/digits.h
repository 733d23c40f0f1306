struct negative {
	int value;
};
template <class T> int digits(T n)
{
	if (n < 0)
		throw negative{static_cast<int>(n)};
	int count = 1;
	for (; n > 9; n /= 10)
		count++;
	return count;
}
__attribute__((visibility("default"))) int in_library(int n);
