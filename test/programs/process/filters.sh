# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program that installs a seccomp filter, after which the runtime may do nothing, is not killed by it, whatever it counts
# from then on: paths for the first time, more than fit into tables, in a thread, in a signal handler, until its end.

clang-19 -O1 -fPIC -shared install.c -o libinstall.so
clang-19 -O1 -c install.c -o install.o
library='-L. -linstall -Wl,-rpath,$ORIGIN'
# shellcheck disable=SC2086 # a list of words
"$waymark" cc -O1 -g filters.c $library -o trained
WAYMARK_FILE=trained.wmraw ./trained train
"$waymark" merge -o trained.wmprof trained.wmraw >/dev/null

# survives NAME OPTIONS...: in every mode
survives() {
	name=$1
	shift
	# shellcheck disable=SC2086 # a list of words
	"$waymark" cc -O1 -g "$@" filters.c $library -o "$name" || fail "$name: not compiled"
	for mode in filter syscall strict thread signal refused; do
		code=0
		WAYMARK_FILE="$name-$mode.wmraw" timeout 60 "./$name" $mode >said.txt 2>error.txt || code=$?
		[ "$code $(cat said.txt)" = "0 worked" ] || fail "$name: a filter kills it: $mode, exit code $code: $(cat said.txt error.txt)"
	done
}
survives plain
survives residual -fwaymark-residual=trained.wmprof
survives optimised -fwaymark-cfg=optimised
survives kiter -fwaymark-scheme=kiter=2
survives context -fwaymark-scheme=context
survives piecewise -fwaymark-scheme=piecewise
survives delta -fwaymark-update=delta
survives recorded -fwaymark-wpp
survives crashing -fwaymark-crash
library=install.o
survives static -static -fwaymark-residual=trained.wmprof

# What there was room for was counted, and the rest is said to be lost.
"$waymark" report --json residual-filter.wmraw ./residual | jq -e '[.functions[] | select(.name == "few") | .paths[].count] | add > 4000' >/dev/null ||
	fail 'the untested paths of a small function are not counted'
# A filter that the kernel has refused forbids nothing.
"$waymark" report --json plain-refused.wmraw ./plain | jq -e '[.functions[] | select(.name == "many") | .paths[] | select(.start == "entry") | .count] | add == 4000' >/dev/null ||
	fail 'counts are lost after a filter that was refused'
echo 'ten builds with six filters'
