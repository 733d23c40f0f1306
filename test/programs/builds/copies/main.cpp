#include "box.h"
int main()
{
	int sum = 0;
	int (box<int>::*volatile pointer)() const = &box<int>::get;
	for (int i = 0; i < 10; i++) {
		box<int> b{i};
		sum += b.get() + (b.*pointer)() + box<long>{i}.get();
	}
	return sum == 45 ? 0 : 1;
}
