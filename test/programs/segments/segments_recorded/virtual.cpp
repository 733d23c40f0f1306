#include <cstdio>
struct shape {
	virtual int area(int n) = 0;
};
struct square : shape {
	int area(int n) override
	{
		if (n % 4 == 3)
			throw n;
		return n * n;
	}
};
struct line : shape {
	int area(int n) override
	{
		return n & 1 ? 1 : 0;
	}
};
int main()
{
	square s;
	line l;
	shape *all[] = {&s, &l};
	int sum = 0;
	for (int i = 0; i < 20; i++) {
		try {
			sum += all[i % 2]->area(i / 2);
		} catch (int n) {
			sum -= n;
		}
	}
	std::printf("%d\n", sum);
}
