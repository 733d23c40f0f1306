# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prime paths and their counts are those that follow by definition from an independent trace of all blocks.
numbers="2 1  3 3  4 0  0 0  5 2  1 5"

# prime_paths OPTION… : the numbers that check.py prints, in $compared and so on
prime_paths() {
	must env WAYMARK_TEST=trace "$waymark" cc -g -O1 "$@" program.c tracer.o -o program
	rm -f run.wmraw walk.txt
	must env WAYMARK_FILE=run.wmraw ./program $numbers
	"$waymark" report --prime-paths --json run.wmraw ./program >report.json || fail "report --prime-paths"
	python3 check.py report.json >numbers.txt || fail "$*: not as defined"
	read -r compared exact covered undecided <numbers.txt
}
must clang-19 -c tracer.c -o tracer.o
prime_paths
[ "$compared" -gt 100 ] && [ "$undecided" -gt 0 ] || fail "acyclic: $compared prime paths, $undecided undecided"
acyclic=$exact
prime_paths -fwaymark-scheme=kiter=2
[ "$exact" -gt "$acyclic" ] && [ "$covered" -gt 40 ] || fail "kiter=2 decides no more than acyclic: $exact and $acyclic"
innermost='[.functions[] | select(.name != "nested") | .prime_paths.paths[]? | select(.exact | not)] == []'
expect "$innermost" # the other loops are innermost ones
prime_paths -fwaymark-scheme=kiter=3
expect "$innermost"
prime_paths -fwaymark-scheme=loopcontext
prime_paths -fwaymark-cfg=optimised -fwaymark-scheme=kiter=2

# The same from a recording, which decides all of them, and from a profile that is made of the recording.
must env WAYMARK_TEST=trace "$waymark" cc -g -O1 -fwaymark-wpp program.c tracer.o -o program
rm -f run.wmraw
must env WAYMARK_FILE=run.wmraw ./program $numbers
"$waymark" report --prime-paths --json run.wmraw ./program >report.json || fail "report of a raw recording"
python3 check.py report.json >raw.txt || fail "raw recording: not as defined"
must "$waymark" wpp --compress run.wmwpp run.wmraw
"$waymark" report --prime-paths --json run.wmwpp ./program >report.json || fail "report of a recording"
python3 check.py report.json >numbers.txt || fail "recording: not as defined"
cmp raw.txt numbers.txt || fail "a raw recording has other prime paths"
read -r compared exact covered undecided <numbers.txt
[ "$exact" -eq "$compared" ] && [ "$covered" -gt 40 ] || fail "a recording leaves counts open: $exact of $compared"
"$waymark" report --prime-paths run.wmwpp ./program >text.txt || fail "report of a recording as text"
grep -q 'not covered: prime path' text.txt || { cat text.txt; fail "no prime path of a recording as source"; }
must "$waymark" wpp --as kiter=3 -o run.wmprof run.wmwpp ./program
"$waymark" report --prime-paths --json run.wmprof ./program >report.json || fail "report of a profile of a recording"
python3 check.py report.json >numbers.txt || fail "profile of a recording: not as defined"

# The other forms.
prime_paths -fwaymark-scheme=kiter=2
"$waymark" report --prime-paths run.wmraw ./program >text.txt || fail "report --prime-paths"
grep -Eq '^[0-9]+ of [0-9]+ prime paths of [0-9]+ functions are covered' text.txt || { cat text.txt; fail "no totals"; }
grep -q 'not covered: prime path' text.txt || { cat text.txt; fail "no prime path as source"; }
must "$waymark" report --prime-paths --html pages run.wmraw ./program
grep -q 'not covered: prime path' pages/f/*.html || fail "pages without prime paths"
"$waymark" report --prime-paths --mcdc run.wmraw ./program >two.txt 2>&1 && fail "two reports at once"
grep -q 'choose one of them' two.txt || { cat two.txt; fail "the message"; }

# A directory of profiles is read as for every other report, and one that is missing is told like there.
mkdir -p profiles
must "$waymark" cc -g -O1 program.c tracer.o -o program
must env WAYMARK_FILE=profiles/run.wmraw ./program $numbers
"$waymark" report --prime-paths profiles ./program >directory.txt || fail "--prime-paths DIR"
"$waymark" report --prime-paths profiles/run.wmraw ./program | cmp - directory.txt || fail "--prime-paths DIR is not the report of its files"
"$waymark" report --prime-paths --html pages profiles ./program || fail "--prime-paths --html of a directory"
[ -f pages/index.html ] || fail "no pages of prime paths"
for report in --prime-paths --mcdc; do
	! "$waymark" report $report nothing profiles/run.wmraw 2>$report.txt || fail "$report: a report without a program"
done
cmp ./--prime-paths.txt ./--mcdc.txt || fail "--prime-paths and --mcdc tell mistakes differently"
