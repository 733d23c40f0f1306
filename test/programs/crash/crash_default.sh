# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# waymark crash of programs that were built without -fwaymark-crash, against what they say of themselves: the paths of the
# program of crash.sh, the sentences of that of crash_words.sh, and processes, threads, objects and handlers of all kinds.
ulimit -c 0
mkdir tmp
export TMPDIR=$PWD/tmp
cp "$cases/crash/crash/program.cpp" paths.cpp
cp "$cases/crash/crash_words/program.cpp" words.cpp

# crashed PROGRAM ARGUMENTS: leaves what it says in `record`, its exit status in $code, and what is told in crash.json and crash.txt
crashed() {
	rm -f run.wmraw
	code=0
	WAYMARK_FILE=run.wmraw ./"$@" >record 2>err || code=$?
	"$waymark" crash --json run.wmraw "$1" >crash.json 2>log || { cat log; fail "$flags $*: crash"; }
	"$waymark" crash run.wmraw "$1" >crash.txt 2>log || { cat log; fail "$flags $*: crash"; }
}
holds() { jq -e "$1" crash.json >/dev/null || { cat record crash.txt; fail "$flags $how: does not hold: $1"; }; }
must_print() { grep -qxF -- "$1" crash.txt || { cat record crash.txt; fail "$flags $how: no sentence: $1"; }; }

# The lines that each function has run, which it prints before it calls the next one or faults.  Every frame is there; only
# that of an instruction that faulted, and of a call that is known to return, may have no path.
grep -n 'V[;,]\| V,' paths.cpp | cut -d: -f1 | tr '\n' ' ' >marked
compare() {
	thread=$(jq '.threads[0].thread' crash.json)
	sed '1,/^clear$/{/^clear$/!{/ main /!d}}; /^clear$/d' record >kept
	grep -q '^clear$' record || cp record kept
	sed -i "/^$thread /!d" kept
	jq -r '.threads[0].frames | reverse[] |
		[.function, .spot, (.trouble // "-" | gsub(" "; "_")), .start // "-", (.lines[]? | sub(".*:"; ""))] | join(" ")' crash.json >frames
	awk -v what="$1" -v loose="$loose" '
		FILENAME == "marked" { for (i = 1; i <= NF; i++) marked[$i] = 1; next }
		FILENAME == "kept" { said[++count] = $0; next }
		{
			n = split(said[++at], word, " ")
			if (word[2] != $1) { print what ": frame " $1 " where the program was in " word[2]; bad = 1; exit }
			if ($3 != "-") { if (at < count || $3 !~ /^how_it_got_there/) { print what ": " $0; bad = 1; exit } next }
			k = m = j = 0
			for (i = 5; i <= NF; i++) if ($i in marked) path[++k] = $i
			for (i = 3; i <= n; i++) line[++m] = word[i]
			if (k > m || k == 0) bad = 1
			for (i = 0; i < k; i++) {
				while (loose && i && j < m && path[k - i] != line[m - j]) j++
				if (path[k - i] != line[m - j++]) bad = 1
			}
			if (!loose && $4 == "entry" && k != m) bad = 1
			if (bad) { print what ": " $0; print "program: " said[at]; exit }
			total++
		}
		END { if (at != count) { print what ": " at + 0 " frames of " count; bad = 1 }; exit bad || !total }
	' marked kept frames >why || { cat why record frames crash.txt; fail "$1"; }
}
for flags in '-O0 -fwaymark-cfg=source' '-O2 -fwaymark-cfg=source' '-O0 -fwaymark-cfg=optimised' '-O2 -fwaymark-cfg=optimised -no-pie' \
	'-O2 -fwaymark-cfg=source -static' '-O2 -fwaymark-scheme=loopcontext' '-O1 -fwaymark-interesting=10'; do
	case $flags in *interesting*) [ "${WHOLE-}" ] || continue; flags='-O3 -fwaymark-cfg=source -fPIE -pie' ;; esac
	must "$waymark" c++ $flags -w -g -fwaymark-update=atomic paths.cpp -o paths -pthread
	loose=0
	case $flags in *-O2*cfg=optimised* | *loopcontext*) loose=1 ;; esac
	for how in segv copy abort throw divide caught jump threads; do
		for seed in 3 94 ${WHOLE:+10 29}; do
			crashed paths $how $seed
			[ $code -gt 128 ] || fail "$flags $how: exit code $code"
			compare "$flags $how $seed"
			case $how in
			abort | throw) holds '[.threads[0].frames[].exact] | all' ;;
			*) holds '[.threads[0].frames[1:][].exact] | all' ;;
			esac
		done
	done
	how=deep
	crashed paths deep 5
	holds '.threads[0] | .frames_missing and .frames[0].function == "die" and .frames[-1].function == "main"'
	grep -q 'frames are missing here' crash.txt || fail "$flags: deep, in words"
	how=none
	crashed paths none 7
	holds '.ended and .threads == []'
	must_print "process $(jq .pid crash.json) ended normally"
done

