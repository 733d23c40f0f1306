# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Copies of a function for inlining only (C's inline, C++'s extern template): whether
# they are inlined must not change what is counted.
cat >half.h <<'END'
inline int half(int x) { return x % 2 ? x / 2 + 1 : x / 2; }
END
cat >half.c <<'END'
#include "half.h"
extern int half(int x);
END
cat >main.c <<'END'
#include "half.h"
int (*volatile pointer)(int) = half;
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += half(i) + pointer(i);
	return sum == 50 ? 0 : 1;
}
END
cat >box.h <<'END'
template <class T> struct box { T value; int get() const; };
template <class T> int box<T>::get() const { return value > 4 ? 1 : 2; }
extern template struct box<int>;
extern template struct box<long>;
END
cat >box.cpp <<'END'
#include "box.h"
template struct box<int>;
template struct box<long>;
END
cat >main.cpp <<'END'
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
END
must clang++-19 -O1 -c box.cpp -o plain.o
for level in -O0 -O1 -O2 -O3; do
	must "$waymark" cc $level half.c main.c -o c$level
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./c$level
	report ./c$level run.wmraw
	expect 'total("half") == 20'
	must "$waymark" c++ $level box.cpp main.cpp -o cpp$level
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./cpp$level
	report ./cpp$level run.wmraw
	expect 'total("_ZNK3boxIiE3getEv") == 20 and total("_ZNK3boxIlE3getEv") == 10'
	must "$waymark" c++ $level plain.o main.cpp -o partly$level
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./partly$level
	report ./partly$level run.wmraw
	expect 'known("_ZNK3boxIiE3getEv") | not'
done
