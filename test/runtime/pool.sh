#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pools: WAYMARK_FILE with %m or %4m.
. "$(dirname "$0")/lib.sh"
build subject subject.c

# Every process adds to the file of the build.
fresh
for i in 1 2 3 4 5; do WAYMARK_FILE=%m.wmraw inside ../subject count 10 10; done
files 1
all_counts 50
pool=$(ls run)
[ "${#pool}" = 22 ] || die "$pool is no signature"

# With a number, to one of so many; what children have inherited stays in balance.
fresh
WAYMARK_FILE=%4m.wmraw inside ../subject fork 3
[ "$(ls run | wc -l)" -le 4 ] || die "more than four: $(ls run)"
dump >dump.txt || die "damaged"
all_counts $((15 * 100 + 14 * 10))
awk '$1 == "func" && $5 != $7' dump.txt | grep -q . && die "the base is not balanced"
awk '$1 == "func" { base += $5 } END { exit !base }' dump.txt || die "a pool without a base"
[ "$(ls run | grep -vc "^${pool%.wmraw}_[0-3].wmraw\$")" = 0 ] || die "other files: $(ls run)"

# A pattern with the process id is that of a process, and other letters keep their meaning.
fresh
WAYMARK_FILE=%m-%p.wmraw inside ../subject count 10 10
WAYMARK_FILE=%m-%p.wmraw inside ../subject count 10 10
files 2
fresh
WAYMARK_FILE=%0m%%m%5x.wmraw inside ../subject count 10 10 2>err
grep -q 'unknown letter' err || die "%0m and %5x are not unknown"
[ -f 'run/%0m%m%5x.wmraw' ] || die "$(ls run)"

# A killed process leaves its own file.
fresh
(cd run && WAYMARK_FILE=%m.wmraw exec ../subject kill >announced.txt) &
until [ -s run/announced.txt ]; do sleep 0.01; done
[ "$(ls run | grep -c "^${pool%.wmraw}.$!.wmraw$")" = 1 ] || die "no file of its own: $(ls run)"
kill -9 $!
wait $! 2>/dev/null || true
files 1

# alone WHY…: a process whose counts cannot be in the pool says why, once, and its own file has them.
alone() {
	WAYMARK_FILE=%m.wmraw inside ../subject count 10 10 2>err
	[ "$(ls run | grep -c "^${pool%.wmraw}\.[0-9]*\.wmraw$")" = 1 ] || die "$*: no file of its own: $(ls run)"
	grep -q "^waymark: counts stay in a file of their own, because they cannot be added to .*/$pool: $*\$" err ||
		die "$*: $(cat err)"
	[ "$(wc -l <err)" = 1 ] || die "$*: $(cat err)"
	dump >dump.txt 2>/dev/null || true
	all_counts ${expected-10}
}
fresh
echo 'hello, this is no pool' >"run/$pool"
alone 'it is not a pool of this build'
fresh
mkdir "run/$pool"
alone 'it is a directory'

# Another build has another signature; its pool is not taken even if it has this name.
build other subject.c -O1
fresh
WAYMARK_FILE=%m.wmraw inside ../other count 10 10
mv run/*.wmraw "run/$pool"
WAYMARK_FILE=%m.wmraw inside ../subject count 10 10 2>err
files 2
grep -q 'not a pool of this build' err || die "a pool of another build: $(cat err)"

# A truncated pool does not grow again.
fresh
WAYMARK_FILE=%m.wmraw inside ../subject count 10 10
truncate -s -4096 "run/$pool"
alone 'it was truncated'

# What a killed process had begun to write is overwritten.
fresh
WAYMARK_FILE=%m.wmraw inside ../subject count 10 10
head -c 9000 /dev/urandom >>"run/$pool"
dump >dump.txt || die "bytes behind the end"
all_counts 10
WAYMARK_FILE=%m.wmraw inside ../subject count 10 10
files 1
all_counts 20
flag $SLACK 0

# Who does not get the lock keeps its own file, and the program does not wait long.
fresh
WAYMARK_FILE=%m.wmraw inside ../subject count 10 10
WAYMARK_FILE=%m.wmraw inside timeout 60 flock "$pool" ../subject count 10 10 2>err
[ ! -s err ] || die "a lock that is held: $(cat err)"
files 2
all_counts 20

# A file that may not become so large.
fresh
for _ in $(seq 40); do WAYMARK_FILE=%m.wmraw inside ../subject count 10 10; done
(expected=410; ulimit -f 340; alone 'file size limit') || die "a limit of the size"
dump >dump.txt || die "a pool at the limit is damaged"
all_counts 410
