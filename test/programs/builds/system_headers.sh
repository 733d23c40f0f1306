# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions in system headers are not instrumented unless that is asked for; those of the user's own headers always are,
# with the same ids and counts.
mkdir -p own ext deep/include build
echo 'static inline int own(int x) { return x > 2 ? x : 2; }' >own/own.h
echo 'static inline int ext(int x) { return x > 3 ? x : 3; }' >ext/ext.h
echo 'static inline int deep(int x) { return x > 4 ? x : 4; }' >deep/include/deep.h
echo 'static inline int beside(int x) { return x > 5 ? x : 5; }' >beside.h
options="-Iown -isystem ext -isystem deep/include"

# compile OPTION…: leaves the report, and the identities and counts of functions by their names
compile() {
	must "$waymark" c++ $options "$@"
	must env WAYMARK_FILE=run.%p.wmraw ./program
	report ./program run.*.wmraw
	rm -f run.*.wmraw
	jq -c '[.functions[] | select(.status != "skipped" and (.name | startswith("__c") | not) and (.file | tostring | test("/(ext|deep)/|^/usr/") | not)) |
		{name, paths_possible, entries, paths: [.paths[] | [.id, .count, .blocks]]}] | sort' report.json >counts
}
skipped='[.functions[] | select(.name | test("^_Z(L3ext|L4deep|NSt6vectorIiSaIiEE9push_back)")) | .status] | unique'

for graph in source optimised; do
	for flags in '-O0' '-O2' '-O2 -g' '-O2 -fwaymark-scheme=context' '-O0 -fwaymark-scheme=piecewise' '-O0 -fwaymark-wpp'; do
		case $flags-$graph in *wpp-optimised) continue ;; esac
		must "$waymark" c++ $options -fwaymark-cfg=$graph $flags program.cpp -o program
		"$waymark" show --json program >show.json
		jq -e '[.functions[] | select(.file | tostring | test("/ext/|/deep/|^/usr/|/\\.\\./")) | .status] | unique == ["skipped"]' show.json >/dev/null ||
			{ jq -c '.functions[] | [.name, .file, .status]' show.json; fail "$graph $flags: system headers"; }
		[ "$graph" = optimised ] || jq -e '[.functions[] | select(.status == "exact") | .name] | sort ==
			["_GLOBAL__sub_I_program.cpp", "_ZL3owni", "_ZL4lessii", "_ZL6besidei", "main"]' show.json >/dev/null ||
			{ jq -c '.functions[] | [.name, .file, .status]' show.json; fail "$graph $flags: the user's own functions"; }
	done
done

# nothing changes for other functions; with and without -g; by the option and by the variable
compile -O1 program.cpp -o program
expect "$skipped == [\"skipped\"]"
cp counts first
for flags in '-g' '-fwaymark-system-headers' '-fwaymark-system-headers=off'; do
	compile -O1 $flags program.cpp -o program
	cmp first counts || fail "$flags: other counts"
done
WAYMARK_SYSTEM_HEADERS=on compile -O1 program.cpp -o program
cmp first counts || fail "WAYMARK_SYSTEM_HEADERS: other counts"
expect "$skipped == [\"exact\"]"
expect '[.functions[] | select(.name == "_ZL3exti") | .entries] == [20]'

# a profile that counts them says nothing of a binary that does not
must env WAYMARK_FILE=all.wmraw ./program
mv program all
must "$waymark" c++ $options -O1 program.cpp -o program
report ./program all.wmraw
expect '.refused == [] and f("main").entries == 1'

# out of the source tree, by relative and by whole names, through a response file, and with names changed for debug information
cd build
cp ../counts .
for flags in '-I../own -isystem ../ext -isystem ../deep/include' "-I$PWD/../own -isystem$PWD/../ext -idirafter $PWD/../deep/include" \
	"-I../own -isystem ../ext -isystem $(dirname "$PWD")/deep/include -ffile-prefix-map=$(dirname "$PWD")=." @words; do
	echo '-I../own -isystem ../ext -isystem ../deep/include' >words
	options=$flags
	compile -O1 ../program.cpp -o program
	expect "$skipped == [\"skipped\"]"
	cmp ../first counts || fail "$flags: other counts out of the source tree"
done
cd ..

# the directory of the source is no system directory, whatever -isystem says
cp own/own.h ext/ext.h deep/include/deep.h .
options='-isystem .'
compile -O1 program.cpp -o program
expect '[.functions[] | select(.name == "_ZL3owni" or .name == "_ZL6besidei") | .status] == ["exact", "exact"]'

# functions of clang's headers for vector instructions, which have no debug information
must "$waymark" cc -O1 -g vector.c -o vector
[ "$("$waymark" show --json vector | jq -c '[.functions[] | select(.name | startswith("_mm")) | .status] | unique')" = '["skipped"]' ] ||
	fail "$("$waymark" show vector)"
must "$waymark" cc -O1 -g -fwaymark-system-headers vector.c -o vector
[ "$("$waymark" show --json vector | jq -c '[.functions[] | select(.name | startswith("_mm")) | .status] | unique')" = '["exact"]' ] ||
	fail "$("$waymark" show vector)"
