#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# filters.sh BUILD: which functions commands list: by file, by unqualified name, without system headers; and how their
# names are shortened.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

mkdir -p src lib
cat >lib/clamp.h <<'END'
namespace lib {
template <class T> T clamp(T x) { return x > 3 ? 3 : x; }
}
END
cat >src/other.cpp <<'END'
int other(int n) { return n > 1 ? n : 1; }
END
sources='src/main.cpp src/other.cpp'
"$waymark" c++ -O1 $sources -o program
WAYMARK_FILE=run.wmraw ./program
WAYMARK_FILE=more.wmraw ./program 1 2 3 4

# lists NAMES COMMAND...: the JSON document names these functions, in any order
lists() {
	names=$1
	shift
	"$@" >out.json || fail "it does not run: $*"
	found=$(jq -r '[.functions[] | select(.status != "skipped") | .demangled | sub("[<(\\[].*"; "") | sub(".* "; "")] | unique | join(" ")' out.json)
	[ "$found" = "$names" ] || fail "'$found' instead of '$names': $*"
}

# by file
lists 'lib::clamp' "$waymark" report --json --file 'lib/*' run.wmraw ./program
lists 'lib::clamp other' "$waymark" report --json --file clamp.h --file other.cpp run.wmraw ./program
lists 'app::name app::parser::count main other' "$waymark" report --json --file 'src/*' run.wmraw ./program
lists 'app::name app::parser::count main' "$waymark" show --json --file 'src/*' --exclude other.cpp ./program
lists 'lib::clamp' "$waymark" show --json --exclude src/ --exclude '/usr/*' ./program
"$waymark" report --file other.cpp run.wmraw ./program >out
grep -q 'other(int)' out || fail "report --file leaves out what it should print"
! grep -q 'main\|clamp' out || { cat out && fail "report --file prints other functions"; }
exits 1 "$waymark" report --file nothing.c run.wmraw ./program
says 'no function is in a file that --file and --exclude let pass' "$waymark" report --file nothing.c run.wmraw ./program
says "no function is called 'other' in a file that" "$waymark" report --file 'lib/*' --function other run.wmraw ./program
"$waymark" run --file other.cpp -- ./program >out 2>&1
grep -q 'other(int)' out && ! grep -q 'clamp' out || { cat out && fail "run --file"; }
"$waymark" report --html pages --exclude 'lib/*' run.wmraw ./program
grep -q 'other(int)' pages/index.html && ! grep -q 'clamp' pages/index.html || fail "report --html --exclude"

# residual and tests
json '[.functions[] | select(.paths != []) | .demangled] == ["other(int)"]' "$waymark" residual --json --file other.cpp --tested run.wmraw more.wmraw ./program
json '.functions == 1 and .paths == 2' "$waymark" tests --json --file other.cpp run.wmraw more.wmraw ./program
json '.functions == 4' "$waymark" tests --json --exclude other.cpp run.wmraw more.wmraw ./program
says '--file or --exclude needs the binary' "$waymark" tests --file other.cpp run.wmraw more.wmraw

# What a filter selects is told as in the answer about everything.
"$waymark" untested --json --all run.wmraw more.wmraw ./program >all.json
jq -e '[.functions[] | select(.tested != "never")] | length >= 3' all.json >/dev/null || fail "all.json is too small a sample"
for name in $(jq -r '.functions[].name' all.json); do
	for filter in "--function $name" "--file $(jq -r --arg name "$name" '.functions[] | select(.name == $name) | .file' all.json)"; do
		"$waymark" untested --json --all $filter run.wmraw more.wmraw ./program >one.json
		for of in all one; do
			jq --arg name "$name" '.functions[] | select(.name == $name)' $of.json >$of.function
		done
		[ -s one.function ] && cmp -s all.function one.function || fail "untested $filter tells $name in another way"
	done
done

