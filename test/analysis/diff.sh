#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# diff.sh BUILD: what changed between runs, recomputed from the reports of the single runs.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

"$waymark" cc -O1 -g program.c -o program
mkdir old new
for n in 50 51 53; do WAYMARK_FILE=old/$n.wmraw ./program $n; done
for n in 70 71 75 90; do WAYMARK_FILE=new/$n.wmraw ./program $n x >/dev/null; done

# counts FILE: "function id count" of every path that ran
counts() {
	"$waymark" report --json "$1" ./program | jq -r '.functions[] | .name as $n | .paths[] | [$n, .id, .count] | @tsv'
}
# The kind of change and the counts of every path, from the reports of two runs.
counts old/50.wmraw >old.txt
counts new/90.wmraw >new.txt
awk -F '\t' 'NR == FNR { a[$1 " " $2] = $3; s += $3; next } { b[$1 " " $2] = $3; t += $3 }
	END {
		for (k in a) all[k]; for (k in b) all[k]
		for (k in all) {
			x = a[k] / s; y = b[k] / t
			print k, (!a[k] ? "appeared" : !b[k] ? "vanished" : x < y ? "hotter" : x > y ? "colder" : "same"), a[k] + 0, b[k] + 0
		}
	}' old.txt new.txt | sort >expected.txt
"$waymark" diff --json old/50.wmraw new/90.wmraw ./program >diff.json
jq -r '.functions[] | .name as $n | .ways[] | "\($n) \((.new.paths + .old.paths)[0].id) \(.change) \(.old.count) \(.new.count)"' diff.json |
	sort >found.txt
cmp expected.txt found.txt || { diff expected.txt found.txt; fail "the changes differ from the reports"; }
grep -q appeared found.txt && grep -q vanished found.txt && grep -q hotter found.txt && grep -q colder found.txt && grep -q same found.txt ||
	fail "a kind of change is missing in the test itself"
jq -e '.schema == "waymark.diff/1" and .test == null and all(.functions[]; .graph == "same") and
	([.functions[].ways[] | select(.different)] | length) == .summary.different and
	([.functions[].ways[]] | length) == .summary.ways and
	all(.functions[].ways[]; .p == null and (.code_changed | not))' diff.json >/dev/null || fail "summary"
says '1 appeared, 1 vanished, 2 became hotter, 2 became colder' "$waymark" diff old/50.wmraw new/90.wmraw ./program
says 'no test for significance: it needs two runs or more on each side' "$waymark" diff old/50.wmraw new/90.wmraw ./program

