# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# -fwaymark-use: the program prints what it did, has nothing of Waymark in it, and is the same when it is built again; functions
# that have changed are named and left alone; what cannot be used is refused in one sentence.
cat >program.c <<'END'
#include <stdio.h>
static int never(int x) { return x > 3 ? puts("more") : x; }
__attribute__((noinline)) int kind(int x)
{
	switch (x % 7) {
	case 0:
	case 1: return 3;
	case 2: return puts("") - 1;
	default: return __builtin_expect(x & 1, 0) ? x : 9;
	}
}
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < 1000; i++) {
		sum += kind(i);
		if (i % 10 == 0)
			sum ^= (int)argv[0][0];
	}
	if (argc > 5)
		sum += never(argc);
	printf("%d\n", sum);
	return 0;
}
END
must "$waymark" cc -O2 program.c -o trained
WAYMARK_FILE=run.wmraw ./trained >expected
must "$waymark" merge -o run.wmprof run.wmraw

for level in -O0 -O1 -O2 -O3 -Os '-O2 -flto -fuse-ld=lld' '-O2 -flto=thin -fuse-ld=lld'; do
	must "$waymark" cc $level -fwaymark-use=run.wmprof program.c -o used
	./used >actual
	cmp -s expected actual || fail "the program prints something else at $level"
	! nm used | grep -q __wm_ || fail "the program contains code of Waymark at $level"
	! readelf -S used | grep -qE 'waymark|wm_cnts' || fail "the program contains sections of Waymark at $level"
done
must env WAYMARK_USE=run.wmprof "$waymark" cc -O2 -c program.c -o one.o
must "$waymark" cc -O2 -fwaymark-use=run.wmprof -c program.c -o two.o
cmp one.o two.o || fail "two compilations differ"

# The weights are those of the run.
must "$waymark" cc -O2 -fwaymark-superblocks=100 -fwaymark-use=run.wmprof -S -emit-llvm program.c -o used.ll
grep -q '!{!"function_entry_count", i64 1000}' used.ll || fail "the entries of kind are missing"
grep -q '"ProfileFormat", !"InstrProf"' used.ll || fail "the summary is missing"
must "$waymark" cc -O2 -fwaymark-use=run.wmprof -Rpass=waymark -c program.c -o one.o
grep -q '1000 entries and the weights of branches, from 4 paths (acyclic) that ran 1000 times' must.log ||
	fail "no remark about kind: $(cat must.log)"
grep -q 'the function never ran' must.log || fail "no remark about never"

# Profiles of the other schemes for paths inside functions; several files.
for scheme in kiter=3 loopcontext; do
	must "$waymark" cc -O2 -fwaymark-scheme=$scheme program.c -o trained
	WAYMARK_FILE=other.wmraw ./trained >actual
	must "$waymark" merge -o other.wmprof other.wmraw
	must "$waymark" cc -O2 -fwaymark-superblocks=100 -fwaymark-use=other.wmprof -S -emit-llvm program.c -o other.ll
	for file in used other; do
		grep -E 'branch_weights|function_entry_count' $file.ll | sed 's/.* = //' | sort >$file.weights
	done
	cmp used.weights other.weights || fail "the counts of $scheme differ"
done
must "$waymark" cc -O2 -fwaymark-superblocks=100 -fwaymark-use=run.wmprof,run.wmprof -S -emit-llvm program.c -o twice.ll
grep -q '!{!"function_entry_count", i64 2000}' twice.ll || fail "two profiles are not summed"

# A function that has changed.
sed 's/case 2:/case 2: if (x == 9) return 1;/' program.c >changed.c
sed -i 's/program/changed/' changed.c
must "$waymark" cc -O2 -fwaymark-use=run.wmprof -c changed.c -o changed.o
grep -q '1 of 2 functions of changed.c that ran in the profile have another graph here.*: kind$' must.log ||
	fail "the stale function is not named: $(cat must.log)"

# The graph after optimisation.
must "$waymark" cc -O2 -fwaymark-cfg=optimised program.c -o trained
WAYMARK_FILE=late.wmraw ./trained >actual
must "$waymark" merge -o late.wmprof late.wmraw
must "$waymark" cc -O2 -fwaymark-cfg=optimised -fwaymark-use=late.wmprof -S -emit-llvm program.c -o late.ll
grep -q '!{!"function_entry_count", i64 1000}' late.ll || fail "the counts of the graph optimised are missing"

# What is refused.
refused() {
	sentence=$1
	shift
	! "$waymark" cc -O2 -c program.c -o refused.o "$@" >refused.log 2>&1 || fail "$* is accepted"
	grep -q "$sentence" refused.log || fail "$*: $(cat refused.log)"
}
refused "cannot read 'none.wmprof'" -fwaymark-use=run.wmprof,none.wmprof
refused 'cannot use the profile program.c' -fwaymark-use=program.c
refused 'excludes -fwaymark-residual' -fwaymark-use=run.wmprof -fwaymark-residual=run.wmprof
refused 'excludes -fwaymark-wpp' -fwaymark-use=run.wmprof -fwaymark-wpp
refused 'needs a value' -fwaymark-use
refused 'needs a profile of paths inside functions' -fwaymark-use=run.wmprof -fwaymark-scheme=context
refused 'late.wmprof is a profile of the graph optimised: compile with -fwaymark-cfg=optimised' -fwaymark-use=late.wmprof
refused 'is a profile of the graph source' -fwaymark-cfg=optimised -fwaymark-use=run.wmprof
must "$waymark" cc -O2 -fwaymark-scheme=piecewise program.c -o trained
WAYMARK_FILE=across.wmraw ./trained >actual
refused 'across.wmraw has paths across calls' -fwaymark-use=across.wmraw
