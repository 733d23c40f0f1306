#include <cassert>
#include <stdexcept>
#include <string>

struct base {
	virtual int value() const
	{
		return 1;
	}
	virtual ~base()
	{
	}
};

int check(int i, int n, const base *b)
{
	assert(i >= 0 && n);
	assert((n == 1 || i == 2) && "no such case");
	if (n > 3)
		throw std::runtime_error("n is " + std::to_string(n));
	return b->value();
}

int main(int argc, char **argv)
{
	base b;
	try {
		return check(argc, argc == 7 ? 5 : 1, &b) - 1;
	} catch (const std::exception &) {
		return 2;
	}
}
