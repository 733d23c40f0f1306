# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Paths across calls, each file numbered alone: the counts of TR 1382, and programs whose edge counts must be those of
# the acyclic profile.
project=$build/test/project
unset WAYMARK_SCHEME

# run_with SCHEME SOURCE OPTION…: leaves SCHEME.map, SCHEME.wmraw and what the program prints in SCHEME.out
run_with() {
	scheme=$1 source=$2
	shift 2
	case $source in *.cpp) driver=c++ ;; *) driver=cc ;; esac
	must "$waymark" $driver -fwaymark-scheme="$scheme" "$@" -c "$source" -o "program-$scheme.o"
	# Without the scheme the link leaves each file numbered alone.
	must "$waymark" $driver "$@" "program-$scheme.o" -o "program-$scheme"
	rm -f "$scheme.wmraw"
	WAYMARK_FILE=$scheme.wmraw "./program-$scheme" >"$scheme.out" 2>&1 || fail "program-$scheme ($*) fails"
	must objcopy --dump-section .waymark.map="$scheme.map" "program-$scheme" stripped
}

# ids SCHEME: the ids of all functions with their counts
ids() {
	"$build/test/runtime/rawdump" "$1.wmraw" | sed -n 's/^path [^ ]* [0-9]* \([0-9]*\) \([0-9]*\) .*/\1:\2/p' | sort -n |
		tr '\n' ' '
}

# projected WHAT SCHEME
projected() {
	"$project" "$1" "$2.map" "$2.wmraw" >"$2.$1.raw" || fail "$2: the profile does not fit its numbering"
	sort "$2.$1.raw" >"$2.$1"
}

# same_edges SOURCE OPTION…: every scheme, or without WHOLE two of them, agrees with the acyclic one, and no path is abandoned
same_edges() {
	source=$1
	shift
	run_with acyclic "$source" "$@"
	projected edges acyclic
	for across in context piecewise=pending ${WHOLE:+piecewise context=cut piecewise=cut context=pending}; do
		run_with $across "$source" "$@"
		cmp acyclic.out $across.out || fail "$source prints something else with $across $*"
		projected edges $across
		diff acyclic.edges $across.edges || fail "$source: the edges of $across differ ($*)"
	done
}

