# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sentences of `waymark run` and `waymark report` against what programs say of themselves: they count their own path
# executions, entries, paths and processes, and know how many paths their functions have.  Programs end by an exit code, by
# a signal and by _exit; they fork, execute others, load an instrumented library twice, close their standard output, or have no
# instrumented function.
must "$waymark" cc -O0 -g -w program.c -o program
mkdir near far
must "$waymark" cc -O0 -g -w other.c -o near/other
must "$waymark" cc -O0 -g -w -shared -fPIC plug.c -o near/libplug.so
cp near/other near/libplug.so far

# sentences [FILE]: what the programs have said, in the words of the report
sentences() {
	awk '$1 == "raw" { raw += $2; objects += $3 }
		$1 == "function" { all++; ran += $4 > 0; executions += $3; paths += $5; possible += $6 }
		function s(n) { return n == 1 ? "" : "s" }
		END {
			printf "%d path execution%s in %d raw profile%s of %d object%s\n", executions, s(executions), raw, s(raw), objects, s(objects)
			printf "%d of %d functions ran, ", ran, all
			if (possible > 1000000) printf "%d different path%s\n", paths, s(paths)
			else printf "%d of %d possible paths\n", paths, possible
			if (all > ran) printf "%d function%s never ran (--all names %s)\n", all - ran, s(all - ran), all - ran == 1 ? "it" : "them"
		}' "${1-said.txt}"
	awk '$1 == "function" && $4 > 0 { print $3, $4, $5, "of", $6, $2 }' "${1-said.txt}" | sort
}

# told: the same of a report; executions, entries, paths ran and the name of each function
told() {
	grep -E 'path executions? in |functions ran|functions? never ran' "$1"
	awk '/share .*executions .*entries/ { on = 1; next } on && NF == 0 { exit } on { print $2, $3, $4, $5, $6, $7 }' "$1" | sort
}

check() { # check WHAT FILE
	sentences "${3-said.txt}" >said.words
	told "$2" >told.words
	cmp -s said.words told.words || { diff said.words told.words || true; cat "$2"; fail "$1: the program did something else"; }
}

while read -r how status place others; do
	rm -f said.txt
	code=0
	PLUG=./$place/libplug.so OTHER=./$place/other "$waymark" run --paths 0 -o run.wmprof ./program $how >out.txt 2>err.txt </dev/null || code=$?
	[ $code = $status ] || { cat out.txt err.txt; fail "$how: exit code $code"; }
	! grep -q waymark err.txt || { cat err.txt; fail "$how: prints a warning"; }
	check "run $how" out.txt
	"$waymark" report --paths 0 run.wmprof ./program $others >out.txt 2>err.txt || { cat err.txt; fail "$how: report"; }
	check "report $how" out.txt
	# Binaries that did not run wrote no raw profile.  Their functions did not run.
	"$waymark" report --paths 0 run.wmprof ./program near/other near/libplug.so >out.txt || fail "$how: report with other binaries"
	sentences | head -n 1 >said.words
	head -n 1 out.txt | cmp -s - said.words || { cat said.words out.txt; fail "$how: report with other binaries"; }
done <<'END'
exit 7 near
_exit 4 near
kill 137 near
term 143 near
return 3 near
closed 3 near
fork 0 near
exec 0 near near/other
forkexec 0 near near/other
dlopen 0 near near/libplug.so
END

# A binary that is not found: its raw profiles and executions are not those of the sentence, and a note says that they are missing.
for how in forkexec dlopen; do
	rm -f said.txt
	(cd near && mkdir -p away && cd away && cp ../../program . && PLUG=../libplug.so OTHER=../other "$waymark" run --paths 0 ./program $how >../../out.txt 2>../../err.txt) ||
		{ cat err.txt; fail "$how, far"; }
	sed '/^function \(plug\|unused\|helper\) /d' near/away/said.txt >known.txt
	sed -i '$!{/^function main 1 1 1 1$/{N;/\nraw 1 1$/d}}' known.txt
	[ $how = forkexec ] || sed -i 's/^raw 3 2$/raw 1 1/' known.txt
	check "run $how, far" out.txt known.txt
	grep -q '^note: the profile has counts of 1 object that is none of the programs given' out.txt || { cat out.txt; fail "$how: no note"; }
	rm -r near/away
done

# Whether a function that is not instrumented ran is not known: it is none of those of which some ran.
cat >naked.c <<'END'
__attribute__((naked)) int naked(void) { __asm__("movl $3, %eax; ret"); }
int main(void) { return naked() - 3; }
END
must "$waymark" cc -O0 -g naked.c -o naked
"$waymark" run ./naked >out.txt || fail "naked"
grep -qx '1 of 1 functions ran, 1 of 1 possible paths' out.txt && grep -qx '  naked: is naked' out.txt || { cat out.txt; fail "naked"; }

# No profile: the reason is not always that the program was not built with waymark cc.
printf 'main\n' >deny
must "$waymark" cc -O0 -g -x c -fwaymark-deny=deny - -o denied <<'END'
int main(void) { return 0; }
END
echo 'int main(void) { return 0; }' | clang-19 -x c - -o plain
says() { # says SENTENCE COMMAND...
	sentence=$1
	shift
	"$waymark" run "$@" >out.txt 2>err.txt || fail "$*"
	grep -qxF -- "waymark run: $sentence" err.txt || { cat err.txt; fail "$*: does not say: $sentence"; }
}
says './denied wrote no profile, because none of its functions is instrumented: `waymark show ./denied` says why' ./denied
says './plain wrote no profile: build it with `waymark cc`, and let it keep WAYMARK_FILE in its environment' ./plain
# A report that cannot be written: the reason, and no other.  It hides no failure of the program, whose status is passed on.
unwritten() { # unwritten STATUS HOW REASON: standard output is that of the caller
	code=0
	"$waymark" run --all ./program $2 2>err.txt || code=$?
	[ $code = $1 ] && grep -qx "waymark run: cannot write standard output: $3" err.txt || { { cat err.txt; fail "$3: $2: $code"; } >&2; }
}
unwritten 3 return 'No space left on device' >/dev/full
unwritten 1 fork 'No space left on device' >/dev/full
unwritten 3 return 'Bad file descriptor' >&-
unwritten 1 fork 'Bad file descriptor' >&-
