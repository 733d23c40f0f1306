int body(int x)
{
	return x > 2 ? 1 : 2;
}
int shown(int x) __attribute__((alias("body")));
int hidden(int x) __attribute__((alias("body"), visibility("hidden")));
int caller(int x)
{
	return shown(x) + hidden(x) + body(x);
}
