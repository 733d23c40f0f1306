# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Superblocks of -fwaymark-use.  Figure 2.1 of the thesis: by the counts of edges, a decision has both outcomes equally often; by
# paths, its outcome follows from an earlier decision.  After formation the second decision is gone from the optimised code.  With
# edges alone it is not, because the code between the decisions is too large for LLVM to copy.

train() { # train SCHEME FILE: file.wmprof
	must "$waymark" cc -O2 -fwaymark-scheme=$1 $2.c -o trained
	rm -f run.wmraw
	WAYMARK_FILE=run.wmraw ./trained >expected
	must "$waymark" merge -o $2.wmprof run.wmraw
}
use() { # use FILE OPTION…: the program prints the same
	local file=$1
	shift
	must "$waymark" cc -O2 -fwaymark-use=$file.wmprof "$@" $file.c -o used
	./used >actual
	cmp -s expected actual || fail "the program prints something else with $*"
}
branches() { # branches FUNCTION OPTION…: in its optimised code
	local function=$1
	shift
	must "$waymark" cc -O2 -S -emit-llvm "$@" -o final.ll
	sed -n "/^define.*@$function(/,/^}/p" final.ll | grep -cE '^  (br i1|switch) '
}

train acyclic figure
edges=$(branches decide -fwaymark-use=figure.wmprof -fwaymark-superblocks=100 figure.c)
superblocks=$(branches decide -fwaymark-use=figure.wmprof figure.c)
[ "$edges" = 2 ] || fail "with edges alone the function has $edges decisions instead of 2"
[ "$superblocks" = 1 ] || fail "with superblocks the function has $superblocks decisions instead of 1"
use figure -Rpass=waymark
grep -q 'superblock: copied the blocks behind the first of .* which ran [0-9]* times.*the last decision has one outcome' must.log ||
	fail "no remark about a superblock: $(cat must.log)"
grep -q '2 superblocks: the function grows from' must.log || fail "no remark about growth"
use figure -fwaymark-superblocks=100 -Rpass=waymark
! grep -q superblock must.log || fail "superblocks are formed without growth"
use figure -fwaymark-superblocks=101 -Rpass-missed=waymark
grep -q '2 superblocks are not formed' must.log || fail "no remark about the limit: $(cat must.log)"
use figure -Os -Rpass=waymark
! grep -q superblock must.log || fail "superblocks are formed at -Os"

must "$waymark" cc -O2 -fwaymark-cfg=optimised figure.c -o trained
rm -f run.wmraw
WAYMARK_FILE=run.wmraw ./trained >expected
WAYMARK_TEST=superblocks=all must "$waymark" cc -O2 -fwaymark-cfg=optimised -fwaymark-use=run.wmraw -Rpass=waymark figure.c -o used
! grep -q superblock must.log || fail "superblocks are formed after optimisation"

# What an iteration decides for the next one: the state of a state machine.  Paths over several iterations show it.
for scheme in acyclic loopcontext kiter=2 kiter=3; do
	train $scheme machine
	for evidence in determined hot all; do
		for size in 150 400; do
			WAYMARK_TEST=superblocks=$evidence use machine -fwaymark-superblocks=$size -Rpass=waymark
		done
	done
	use machine -Rpass=waymark
	case $scheme in
	kiter=*) grep -q 'the last decision has one outcome' must.log || fail "$scheme: the state is not decided: $(cat must.log)" ;;
	esac
done
