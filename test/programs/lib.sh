# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the cases share.  A case runs in an empty directory of its own; $build, $cases
# and $waymark are absolute.  The first thing that goes wrong ends it with a sentence.

fail() {
	echo "FAILED: $*"
	exit 1
}

# must COMMAND…: runs it, and ends the case with its output when it fails
must() {
	"$@" >must.log 2>&1 || { code=$?; cat must.log; fail "exit code $code: $*"; }
}

# report PROGRAM FILE…: merges the profiles and leaves the report in report.json
report() {
	reported=$1
	shift
	must "$waymark" merge -o merged.wmprof "$@"
	report_status=0
	"$waymark" report --json --scope=all --expand merged.wmprof "$reported" >report.json 2>report.log || report_status=$?
	# 4: every run was refused, which is a fact like others
	[ $report_status -eq 0 ] || [ $report_status -eq 4 ] || { cat report.log; fail "report of $reported"; }
}

# expect FACT: a jq expression about report.json that must hold.  The words it may use:
facts='
def f($n): first((.functions[] | select(.name == $n)), error("no function " + $n));
def sum(s): reduce s as $x (0; . + $x);
def ends($n; $how): sum(f($n).paths[] | select(.end == $how) | .count);
def starts($n; $how): sum(f($n).paths[] | select(.start == $how) | .count);
def total($n): sum(f($n).paths[] | .count);
def known($n): any(.functions[]; .name == $n);
'
expect() {
	jq -e "$facts $1" report.json >/dev/null 2>jq.log && return
	cat jq.log
	jq -c '.functions[] | {name, status, reason, entries, balance, paths: [.paths[]? | [.start, .end, .count, .blocks]]}' \
		report.json
	fail "does not hold: $1"
}

# across: the scheme is one of paths across calls
across() {
	case ${WAYMARK_SCHEME-} in
	context* | piecewise*) ;;
	*) false ;;
	esac
}

# crossed PROGRAM: tells the witness of paths across calls which calls the program crosses
crossed() {
	"$source_oracle/crossed" "$waymark" "$1" >crossed.txt || fail "show --calls $1"
	export WM_TRACE_CROSSED="$PWD/crossed.txt"
}

# trace_equal TRACE [OPTION…]: the report of the run that wrote TRACE agrees with it
trace_equal() {
	if across; then
		code=0
		"$source_oracle/across-equal" "$1" report.json >compare.log 2>&1 || code=$?
		[ $code -eq 0 ] || [ $code -eq 77 ] || { cat compare.log; fail "the trace differs"; }
		[ $code -eq 0 ] || echo "a call returned twice: counts cannot be compared" >compare.log
		return
	fi
	"$build/test/compare" --trace "$@" report.json >compare.log 2>&1 || { cat compare.log; fail "the trace differs"; }
}

# of_functions FILE: what a report says of the units, and of the functions that ran, one per line.  Files may compile an
# inline function to different graphs, because clang knows in some of them that a callee does not throw, and a shared object
# has a body of its own.  Which of the bodies a call executes depends on what was inlined, so they are taken together, and
# their paths told by lines.
# What is known of unfinished paths is left out: recordings do not tell it.
of_functions() {
	jq -cS '(.units // [] | group_by(.scheme)[] | {scheme: .[0].scheme, crossed: (map(.crossed) | add),
			balance: (map(.balance | to_entries) | add | group_by(.key) | map({key: .[0].key, value: (map(.value) | add)}) | from_entries)}),
		(.functions | group_by([.name, .file, .line])[] | select(any((.entries // 0) > 0 or (.paths | length > 0))) |
		if length == 1 then .[0] |
			{name, line, scheme, entries, balance: (.balance | if . then del(.unfinished) else . end), paths: ([.paths[] | {id, count, blocks, start, "end": .end}] | sort_by(.id))}
		else
			{bodies: length, name: .[0].name, entries: (map(.entries // 0) | add),
			paths: ([.[].paths[]] | group_by([.lines, .start, .end]) | map({lines: .[0].lines, count: (map(.count) | add)}))}
		end)' "$1" |
		sort
}

# computes SCHEME COUNTED RECORDED RECORDING PROFILE…: the profile that is computed from a recording of the build
# RECORDED is the one that the build COUNTED has written; leaves computed.txt.  The builds may be several binaries each.
# Where paths stay in one function, RECORDED is as good for reading the profile; its map also has inline bodies of functions
# that a library defines.
computes() {
	scheme=$1 counted=$2 recorded=$3 recording=$4 like=
	shift 4
	case $scheme in
	context* | piecewise*) like=$(printf ' --like %s' $counted) ;;
	esac
	must "$waymark" wpp --as "$scheme" $like -o computed.wmprof $recording $recorded
	"$waymark" report --json --scope=all --expand "$@" $counted >counted.json || fail "no report"
	"$waymark" report --json --scope=all --expand computed.wmprof $counted >computed.json || fail "no report of the computed profile"
	jq -e '.totals.functions_refused == 0' counted.json >/dev/null || fail "$counted: $scheme has functions that are refused"
	of_functions counted.json >counted.txt
	of_functions computed.json >computed.txt
	[ -s counted.txt ] || fail "nothing was counted"
	cmp counted.txt computed.txt ||
		{ diff counted.txt computed.txt | cut -c 1-2000 | head -n 4; fail "$counted: $scheme computed from the recording differs"; }
	[ -z "$like" ] || return 0
	"$waymark" report --json --scope=all --expand computed.wmprof $recorded >computed.json || fail "no report of the computed profile with the recorded build"
	of_functions computed.json >read.txt
	comm -23 counted.txt read.txt >unread.txt
	[ ! -s unread.txt ] ||
		{ diff counted.txt read.txt | cut -c 1-2000 | head -n 4; fail "$recorded: $scheme is not read as with the build that counts"; }
}

# blocks REPORT: how often every block of every function was executed, by its origin
blocks() {
	jq -S '[.functions[] | .name as $n | .paths[]? | .count as $c |
		(if .path then .path[] | select(. != "(" and . != ")") else .blocks[] | "\($n):\(.)" end) | {k: ., c: $c}] |
		group_by(.k) | map({key: .[0].k, value: (map(.c) | add)}) | from_entries' "$1"
}
