# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# waymark crash against what the program itself says of its frames before it dies.  Every function notes the marked
# lines that it runs, and prints them before it calls the next function or faults.  The marked lines of the pending
# path of a frame must be the last ones of that record; all of them if the path began at the entry.

# record PROGRAM HOW SEED: runs it until it dies; `record` is what it says
run() {
	rm -f run.wmraw record
	if [ "$2" = kill ]; then
		WAYMARK_FILE=run.wmraw ./"$1" "$2" "$3" >record 2>err &
		pid=$!
		tries=0
		until grep -qs " die " record || [ $tries -gt 500 ]; do sleep 0.02 && tries=$((tries + 1)); done
		kill -9 $pid
		wait $pid 2>/dev/null || true
	else
		WAYMARK_FILE=run.wmraw ./"$1" "$2" "$3" >record 2>err || true
	fi
	"$waymark" crash --json run.wmraw "$1" >crash.json 2>crash.log || { cat crash.log; fail "$1 $2 $3: crash"; }
	"$waymark" crash run.wmraw "$1" >crash.txt 2>crash.log || { cat crash.log; fail "$1 $2 $3: crash"; }
}

# compare WHAT: frames, the outermost first, against the record of the same thread.  In an optimised graph a block may
# stand for statements of two branches that LLVM has merged: there, a line of the record may be missing ($loose).  So may
# the iterations between a context and the last one; crash_iterations.sh says exactly which.
compare() {
	grep -n 'V[;,]\| V,' program.cpp | cut -d: -f1 | tr '\n' ' ' >marked
	sed '1,/^clear$/{/^clear$/!{/ main /!d}}; /^clear$/d' record >kept
	grep -q '^clear$' record || cp record kept
	jq -r '.threads[] | .thread as $t | .frames | reverse[] |
		[$t, .function, (.exact | tostring), .spot, .start, (.lines[]? | sub(".*:"; ""))] | join(" ")' \
		crash.json >frames
	awk -v what="$1" -v loose="$loose" '
		FILENAME == "marked" { for (i = 1; i <= NF; i++) marked[$i] = 1; next }
		FILENAME == "kept" { said[$1, ++count[$1]] = $0; next }
		{
			n = split(said[$1, ++at[$1]], word, " ")
			if (word[2] != $2) { print what ": frame " $2 " where the program was in " word[2]; bad = 1; exit }
			mine = ""; k = 0; m = 0
			for (i = 6; i <= NF; i++) if ($i in marked) path[++k] = $i
			for (i = 3; i <= n; i++) line[++m] = word[i]
			if (k > m || k == 0) bad = 1
			j = 0
			for (i = 0; i < k; i++) {
				while (loose && i && j < m && path[k - i] != line[m - j]) j++
				if (path[k - i] != line[m - j++]) bad = 1
			}
			if (!loose && $5 == "entry" && k != m) bad = 1
			if (bad) { print what ": " $0; print "program: " said[$1, at[$1]]; exit }
			total++
		}
		END { for (t in count) if (at[t] != count[t]) { print what ": " at[t] + 0 " frames of " count[t]; bad = 1 }; exit bad || !total }
	' marked kept frames >why || { cat why record frames; fail "$1"; }
}

for flags in '-O0 -fwaymark-cfg=source' '-O2 -fwaymark-cfg=source' '-O0 -fwaymark-cfg=optimised' '-O2 -fwaymark-cfg=optimised' \
	'-O2 -fwaymark-scheme=kiter=2' '-O2 -fwaymark-scheme=loopcontext -ffunction-sections -Wl,--gc-sections' '-O1 -fwaymark-crash=16' '-O2 -fwaymark-scheme=context'; do
	must "$waymark" c++ $flags -w -g -fwaymark-update=atomic -fwaymark-crash program.cpp -o program -pthread
	loose=0
	case $flags in '-O2 -fwaymark-cfg=optimised' | *loopcontext*) loose=1 ;; esac
	for how in segv copy abort throw divide caught jump kill threads; do
		for seed in 3 94 ${WHOLE:+10 29}; do
			run program $how $seed
			compare "$flags $how $seed"
		done
		if [ $how = kill ]; then
			jq -e '.ended == false and ([.threads[].frames[0].exact] == [false]) and .threads[0].signal == 0' crash.json >/dev/null ||
				fail "$flags: killed, but not so said"
			jq -e '[.threads[0].frames[1:][].exact] | all' crash.json >/dev/null || fail "$flags: outer frames are known"
		else
			jq -e '[.threads[0].frames[].exact] | all' crash.json >/dev/null || { cat crash.json; fail "$flags $how: not exact"; }
			jq -e '.threads[0].signal > 0' crash.json >/dev/null || fail "$flags $how: no signal"
		fi
	done
	# The leaf has run once to its end, with the same decisions: the record is cut where it would fault.
	run program leaf 29
	faults=$(grep -n 'sum += \*p' program.cpp | cut -d: -f1)
	sed -i "/ leaf /s/\(.* $faults\) .*/\1/" record
	grep -q " leaf .* $faults\$" record || fail "the record of the leaf"
	compare "$flags leaf"
	jq -e '[.threads[0].frames[].exact] | all' crash.json >/dev/null || fail "$flags leaf: not exact"
	# Deeper than the record of frames: the outermost and the innermost are there.
	run program deep 5
	jq -e '.threads[0] | .frames_missing and .frames[0].spot == "fault" and .frames[0].function == "die" and
		.frames[-1].function == "main"' crash.json >/dev/null || { head -c 3000 crash.json; fail "$flags: deep"; }
	grep -q 'frames are missing here' crash.txt || fail "$flags: deep, in words"
	run program none 7
	jq -e '.ended and .threads[0].frames == null' crash.json >/dev/null || { cat crash.json; fail "$flags: ended normally"; }
	grep -q 'ended normally' crash.txt || fail "$flags: ended normally, in words"
