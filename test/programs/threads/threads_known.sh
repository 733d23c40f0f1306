# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threads in preferential and residual builds, on both graphs and with both updates: the counts of
# a plain build, and exactly the paths that the training run did not take.
must clang-19 -O2 -pthread program.c -o plain
./plain >plain.out
# profile NAME OPTION…: the profile of a whole run, in NAME.wmprof
profile() {
	name=$1
	shift
	must "$waymark" cc -O2 -pthread "$@" program.c -o "$name"
	rm -f "$name".*wmraw
	WAYMARK_FILE=$name.%p.wmraw "./$name" >"$name.out" 2>"$name.err" || fail "$name $*: exit code"
	cmp plain.out "$name.out" || fail "$name $* prints something else"
	must "$waymark" merge -o "$name.wmprof" "$name".*wmraw
}
WHOLE=${WHOLE-}
for graph in source optimised; do
	must "$waymark" cc -O2 -pthread -fwaymark-cfg=$graph -fwaymark-update=atomic program.c -o all
	rm -f train.wmraw
	must env WAYMARK_FILE=train.wmraw ./all 100
	must "$waymark" merge -o train.wmprof train.wmraw
	profile all -fwaymark-cfg=$graph -fwaymark-update=atomic
	report ./all all.wmprof
	expect 'total("small") == 48000 and f("big").entries > 48000 and (known("run") and known("looping"))'
	[ $graph,$WHOLE = optimised, ] && updates=gs || updates="gs delta atomic"
	for update in $updates; do
		profile preferential -fwaymark-cfg=$graph -fwaymark-update=$update -fwaymark-interesting=train.wmprof
		must "$build/test/sets" equal all.wmprof preferential.wmprof
		profile residual -fwaymark-cfg=$graph -fwaymark-update=$update -fwaymark-residual=train.wmprof
		must "$build/test/sets" residual train.wmprof all.wmprof residual.wmprof
		report ./residual residual.wmprof
		expect '[f("big").paths[]] | length > 100'
	done
	[ $graph,$WHOLE = source, ] && methods=early || methods="regions early core"
	for method in $methods; do
		export WAYMARK_TEST=check=$method
		profile residual -fwaymark-cfg=$graph -fwaymark-residual=train.wmprof
		must "$build/test/sets" residual train.wmprof all.wmprof residual.wmprof
		unset WAYMARK_TEST
	done
done
