# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Segments of a profile are segments of a recording of the same run, at most as often, and exactly as often if they are exact.

# of_run NAME OPTION… FILE…: builds NAME and prints its segments as path, count and whether the count is exact
of_run() {
	name=$1
	shift
	must "$waymark" c++ -O1 -g "$@" -o "$name"
	rm -f "$name.wmraw"
	WAYMARK_FILE="$name.wmraw" must "./$name"
	"$waymark" segments --json "$name.wmraw" "$name" >"$name.json" || fail "segments"
	jq -c '[.segments[] | {key: (.path | join(" ")), value: [.count, .exact]}] | from_entries' "$name.json" >"$name.segments"
}
# bounded NAME LEAST: NAME has LEAST segments or more, no count is above that of the recording, and exact counts are equal
bounded() {
	jq -n -r --slurpfile r recorded.segments --slurpfile p "$1.segments" '$p[0] | to_entries[] | . as {$key, value: [$count, $exact]} |
		($r[0][$key] // [0])[0] as $true | select($count > $true or ($exact and $count != $true)) | "\($count), recorded \($true): \($key)"' >wrong
	[ ! -s wrong ] || { cat wrong; fail "$1: segments that were not executed as often"; }
	[ "$(jq length "$1.segments")" -ge "$2" ] || { cat "$1.segments"; fail "$1: there are hardly any segments"; }
}

# Calls of inner are inlined into the body of outer in one file.  In the other file, inner is not defined.
of_run recorded -fwaymark-wpp one.cpp two.cpp
"$waymark" wpp --sites recorded.wmraw recorded | grep '^_Z5outeri@' >sites || fail "wpp --sites"
for files in 'one.cpp two.cpp' 'two.cpp one.cpp'; do
	of_run counted -fwaymark-segments=1 -fwaymark-scheme=piecewise -fwaymark-sites=sites $files
	bounded counted 5
done

# Functions that are not instrumented and call functions that are: one of the standard library, of which the program has an
# inline body; one that the source excludes; and an alias.
printf '#include "box.h"\ntemplate struct std::box<parity>;\n' >library.cpp
must clang++-19 -O1 -c library.cpp
of_run recorded -fwaymark-wpp boxes.cpp library.o
"$waymark" wpp --sites recorded.wmraw recorded | grep '\.0 plain' >sites || fail "wpp --sites"
for options in -fwaymark-segments=1 -fwaymark-scheme=piecewise '-fwaymark-segments=1 -fwaymark-sites=sites'; do
	of_run counted $options boxes.cpp library.o
	bounded counted 1
done

# Exceptions: thrown and caught in the same function, thrown by a callee, and through a function that cleans up.
# begins NAME: where the text says that segments begin, and how many of them
begins() {
	"$waymark" segments --rows 1000 "$1.wmraw" "$1" | sed -n 's/^ *\(from the entry\|from a\|after a call\)/\1/p' | sort | uniq -c
}
of_run recorded -fwaymark-wpp throws.cpp
begins recorded >recorded.begins
grep -q 'from the entry of middle' recorded.begins || { cat recorded.begins; fail "the text does not say where segments begin"; }
for options in -fwaymark-segments=1 '-fwaymark-segments=1 -O2' -fwaymark-scheme=context '-fwaymark-segments=1 -fwaymark-scheme=piecewise -fwaymark-segments-size=120'; do
	of_run counted $options throws.cpp
	bounded counted "$(jq length recorded.segments)"
	begins counted | diff recorded.begins - || fail "$options: segments begin elsewhere"
	jq -e 'all(.segments[]; .exact)' counted.json >/dev/null || fail "$options: no path was abandoned, and counts are not exact"
done

# What a path has before setjmp is counted again after a second return.
of_run recorded -fwaymark-wpp jumps.cpp
for options in -fwaymark-segments=1 -fwaymark-scheme=piecewise; do
	of_run counted $options jumps.cpp
	bounded counted 1
done

# Two local functions of the same name.
printf '%s\n' 'static int helper(int n) { return n & 1 ? n : -n; }' 'int first(int n) { return helper(n) + helper(n + 1); }' >first.cpp
printf '%s\n' 'static int helper(int n) { return n & 2 ? n : -n; }' 'int first(int n);' \
	'int main() { int s = 0; for (int i = 0; i < 9; i++) s += helper(i) + first(i); return s == 1000; }' >second.cpp
of_run recorded -fwaymark-wpp first.cpp second.cpp
[ "$("$waymark" wpp --segments 1 --json recorded.wmraw recorded | jq -c '[.segments[].path | join(" ")] | unique')" = \
	"$(jq -c keys recorded.segments)" ] || fail "wpp --segments names other functions"
for options in -fwaymark-scheme=piecewise '-fwaymark-scheme=piecewise -fwaymark-segments=1'; do
	of_run counted $options first.cpp second.cpp
	bounded counted "$(jq length recorded.segments)"
done
