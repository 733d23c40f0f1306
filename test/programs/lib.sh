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
	"$waymark" report --json merged.wmprof "$reported" >report.json 2>report.log ||
		{ cat report.log; fail "report of $reported"; }
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

# trace_equal TRACE [OPTION…]: the report of the run that wrote TRACE agrees with it
trace_equal() {
	"$build/test/compare" --trace "$@" report.json >compare.log 2>&1 || { cat compare.log; fail "the trace differs"; }
}