# Shares are means over runs, and p-values are those of Welch's test, here computed by numerical integration.
"$waymark" diff --json --old old/*.wmraw --new new/*.wmraw ./program >several.json
"$waymark" diff --json old new ./program | cmp several.json - || fail "a directory stands for the runs in it"
jq -e '.test == "welch" and (.old.runs | length) == 3 and (.new.runs | length) == 4' several.json >/dev/null || fail "runs"
for side in old new; do
	for file in $side/*.wmraw; do
		counts "$file" | awk -F '\t' -v s=$side '{ c[$1 " " $2] = $3; t += $3 } END { for (k in c) printf "%s %s %.17g\n", s, k, c[k] / t }'
	done
done >shares.txt
awk '{ n[$1, $2 " " $3]++; sum[$1, $2 " " $3] += $4; square[$1, $2 " " $3] += $4 * $4; all[$2 " " $3] }
	# The two tails of the t distribution, by the trapezoidal rule over t = tan(u), and the gamma function by its recurrence.
	function lgamma_half(k,   x, r) { r = k % 2 ? 0.5 * log(3.14159265358979) : 0; for (x = k % 2 ? 0.5 : 1; x < k / 2; x++) r += log(x); return r }
	function tails(t, f,   i, m, u, s, h, c) {
		m = 100000; h = (1.5707963267949 - atan2(t, 1)) / m
		for (i = 0; i < m; i++) { u = atan2(t, 1) + (i + 0.5) * h; c = cos(u); s += exp(-(f + 1) / 2 * log(1 + (sin(u) / c) ^ 2 / f)) / (c * c) * h }
		return s
	}
	END {
		N["old"] = 3; N["new"] = 4
		for (k in all) {
			for (s in N) { m[s] = sum[s, k] / N[s]; v[s] = (square[s, k] - N[s] * m[s] ^ 2) / (N[s] - 1); if (v[s] < 1e-15) v[s] = 0 }
			u = v["old"] / N["old"]; w = v["new"] / N["new"]
			if (u + w == 0) p = (m["old"] - m["new"]) ^ 2 < 1e-20 ? 1 : 0
			else {
				f = (u + w) ^ 2 / (u ^ 2 / (N["old"] - 1) + w ^ 2 / (N["new"] - 1))
				t = m["old"] - m["new"]; if (t < 0) t = -t
				p = tails(t / sqrt(u + w), f) / tails(0, f)
			}
			printf "%s %.6f %.6f %.4f\n", k, m["old"], m["new"], p
		}
	}' shares.txt | sort >expected.txt
jq -r '.functions[] | .name as $n | .ways[] | [$n, (.new.paths + .old.paths)[0].id, .old.share, .new.share, .p] | @tsv' several.json |
	awk -F '\t' '{ printf "%s %s %.6f %.6f %.4f\n", $1, $2, $3, $4, $5 }' | sort >found.txt
cmp expected.txt found.txt || { diff expected.txt found.txt; fail "shares or p-values differ"; }
# The adjusted p-values, by definition: the least p(j) m / j over all j whose p is not smaller.
jq -e '[.functions[].ways[]] as $w | ($w | length) as $m | ($w | map(.p) | sort) as $p |
	all($w[]; . as $x | ([range($m) | select($p[.] >= $x.p) | $p[.] * $m / (. + 1)] | min) as $q |
		(([$q, 1] | min) - $x.q) | fabs < 1e-12)' several.json >/dev/null || fail "q-values"
says 'significant: q = ' "$waymark" diff --old old/*.wmraw --new new/*.wmraw ./program --function classify
# Runs of one program that differ among themselves are no difference between the sides.
"$waymark" diff --json --old old/50.wmraw new/71.wmraw --new old/51.wmraw new/75.wmraw ./program |
	jq -e '.summary.hotter == 0 and .summary.colder == 0 and .summary.within_limits > 0' >/dev/null || fail "noise is reported"

# No difference, exit codes, limits
says '0 of 7 paths differ' "$waymark" diff old/50.wmraw old/50.wmraw ./program
"$waymark" diff --exit-code old/50.wmraw old/50.wmraw ./program >/dev/null || fail "exit code without differences"
"$waymark" diff old/50.wmraw new/90.wmraw ./program >/dev/null || fail "exit code of a plain comparison"
code=0
"$waymark" diff --exit-code old/50.wmraw new/90.wmraw ./program >/dev/null || code=$?
[ $code = 3 ] || fail "exit code $code with differences"
"$waymark" diff --exit-code --min-change 50 --min-count 2 old/50.wmraw new/90.wmraw ./program >/dev/null || fail "limits"
says 'not counted as different' "$waymark" diff --min-change 50 old/50.wmraw new/90.wmraw ./program
says '5 more paths differ' "$waymark" diff --top 1 old/50.wmraw new/90.wmraw ./program
json '[.functions[].name] == ["classify"]' "$waymark" diff --json --function classify old/50.wmraw new/90.wmraw ./program
"$waymark" diff --html pages old/50.wmraw new/90.wmraw ./program
grep -q 'became hotter' pages/index.html || fail "pages"
grep -q 'n &gt; limit' pages/f/0.html || fail "page of a function"

# Mistakes
says 'give two profiles, the old one and the new one' "$waymark" diff old/50.wmraw ./program
says 'no binary was given' "$waymark" diff old/50.wmraw new/90.wmraw
says 'belong together' "$waymark" diff --old old/50.wmraw ./program
says 'is given beside --old and --new' "$waymark" diff new/71.wmraw --old old/50.wmraw --new new/90.wmraw ./program
says "needs a number from 0 to 1, not '2'" "$waymark" diff --level 2 old/50.wmraw new/90.wmraw ./program
says "no function is called 'nothing'" "$waymark" diff --function nothing old/50.wmraw new/90.wmraw ./program

# Names with control characters
WAYMARK_FILE="$(printf 'e\033[31m.wmraw')" ./program 3
"$waymark" diff --old old/50.wmraw "$(printf 'e\033[31m.wmraw')" --new new/90.wmraw ./program --json >escaped.txt
! grep -q "$(printf '\033')" escaped.txt || fail "a control character is printed"
cp program "$(printf 'p\033[31m')"
"$waymark" diff old/50.wmraw new/90.wmraw "$(printf './p\033[31m')" >escaped.txt 2>&1 || true
! grep -q "$(printf '\033')" escaped.txt || fail "a control character is printed"

# Paths across calls, and over iterations
for scheme in piecewise kiter=2; do
	"$waymark" cc -O1 -g -fwaymark-scheme=$scheme program.c -o across
	WAYMARK_FILE=across1.$scheme.wmraw ./across 50
	WAYMARK_FILE=across2.$scheme.wmraw ./across 90 x >/dev/null
	"$waymark" diff --json across1.$scheme.wmraw across2.$scheme.wmraw ./across >across.json
	for n in 1 2; do "$waymark" report --json across$n.$scheme.wmraw ./across; done |
		jq -s '[.[].functions[].paths[].count] | add' >total.txt
	jq -e --argjson total "$(cat total.txt)" '([.functions[].ways[] | .old.count + .new.count] | add) == $total and .summary.appeared > 0' \
		across.json >/dev/null || fail "$scheme"
done

# ---- Two builds ----------------------------------------------------------------------------------

# version NAME: compiles NAME/t.c and runs it; leaves NAME/r.wmraw
version() {
	(cd "$1" && "$waymark" cc -O1 -g t.c -o t && rm -f r.wmraw && WAYMARK_FILE=r.wmraw ./t 1 2 3 40 -5 77 300 >/dev/null)
}
# between OLD NEW: leaves the comparison in builds.json; $total is the number of path executions of both runs
between() {
	"$waymark" diff --json "$1/r.wmraw" "$2/r.wmraw" "$1/t" "$2/t" >builds.json || fail "diff of $1 and $2"
	for v in "$1" "$2"; do "$waymark" report --json $v/r.wmraw $v/t; done | jq -s '[.[].functions[].paths[].count] | add' >total.txt
	# Every path is in exactly one way, and none is lost.
	jq -e --argjson total "$(cat total.txt)" '([.functions[].ways[] | .old.count + .new.count] | add) == $total and
		all(.functions[]; ([.ways[].old.paths[].id] | length) == ([.ways[].old.paths[].id] | unique | length)) and
		all(.functions[].ways[]; .old.count == ([.old.paths[].count] | add // 0) and .new.count == ([.new.paths[].count] | add // 0))' \
		builds.json >/dev/null || fail "$1 and $2: a path is lost or counted twice"
}
# fact EXPRESSION: about builds.json
fact() {
	jq -e "def f(\$n): .functions[] | select(.name == \$n); $1" builds.json >/dev/null || { jq -c '.summary, (.functions[] | {name, graph, blocks_matched, old, new})' builds.json; fail "not so: $1"; }
}
mkdir same renamed inserted removed moved
version v1
# Lines before and inside, other names: the graphs are the same, and so are all paths.
sed -e '1i // a comment\n' -e 's/int r = 0;/int r;\n\tr = 0;/' v1/t.c >same/t.c
sed -e 's/\br\b/result/g; s/\bn\b/number/g' v1/t.c >renamed/t.c
for v in same renamed; do
	version $v
	between v1 $v
	fact '.summary.different == 0 and .summary.functions == {same: 3, changed: 0, only_old: 0, only_new: 0}'
	says '0 of 11 paths differ' "$waymark" diff v1/r.wmraw $v/r.wmraw v1/t $v/t
done
# A new branch: the old decisions are matched, and the counts of the old ways are the same.
sed -e 's/^\tif (n % 3 == 0)/\tif (n == 77)\n\t\tputs("lucky");\n&/' v1/t.c >inserted/t.c
version inserted
between v1 inserted
fact '.summary.different == 0 and (f("kind") | .graph == "changed" and .blocks_matched == 10 and .old.blocks == 10 and .new.blocks == 12)'
fact 'any(f("kind").ways[]; (.old.paths | length) == 1 and (.new.paths | length) == 2 and .code_changed and .old.count == .new.count)'
"$waymark" diff --html pages2 v1/r.wmraw inserted/r.wmraw v1/t inserted/t
grep -q 'changed, 10 of 12 blocks matched' pages2/index.html || fail "the index does not tell matched blocks"
says '  kind: changed, 10 of 12 blocks matched' "$waymark" diff v1/r.wmraw inserted/r.wmraw v1/t inserted/t
# The same, backwards.
between inserted v1
fact '.summary.different == 0 and (f("kind") | .blocks_matched == 10)'
# A branch is removed, and a function is replaced: each path through the branch goes the same way as before, in part.
sed -e '/^\tif (n % 3 == 0)/,/^\telse/d' -e 's/gone/fresh/' v1/t.c >removed/t.c
version removed
between v1 removed
fact '.summary.functions == {same: 1, changed: 1, only_old: 1, only_new: 1} and .summary.appeared == 1'
fact '[f("gone").ways[].change] == ["vanished", "vanished"] or [f("gone").ways[].change] == ["vanished"]'
fact 'f("kind") | [.ways[] | select(.code_changed | not) | [.old.count, .new.count]] | length >= 3 and all(.[0] == .[1])'
says 'only in new' "$waymark" diff v1/r.wmraw removed/r.wmraw v1/t removed/t
# Only the new binary: functions that have changed are refused, and do not appear.
"$waymark" diff --json v1/r.wmraw removed/r.wmraw removed/t 2>/dev/null >builds.json
fact '([.refused[].name] | index("kind")) != null and all(.functions[]; .name != "kind")'
exits 3 "$waymark" diff --exit-code --min-change 100 --min-count 1000 v1/r.wmraw removed/r.wmraw removed/t
# The source of the old build is not at hand as it was compiled.
cp v1/t.c moved/
echo '// edited' >>v1/t.c
"$waymark" diff --json v1/r.wmraw inserted/r.wmraw v1/t inserted/t 2>/dev/null >builds.json
fact 'all(.functions[]; .name != "kind") and (.refused[0] | .name == "kind" and (.reason | contains("--old-source-dir")))'
"$waymark" diff --json --old-source-dir moved v1/r.wmraw inserted/r.wmraw v1/t inserted/t >builds.json
fact '.refused == [] and (f("kind") | .blocks_matched == 10)'
# Paths across calls of which one function has changed
for v in moved inserted; do (cd $v && "$waymark" cc -O1 -g -fwaymark-scheme=piecewise t.c -o t && WAYMARK_FILE=a.wmraw ./t 1 2 3 40 -5 77 300 >/dev/null); done
"$waymark" diff --json moved/a.wmraw inserted/a.wmraw moved/t inserted/t >builds.json
fact '.summary.appeared == 0 and .summary.vanished == 0 and (f("kind") | .graph) == "changed" and (f("main") | .graph) == "same"'