done
must "$waymark" cc -w -x c - -o plain <<'END'
int main(void) { return 0; }
END
WAYMARK_FILE=plain.wmraw ./plain
! "$waymark" crash run.wmraw plain >log 2>&1 || fail "a foreign binary was taken"
grep -q 'another build' log || { cat log; fail "a foreign binary"; }

# The last finished paths, the oldest first, and then the pending path of the innermost frame must be the end of the
# lines that the program notes.  A function that calls another notes lines only after the call, so that the lines of a
# path are never interrupted by those of another.
grep -n ' V[;,]\|	V[;,]' finished.c | cut -d: -f1 >marked
for flags in '-O0 -fwaymark-cfg=source' '-O2 -fwaymark-cfg=source' '-O0 -fwaymark-cfg=optimised'; do
	must "$waymark" cc $flags -w -g -fwaymark-crash=16 finished.c -o finished
	for seed in 1 2 3 4; do
		run finished $seed 40
		jq -e '.threads[0].paths | length == 16 and all(.exact)' crash.json >/dev/null || { cat crash.json; fail "$flags: 16 paths"; }
		jq -r '.threads[0] | (.paths | reverse | map(.lines[])) + .frames[0].lines | .[] | sub(".*:"; "")' crash.json |
			grep -xFf marked >told
		[ "$(wc -l <told)" -ge 16 ] || fail "$flags: the paths have no lines"
		tail -n "$(wc -l <told)" record | cmp -s - told ||
			{ paste record told; fail "$flags $seed: the last finished paths are others"; }
	done
done

# As many as the build asks for, and the newest of them.
jq '.threads[0].paths[:2] | map(.lines)' crash.json >newest
must "$waymark" cc $flags -w -g -fwaymark-crash=2 finished.c -o finished
run finished $seed 40
jq '.threads[0].paths | map(.lines)' crash.json | cmp - newest || { cat crash.json; fail "-fwaymark-crash=2 does not print two paths"; }
! "$waymark" cc -fwaymark-crash=17 finished.c -o finished 2>log && grep -q "unknown value '17' for -fwaymark-crash: valid are 0 ... 16" log ||
	{ cat log; fail "-fwaymark-crash=17 is not refused"; }

# A function whose variables take more room than is recorded from the stack pointer on.
must "$waymark" cc -O0 -w -g -fwaymark-crash large.c -o large
WAYMARK_FILE=large.wmraw ./large 2>/dev/null && fail "large did not die"
"$waymark" crash --json large.wmraw large >large.json || fail "waymark crash"
jq -e '.threads[0].frames[0] | .exact and .spot == "fault" and
	([.decisions[].outcome] == ["false", "true"])' large.json >/dev/null || { cat large.json; fail "variables far away"; }

# Which frames are parts of one path, under schemes whose paths cross calls.  `rise` is recursive, so its calls of itself
# are not crossed; `loop` faults in its second iteration.
for scheme in context piecewise acyclic; do
	must "$waymark" cc -O1 -w -g -fwaymark-scheme=$scheme -fwaymark-crash parts.c -o parts
	WAYMARK_FILE=parts.wmraw ./parts 2>/dev/null && fail "parts did not die"
	"$waymark" crash --json parts.wmraw parts >parts.json || fail "waymark crash"
	"$waymark" crash parts.wmraw parts >parts.txt || fail "waymark crash"
	rm parts.wmraw
	case $scheme in
	context) links='path context none path none' from='as a part of the path of #1' ;;
	piecewise) links='path none none path none' from='as a part of the path of #1' ;;
	acyclic) links='none none none none none' from='from entry$' ;;
	esac
	jq -r '[.threads[0].frames[] | .caller // "none"] | join(" ")' parts.json >got
	[ "$(cat got)" = "$links" ] || { cat got parts.txt; "$waymark" show --calls parts; fail "$scheme: parts of paths"; }
	grep -q "$from" parts.txt || { cat parts.txt; fail "$scheme: parts of paths, in words"; }
	[ $scheme != context ] || grep -q 'from loop head at .*, in the context of #2$' parts.txt || fail "a context, in words"
done
must "$waymark" cc -O1 -w -g -fwaymark-scheme=kiter=2 -fwaymark-crash parts.c -o parts
WAYMARK_FILE=parts.wmraw ./parts 2>/dev/null && fail "parts did not die"
"$waymark" crash parts.wmraw parts >parts.txt || fail "waymark crash"
grep -q 'iteration 2' parts.txt && ! grep -q 'not recorded' parts.txt || { cat parts.txt; fail kiter; }

# The option does not change which functions LLVM inlines: the static function is gone with it and without it.
for option in '' -fwaymark-crash; do
	must "$waymark" cc -O2 -w -fwaymark-cfg=source $option inlined.c -o inlined
	! nm inlined | grep -q ' t look$' || fail "$option: look was not inlined"
done
