static inline __attribute__((noinline)) int sign(int x)
{
	return x < 0 ? -1 : 1;
}
int clamp(int x);
