# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Ctrl-C ends a query of a recording with what it has, and every answer says so.  Progress is shown on a terminal only.
must "$waymark" cc -O1 -g -fwaymark-wpp program.c -o program
WAYMARK_FILE=whole.wmraw must ./program
must "$waymark" wpp --compress whole.wmwpp whole.wmraw

# interrupted COMMAND…: interrupts waymark while it works; leaves out and err.  How long that takes depends on the machine.
interrupted() {
	for delay in 0.3 0.15 0.6 0.08 0.04 1 0.02; do
		code=0
		timeout --foreground -s INT --preserve-status $delay "$waymark" "$@" >out 2>err || code=$?
		[ $code = 130 ] && [ -s "${must_have:-out}" ] && return
	done
	fail "exit code $code: $* was not interrupted"
}

# --compress: the file has what was read, and says so.
must_have=cut.wmwpp interrupted wpp --compress cut.wmwpp whole.wmraw
grep -q 'stopped early: waymark was interrupted; cut.wmwpp has the recording up to there' err || { cat err; fail "--compress"; }
"$waymark" wpp --dump cut.wmwpp program >cut.txt || fail "the recording that was cut short"
grep -q '^stopped early: .* waymark was interrupted while it read the raw profile' cut.txt || { tail -n 2 cut.txt; fail "the recording does not say that it was cut short"; }
"$waymark" wpp --dump whole.wmwpp program >whole.txt || fail "the whole recording"
grep -q 'stopped early' whole.txt && fail "the whole recording is said to have stopped"
grep -v 'stopped' cut.txt >beginning.txt
head -n "$(wc -l <beginning.txt)" whole.txt | cmp - beginning.txt || fail "the recording that was cut short is not a beginning of the whole one"
[ "$(wc -l <cut.txt)" -lt "$(wc -l <whole.txt)" ] || fail "nothing was cut short"

# Queries.
interrupted wpp --dump whole.wmwpp program
tail -n 1 out | grep -q '^stopped early: waymark was interrupted' || { tail -n 2 out; fail "--dump"; }
interrupted wpp --dump --json whole.wmwpp program
jq -e '.stopped_early and .stopped_because == ["waymark was interrupted"] and (.dump | length < 1000000)' out >/dev/null || fail "--dump --json"
interrupted wpp --segments 2 whole.wmwpp program
grep -q '^stopped early: waymark was interrupted' out || { head -n 3 out; fail "--segments"; }
interrupted wpp --segments 2 --json whole.wmwpp program
jq -e .stopped_early out >/dev/null || fail "--segments --json"
must_have=x.wmprof interrupted wpp --as kiter=3 -o x.wmprof whole.wmwpp program
grep -q 'stopped early: waymark was interrupted' err || { cat err; fail "--as"; }

# Progress.
"$waymark" wpp --compress x.wmwpp whole.wmraw 2>err || fail "--compress"
[ ! -s err ] || { cat err; fail "progress is written to a file"; }
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	script -qec "$waymark wpp --compress x.wmwpp whole.wmraw" /dev/null </dev/null >seen || fail "--compress on a terminal"
	grep -q 'compressing entry [0-9]* of [0-9]' seen || { cat -v seen; fail "--compress shows no progress"; }
	script -qec "$waymark wpp --segments 2 whole.wmwpp program" /dev/null </dev/null >seen || fail "--segments on a terminal"
	grep -q 'reading entry [0-9]* of [0-9]' seen || { head -c 300 seen | cat -v; fail "--segments shows no progress"; }
fi
