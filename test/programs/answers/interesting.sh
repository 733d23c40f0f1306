# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Profile input A, build from it, run input B: a preferential build counts all paths of B, a
# residual build exactly those that A did not take; with one thread and with many, on
# stores of every kind, through setjmp, exceptions' cousins and loops with one path.

# profile NAME ARGUMENTS…: runs it and merges
profile() {
	profiled=$1
	shift
	rm -f run*.wmraw
	WAYMARK_FILE=run.wmraw ./build "$@" >$profiled.out || fail "$profiled does not run"
	must "$waymark" merge -o $profiled.wmprof run*.wmraw
}

sets() {
	"$build/test/sets" "$@" >sets.log 2>&1 || { cat sets.log; fail "$scheme $level $graph $update $threads threads: $*"; }
}

# build_and_compare OPTION…: from a.wmprof, run on B
build_and_compare() {
	must "$waymark" cc $level -pthread -fwaymark-scheme=$scheme -fwaymark-cfg=$graph -fwaymark-update=$update "$@" program.c -o build
	profile found "$threads" 200 5000 3
	cmp b.out found.out || fail "$* prints something else"
}

proof() {
	must "$waymark" cc $level -pthread -fwaymark-scheme=$scheme -fwaymark-cfg=$graph -fwaymark-update=$update program.c -o build
	profile a "$threads" 0 3000 2
	profile b "$threads" 200 5000 3
	for store in '' perfect; do
		export WAYMARK_TEST=$limit,$store
		build_and_compare -fwaymark-interesting=a.wmprof
		sets equal b.wmprof found.wmprof
		[ $threads = 1 ] || break
	done
	WAYMARK_TEST=$limit
	build_and_compare -fwaymark-residual=a.wmprof
	sets residual a.wmprof b.wmprof found.wmprof
	[ "$(sed -n 's/residual: \([0-9]*\) .*/\1/p' sets.log)" -gt 100 ] || fail "hardly any path is untested: $(cat sets.log)"
}

scheme=acyclic limit=
for built in -O0,source -O2,optimised ${WHOLE:+-O0,optimised -O2,source}; do
	level=${built%,*} graph=${built#*,}
	threads=1 update=gs
	proof
	threads=4
	for update in gs delta atomic; do
		proof
	done
done

# Paths over iterations and with contexts, in arrays and, where the limit is 1, never.
while read -r scheme level graph update threads limit; do
	limit=array-limit=$limit
	proof
done <<-END
	kiter=2 -O0 source gs 1 1
	kiter=2 -O2 optimised gs 4 65536
	kiter=3 -O2 source atomic 4 1
	loopcontext -O2 optimised delta 4 1
END
unset WAYMARK_TEST

# A loop that is left when its first window ends has no second one: nothing untested is seen.
for scheme in kiter=2 kiter=3; do
	must "$waymark" cc -O1 -fwaymark-scheme=$scheme twice.c -o build
	profile few "${scheme#*=}"
	must "$waymark" cc -O1 -fwaymark-scheme=$scheme -fwaymark-residual=few.wmprof twice.c -o build
	profile again "${scheme#*=}"
	[ ! -s again.out ] || { cat again.out; fail "$scheme: a tested path is untested"; }
	profile more 6
	[ "$(grep -c sum: more.out)" = 1 ] || { cat more.out; fail "$scheme: one path of six rounds is untested"; }
done

# A profile of the same source in another form is most likely a mistake.
must "$waymark" cc -O1 -fwaymark-scheme=kiter=2 -fwaymark-residual=few.wmprof twice.c -o build
grep -q 'few.wmprof knows functions of twice.c, but not in the form they have here' must.log || { cat must.log; fail "no word about another scheme"; }
must "$waymark" cc -O1 -fwaymark-scheme=kiter=3 -fwaymark-residual=few.wmprof twice.c -o build
[ ! -s must.log ] || { cat must.log; fail "a word about the same scheme"; }

# A function whose only path was abandoned in a call has no path in the profile, but it is known as it is here.
printf 'void leave(int code);\nint usage(void) { leave(0); return 1; }\n' >usage.c
printf '#include <stdlib.h>\nint usage(void);\nvoid leave(int code) { exit(code); }\nint main(void) { return usage(); }\n' >leaves.c
must "$waymark" cc -O1 usage.c leaves.c -o build
profile left
must "$waymark" cc -O1 -fwaymark-residual=left.wmprof -c usage.c
[ ! -s must.log ] || { cat must.log; fail "a word about a function that was left"; }

# What cannot be meant, and what cannot be read, is an error.
refused() {
	pattern=$1
	shift
	! "$waymark" cc -c program.c -o refused.o "$@" >log 2>&1 || fail "accepted: $*"
	grep -q -- "$pattern" log || { cat log; fail "says nothing of '$pattern': $*"; }
}
refused 'exclude each other' -fwaymark-interesting=a.wmprof -fwaymark-residual=a.wmprof
refused 'needs -fwaymark-interesting' -fwaymark-scheme=preferential
refused 'cannot read' -fwaymark-residual=missing.wmprof
echo 'no profile at all' >text.wmprof
refused 'cannot use the profile text.wmprof' -fwaymark-interesting=text.wmprof
refused 'holds only untested paths' -fwaymark-residual=more.wmprof
must "$waymark" cc -c program.c -o accepted.o -fwaymark-scheme=preferential -fwaymark-interesting=a.wmprof -MMD -MF accepted.d
grep -q a.wmprof accepted.d || { cat accepted.d; fail "the profile is no prerequisite"; }

# Profiles of paths across calls, and paths that are named by their pieces, have no such numbering.
for scheme in context piecewise; do
	must "$waymark" cc -O1 -g -fwaymark-scheme=$scheme pieces.c -o pieces
	rm -f pieces.wmraw
	WAYMARK_FILE=pieces.wmraw must ./pieces
	for options in '--interesting pieces.wmraw' '--calls --scheme piecewise --weights pieces.wmraw' '--calls --scheme piecewise --profile pieces.wmraw'; do
		code=0
		"$waymark" show $options pieces >log 2>&1 || code=$?
		[ $code = 1 ] && grep -q 'needs a profile whose paths stay in one function' log || { cat log; fail "$scheme: show $options, exit code $code"; }
	done
done
must "$waymark" cc -O1 -g -fwaymark-scheme=kiter=40 pieces.c -o pieces
rm -f pieces.wmraw
WAYMARK_FILE=pieces.wmraw must ./pieces
"$waymark" show --json --interesting pieces.wmraw pieces | jq -e '[.functions[].name] | index("main") and (index("loop") | not)' >/dev/null || fail "show --interesting with pieces"
