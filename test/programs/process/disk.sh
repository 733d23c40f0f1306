# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Nowhere to write: the program runs as if nothing were the matter.
must "$waymark" cc -O1 program.c -o program
for where in /proc/nowhere/x.wmraw /dev/full missing/directory/x.wmraw; do
	code=0
	WAYMARK_FILE=$where ./program >out 2>err || code=$?
	[ $code = 4 ] || fail "$where: exit code $code"
	[ "$(cat out)" = "24 7" ] || fail "$where: printed $(cat out)"
	[ "$(wc -l <err)" -le 2 ] || { cat err; fail "$where: more than one warning of a kind"; }
done
WAYMARK_FILE=/proc/nowhere/x.wmraw ./program 2>err >out || true
tail -n 1 err | grep -q '^waymark: counts are lost, cannot write' || { cat err; fail "lost in silence"; }
# The name is the one that was tried: %p is the process.
for where in /proc/nowhere "$PWD/out"; do
	WAYMARK_FILE=$where/x-%p.wmraw ./program 2>err >/dev/null || true
	[ "$(grep -c ": $where/x-[0-9][0-9]*\.wmraw: " err)" = 1 ] || { cat err; fail "the file that cannot be made is not named"; }
	grep -q "cannot write $where/x-[0-9][0-9]*\.wmraw: " err || { cat err; fail "the file that cannot be written is not named"; }
done
# A recording that cannot begin says why.
must "$waymark" cc -O1 -fwaymark-wpp program.c -o program
(ulimit -f 1 && WAYMARK_FILE=x.wmraw ./program >out 2>err) || true
grep -q 'the recording ends here: .*/x.wmraw: file size limit' err || { cat err; fail "a file size limit is called something else"; }