# every SOURCE OPTION…: at both levels, on both graphs
every() {
	source=$1
	shift
	for built in -O0,source -O2,optimised ${WHOLE:+-O0,optimised -O2,source}; do
		same_edges "$source" ${built%,*} -fwaymark-cfg=${built#*,} "$@"
	done
}

# ---- The pow program of TR 1382.
context="16:1 18:9 24:9 25:3 27:3 28:3 29:6 30:3 32:3 33:3 34:5 35:1 "
piecewise="6:1 8:9 12:3 14:5 15:1 16:15 17:3 19:6 20:6 "
for options in -O0 -O2 "-O2 -fno-inline" "-O0 -fwaymark-cfg=optimised" "-O2 -fPIE -pie" "-O1 -fwaymark-update=atomic" \
	"-O1 -fwaymark-update=delta" "-O2 -flto -fuse-ld=lld" "-O2 -flto=thin -fuse-ld=lld"; do
	run_with context pow.c $options
	[ "$(ids context)" = "$context" ] || fail "context $options: $(ids context)"
	run_with piecewise pow.c $options
	[ "$(ids piecewise)" = "$piecewise" ] || fail "piecewise $options: $(ids piecewise)"
done
WAYMARK_TEST=placement=naive run_with piecewise pow.c -O1
[ "$(ids piecewise)" = "$piecewise" ] || fail "naive placement: $(ids piecewise)"

# ---- Recursion, callbacks, indirect calls, several calls in a block, calls of calls.
every calls.c
same_edges calls.c -O2 -fPIC -pie -fwaymark-update=delta

# Stepping over every call gives the acyclic paths.
for level in -O0 -O2; do
	run_with acyclic calls.c $level
	projected paths acyclic
	for across in context piecewise; do
		WAYMARK_TEST=step-over run_with $across calls.c $level
		projected paths $across
		diff acyclic.paths $across.paths || fail "$across $level differs from acyclic although nothing is crossed"
	done
done

# ---- Exceptions: a crossed invoke that returns and one that throws; cleanups; resume; rethrow.
every throws.cpp
run_with piecewise throws.cpp -O0
projected paths piecewise
grep -q '^40 _ZL7throughi .*( _ZL7throweri .*) _ZL7throughi' piecewise.paths || grep -q '( _ZL7throweri [0-9 ]*) _ZL7throughi' piecewise.paths ||
	{ cat piecewise.paths; fail "no path goes through a crossed invoke that returns"; }
grep -q '( _ZL7throweri [0-9 ]*$' piecewise.paths || { cat piecewise.paths; fail "no path ends in a callee that throws"; }
grep -q '^[0-9]* + _ZL7throughi' piecewise.paths || { cat piecewise.paths; fail "no path begins at a landing pad"; }

# ---- Threads.
for update in gs delta atomic; do
	same_edges threads.c -O2 -pthread -fwaymark-update=$update
	same_edges threads.c -O0 -pthread -fwaymark-update=$update
done

# ---- Signal handlers that interrupt anything and call functions that the program calls too.
for across in context piecewise context=cut; do
	for level in -O0 -O2; do
		run_with $across signals.c $level
		projected edges $across
		grep abandoned $across.edges && fail "$across $level: a signal made the program lose a path"
		ticks=$(cut -d' ' -f1 $across.out)
		[ "$ticks" -gt 20 ] || fail "only $ticks signals came"
		called=$(awk '$1 == "middle" && $2 == 0 { sum += $4 } END { print sum }' ./$across.edges)
		[ "$called" = $((2000000 + ticks)) ] || fail "$across $level: middle() ran $called times, with $ticks signals"
		# SIGALRM is 14: the handler's calls of middle take the arm with two leaves.
		twice=$(awk '$1 == "middle" && $2 == 0 && $3 == 1 { print $4 }' ./$across.edges)
		[ "$twice" = $((1000000 + ticks)) ] || fail "$across $level: the first arm of middle() ran $twice times"
	done
done

# A handler that ends in a tail call of a function, which may be the one that the program is about to call.
for across in context piecewise; do
	run_with $across tails.c -O0
	ticks=$(cat $across.out)
	[ "$ticks" -gt 20 ] || fail "only $ticks signals came"
	projected paths $across
	# Every iteration is one path through a call that is crossed and does not see a signal's number.
	awk -v ticks="$ticks" '/\( leaf 0 2 \)/ { crossed += $1 } / leaf 0 1 2$/ { tail += $1 } END { exit crossed != 3000000 || tail != ticks }' \
		./$across.paths || { cat ./$across.paths; fail "$across: with $ticks signals, a tail call has taken a message"; }
	grep abandoned $across.paths && fail "$across: a tail call of a handler made the program lose a path"
done

# ---- Pending paths: a recursive call throws, and its landing pad counts the path that waited for it.
for across in context piecewise; do
	for options in -O0 -O1 "-O1 -fwaymark-cfg=optimised"; do
		# Of the calls of descend, those of 11 to 5 return, and those of 4 to 1 wait for one that throws.
		run_with $across=pending pending.cpp $options
		projected paths $across=pending
		[ "$(awk '/\) _ZL7descendi pending$/ { sum += $1 } END { print sum }' ./$across=pending.paths)" = 40 ] ||
			{ cat ./$across=pending.paths; fail "$across=pending $options: not all pending paths were counted"; }
		"$waymark" report --balance $across=pending.wmraw program-$across=pending >balance || fail "report of $across=pending"
		grep -q ' [1-9][0-9]* resumed = [0-9]* completed + 0 abandoned' balance ||
			{ cat balance; fail "$across=pending $options: the counts do not balance"; }
	done
done

# The same for activations that longjmp, exit and the end of a thread leave, and for those that an exception passes.
# waited FUNCTION: how often paths ended in its recursive call
waited() { awk "/_ZL$1i [0-9 ]*pending\$/ { sum += \$1 } END { print 0 + sum }" ./$across.paths; }
for across in context=pending piecewise=pending; do
	for options in "-O0 -fwaymark-update=atomic" "-O2 -fwaymark-update=delta"; do
		run_with $across left.cpp -pthread $options
		projected paths $across
		for wanted in 4jump:50 4pass:60 4stop:4 5leave:3; do
			[ "$(waited ${wanted%:*})" = ${wanted#*:} ] || { cat ./$across.paths; fail "$across $options: $wanted paths should wait"; }
		done
		"$waymark" report --balance $across.wmraw program-$across >balance || fail "report of $across"
		grep -q ' completed + 0 abandoned' balance || { cat balance; fail "$across $options: a path is abandoned"; }
		! grep -q ' completed + [1-9][0-9]* abandoned' balance || { cat balance; fail "$across $options: a path is abandoned"; }
		rm -f $across.wmraw
		(WAYMARK_FILE=$across.wmraw "./program-$across" and die) >/dev/null 2>&1 && fail "it does not abort"
		projected paths $across
		[ "$(waited 3die)" = 3 ] || { cat ./$across.paths; fail "$across $options: abort loses the paths that wait"; }
	done
done

# ---- longjmp over frames that were crossed into.
for across in context piecewise piecewise=cut; do
	for options in -O0 -O2 "-O2 -fwaymark-cfg=optimised"; do
		run_with $across jumps.c $options
		[ "$(cut -d' ' -f2 $across.out)" = 25 ] || fail "jumps.c"
		projected edges $across
		[ "$(awk '$1 == "after" && $2 == 0 { sum += $4 } END { print sum }' ./$across.edges)" = 100 ] ||
			{ cat $across.edges; fail "$across $options: after() did not run 100 times"; }
		[ "$(awk '$1 == "inner" && $2 == 0 { sum += $4 } END { print sum }' ./$across.edges)" = 50 ] ||
			{ cat $across.edges; fail "$across $options: inner() did not run 50 times"; }
	done
done

# ---- A callee that is replaced when the program starts does not reply: its callers' paths are abandoned.
echo 'int replaced(int n) { return 7 + 0 * n; }' >preloaded.c
cat >user.c <<'END_OF_PROGRAM'
#include <stdio.h>
int caller(int n);
int main(void) { printf("%d\n", caller(30)); return 0; }
END_OF_PROGRAM
must "$waymark" cc -fwaymark-scheme=piecewise -O1 -fPIC -c library.c
must "$waymark" cc -shared library.o -o liblibrary.so
must clang-19 -shared -fPIC preloaded.c -o preloaded.so
must clang-19 user.c -L. -llibrary -Wl,-rpath,. -o user
rm -f ./*.wmraw
[ "$(WAYMARK_FILE=piecewise.wmraw LD_PRELOAD=./preloaded.so ./user)" = 275 ] || fail "the preloaded function does not run"
must objcopy --dump-section .waymark.map=piecewise.map liblibrary.so stripped
projected edges piecewise
# Of 30 iterations, 10 do not call the function.
grep -q '^caller 6 1 10$' piecewise.edges || { cat piecewise.edges; fail "a path without a reply is counted"; }

# ---- One link record per function that is left in the program, and one more per copy of an inline function.
cat >inline.h <<'END_OF_PROGRAM'
inline int shared(int n) { return n > 1 ? n : 1; }
END_OF_PROGRAM
printf '#include "inline.h"\nint one(int n) { return shared(n); }\n' >one.cpp
printf '#include "inline.h"\nint one(int);\nint main() { return one(1) - shared(0); }\n' >two.cpp
must "$waymark" c++ -O0 -fwaymark-scheme=context one.cpp two.cpp -o inlines
must ./inlines
size=$(readelf -SW inlines | sed -n 's/.* wm_links *PROGBITS *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p')
[ "$((0x$size))" = 200 ] || fail "wm_links has $((0x$size)) bytes: three functions and two copies of 40 are expected"
