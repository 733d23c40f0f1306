# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sentences of `waymark crash` against what the program says of itself.  Before it dies, each function that has a frame says
# the line of its call or of its fault, and whoever dies says the thread, the signal and the address.  waitpid says how the
# process ended.

# Frames of the text, the innermost first, as NAME|WORDS|LINE.  Of threads, only the first.
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

# said: the same as the program has said it, and its thread
said() { sed -n 's/^frame //p' record | tac; }

must_print() { grep -qxF -- "$1" crash.txt || { cat record crash.txt; fail "$flags $how: no sentence: $1"; }; }
must_not_print() { ! grep -qE -- "$1" crash.txt || { cat record crash.txt; fail "$flags $how: prints $1"; }; }

# run HOW: the program says all of itself in `record`; $code is how it ended
run() {
	rm -f run.wmraw
	code=0
	WAYMARK_FILE=run.wmraw ./program "$1" >record 2>err || code=$?
	"$waymark" crash run.wmraw program >crash.txt 2>log || { cat log; fail "$flags $how: crash"; }
	process=$(sed -n 's/^process //p' record)
}

ulimit -c 0
for flags in '-O0 -fwaymark-cfg=source' '-O2 -fwaymark-cfg=source -fwaymark-crash=4' '-O1 -fwaymark-cfg=optimised'; do
	must "$waymark" c++ -w -g -fwaymark-update=atomic -fwaymark-crash $flags program.cpp -o program -pthread
	for how in main far trap strlen recursion qsort divide thread sent destructor assert abort throw; do
		run $how
		dies=$(sed -n 's/^dies \([0-9]*\) /thread \1: /p' record)
		signal=$(echo "$dies" | sed 's/.*: SIG\([A-Z]*\).*/\1/')
		[ $code -gt 128 ] && [ "$(kill -l $((code - 128)))" = "$signal" ] || { cat record; fail "$flags $how: exit code $code"; }
		must_print "process $process died of SIG$signal"
		must_print "$dies"
		said >said.txt
		frames >frames.txt
		cmp -s said.txt frames.txt || { diff said.txt frames.txt || true; cat crash.txt; fail "$flags $how: the frames"; }
		[ $how = thread ] || must_not_print 'near|no path|not known|not instrumented'
	done
	# A path that ends with a call that does not return is finished, but its frame is there.
	for how in assert abort; do
		run $how
		case $flags in
		*crash=4*) grep -q '^  -1 .*  the path of #0, which ends with that call$' crash.txt || { cat crash.txt; fail "$flags $how: path"; } ;;
		*) must_not_print 'last finished' ;;
		esac
	done
	# The other threads of a program that crashed.
	how=thread
	run thread
	must_print "thread $process"
	grep -qE '^  #0  main  as of its last call, of pthread_(create|join) at program.cpp:[0-9]*; what it did since then is not known$' crash.txt ||
		{ cat crash.txt; fail "$flags: the thread that waited"; }
	how=handler
	run handler
	must_print "process $process died of SIGSEGV"
	said=$(sed -n 's/^frame \(.*\)|fault|\(.*\)/\1  fault at program.cpp:\2/p' record)
	must_print "  #0  $said"
	line=$(sed -n 's/^interrupted main //p' record)
	must_print "  #1  main  as of its last call, of returned(int) at program.cpp:$line; what it did since then is not known"
	how=overflow
	run overflow
	[ $code = 139 ] || fail "$flags: no overflow"
	must_print "process $process was killed, or ended without its destructors, or is still running: the innermost frame of each thread is as of its last call"
	must_print '  ... the innermost frames are missing: the stack was too deep to be recorded whole'
	[ "$(wc -l <crash.txt)" -lt 60 ] || fail "$flags: frames that are alike are printed one by one"
	for how in kill _exit; do
		run $how
		must_print "process $process was killed, or ended without its destructors, or is still running: the innermost frame of each thread is as of its last call"
		must_print "thread $process"
	done
	how=exit
	run exit
	[ $code = 3 ] || fail "exit"
	must_print "process $process ended normally"
	# A handler that was there before the runtime: it ends the process, or recovers and the program ends normally.
	how=handled
	export EARLY=leaves
	run handled
	[ $code = 7 ] || fail "$flags: the handler did not run"
	must_print "process $process got SIGSEGV, which a handler of its own took"
	must_print "$(sed -n 's/^dies \([0-9]*\) /thread \1: /p' record)"
	export EARLY=recovers
	run handled
	[ $code = 0 ] || fail "$flags: the handler did not recover"
	must_print "process $process ended normally"
	must_not_print 'SIG|fault'
	unset EARLY
done

# A deep stack of frames that are not alike is shortened in the middle, and --full prints it whole.
must "$waymark" cc -O1 -g -w -fwaymark-crash deep.c -o deep
WAYMARK_FILE=deep.wmraw ./deep 1000 2>err && fail "deep did not die"
"$waymark" crash deep.wmraw deep >crash.txt || fail "waymark crash"
flags=deep how=text
must_print '  ... 962 frames are left out here (--full prints them)'
grep -q '^  #1001 main  calls even' crash.txt || { cat crash.txt; fail "the outermost frame of a deep stack"; }
"$waymark" crash --full deep.wmraw deep >crash.txt || fail "waymark crash --full"
must_not_print 'left out'
[ "$(grep -c '^  #' crash.txt)" = 1002 ] || fail "--full does not print all frames"
