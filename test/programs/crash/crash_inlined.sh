# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Frames of functions that LLVM has inlined into each other, deeper than one group of frames (plugin/crash/frames.h), with calls in
# loops, exceptions that several of them let pass, setjmp, and recursion: wherever the program dies, the frames must be those of
# a build in which nothing is inlined.
frames() { # frames PROGRAM N: what is known of each frame
	rm -f run.wmraw
	WAYMARK_FILE=run.wmraw ./"$1" "$2" >/dev/null 2>&1 && return 1
	"$waymark" crash --json run.wmraw "$1" | jq -c '[.threads[0].frames[] | [.function, .spot, .callee, .line, .blocks, .exact]]'
}
for flags in '-O2' '-O1 -fwaymark-scheme=kiter=2' '-O2 -flto=thin -fuse-ld=lld'; do
	must "$waymark" c++ $flags -w -g -fwaymark-crash program.cpp -o apart
	must "$waymark" c++ $flags -w -g -fwaymark-crash -DINLINED program.cpp -o inlined
	! nm inlined | grep -q ' t _ZL5fifthi$' || fail "nothing was inlined"
	deepest=0
	n=1
	while frames apart $n >expected; do
		frames inlined $n >got || fail "$flags: the builds die at different times"
		cmp -s expected got || { cat expected got; fail "$flags: call $n"; }
		depth=$(jq length expected)
		[ "$depth" -le $deepest ] || deepest=$depth
		n=$((n + 17))
	done
	[ $deepest -gt 10 ] && [ $n -gt 200 ] || fail "$flags: the calls are not deep: $deepest, $n"
done
