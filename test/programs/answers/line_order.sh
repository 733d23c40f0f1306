# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Lines are told in the order in which they ran, and a line that ran once is told once: around calls that a path crosses,
# and where a value spans lines.
# told: the lines and outcomes of a path that was printed, and where it calls and returns
told() {
	sed -nE -e 's/^ +([0-9]+)  (true|false|[^ ].*: (true|false))? .*/\1 \2/p' \
		-e 's/^ +((calls|back in|returns to|after a call in|from the entry of) .*)$/\1/p' "$1" | sed 's/ $//'
}
cat >main.txt <<'END'
26
27
28
calls add
10
11
calls twice
4 false
6
back in add
12
calls twice
4 true
5
back in add
13
calls twice
4 true
5
back in add
13 true
14
15
back in main
29
30
calls spans
19
20
21 c > 3: true
22
back in main
31
END
for options in -fwaymark-scheme=context -fwaymark-scheme=piecewise -fwaymark-segments=1; do
	must "$waymark" cc -g -O2 $options case.c -o case
	rm -f -- *.wmraw
	must ./case
	"$waymark" report --full --paths 1 --function main -- *.wmraw ./case >report.txt || fail "no report"
	sed -n '/  path /,$p' report.txt >path.txt
	told path.txt >told.txt
	cmp main.txt told.txt || { diff main.txt told.txt; fail "$options: another order"; }
done

must "$waymark" cc -g -O2 -fwaymark-wpp case.c -o recorded
WAYMARK_FILE=recorded.wmraw ./recorded >/dev/null || fail "the recorded program fails"
cat >segment.txt <<'END'
after a call in add
12
13
calls twice
4 true
5
back in add
13 true
14
15
END
"$waymark" segments --rows 9 recorded.wmraw ./recorded >segments.txt || fail "no segments"
awk '/^$/ { part = 0 } / add \( twice \) add$/ { part = 1 } part' segments.txt >part.txt
told part.txt >told.txt
cmp segment.txt told.txt || { diff segment.txt told.txt; cat segments.txt; fail "a segment of a recording has another order"; }
"$waymark" wpp --segments 1 recorded.wmraw ./recorded >wpp.txt || fail "no segments of wpp"
awk '/from the entry to the call of add/ { part = 1; next } part && !/^ +[0-9]/ { exit } part' wpp.txt >part.txt
told part.txt >told.txt
printf '26\n27\n28\n' | cmp - told.txt || { cat told.txt; fail "a subpath has lines after the call before which it ends"; }

# A block without a line, where nested ifs join, is not printed.
must "$waymark" cc -O2 -g joins.c -o joins
rm -f joins.wmraw
WAYMARK_FILE=joins.wmraw ./joins a || fail "joins"
"$waymark" report joins.wmraw joins >text
! grep -q 'block [0-9]' text || fail "$(cat text)"
grep -q '7  false' text || fail "$(cat text)"
