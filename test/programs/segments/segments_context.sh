# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A path of the scheme `context` that begins in a loop of a callee returns to its caller, whose decisions are those of the caller's
# block, and not those with which the context begins.
must "$waymark" cc -O0 -g -fwaymark-scheme=context program.c -o program
rm -f p.wmraw && WAYMARK_FILE=p.wmraw ./program >output || fail "the program"
must "$waymark" merge -o p.wmprof p.wmraw
"$waymark" segments --json p.wmprof program >segments.json || fail "segments"
# `odd` is called only where the sum is large.
found=$(jq -r '.segments[] | select(.path | index("odd:0")) | .decisions[] | select(.function == "work" and .line == 18) | .outcome' segments.json | sort -u)
[ "$found" = true ] || fail "the decision before the call of odd is told as '$found'"
