#include "box.h"
extern "C" {
int plain(int n)
{
	return n & 4 ? n : n + 1;
}
__attribute__((no_profile_instrument_function, noinline)) int bare(int n)
{
	return n & 1 ? plain(n) : n;
}
int other_name(int n) __attribute__((alias("plain")));
}
int main()
{
	std::box<parity> box;
	int sum = 0;
	for (int i = 0; i < 9; i++) {
		sum += plain(i) + box.apply(i);
		sum += i % 3 ? 1 : plain(2);
	}
	for (int i = 0; i < 9; i++) {
		sum += plain(i) + bare(i);
		sum += i % 3 ? 1 : plain(2);
	}
	for (int i = 0; i < 9; i++) {
		sum += plain(i) + other_name(i);
		sum += i % 3 ? 1 : plain(2);
	}
	for (int i = 0; i < 9; i++)
		sum += plain(i);
	return sum == 1000;
}
