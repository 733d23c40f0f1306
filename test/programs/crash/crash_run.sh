# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `waymark run` of programs that crash: it says how the program ended, prints what `waymark crash` prints, keeps the raw
# profile, and its exit status is that of the program.
ulimit -c 0
mkdir tmp
export TMPDIR=$PWD/tmp
must "$waymark" cc -O1 -g -fwaymark-crash program.c -o program

# run STATUS COMMAND...: leaves its output in out.txt and err.txt
run() {
	want=$1
	shift
	code=0
	"$waymark" run "$@" >out.txt 2>err.txt || code=$?
	[ $code = $want ] || { cat out.txt err.txt; fail "exit code $code of: $*"; }
}
line() { grep -qxF -- "$1" $2 || { cat out.txt err.txt; fail "no line: $1"; }; }

# kept FILE: the command that FILE names prints the frames again; leaves them in again.txt
kept() {
	command=$(sed -n 's/^the raw profile of process [0-9]* is kept: `waymark \(.*\)` prints .*/\1/p' $1)
	[ -n "$command" ] || { cat out.txt err.txt; fail "no command that prints the frames again"; }
	"$waymark" $command >again.txt || fail "$command"
}

# part FIRST LAST: whether the lines of again.txt are in out.txt, one after the other
printed() {
	awk 'FILENAME == "again.txt" { want[n++] = $0; next } { if ($0 == want[at]) at++; else if (at < n) at = $0 == want[0] } END { exit at < n }' \
		again.txt $1 || { cat $1; fail "not what waymark crash prints"; }
}

while read -r how status signal; do
	run $status ./program $how
	process=$(sed -n 's/^process //p' out.txt)
	line "./program died of SIG$signal" out.txt
	[ $how = term ] || line "process $process died of SIG$signal" out.txt
	[ $how != term ] || line "process $process died of SIGTERM, and could not note where: the innermost frame of each thread is as of its last call" out.txt
	kept out.txt
	[ $how = term ] || printed out.txt
	[ "$(ls tmp/*/* | wc -l)" = 1 ] || { ls tmp/*; fail "$how: other files are kept"; }
	rm -r tmp/*
done <<'END'
segv 139 SEGV
abort 134 ABRT
term 143 TERM
END

# A child that crashes: the program says its number.
run 5 ./program fork
child=$(sed -n 's/^child //p' out.txt)
line './program exited with status 5, and a process that it started crashed' out.txt
line "process $child died of SIGSEGV" out.txt
kept out.txt
printed out.txt
rm -r tmp/*
run 0 -- sh -c './program segv 2>/dev/null; true'
line 'sh exited with status 0, and a process that it started crashed' out.txt
rm -r tmp/*

# --quiet says only where the file is; the document of --json stays whole.
run 139 --quiet ./program segv
[ "$(cat out.txt)" = "process $(sed -n 's/^process //p' out.txt)" ] || { cat out.txt; fail "--quiet prints something"; }
kept err.txt
rm -r tmp/*
run 139 --json ./program segv
sed 1d out.txt | jq -e '.schema' >/dev/null || { cat out.txt; fail "--json"; }
line './program died of SIGSEGV' err.txt
kept err.txt
printed err.txt
rm -r tmp/*

# No crash: nothing is said and nothing is kept.  crash_default.sh has programs without -fwaymark-crash.
run 2 ./program none
! grep -q 'kept\|died\|exited' out.txt err.txt || { cat out.txt err.txt; fail "a program that did not crash"; }
must "$waymark" cc -O1 -g -fwaymark-unfinished=off program.c -o plain
run 139 ./plain segv
! grep -q 'kept\|died\|exited' out.txt err.txt || { cat out.txt err.txt; fail "a program without frames"; }
[ -z "$(ls tmp)" ] || { ls tmp/*; fail "files are left"; }
