#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# export_calls.sh BUILD: `waymark export` of callgrind, pprof, speedscope and chrome: of a profile and of a recording, against
# each other, against the report, and against the calls that the program counts.
set -eu
here=$(dirname "$(realpath "$0")")
waymark=$(realpath "$1")/waymark
. "$here/../lib.sh"

mv calls.c 'calls "x".c'
"$waymark" cc -g -O1 'calls "x".c' -o counted
"$waymark" cc -g -O1 -fwaymark-wpp 'calls "x".c' -o recorded
WAYMARK_FILE=counted.wmraw ./counted >said 2>/dev/null
WAYMARK_FILE=recorded.wmraw ./recorded 2>/dev/null | cmp - said || fail "the builds do other things"
[ "$(wc -l <said)" = 4 ] || fail "the program says too little"

# What the paths of the report say: the executed blocks of each function.
"$waymark" report --json counted.wmraw ./counted |
	jq -r '.functions[] | select(.paths | length > 0) | "\(.name) \([.paths[] | .count * (.blocks | length)] | add)"' | sort >blocks
total=$(awk '{ n += $2 } END { print n }' blocks)
[ "$total" -gt 100 ] || fail "the report has no blocks"

# self FILE: the cost of each function without what it calls
self() {
	awk '/^fn=/ { f = substr($0, 4) } /^calls=/ { skip = 1; next } /^[0-9]/ { if (!skip) n[f] += $2; skip = 0 } END { for (f in n) print f, n[f] }' "$1" | sort
}
# call FILE CALLER CALLEE: "COUNT COST", of all its calls
call() {
	awk -v caller="$2" -v callee="$3" '/^fn=/ { f = substr($0, 4) } /^cfn=/ { g = substr($0, 5) }
		/^calls=/ { split($0, c, /[= ]/); getline; if (f == caller && g == callee) { count += c[2]; cost += $2 } }
		END { print count + 0, cost + 0 }' "$1"
}
"$waymark" export --format callgrind -o profile.callgrind counted.wmraw ./counted 2>warned
"$waymark" export --format callgrind -o recording.callgrind recorded.wmraw ./recorded
for file in profile recording; do
	self $file.callgrind | cmp - blocks || fail "the costs of $file.callgrind are not the blocks of the report"
	grep -qx "totals: $total" $file.callgrind || fail "the totals of $file.callgrind"
done
# The calls of a recording are those that the program counted.
calls_of() {
	grep -x "$1 .*" said | cut -d ' ' -f 2
}
[ "$(call recording.callgrind main only | cut -d ' ' -f 1)" = "$(calls_of only)" ] || fail "calls of only"
[ "$(call recording.callgrind only mid | cut -d ' ' -f 1)" = "$(calls_of mid)" ] || fail "calls of mid"
[ "$(call recording.callgrind mid leaf | cut -d ' ' -f 1)" = "$(calls_of leaf)" ] || fail "calls of leaf"
fact=$(($(call recording.callgrind main fact | cut -d ' ' -f 1) + $(call recording.callgrind fact fact | cut -d ' ' -f 1)))
[ "$fact" = "$(calls_of fact)" ] || fail "calls of fact"
# What the profile knows of the cost of calls, the recording says too.  leaf has two call sites: the profile does not know which
# costs what.  fact is recursive.
for pair in 'main only' 'only mid'; do
	# shellcheck disable=SC2086 # two words
	[ "$(call profile.callgrind $pair)" = "$(call recording.callgrind $pair)" ] || fail "the cost of the call $pair"
done
[ "$(call profile.callgrind mid leaf)" = '0 0' ] || fail "the profile cannot know what the calls of leaf cost"
[ "$(call profile.callgrind main fact)" = '0 0' ] || fail "the profile cannot know what the call of fact costs"
grep -q '4 of 6 direct calls are left out' warned || { cat warned; fail "it does not say which calls are left out"; }
# Of one function only its own calls.
"$waymark" export --format callgrind --function main counted.wmraw ./counted >main.callgrind 2>warned
[ "$(grep '^fn=' main.callgrind | sort -u)" = fn=main ] || { cat main.callgrind; fail "--function main writes other functions"; }
[ "$(call main.callgrind main only)" = "$(call recording.callgrind main only)" ] || fail "--function main loses a call of main"
grep -q '1 of 2 direct calls are left out' warned || { cat warned; fail "calls of other functions are counted"; }
callgrind_annotate --inclusive=yes recording.callgrind >annotated 2>&1 || { cat annotated; fail "callgrind_annotate"; }
number() {
	printf %d "$1" | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\(,\|$\)/\1,\2\3/; ta'
}
grep -qE "^ *$(number "$total") .*:main" annotated || { cat annotated; fail "main does not include everything"; }
grep -qE "^ *$(number "$(call recording.callgrind main only | cut -d ' ' -f 2)") .*:only" annotated || { cat annotated; fail "the inclusive cost of only"; }
grep -q '=> .*:leaf (' annotated || { cat annotated; fail "callgrind_annotate does not show the calls"; }

# A call in another file than its function: what is beside the line of the call is in that file.
cat >body.inc <<'END'


	s += helper(s);
END
"$waymark" cc -g -O1 outer.c -o outer
WAYMARK_FILE=outer.wmraw ./outer || fail outer
"$waymark" export --format callgrind outer.wmraw ./outer >outer.callgrind
awk '/^f[lie]=/ { file = $0 } /^calls=/ { getline; print $1, file }' outer.callgrind >places
grep -q '^3 fi=.*/body.inc$' places || { cat outer.callgrind; fail "the file of a call"; }
[ "$(grep -c '^fe=.*/outer.c$' outer.callgrind)" -ge 1 ] || { cat outer.callgrind; fail "the file of the caller does not return"; }

