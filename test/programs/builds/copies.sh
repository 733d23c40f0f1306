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
cat >box.cpp <<'END'
#include "box.h"
template struct box<int>;
template struct box<long>;
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

# A definition in an archive is counted too, where it calls what only its own file knows to return.
cat >step.h <<'END'
int next(int x);
inline int step(int x) { return x % 3 ? next(x) : x; }
END
cat >step.c <<'END'
#include "step.h"
extern int step(int x);
__attribute__((noinline)) int next(int x) { return x & 1 ? x + 1 : x + 2; }
END
# walked NAME OPTION…: what a build of this program counts
walked() {
	name=$1
	shift
	must "$waymark" cc "$@" -c step.c walk.c
	rm -f libstep.a "$name".*wmraw
	ar rcs libstep.a step.o
	must "$waymark" cc walk.o -L. -lstep -o "$name"
	must env WAYMARK_FILE="$name.%p.wmraw" "./$name"
	report "./$name" "$name".*wmraw
	mv merged.wmprof "$name.wmprof"
}
for level in -O0 -O2; do
	walked plain $level
	expect 'f("step").entries == 18 and total("step") == 18 and ([f("step").paths[].count] | sort == [6, 12])'
	expect 'f("step").balance.abandoned // 0 == 0'
	walked preferential $level -fwaymark-interesting=plain.wmprof
	expect '[f("step").paths[].count] | sort == [6, 12]'
	walked residual $level -fwaymark-residual=plain.wmprof
	expect 'total("step") == 0'
done

# GNU C89's `extern inline`: where every call is inlined, no definition is needed.
cat >gnu89.c <<'END'
int shown;
extern inline void show(int a, int b) { int c = 0; while (c++ < b) shown += a; }
int main(void) { show(1, 3); return shown == 3 ? 0 : 1; }
END
for level in -O1 -O2 -O3; do
	must clang-19 -std=gnu89 $level gnu89.c -o gnu89
	for graph in source optimised; do
		must "$waymark" cc -std=gnu89 $level -fwaymark-cfg=$graph gnu89.c -o gnu89
		rm -f run.wmraw
		must env WAYMARK_FILE=run.wmraw ./gnu89
		report ./gnu89 run.wmraw
		expect 'total("main") == 1 and (known("show") | not)'
	done
done
