# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program, a library it is linked with and a plugin that it opens and closes, all
# instrumented: each object has its own counters, and none of them is lost.
cat >lib.c <<'END'
__attribute__((noinline)) int lib_step(int x) { return x % 2 ? x * 3 + 1 : x / 2; }
int lib_collatz(int x) { int n = 0; while (x != 1) { x = lib_step(x); n++; } return n; }
END
cat >plug.c <<'END'
int plug(int x) { return x > 10 ? x - 10 : x < 0 ? -x : x; }
END
must clang-19 -O2 lib.c main.c -ldl -o plain
must clang-19 -O2 -shared -fPIC plug.c -o plug.so
must ./plain && cp must.log expected
for linker in bfd lld mold; do
	must "$waymark" cc -O2 -fuse-ld=$linker -shared -fPIC lib.c -o libstep.so
	must "$waymark" cc -O2 -fuse-ld=$linker -shared -fPIC plug.c -o plug.so
	must "$waymark" cc -O2 -fuse-ld=$linker main.c -L. -lstep -Wl,-rpath,. -ldl -o program
	rm -f -- *.wmraw
	./program >out || fail "run"
	cmp expected out || fail "output"
	report ./program *.wmraw
	expect 'f("main").entries == 1'
	report ./libstep.so *.wmraw
	expect 'f("lib_step").entries == ends("lib_collatz"; "backedge") and f("lib_collatz").entries == 9'
	report ./plug.so *.wmraw
	expect 'f("plug").entries == 75 and total("plug") == 75'
done
