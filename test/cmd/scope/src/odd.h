int odd(int n);
