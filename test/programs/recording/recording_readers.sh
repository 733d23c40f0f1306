# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One recorded binary serves all schemes whose paths stay in one function: every reader takes the plan from the scheme of the profile
# and the graph in the map.
mkdir -p recorded
must "$waymark" cc -O1 -g -fwaymark-wpp program.c -o recorded/program
WAYMARK_FILE=field.wmraw must ./recorded/program 5 77 1234 9999
WAYMARK_FILE=test1.wmraw must ./recorded/program 5 77
WAYMARK_FILE=test2.wmraw must ./recorded/program 77

# Paths of 40 iterations are too many for ids, and are named by their pieces.
for scheme in acyclic loopcontext kiter=2 kiter=3 kiter=40; do
	mkdir -p counted
	must "$waymark" cc -O1 -g -fwaymark-scheme=$scheme program.c -o counted/program
	rm -f counted/*.wmraw
	for run in field:'5 77 1234 9999' test1:'5 77' test2:77; do
		WAYMARK_FILE=counted/${run%%:*}.wmraw must ./counted/program ${run#*:}
	done
	for run in field test1 test2; do
		computes $scheme counted/program recorded/program $run.wmraw counted/$run.wmraw
		cp computed.wmprof $run.wmprof
		must "$waymark" merge -o counted/$run.wmprof counted/$run.wmraw
	done
	# same FILTER COMMAND: as JSON, with both builds
	same() {
		filter=$1
		shift
		"$waymark" "$@" recorded/program | jq -S "$filter" >one || fail "$scheme: $*"
		(cd counted && "$waymark" "$@" program) | jq -S "$filter" >other || fail "$scheme: $* with the build that counts"
		[ "$(wc -l <one)" -gt 3 ] && diff other one || fail "$scheme: $* differs"
	}
	same '.summary, [.functions[]? | {name, paths: [.paths[]? | {id, count, blocks}]}]' residual --json --tested test1.wmprof field.wmprof
	same 'del(.. | .file?, .profile?)' tests --json test1.wmprof test2.wmprof field.wmprof
	same '.functions, .summary' show --json --interesting field.wmprof
done

# The scheme of a function that did not run, and its status.
"$waymark" report --json field.wmprof recorded/program | jq -e '.functions | length == 4 and all(.[]; .scheme == "kiter=40" or .scheme == "kiter=40,sequences") and any(.[]; .name == "never" and .entries == 0)' >/dev/null ||
	fail "the function that did not run has another scheme"

# Profiles of two schemes are not mixed up.
must "$waymark" wpp --as kiter=2 -o two.wmprof field.wmraw recorded/program
must "$waymark" wpp --as acyclic -o one.wmprof test1.wmraw recorded/program
"$waymark" residual --tested one.wmprof two.wmprof recorded/program >log 2>&1 && fail "profiles of two schemes are compared"
grep -q 'graph' log || { cat log; fail "why profiles of two schemes are not compared"; }