# segments, of a build that inlines and of a recording; hot sequences
"$waymark" c++ -O1 -fwaymark-segments=1 $sources -o inlined
WAYMARK_FILE=inlined.wmraw ./inlined
"$waymark" c++ -O1 -fwaymark-wpp $sources -o recorded
WAYMARK_FILE=recorded.wmraw ./recorded
json '(.segments | length > 0) and all(.segments[]; any(.lines[]; test("lib/clamp.h")))' "$waymark" segments --json --file 'lib/*' inlined.wmraw ./inlined
json '(.segments | length > 0) and all(.segments[]; any(.lines[]; test("lib/clamp.h")))' "$waymark" segments --json --file 'lib/*' recorded.wmraw ./recorded
"$waymark" segments --file 'lib/*' recorded.wmraw ./recorded >out
[ "$(grep -c '^ *[0-9.]*% [ >=0-9,]\{13\}  [^ ]' out)" = "$(jq '.segments | length' out.json)" ] || { cat out && fail "segments --file"; }
"$waymark" segments --html segment_pages --file 'lib/*' recorded.wmraw ./recorded 2>/dev/null
[ "$(grep -c '<details class="path"' segment_pages/index.html)" = "$(jq '.segments | length' out.json)" ] || fail "segments --html --file"
json '(.segments | length > 0) and all(.segments[]; any(.subpaths[]; .function == "_ZN3lib5clampIiEET_S1_"))' "$waymark" wpp --json --segments 1 --file 'lib/*' recorded.wmraw ./recorded
json '(.hot | length > 0) and all(.hot[]; any(.sequence[]; .function == "_ZN3lib5clampIiEET_S1_"))' "$waymark" wpp --json --share 0.1 --min-length 1 --file 'lib/*' recorded.wmraw ./recorded
json '[.dump[].function] | unique == ["_Z5otheri"]' "$waymark" wpp --json --dump --file other.cpp recorded.wmraw ./recorded
says 'cannot be combined with --as' "$waymark" wpp --as acyclic -o x.wmprof --file other.cpp recorded.wmraw ./recorded
says 'cannot be combined with --sites' "$waymark" segments --sites --file other.cpp inlined.wmraw ./inlined
exits 1 "$waymark" crash --file other.cpp run.wmraw ./program

# unqualified names
lists 'app::name' "$waymark" report --json --function name run.wmraw ./program
lists 'app::parser::count' "$waymark" report --json --function count run.wmraw ./program
lists 'app::parser::count' "$waymark" show --json --function parser::count ./program
lists 'lib::clamp' "$waymark" show --json --function 'clam*' ./program
says 'path 0' "$waymark" show --path clamp:0 ./program

# long template arguments are shortened in lists, not in JSON
says 'count<std::vector<std::__cxx11::basic_string<' "$waymark" report --json --function count run.wmraw ./program
says 'int app::parser::count<...>(' "$waymark" report run.wmraw ./program
says 'int app::parser::count<...>(' "$waymark" show ./program
says 'int app::parser::count&lt;...&gt;(' cat pages/index.html

# functions in system headers are counted, and named on request
"$waymark" show ./program >out
! grep -q '/usr/' out || { cat out && fail "show lists functions in system headers"; }
hidden=$(sed -n 's/^\([0-9,]*\) functions in system headers are not instrumented (--all names them.*/\1/p' out | tr -d ,)
[ "$hidden" -gt 20 ] || { cat out && fail "show does not say how many functions are in system headers"; }
"$waymark" show --all ./program >out
[ "$(grep -c '^skipped.*(is in a system header' out)" = "$hidden" ] || fail "show --all"
says '5 of 5 functions ran' "$waymark" report run.wmraw ./program
says "$hidden functions of system headers are left out (--scope=all shows them)" "$waymark" report run.wmraw ./program
says "$hidden functions of system headers are left out" cat pages/index.html
lists '' "$waymark" show --json --function size ./program
echo "filters: ok"
