# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Probes of functions that LLVM does not optimise share stack slots: a recursion that is deep for the plain program does not
# overflow the stack of the profiled one, and its paths are counted.  A function that calls setjmp shares no slots.
{
	echo '#include <setjmp.h>'
	echo 'static jmp_buf saved;'
	echo 'static int leaf(int x) { return x > 3 ? x & 7 : 1; }'
	echo 'int deep(int n) { int sum = 0;'
	for call in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo "	sum += (n & $call ? leaf(n + $call) : leaf($call)) + (n ? 0.5 : 1.5);"
	done
	echo '	return (n ? deep(n - 1) : 0) + (sum & 3); }'
	echo 'static void back(int n) { if (n < 3) longjmp(saved, n + 1); }'
	echo 'int again(int n) { int before = leaf(n) + (n ? leaf(n + 1) : 2), times = setjmp(saved); back(times);'
	echo '	return before + leaf(times) + (times ? leaf(n) : 7); }'
	echo 'int main(int c, char **v) { return (deep(6000 * c) + again(c)) & 63; }'
} >frames.c
clang-19 -O0 frames.c -o plain
plain=0
./plain || plain=$?
for graph in source optimised; do
	for scheme in acyclic context piecewise; do
		"$waymark" cc -O0 -fwaymark-cfg=$graph -fwaymark-scheme=$scheme frames.c -o frames || fail "$scheme does not compile"
		rm -f frames.wmraw
		code=0
		(ulimit -s 6000 && WAYMARK_FILE=frames.wmraw ./frames) || code=$?
		[ $code -eq $plain ] || fail "$scheme on the $graph graph: exit code $code instead of $plain"
		report frames frames.wmraw
		case $scheme in
		acyclic) expect 'f("deep").entries == 6001' ;;
		*) expect 'f("deep").entries == 6000' ;; # the call in main is crossed
		esac
	done
done
