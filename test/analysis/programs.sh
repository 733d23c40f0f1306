#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# programs.sh BUILD: whose counts?  Programs whose functions have one name and one graph,
# in one profile; other builds of them; a library that two programs share; a run that
# cannot be trusted.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

# eight programs with one main, which takes its path i of eight; the last also path 0
for i in 0 1 2 3 4 5 6 7; do
	{
		seq "$i" | sed 's/.*//'
		cat <<'END'
int main(int argc, char **argv)
{
	int sum = 0;
	if (argc & 1)
		sum += 1;
	if (argc & 2)
		sum += 2;
	if (argc & 4)
		sum += 4;
	(void)argv;
	return sum > 99;
}
END
	} >program$i.c
	"$waymark" cc -O1 -g program$i.c -o program$i
	set -- 1 2 3 4 5 6 7 8
	while [ $# -gt "$i" ]; do shift; done
	WAYMARK_FILE=run$i.wmraw ./program$i "$@"
done
WAYMARK_FILE=both.wmraw ./program7 1 2 3 4 5 6
"$waymark" merge -o all.wmprof run?.wmraw both.wmraw >/dev/null
binaries='./program0 ./program1 ./program2 ./program3 ./program4 ./program5 ./program6 ./program7'

# report
# shellcheck disable=SC2086
json '[.functions[] | select(.name == "main") | {binary, file, executions, paths: (.paths | length)}] | length == 8 and
	([.[].binary] | unique | length) == 8 and
	all(.[]; .executions == (if .binary == "./program7" then 2 else 1 end) and .paths == .executions) and
	all(.[]; (.binary[2:] + ".c") as $file | .file | endswith($file))' "$waymark" report --json all.wmprof $binaries
json '(.functions | length) == 1 and .functions[0].executions == 1 and (.functions[0].paths[0].count) == 1' \
	"$waymark" report --json all.wmprof ./program3
says '8 of 8 functions ran, 9 of 64 possible paths' "$waymark" report all.wmprof $binaries
says 'program3.c:4 in ./program3' "$waymark" report all.wmprof $binaries
says 'of 7 objects that are none of the programs given' "$waymark" report all.wmprof ./program3
if "$waymark" report all.wmprof ./program3 | grep -q 'refused\|another build\|another version'; then
	fail "another program is taken for another build"
fi
"$waymark" report --html pages all.wmprof $binaries
grep -q 'in ./program5' pages/index.html || fail "the pages do not tell which main is meant"
[ "$(cat pages/f/*.html | grep -c '<section class="function"')" = 8 ] || fail "the pages hold fewer than eight functions"
json '[.functions[] | select(.name == "main")] | length == 1 and .[0].executions == 9 and (.[0].paths | length) == 8' \
	"$waymark" report --any-program --json all.wmprof $binaries

# residual: what another program took is not tested
exits 3 "$waymark" residual --fail-if-untested --tested run6.wmraw --tested run7.wmraw both.wmraw ./program7
exits 0 "$waymark" residual --fail-if-untested --tested all.wmprof both.wmraw ./program7
json '.summary.untested_paths == 1 and .functions[0].tested == "yes"' \
	"$waymark" residual --json --tested run7.wmraw both.wmraw ./program7
json '.summary.untested_paths == 1' "$waymark" residual --json --tested run6.wmraw --tested run7.wmraw both.wmraw ./program7 ./program6
json '.summary.untested_paths == 0' \
	"$waymark" residual --any-program --json --tested run6.wmraw --tested run7.wmraw both.wmraw ./program7 ./program6
"$waymark" merge --any-program -o any.wmprof run6.wmraw run7.wmraw >/dev/null
json '.summary.untested_paths == 0' "$waymark" residual --json --tested any.wmprof both.wmraw ./program7 ./program6

# tests: none of them takes a path of another program
for with in '' "$binaries"; do
	json '.paths == 9 and .functions == 8 and .smallest.count == 9 and all(.tests[]; .only_here == 1)' \
		"$waymark" tests --json run?.wmraw both.wmraw $with
	json '.paths == 8 and .functions == 1 and .smallest.count == 8' "$waymark" tests --any-program --json run?.wmraw both.wmraw $with
done
id=$("$waymark" report --json run3.wmraw ./program3 | jq '.functions[0].paths[0].id')
json '.taken_by | length == 1 and .[0].binary == "./program3" and [.[0].tests[].test] == ["run3"]' \
	"$waymark" tests --json --path "main:$id" run?.wmraw both.wmraw $binaries

# another build of a program: only main changed its line
mkdir rebuilt
{ echo && cat program3.c; } >rebuilt/program3.c
(cd rebuilt && "$waymark" cc -O1 -g program3.c -o program3)
says 'another build of rebuilt/program3: 1 of its 1 functions have the same graph here' \
	"$waymark" report run3.wmraw rebuilt/program3
WAYMARK_FILE=rebuilt.wmraw rebuilt/program3 1 2 3
json '.summary.untested_paths == 0 and .summary.paths == 1' \
	"$waymark" residual --json --tested run3.wmraw rebuilt.wmraw rebuilt/program3

# a compiler that is told what was tested does not know for which program it compiles: what was taken in the same source
# is tested, unless any program counts
"$waymark" merge -o several.wmprof run6.wmraw run7.wmraw >/dev/null
"$waymark" merge -o one.wmprof run7.wmraw >/dev/null
for tested in several:1 one:1 any:0; do
	"$waymark" cc -O1 -g -fwaymark-residual=${tested%:*}.wmprof program7.c -o field
	rm -f field.wmraw sixth.wmraw
	WAYMARK_FILE=field.wmraw ./field 1 2 3 4 5 6 7
	WAYMARK_FILE=sixth.wmraw ./field 1 2 3 4 5 6
	json "[.functions[].paths[]] | length == ${tested#*:}" "$waymark" report --json field.wmraw sixth.wmraw ./field
done

# names: a copy of a program under another name is another program, a symbolic link is not
(cd rebuilt && cp program3 renamed && ln -s program3 link)
says 'program3 (build-id' "$waymark" report run3.wmraw rebuilt/program3
says 'the profile has no counts of rebuilt/renamed; it has counts of program3' "$waymark" report run3.wmraw rebuilt/renamed
says 'another build of rebuilt/link' "$waymark" report run3.wmraw rebuilt/link
exits 1 "$waymark" residual --fail-if-untested --tested run6.wmraw both.wmraw ./program7
says 'the profile of the tests has no counts of ./program7; it has counts of program6' \
	"$waymark" residual --tested run6.wmraw both.wmraw ./program7

# a library that two programs share, and an inline function that all have
printf '#include "shared.h"\nint clamp(int x) { return x > 9 ? sign(x) * 9 : x; }\n' >shared.c
"$waymark" cc -O1 -g -fPIC -shared -Wl,-soname,libshared.so.1 shared.c -o libshared.so.1.0
ln -s libshared.so.1.0 libshared.so.1
for name in low high; do
	printf '#include "shared.h"\nint main(int n, char **v) { (void)v; return clamp(n == 1 ? %s : 3) + sign(n) == 99; }\n' \
		"$([ $name = low ] && echo 5 || echo 50)" >$name.c
	"$waymark" cc -O1 -g $name.c libshared.so.1 -Wl,-rpath,"$PWD" -o $name
	mkdir $name.d
	WAYMARK_FILE=$name.d/%b.wmraw ./$name
done
"$waymark" merge -o shared.wmprof low.d high.d >/dev/null
json '[.functions[] | select(.name == "clamp") | .executions] == [2] and
	([.functions[] | select(.name == "sign") | [.binary, .executions]] | sort) == [["./high", 1], ["./libshared.so.1", 1], ["./low", 1]]' \
	"$waymark" report --json shared.wmprof ./low ./high ./libshared.so.1

# another build of the library, under another file name: its soname is what tells
printf '\n#include "shared.h"\nint clamp(int x) { return x > 9 ? sign(x) * 9 : x; }\n' >shared.c
"$waymark" cc -O1 -g -fPIC -shared -Wl,-soname,libshared.so.1 shared.c -o libshared.so.1.1
json '[.functions[] | select(.name == "clamp") | .executions] == [2]' "$waymark" report --json shared.wmprof ./libshared.so.1.1
says 'libshared.so.1 (build-id' "$waymark" report shared.wmprof ./libshared.so.1.1

# a program that is started by naming the loader does not know its name
loader=$(ldd ./low | sed -n 's/^\t\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p')
rm -rf low.d && mkdir low.d
WAYMARK_FILE=low.d/%b.wmraw "$loader" ./low
"$waymark" merge -o loader.wmprof low.d >/dev/null
if "$waymark" report loader.wmprof ./high | grep -q 'ld-linux'; then fail "a program has the name of the loader"; fi

# one run with threads among many
"$waymark" cc -O1 -g threads.c -o threads
for i in 1 2 3 4; do
	WAYMARK_FILE=good$i.wmraw ./threads
done
WAYMARK_FILE=bad.wmraw ./threads x
says 'bad.wmraw was merged in part: the counts of 4 functions are left out, because a thread without counters of its own ran' \
	"$waymark" merge -o threads.wmprof bad.wmraw good?.wmraw
json '(.functions[] | select(.name == "work") | .executions == 4 and .status == "exact") and (.refused | length) == 0 and
	([.notes[] | select(test("1 of 5 runs"))] | length) == 1 and .totals.functions_executed == 2 and .runs == 5 and .runs_left_out == 1' \
	"$waymark" report --json threads.wmprof ./threads
says '2 of 4 functions ran, ' "$waymark" report threads.wmprof ./threads
exits 3 "$waymark" residual --fail-if-untested --tested good1.wmraw threads.wmprof ./threads
exits 0 "$waymark" residual --fail-if-untested --tested threads.wmprof good1.wmraw ./threads
says '0 of 4 functions ran and 4 are refused' "$waymark" report bad.wmraw ./threads
says '4 functions, the first of them' "$waymark" report bad.wmraw ./threads
[ "$("$waymark" report bad.wmraw ./threads 2>/dev/null | grep -c 'thread without counters')" = 3 ] || fail "the refusal is longer than a line"
# nothing is left to report: the first line says why and what to do, and the status is one of its own
exits 4 "$waymark" report bad.wmraw ./threads
first=$("$waymark" report bad.wmraw ./threads 2>/dev/null | head -n 1)
echo "$first" | grep -q '^every run was refused: a thread without counters of its own ran.*; compile with ' || fail "first line: $first"
exits 4 "$waymark" report --json bad.wmraw ./threads
exits 0 "$waymark" report threads.wmprof ./threads
[ "$("$waymark" report --all bad.wmraw ./threads 2>/dev/null | grep -c '  function .*thread without counters')" = 4 ] || fail "--all does not name them"
