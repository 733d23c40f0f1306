# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# waymark crash on an inline function that has another graph in each of two files, because clang knows in one file only
# that the callee does not throw: the frame has a name, and no path.  Programs that end normally have no frames.
cat >b.cpp <<'END'
#include "shared.hpp"
int c(int x) { int s = 0; for (int i = 0; i < x; i++) s += f(i); return s; }
END
must "$waymark" c++ -O2 -g -fwaymark-crash a.cpp b.cpp -o program
WAYMARK_FILE=died.wmraw ./program 2>/dev/null && fail "the program does not die"
must "$waymark" show --json ./program >show.json
jq -e '[.functions[] | select(.name == "_Z1fi") | .graph_hash] | unique | length == 2' show.json >/dev/null || fail "f has one graph"
"$waymark" crash --json died.wmraw ./program >crash.json || fail "crash --json"
jq -e '.threads[0].frames | .[0].function == "_Z1fi" and (.[0].trouble | test("several bodies")) and .[0].blocks == null and
	.[1].function == "_Z1ci" and .[1].trouble == null' crash.json >/dev/null || { cat crash.json; fail "frames"; }
"$waymark" crash died.wmraw ./program | grep -q '#0  f(int)  ' || fail "frames, in words"

WAYMARK_FILE=ended.wmraw must ./program 1
"$waymark" crash ended.wmraw ./program | grep -q 'ended normally' || fail "ended normally"
must "$waymark" c++ -O2 -g a.cpp b.cpp -o default
WAYMARK_FILE=default.wmraw must ./default 1
"$waymark" crash default.wmraw ./default | grep -q 'ended normally' || fail "ended normally, without -fwaymark-crash"
must "$waymark" c++ -O2 -g -fwaymark-unfinished=off a.cpp b.cpp -o without
WAYMARK_FILE=without.wmraw must ./without 1
code=0
"$waymark" crash without.wmraw ./without >log 2>&1 || code=$?
[ $code = 1 ] && grep -q 'does not record any: build it with -fwaymark-crash' log || { cat log; fail "no frames: $code"; }

# A shared object in which no thread was when the program was killed.
echo 'int idle(int n) { return n > 1 ? idle(n - 1) * n : 1; }' >idle.c
printf '#include <signal.h>\nint idle(int n);\nint main(int argc, char **argv) { (void)argv; if (argc > 5) return idle(argc); return raise(SIGKILL); }\n' >killed.c
must "$waymark" cc -g -fwaymark-crash -fPIC -shared idle.c -o libidle.so
must "$waymark" cc -g -fwaymark-crash killed.c ./libidle.so -o killed
rm -f killed-*.wmraw
(WAYMARK_FILE=killed-%m.wmraw ./killed) 2>log || true
for file in killed-*.wmraw; do
	"$waymark" crash "$file" ./killed ./libidle.so 2>&1 || true
done >log
grep -q 'has no frames: no thread was in a function of ./libidle.so' log || { cat log; fail "an idle shared object"; }
! grep -q 'build it with' log || { cat log; fail "an idle shared object was built with -fwaymark-crash"; }
