# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Two files of one name, compiled each in its own directory, with local functions of
# one name and one graph: two functions.
mkdir one two
cat >one/util.c <<'END'
static int helper(int x) { return x > 3 ? 1 : 2; }
int one(int n) { int s = 0; for (int i = 0; i < n; i++) s += helper(i); return s; }
END
cat >two/util.c <<'END'
static int helper(int x) { return x < 90 ? 3 : 4; }
int two(int n) { int s = 0; for (int i = 0; i < n; i++) s += helper(i); return s; }
END
cat >main.c <<'END'
int one(int), two(int);
int main(void) { return one(10) + two(20) == 74 ? 0 : 1; }
END
for level in -O0 -O2; do
	(cd one && "$waymark" cc $level -c util.c) || fail "one/util.c"
	(cd two && "$waymark" cc $level -c util.c) || fail "two/util.c"
	must "$waymark" cc $level main.c one/util.o two/util.o -o program
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./program
	report ./program run.wmraw
	expect '[.functions[] | select(.name == "helper") | sum(.paths[].count)] | sort == [10, 20]'
done