# The words, as crash_words.sh reads them.
frames() {
	awk '/^thread/ { if (seen++) exit } !/^  #/ { next }
		{
			last = first = substr($1, 2)
			if ($2 == "to") { last = substr($3, 2); sub(/^  #[0-9]+ to #[0-9]+ */, "") } else sub(/^  #[0-9]+ */, "")
			name = $0; sub(/  (fault|calls|as of|has made|interrupted).*/, "", name)
			words = substr($0, length(name) + 3)
			line = words; sub(/^.*:/, "", line)
			sub(/ (at|near) [^ ]*$/, "", words)
			for (i = first; i <= last; i++) { if (i != number++) { print "#" i " is not the next frame"; exit } print name "|" words "|" line }
		}' crash.txt
}
for flags in '-O0 -fwaymark-cfg=source' '-O2 -fwaymark-cfg=source' '-O1 -fwaymark-cfg=optimised' '-O2 -static'; do
	must "$waymark" c++ -w -g -fwaymark-update=atomic $flags words.cpp -o words -pthread
	for how in main far trap strlen recursion qsort divide thread sent destructor assert abort throw; do
		crashed words $how
		signal=$(sed -n 's/^dies [0-9]* SIG\([A-Z]*\).*/\1/p' record)
		[ "$(kill -l $((code - 128)))" = "$signal" ] || { cat record; fail "$flags $how: exit code $code"; }
		must_print "process $(sed -n 's/^process //p' record) died of SIG$signal"
		must_print "$(sed -n 's/^dies \([0-9]*\) /thread \1: /p' record)"
		sed -n 's/^frame //p' record | tac >said.txt
		frames >frames.txt
		cmp -s said.txt frames.txt || { diff said.txt frames.txt || true; cat crash.txt; fail "$flags $how: the frames"; }
	done
	# A frame that a handler interrupts stands at an instruction, or in the call in which the handler ran.
	how=handler
	crashed words handler
	[ "$(jq -r '.threads[0].frames | map(.spot + " " + .function) | join(", ")' crash.json)" = 'fault _ZL7handleri, interrupted main' ] ||
		{ cat crash.txt; fail "$flags: handler"; }
	# There is no room for the runtime on a stack that is full, and SIGKILL cannot be noted.
	for how in overflow kill; do
		rm -f run.wmraw
		code=0
		WAYMARK_FILE=run.wmraw ./words $how >record 2>err || code=$?
		[ $code = 139 ] || [ $code = 137 ] || fail "$flags $how: exit code $code"
		! "$waymark" crash run.wmraw words >crash.txt 2>log || { cat crash.txt; fail "$flags $how: something is told"; }
		grep -q 'could not be noted' log || { cat log; fail "$flags $how: why not"; }
	done
	# A handler that was there before the runtime is that of the program.
	how=handled
	code=0
	EARLY=leaves WAYMARK_FILE=run.wmraw ./words handled >record 2>err || code=$?
	[ $code = 7 ] || fail "$flags: the handler did not run"
done

# kinds.cpp: inlined calls, a shared object, a child, handlers of the program, requests to end.
flags=object
must "$waymark" cc -O1 -g -w -shared -fPIC object.c -o libobject.so
for flags in '-O0' '-O2' '-O2 -fwaymark-cfg=optimised'; do
	must "$waymark" c++ -w -g $flags kinds.cpp -o kinds
	must "$waymark" c++ -w -g $flags kinds.cpp -o loader -L. -lobject -Wl,-rpath,"$PWD"
	while read -r how status names; do
		crashed kinds $how
		[ $code = $status ] || { cat record; fail "$flags $how: exit code $code"; }
		[ "$(jq -r '.threads[0].frames | map(.function) | join(" ")' crash.json)" = "$names" ] ||
			case "$flags $how" in *optimised*inlined* | *optimised*throwing*) ;; *) cat crash.txt && fail "$flags $how: frames" ;; esac
	done <<'END'
inlined 139 inner outer main
throwing 134 thrower outer main
free 134 misfree main
raise 136 raiser main
divide 136 divider main
null 139 caller main
term 143 waiter main
int 130 waiter main
stacked 139 deeper main
END
	# Of a shared object, its own file has its frames; the program is in the call.
	how=object
	rm -f object-*.wmraw
	code=0
	WAYMARK_FILE=object-%b.wmraw ./loader object >record 2>err || code=$?
	[ $code = 139 ] || fail "$flags object: exit code $code"
	told=
	for file in object-*.wmraw; do
		"$waymark" crash --json $file loader libobject.so >crash.json 2>log || { cat log; fail "$flags: $file"; }
		told="$told $(jq -r '.threads[0].frames | map(.function + ":" + .spot) | join(" ")' crash.json)"
	done
	case $told in
	' main:call object_fault:fault object_call:call' | ' object_fault:fault object_call:call main:call') ;;
	*) fail "$flags: frames of objects:$told" ;;
	esac
	# The program's own handler is none of ours.
	how=own
	rm -f run.wmraw
	code=0
	WAYMARK_FILE=run.wmraw ./kinds own >record 2>err || code=$?
	[ $code = 5 ] || fail "$flags own: exit code $code"
	! "$waymark" crash run.wmraw kinds >crash.txt 2>log || { cat crash.txt; fail "$flags: a handler of the program"; }
done

# waymark run prints the same after the run, and only for crashes.
while read -r how status says; do
	code=0
	"$waymark" run ./kinds $how >out.txt 2>err.txt || code=$?
	[ $code = $status ] || { cat out.txt err.txt; fail "run $how: exit code $code"; }
	if [ "$says" ]; then
		grep -q "died of SIG$says\$" out.txt && grep -q '^  #0 ' out.txt || { cat out.txt; fail "run $how: no crash is told"; }
		command=$(sed -n 's/^the raw profile of process [0-9]* is kept: `waymark \(.*\)` prints .*/\1/p' out.txt)
		"$waymark" $command >again.txt || fail "run $how: $command"
		[ "$(grep -c '^  #' again.txt)" = "$(grep -c '^  #' out.txt)" ] || { cat out.txt again.txt; fail "run $how: again"; }
	else
		! grep -q 'kept\|died' out.txt || { cat out.txt; fail "run $how: a crash is told"; }
		[ -z "$(ls tmp)" ] || { ls tmp/*; fail "run $how: files are left"; }
	fi
	rm -rf tmp/*
done <<'END'
divide 136 FPE
throwing 134 ABRT
term 143
int 130
child 5 SEGV
own 5
none 0
END
