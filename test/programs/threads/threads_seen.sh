# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threads get cells of their own however they are created: from libstdc++.a, C11's, those of the C library itself, and
# in a library that a program without instrumentation calls.  A thread that cannot get cells is noticed.
cat >std.cpp <<'END'
#include <thread>
extern "C" int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
int main() { std::thread a([] { work(1000); }), b([] { work(1000); }); a.join(); b.join(); return work(9) == 12 ? 0 : 1; }
END
# Each of these starts its threads while the main thread counts, so shared cells would lose counts.
# counted OBJECT PROGRAM N: work is entered as often as the program says, or N times
counted() {
	rm -f run.wmraw
	status=0
	WAYMARK_FILE=run.wmraw $2 >said.txt 2>error.txt || status=$?
	[ $status != 77 ] || return 0
	[ $status = 0 ] || { cat error.txt; fail "$2: exit code $status"; }
	report "$1" run.wmraw
	expect "f(\"work\").entries == ${3:-$(cat said.txt)}"
}
for static in "" -static -static-pie; do
	must "$waymark" c++ -O1 $static std.cpp -o std
	counted ./std ./std 3
	for program in c11 timer aio names queue; do
		must "$waymark" cc -O1 $static -w $program.c -o $program 2>/dev/null
		[ $program = c11 ] && counted ./c11 ./c11 3 || counted ./$program ./$program
	done
done
# Sanitizers have their own pthread_create, and threads of their own.
for sanitizer in address thread; do
	must "$waymark" c++ -O1 -fsanitize=$sanitizer std.cpp -o std
	counted ./std ./std 3
	echo 'int work(int n) { return n % 3; } int main(void) { return work(9); }' >alone.c
	must "$waymark" cc -O1 -fsanitize=$sanitizer alone.c -o alone
	counted ./alone ./alone 1
done

echo run >deny.txt
for graph in source optimised; do
	must "$waymark" cc -O1 -fwaymark-cfg=$graph -fwaymark-deny=deny.txt -fPIC -shared denied.c -o libdenied.so
	must clang-19 user.c ./libdenied.so -o user
	counted ./libdenied.so ./user 2
done

# What the runtime cannot give cells: the C library's clone, the system call itself, and threads of a pthread_create that
# the program defines.  All but the last are right with atomic updates.
for program in clone call own; do
	must "$waymark" cc -O1 $program.c -o $program
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./$program
	report ./$program run.wmraw
	expect 'f("work") | .status == "refused" and (.reason | test("thread without counters.*-fwaymark-update=atomic"))'
	must "$waymark" cc -O1 -fwaymark-update=atomic $program.c -o $program
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./$program
	report ./$program run.wmraw
	expect 'f("work").entries >= 2'
done
