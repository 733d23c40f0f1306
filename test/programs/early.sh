# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A preferential build may count a path before its end.  A program that dies in between
# shows one path more than had ended, and the balance calls paths completed or open.
cat >program.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) int f(int x, int *p)
{
	int s;
	if (x & 1)
		s = 3;
	else
		s = x * 5;
	*(volatile int *)p = s;
	return s;
}
int main(int argc, char **argv)
{
	int v, s = 0, n = atoi(argv[1]);
	for (int i = 0; i < n; i++)
		s += f(i & 1, &v);
	if (argc > 2)
		s += f(n & 1, NULL);
	return s == 1;
}
END
must "$waymark" cc -O2 -g program.c -o plain
must env WAYMARK_FILE=plain.wmraw ./plain 1000
must "$waymark" merge -o plain.wmprof plain.wmraw
must "$waymark" cc -O2 -g -fwaymark-interesting=plain.wmprof program.c -o program
for build in plain program; do
	rm -f run.wmraw
	! WAYMARK_FILE=run.wmraw ./$build 10 x 2>log || fail "$build does not die"
	report ./$build run.wmraw
	cp report.json $build.json
	"$waymark" report --balance --function f merged.wmprof ./$build >$build.txt || fail "report of $build"
done
jq -e '.functions[] | select(.name == "f") | .executions == 10 and (.balance.completed_or_open | not)' plain.json >/dev/null ||
	fail "a plain build counts at the end of a path only"
grep -q '= 10 completed + 0 abandoned' plain.txt || fail "the balance of the plain build"
expect 'f("f").executions == 11 and f("f").balance.completed_or_open'
grep -q '= 11 completed or open + 0 abandoned' program.txt || fail "the balance does not call the last path open"