# A call back from code that is not instrumented: nobody knows what the call of sort costs.
"$waymark" cc -g -O1 back.c -o back
WAYMARK_FILE=back.wmraw ./back
"$waymark" export --format callgrind back.wmraw ./back 2>/dev/null >back.callgrind
! grep -q '^calls=' back.callgrind || fail "the cost of a call with a call back is not known"

# pprof: the same numbers, with whole stacks from a recording.
for kind in counted recorded; do
	"$waymark" export --format pprof -o $kind.pb.gz $kind.wmraw ./$kind
	gzip -dc $kind.pb.gz | protoc --proto_path="$here" --decode=perftools.profiles.Profile "$here/pprof.proto" >$kind.txt ||
		fail "protoc does not decode the profile"
	! grep -qE '^ *[0-9]+:' $kind.txt || { cat $kind.txt; fail "the profile has fields that pprof does not know"; }
	# values per function of the innermost frame
	awk '
		/^[a-z_]+ {/ { kind = $1; id = 0; stack = 0 }
		kind == "sample" && /location_id:/ && !stack { stack = $2 }
		kind == "sample" && / value:/ { value[stack] += $2 }
		kind == "location" && /^  id:/ { id = $2 }
		kind == "location" && /function_id:/ { of[id] = $2 }
		kind == "function" && /^  id:/ { id = $2 }
		kind == "function" && /^  name:/ { name[id] = $2 }
		/^string_table:/ { text = $0; sub(/^string_table: "/, "", text); sub(/"$/, "", text); string[count++] = text }
		END { for (l in value) sum[string[name[of[l]]]] += value[l]; for (f in sum) print f, sum[f] }' $kind.txt | sort >$kind.self
	cmp $kind.self blocks || fail "the samples of $kind are not the blocks of the report"
done
stacks=$(awk '/^sample {/ { n = 0 } /location_id:/ { if (++n > most) most = n } END { print most }' recorded.txt)
[ "$stacks" = 4 ] || fail "the deepest stack is main, only, mid, leaf, and not $stacks deep"
exits 1 "$waymark" export --format pprof counted.wmraw ./counted
says 'name a file by -o' "$waymark" export --format pprof counted.wmraw ./counted

# speedscope and Chrome: activations are nested, there are as many as the program counted, and each lasts as long as callgrind says.
"$waymark" export --format speedscope -o calls.speedscope.json recorded.wmraw ./recorded
"$waymark" export --format chrome recorded.wmraw ./recorded >calls.trace.json
jq -e --argjson total "$total" '
	.["$schema"] == "https://www.speedscope.app/file-format-schema.json" and (.profiles | length) == 1 and
	(.shared.frames | all(.name and .file and .line > 0)) and
	(.profiles[0] | .type == "evented" and .unit == "none" and .startValue == 0 and .endValue == $total and
		(reduce .events[] as $e ({stack: [], at: 0, ok: true};
			.ok = (.ok and $e.at >= .at) | .at = $e.at |
			if $e.type == "O" then .stack += [$e.frame]
			else .ok = (.ok and .stack[-1] == $e.frame) | .stack |= .[:-1] end) | .ok and .stack == []))' calls.speedscope.json >/dev/null ||
	fail "the file for speedscope is not well formed"
jq -r '.shared.frames as $f | .profiles[0].events[] | select(.type == "O") | $f[.frame].name' calls.speedscope.json | sort | uniq -c |
	awk '$2 != "main" { print $2, $1 }' >opened
sort said | cmp - opened || { cat opened; fail "speedscope shows other calls than the program made"; }
jq -e '(.traceEvents | all(.ph == "M" or (.ph == "B" or .ph == "E") and .pid == 1 and .tid == 1 and .ts >= 0 and .cat == "call"))' calls.trace.json >/dev/null ||
	fail "the trace events are not well formed"
jq -r '.traceEvents[] | select(.ph == "B") | .name' calls.trace.json | sort | uniq -c | awk '$2 != "main" { print $2, $1 }' | cmp - opened ||
	fail "the trace has other calls than the program made"
for function in only mid leaf; do
	lasts=$(jq --arg f $function '[.traceEvents[] | select(.name == $f) | if .ph == "E" then .ts else -.ts end] | add' calls.trace.json)
	case $function in only) caller=main ;; mid) caller=only ;; leaf) caller=mid ;; esac
	[ "$lasts" = "$(call recording.callgrind $caller $function | cut -d ' ' -f 2)" ] || fail "$function lasts $lasts blocks in the trace"
done

# Threads and a forked child.
"$waymark" cc -g -O1 -pthread -fwaymark-wpp many.c -o many
WAYMARK_FILE='many-%p.wmraw' ./many || fail "many"
"$waymark" export --format speedscope -o many.json many-*.wmraw ./many
jq -e '.shared.frames as $f | (.profiles | length) == 3 and ([.profiles[].events | map(select(.type == "O") | $f[.frame].name) | join(" ")] | sort) ==
	["main", "main work", "thread work"]' many.json >/dev/null || { jq -c . many.json; fail "threads and children"; }

# A profile has no order, and a recording is no profile.
exits 1 "$waymark" export --format chrome counted.wmraw ./counted
says 'counted.wmraw is not a recording' "$waymark" export --format chrome counted.wmraw ./counted
exits 1 "$waymark" export --format lcov recorded.wmraw ./recorded
says 'is a recording, and the format lcov is made from a profile' "$waymark" export --format lcov recorded.wmraw ./recorded
