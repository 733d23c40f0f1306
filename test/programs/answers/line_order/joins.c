int main(int argc, char **argv)
{
	int n = 0;
	if (argc > 1) {
		if (argc > 2)
			n = 1;
		else if (argc > 3)
			n = 2;
	}
	return n && argv;
}
