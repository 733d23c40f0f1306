# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One inline function in two translation units: the linker keeps one, and its counts
# are complete; local functions of one name in two files stay apart.
cat >shared.hpp <<'END'
#pragma once
inline __attribute__((noinline)) int clamp(int x) { return x < 0 ? 0 : x > 9 ? 9 : x; }
template <class T> __attribute__((noinline)) T larger(T a, T b) { return a > b ? a : b; }
END
cat >a.cpp <<'END'
#include "shared.hpp"
static __attribute__((noinline)) int local(int x) { return x & 1 ? clamp(x) : clamp(-x); }
int a(int x) { return local(x) + larger(x, 4); }
END
must clang++-19 -O1 a.cpp b.cpp -o plain
for level in -O0 -O2; do
	for lto in '' -flto '-flto=thin'; do
		export WAYMARK_TEST=trace
		must "$waymark" c++ $level $lto -fuse-ld=lld a.cpp b.cpp "$build/test/trace.o" -o program
		unset WAYMARK_TEST
		rm -f -- *.wmraw
		WM_TRACE_FILE=trace.txt WAYMARK_FILE=run.wmraw ./program >out || fail "run"
		./plain | cmp - out || fail "output"
		report ./program run.wmraw
		trace_equal trace.txt
		expect '[.functions[] | select(.name == "_ZL5locali")] | length == 2'
		expect '[.functions[] | select(.name == "_ZL5locali") | .entries] == [30, 30]'
	done
done
