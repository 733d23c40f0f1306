# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Small functions whose one path follows from their callers': all counts are those of the plain build
# and of the trace, through blocks that are left in the middle, loops, recursion, exceptions and threads.
list='[.functions[] | {key: .name, value: {entries, paths: [.paths[] | [.id, .count]] | sort}}] | from_entries'

# counts NAME OPTION…: builds, runs, leaves what it counted in NAME.json
counts() {
	name=$1
	shift
	must "$waymark" c++ -g "$@" program.cpp -o "$name" -lpthread
	rm -f "$name"*.wmraw
	code=0
	WAYMARK_FILE=$PWD/$name.wmraw ./"$name" >"$name.out" || code=$?
	[ $code = 3 ] || fail "$name ends otherwise: $code"
	report ./"$name" "$name"*.wmraw
	jq -S "$list" report.json >"$name.json"
}

# records PROGRAM: bytes of them
records() {
	size -A "$1" | awk '$1 == "wm_funcs" { print $2 }'
}

for options in '-O2 -fwaymark-update=atomic -DTHREADS' '-O3 -fwaymark-update=delta -DTHREADS' '-O2 -fwaymark-scheme=kiter=2' \
	${WHOLE:+-O1 -O2 '-O2 -fPIC -shared-libgcc'}; do
	counts plain $options
	must cp merged.wmprof tests.wmprof
	counts followed $options -fwaymark-interesting=tests.wmprof
	must cmp plain.out followed.out
	diff plain.json followed.json >difference || { cat difference; fail "counts differ with $options"; }
	counts weighed $options -fwaymark-weights=tests.wmprof
	diff plain.json weighed.json >difference || { cat difference; fail "counts differ with weights and $options"; }
	[ "$(records ./followed)" -gt "$(records ./plain)" ] || fail "nothing follows with $options"
done
# Nothing is inlined at -O0, so nothing follows.
counts plain -O0
must cp merged.wmprof tests.wmprof
counts followed -O0 -fwaymark-interesting=tests.wmprof
diff plain.json followed.json >difference || { cat difference; fail "counts differ at -O0"; }
[ "$(records ./followed)" = "$(records ./plain)" ] || fail "functions follow at -O0"

# Against the trace, in which twins are their functions.
counts plain -O2
must cp merged.wmprof tests.wmprof
WAYMARK_TEST=trace must "$waymark" c++ -O2 -g -fwaymark-interesting=tests.wmprof program.cpp "$build/test/trace.o" -o traced
rm -f -- *.wmraw
code=0
WM_TRACE_FILE=trace.txt ./traced >traced.out || code=$?
[ $code = 3 ] || fail "the traced program ends otherwise: $code"
[ "$(records ./traced)" -gt "$(records ./plain)" ] || fail "nothing follows under the trace"
report ./traced ./*.wmraw
trace_equal trace.txt
expect 'f("_Z8vanishesi").balance.abandoned == 45'

# same NAME COMMAND OPTION…: plain and preferential builds of sources in NAME/ count the same
same() {
	directory=$1 driver=$2
	shift 2
	for kind in plain followed; do
		must "$waymark" "$driver" -O2 -g "$@" -o "$directory/$kind"
		rm -f "$directory/$kind"*.wmraw
		WAYMARK_FILE=$directory/$kind.wmraw "$directory/$kind" >"$directory/$kind.out" || fail "$directory: $kind fails"
		report "$directory/$kind" "$directory/$kind"*.wmraw
		jq -S "$list" report.json >"$directory/$kind.json"
		must cp merged.wmprof "$directory/tests.wmprof"
		set -- "$@" -fwaymark-interesting="$directory/tests.wmprof"
	done
	must cmp "$directory/plain.out" "$directory/followed.out"
	diff "$directory/plain.json" "$directory/followed.json" >difference || { cat difference; fail "counts differ: $directory"; }
}

# What a twin calls may count, so that its calls must not be merged or dropped.
mkdir -p constant
same constant cc constant/a.c
expect 'total("g") == 300'

# A function that cannot be instrumented has a twin all the same, or what it calls would count twice.
mkdir -p skipped
echo 'extern "C" int odd(void) { return 1; }' >skipped/b.cpp
same skipped c++ skipped/a.cpp skipped/b.cpp
expect 'total("_ZL5inneri") == 200'

# Resuming a coroutine may throw, though it is an intrinsic.
mkdir -p coroutine
same coroutine c++ -std=c++20 coroutine/a.cpp
expect 'f("_Z4stepR4taski") | .entries == 200 and .balance.abandoned == 25'

# A symbol of a shared object may be somebody else's at run time.
mkdir -p shared
must clang-19 -rdynamic -fPIE -c shared/main.c -o shared/main.o
options=
for kind in plain followed; do
	must "$waymark" cc -O2 -g -fPIC -shared $options shared/library.c -o "shared/lib$kind.so"
	must clang-19 -rdynamic shared/main.o "shared/lib$kind.so" -Wl,-rpath,"$PWD" -o "shared/$kind"
	WAYMARK_FILE=$PWD/shared/$kind.wmraw must "shared/$kind"
	report "shared/lib$kind.so" "shared/$kind.wmraw"
	expect 'f("hot") | .entries == 100 and .balance.abandoned == 25'
	expect 'total("one") == 350 and total("two") == 175'
	must cp merged.wmprof shared/tests.wmprof
	options=-fwaymark-interesting=shared/tests.wmprof
done

# The program may ask for the address of the function it is in.
mkdir -p hooks
same hooks cc -finstrument-functions hooks/a.c
