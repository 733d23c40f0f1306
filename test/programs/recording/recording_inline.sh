# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The recorded build may have an inline body of a function that a library defines (glibc's putchar, from -O1 on), and a build that
# counts paths across calls has none.  Both are builds of the same program.
mkdir recorded counted
for level in -O0 -O1 -O2; do
	must "$waymark" cc $level -g -fwaymark-system-headers -fwaymark-wpp program.c -o recorded/p
	rm -f recorded.wmraw
	WAYMARK_FILE=recorded.wmraw must ./recorded/p
	for scheme in context piecewise acyclic; do
		must "$waymark" cc $level -g -fwaymark-system-headers -fwaymark-scheme=$scheme program.c -o counted/p
		rm -f counted.wmraw
		WAYMARK_FILE=counted.wmraw must ./counted/p
		computes $scheme counted/p recorded/p recorded.wmraw counted.wmraw
	done
done
"$waymark" show recorded/p | grep -q ' putchar ' || fail "the recording has no inline body"

# Another program is still refused.
printf 'int other(int n) { return n & 1; }\nint main(void) { return other(2); }\n' >other.c
must "$waymark" cc -O1 -fwaymark-scheme=piecewise other.c -o other
"$waymark" wpp --as piecewise --like other -o x.wmprof recorded.wmraw recorded/p >log 2>&1 && fail "another program"
grep -q 'both must be builds of the same program\|is not the recorded one' log || { cat log; fail "another program is not refused for its reason"; }
