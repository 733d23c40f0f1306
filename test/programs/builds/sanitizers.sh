# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sanitizers and link-time optimisation, full and thin, combined with preferential and residual builds:
# the output of the plain program, the counts of the plain build, and exactly the paths that are not known.
"$build/test/gen" 11 >program.c
must clang-19 -w -O1 program.c -o plain
code=0
./plain >plain.out || code=$?
export ASAN_OPTIONS=detect_leaks=0
# profile NAME OPTION…: its profile, in NAME.wmprof
profile() {
	name=$1
	shift
	must "$waymark" cc -w -O2 $mode "$@" program.c -o "$name"
	rm -f "$name".*wmraw
	now=0
	WAYMARK_FILE=$name.%p.wmraw "./$name" >"$name.out" 2>"$name.err" || now=$?
	[ $now = $code ] && cmp plain.out "$name.out" || { head -n 20 "$name.err"; fail "$name with $mode $*: exit code $now, or another output"; }
	grep -E 'ERROR|runtime error' "$name.err" && fail "$name with $mode $*: a report of the sanitizer" || true
	must "$waymark" merge -o "$name.wmprof" "$name".*wmraw
}
for mode in -fsanitize=address,undefined '-fsanitize=address -flto=thin -fuse-ld=lld' '-flto -fuse-ld=lld' \
	${WHOLE:+-fsanitize=address -fsanitize=undefined '-flto=thin -fuse-ld=lld' '-fsanitize=undefined -flto -fuse-ld=lld'}; do
	for graph in source optimised; do
		profile all -fwaymark-cfg=$graph
		must "$build/test/sets" half 3 all.wmprof half.wmprof
		profile preferential -fwaymark-cfg=$graph -fwaymark-interesting=half.wmprof
		must "$build/test/sets" equal all.wmprof preferential.wmprof
		profile residual -fwaymark-cfg=$graph -fwaymark-residual=half.wmprof
		must "$build/test/sets" residual half.wmprof all.wmprof residual.wmprof
	done
done
