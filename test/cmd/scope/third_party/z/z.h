int compress(int n);
