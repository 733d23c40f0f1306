struct parity {
	static int odd(int n)
	{
		return n & 2 ? n : -n;
	}
};
namespace std
{
template <class T> struct box {
	int apply(int n)
	{
		return n & 1 ? T::odd(n) : n;
	}
};
extern template struct box<parity>;
} // namespace std
