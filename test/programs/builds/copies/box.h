template <class T> struct box {
	T value;
	int get() const;
};
template <class T> int box<T>::get() const
{
	return value > 4 ? 1 : 2;
}
extern template struct box<int>;
extern template struct box<long>;
