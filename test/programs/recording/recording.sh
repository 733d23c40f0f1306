# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Recordings (-fwaymark-wpp): the walk that is rebuilt from the streams is the walk of the trace, event by event.

# record NAME DRIVER SOURCE FLAGS…: builds with the trace
record() {
	recorded=$1 driver=$2 program=$3
	shift 3
	WAYMARK_TEST=trace must "$waymark" "$driver" "$@" -fwaymark-wpp "$program" "$build/test/walk_trace.o" -pthread -o "$recorded"
}

# walked OPTIONS NAME ARGUMENTS…: runs it and compares; leaves the totals in `totals`
walked() {
	options=$1 recorded=$2
	shift 2
	rm -rf walk && mkdir walk
	code=0
	WM_WALK_PREFIX=walk/t WAYMARK_FILE=walk/%p.wmraw "./$recorded" "$@" >out 2>err || code=$?
	# shellcheck disable=SC2086
	"$build/test/walk" $options "./$recorded" walk/t walk/*.wmraw >totals 2>&1 || { cat totals err; fail "$recorded: the walks differ"; }
}

# total NAME: of the line of totals
total() {
	sed "s/.*\<$1 \([0-9]*\).*/\1/" totals
}

for flags in -O0 '-O2 -fwaymark-cfg=optimised' ${WHOLE:+-O2}; do
	record recursion cc recursion.c $flags
	walked '' recursion
	abandoned=$(total abandoned)
	record throws c++ throws.cpp $flags
	walked '' throws
	# On the optimised graph, what would be left is inlined.
	case $flags in
	*optimised) ;;
	*) [ "$abandoned" -gt 20 ] && [ "$(total abandoned)" -gt 50 ] || fail "abandoned: $abandoned, $(cat totals)" ;;
	esac
	record threads cc threads.c $flags
	walked '' threads
	[ "$(total streams) $(total creates) $(total joins)" = "65 64 64" ] || fail "threads: $(cat totals)"
	record forks cc forks.c $flags
	walked '' forks
	set -- walk/*.wmraw
	[ $# -ge 10 ] && [ "$(total streams)" -gt $# ] || fail "forks: $(cat totals)"
	for case in setjmp.c noreturn.c no_return.c tail_call.c musttail.c computed_goto.c asm_goto.c switch_shared.c; do
		record case cc "$cases/language/$case" $flags
		walked '' case
	done
	record case c++ "$cases/language/exceptions.cpp" $flags
	walked '' case
done
record standard c++ standard.cpp -O2
walked '' standard
[ "$(total streams) $(total creates) $(total joins)" = "9 8 8" ] || fail "standard: $(cat totals)"

# Nothing is counted, and other commands say so in words.
must "$waymark" cc -O2 -fwaymark-wpp threads.c -pthread -o plain
"$waymark" show ./plain >shown || fail "show"
grep -q 'subpath.*work' shown || { cat shown; fail "show does not name the scheme"; }
"$waymark" cc -fwaymark-wpp -fwaymark-scheme=kiter=2 threads.c -o no 2>err && fail "two schemes at once"
grep -q 'excludes other schemes' err || fail "$(cat err)"
