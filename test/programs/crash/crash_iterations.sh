# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# waymark crash under schemes whose paths have several iterations or a context, against the definition of the scheme.  Every
# activation notes in a mapped file the marked lines that it executes (V), where it arrives at a loop (A), its back edges (B),
# and where setjmp returns (30001, and 30002 if again).  Loops 11 and up are not innermost: kiter ends paths there.  awk computes the pending path from these.
grep -n '	V[;,]\| V,' program.cpp | cut -d: -f1 | tr '\n' ' ' >marked

# run HOW BITS FIRST SECOND
run() {
	rm -f run.wmraw record
	if [ "$1" = kill ]; then
		WAYMARK_FILE=run.wmraw ./program "$@" >out 2>&1 &
		pid=$!
		tries=0
		until grep -qs here out || [ $tries -gt 500 ]; do sleep 0.02 && tries=$((tries + 1)); done
		kill -9 $pid
		wait $pid 2>/dev/null || true
	else
		WAYMARK_FILE=run.wmraw ./program "$@" >out 2>&1 || true
	fi
	"$waymark" crash --json run.wmraw program >crash.json 2>log || { cat log; fail "$* crash"; }
}

# expect SCHEME K: the marked lines of the pending path of each activation
expect() {
	od -v -An -w4096 -td4 record | awk -v k="$2" '
		function recall(text) { n = split(text, piece, "|"); now = piece[n--]; loop = piece[n--]; its = piece[n--] }
		function state(   i, text) { for (i = 1; i <= n; i++) text = text piece[i] "|"; return text its "|" loop "|" now }
		$1 == 0 { exit }
		{
			n = 0; its = 0; loop = 0; now = ""; delete saved
			for (t = 1; $t != 0; t++) {
				if ($t == 30001) jump = state()
				else if ($t == 30002) recall(jump)
				else if ($t < 10000) now = now $t " "
				else if ($t < 20000) { if (k == 0) saved[$t - 10000] = state() }
				else if (k == 0) recall(saved[$t - 20000])
				else if ($t > 20010) { n = its = loop = 0; now = "" }
				else {
					piece[++n] = now; now = ""
					its = loop == $t ? its + 1 : 1; loop = $t
					if (its == k) { for (i = 1; i < k; i++) piece[i] = piece[n - k + 1 + i]; n = k - 1; its = k - 1 }
				}
			}
			for (i = 1; i <= n; i++) printf "%s", piece[i]
			print now
		}' >expected
}

compare() {
	jq -r '.threads[0].frames | reverse[] | [(.lines[]? | sub(".*:"; ""))] | join(" ")' crash.json | awk '
		FILENAME == "marked" { for (i = 1; i <= NF; i++) marked[$i] = 1; next }
		{ line = ""; for (i = 1; i <= NF; i++) if ($i in marked) line = line $i " "; if (line != "") print line }' marked - >got
	grep . expected >wanted
	cmp -s got wanted || { diff got wanted; cat crash.json; fail "$1"; }
}

while read -r scheme flags; do
	k=${scheme#kiter=}
	[ $scheme != loopcontext ] || k=0
	must "$waymark" c++ $flags -w -g -fwaymark-scheme=$scheme -fwaymark-crash program.cpp -o program
	for run in 'segv 0x2d 4 5' 'segv 0x51 1 2' 'abort 0x2d 2 7' 'throw 0xb4 5 3' 'kill 0x6b 3 4'; do
		run $run
		expect $scheme "$k"
		[ "$(wc -l <expected)" = 5 ] || { cat expected; fail "$run: activations"; }
		compare "$flags $scheme $run"
		jq -e '[.threads[0].frames[1:][].exact] | all' crash.json >/dev/null || fail "$flags $scheme $run: not exact"
	done
done <<'END'
kiter=2 -O0
kiter=2 -O2
kiter=3 -O0 -fwaymark-cfg=optimised
kiter=40 -O2
loopcontext -O2
loopcontext -O0 -fwaymark-cfg=optimised
END

# Frames that keep pieces are larger; they cross pages, and more of them than fit are told to be missing.
must "$waymark" c++ -O2 -w -g -fwaymark-scheme=kiter=4 -fwaymark-crash program.cpp -o program
run deep 5 6 300
jq -e '.threads[0].frames | length == 302 and ([.[1:-1][].blocks] | unique | length == 1 and (.[0] | length > 9)) and all(.exact)' \
	crash.json >/dev/null || { head -c 3000 crash.json; fail "deep"; }
cp crash.json few.json
run deep 5 6 1500
jq -e --slurpfile few few.json '$few[0].threads[0].frames[2].blocks as $all | .threads[0] | .frames_missing and
	(.frames | length > 700 and .[0].spot == "fault" and .[-1].function == "main" and
	([.[1:-1][].blocks] | unique == [$all]))' crash.json >/dev/null || { head -c 3000 crash.json; fail "deeper"; }

# More iterations than are recorded.
must "$waymark" c++ -O2 -w -g -fwaymark-scheme=kiter=300 -fwaymark-crash program.cpp -o program
run segv 0x2d 1 280
jq -e '.threads[0].frames[0].exact == false and (.threads[0].frames[0].blocks | length > 252 * 3)' crash.json >/dev/null ||
	{ head -c 1000 crash.json; fail "too many iterations"; }
"$waymark" crash run.wmraw program | grep -q '; earlier iterations of the path were not recorded$' || fail "too many iterations, in words"
