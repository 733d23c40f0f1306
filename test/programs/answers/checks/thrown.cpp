struct guard {
	int *left;
	~guard()
	{
		++*left;
	}
};

static int f(int x, int *left)
{
	guard g{left};
	if (x > 3)
		throw x;
	return x;
}

int main(int argc, char **)
{
	int left = 0;
	return f(argc, &left) - left;
}
