# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# -fwaymark-use: the program prints what it did, has nothing of Waymark in it, and is the same when it is built again; functions
# that have changed are named and left alone; what cannot be used is refused in one sentence.
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
for scheme in kiter=3 kiter=40 loopcontext; do
	must "$waymark" cc -O2 -fwaymark-scheme=$scheme program.c -o trained
	WAYMARK_FILE=other.wmraw ./trained >actual
	must "$waymark" merge -o other.wmprof other.wmraw
	must "$waymark" cc -O2 -fwaymark-superblocks=100 -fwaymark-use=other.wmprof -S -emit-llvm program.c -o other.ll
	for file in used other; do
		grep -E 'branch_weights|function_entry_count' $file.ll | sed 's/.* = //' | sort >$file.weights
	done
	cmp used.weights other.weights || fail "the counts of $scheme differ"
done
must "$waymark" cc -O2 program.c -o trained
WAYMARK_FILE=second.wmraw ./trained >actual
must "$waymark" cc -O2 -fwaymark-superblocks=100 -fwaymark-use=run.wmprof,second.wmraw -S -emit-llvm program.c -o twice.ll
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
refused 'have the counts of 1 of its runs, too, which would count twice' -fwaymark-use=run.wmprof,run.wmraw
refused 'late.wmprof is a profile of the graph optimised' -fwaymark-use=run.wmprof,late.wmprof
refused 'marks and -fwaymark-use exclude each other' -fwaymark-use=run.wmprof -fwaymark-marks
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

# A function that the profile lacks never ran if functions of its file and of the main file did.  If the main file is another one, a
# function of a header may be new: a program has only those functions of a header that it uses.
cat >header.h <<'END'
__attribute__((noinline)) static int before(int x) { return x > 3 ? x : 9; }
__attribute__((noinline)) static int later(int x) { return x > 5 ? x : 7; }
END
must "$waymark" cc -O2 -g user.c -o trained
WAYMARK_FILE=user.wmraw ./trained >actual
must "$waymark" cc -O2 -g -fwaymark-use=user.wmraw -S -emit-llvm user.c -o user.ll
for function in unused later; do
	grep -q "^define.*@$function(.*!prof" user.ll || fail "nothing is known of $function, which never ran"
done
sed 's/argc > 9/argc > 8/' user.c >new.c
must "$waymark" cc -O2 -g -fwaymark-use=user.wmraw -S -emit-llvm new.c -o new.ll
! grep -q '^define.*@later(.*!prof' new.ll || fail "a function that the trained program may not have had is called cold"

# A profile without functions is said to be of no use.
must "$waymark" cc -O2 -fwaymark-wpp program.c -o trained
WAYMARK_FILE=recorded.wmraw ./trained >actual
must "$waymark" merge -o nothing.wmprof recorded.wmraw
must "$waymark" cc -O2 -fwaymark-use=nothing.wmprof -c program.c -o one.o
grep -q 'has no counts of functions, so program.c is compiled without it' must.log || fail "an empty profile is taken for one: $(cat must.log)"

# A branch that never ran keeps what the programmer expects of it.
must "$waymark" cc -O2 expect.c -o trained
WAYMARK_FILE=expect.wmraw ./trained
must "$waymark" cc -O2 -fwaymark-use=expect.wmraw -S -emit-llvm expect.c -o expect.ll
sed -n '/^define.*@check(/,/^}/p' expect.ll >check.ll
[ "$(grep -c '!prof' check.ll)" -ge 3 ] || { cat check.ll; fail "an expectation is lost"; }
grep -q 'branch_weights", i32 1, i32 99}\|branch_weights", i32 99, i32 1}' expect.ll || { grep weights expect.ll; fail "an expectation is preferred to counts"; }

# In a function with many paths each path is rare, but its blocks are hot, and what ran once is not.
{
	echo '#include <stdio.h>'
	echo '__attribute__((noinline)) int mix(unsigned x) { int s = 0;'
	for i in $(seq 0 19); do echo "if (x & 1u << $i) s += $((i * 7 + 1)); else s ^= $((i * 5 + 3));"; done
	echo 'return s; }'
	echo '__attribute__((noinline)) void begin(int n) { if (n > 3) puts("many"); else puts("few"); }'
	echo 'int main(int argc, char **argv) { unsigned x = 1; long s = 0; begin(argc); for (int i = 0; i < 30000; i++) { x = x * 1664525u + 1013904223u; s += mix(x >> 8); } printf("%ld", s); return 0; }'
} >paths.c
must "$waymark" cc -O2 paths.c -o trained
WAYMARK_FILE=paths.wmraw ./trained >actual
must "$waymark" cc -O2 -fwaymark-use=paths.wmraw -S -emit-llvm paths.c -o paths.ll
threshold=$(sed -n 's/.*{i32 990000, i64 \([0-9]*\),.*/\1/p' paths.ll)
[ "$threshold" -ge 10000 ] && [ "$threshold" -le 30000 ] || fail "what is hot begins at $threshold"
attributes=$(sed -n 's/^define.*@begin(.*) .*\(#[0-9]*\) .*/\1/p' paths.ll)
grep -q "^attributes $attributes = {.* cold " paths.ll || { grep -n "begin\|^attributes" paths.ll; fail "a function that ran once is not cold"; }
