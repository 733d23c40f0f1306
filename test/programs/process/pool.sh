# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pools under SIGKILL: at each system call of the end of a process, and at random times with many processes.  No count is lost,
# and none is doubled.
must "$waymark" cc -O2 worker.c -o worker
for program in killer storm; do must clang-19 -O1 -Wall $program.c -o $program; done
export WAYMARK_FILE="$PWD/profiles/%2m.wmraw"

begin() { # an empty pool, and nothing counted
	rm -rf profiles words
	mkdir profiles
	truncate -s 4096 words
}
word() { od -An -tu4 -j $((4 * $1)) -N 4 words | tr -d ' '; }
sum() { # runs and counts of all profiles; of each call of a function there is one count, and one of each round
	must "$waymark" merge --json -o merged.wmprof profiles
	sed '/counts of \(all its runs\|its run\) already$/d; /0 damaged, 0 doubtful, 0 refused/d; /^[{} ]/d' must.log >unexpected
	[ ! -s unexpected ] || { cat unexpected >&2; fail "$1"; }
	grep '^[{} ]' must.log | jq -r '"\(.runs) \(.count)"'
}
holds() { # RUNS ROUNDS: they are the sum
	[ "$(sum "$3")" = "$1 $((3 * $2 * $1 + $1))" ] || fail "$3: $(sum "$3") instead of $1 $((3 * $2 * $1 + $1))"
}
pools() { find profiles -name '*_[01].wmraw' | wc -l; }

# Killed before each system call, while files are made and while there is one: with a file for each process, and with pools.
killed_everywhere() {
	begin
	n=0 code=0
	while [ $code -eq 0 ]; do
		n=$((n + 1)) code=0
		./killer $n 100 2>>errors || code=$?
	done
	[ $code -eq 3 ] || fail "killer: exit code $code at system call $n"
	[ $n -gt "$1" ] || fail "only $n system calls"
	holds $n 100 "killed at system calls"
}
WAYMARK_FILE="$PWD/profiles/%p.wmraw" killed_everywhere 10
killed_everywhere 20
[ "$(pools)" -ge 1 ] || fail "$(ls profiles)"
# Those that were killed have left their own files; a copy of one that is in the pool, too, is no second run.
ls profiles | grep -q '\.[0-9]*\.wmraw$' || fail "no killed process has left its file"

# The same while the chunks of the pool are added up.
export WAYMARK_FILE="$PWD/profiles/%m.wmraw"
begin
runs=0
while [ "$(stat -c %s profiles/*.wmraw 2>/dev/null || echo 0)" -lt 2000000 ]; do
	./worker 30000
	runs=$((runs + 1))
	cp -a profiles before.new
	rm -rf before.now
	if [ -d before ]; then mv before before.now; fi
	mv before.new before
	[ $runs -lt 40 ] || fail "the pool does not grow: $(ls -l profiles)"
	now=$(stat -c %s profiles/*.wmraw)
	[ "$now" -ge "${last-0}" ] || break
	last=$now
done
holds $runs 30000 "added up"
[ "$now" -lt "$last" ] || fail "the pool of $now bytes was never added up"
rm -rf before
mv before.now before # the run that adds up is the next one
n=0 code=0
while [ $code -eq 0 ]; do
	n=$((n + 1)) code=0
	rm -rf profiles
	cp -a before profiles
	./killer $n 30000 2>>errors || code=$?
	holds $runs 30000 "killed at system call $n of a sum"
done
[ $code -eq 3 ] || fail "killer: exit code $code at system call $n of a sum"
./worker 30000
[ "$(ls profiles | wc -l)" = 1 ] || fail "litter: $(ls profiles)"

# A process does not add up a large pool, which would keep it from ending: made of copies of one chunk.
begin
./worker 30000
pool=$(echo profiles/*.wmraw)
tail -c +$(($(od -An -t u8 -j 56 -N 8 "$pool") + 1)) "$pool" >chunk
while [ "$(stat -c %s "$pool")" -lt 3000000 ]; do cat chunk >>"$pool"; done
last=$(stat -c %s "$pool")
for shift in 0 8 16 24; do # file_size in the header
	printf "\\$(printf %03o $((last >> shift & 255)))"
done | dd of="$pool" bs=1 seek=168 conv=notrunc status=none
./worker 30000
[ "$(stat -c %s profiles/*)" -gt "$last" ] || fail "a pool of $last bytes was added up: $(ls -l profiles)"

# Eight at a time, killed at any time.
export WAYMARK_FILE="$PWD/profiles/%2m.wmraw"
begin
for i in 1 2 3 4 5 6 7 8; do ./storm $i 2>>errors & done
wait
for i in 1 2; do ./worker 3000; done
# Each of 322 processes may have been killed in the middle of a round.
count=$(sum storm)
count=${count#* }
[ "$count" -ge $((3 * $(word 1) - 322)) ] && [ "$count" -le $((3 * $(word 0) + 322)) ] ||
	fail "$count counts, of $(word 0) rounds begun and $(word 1) done"
[ "$(pools)" = 2 ] || fail "$(ls profiles)"
[ ! -s errors ] || { cat errors; fail "messages of killed processes"; }

# What children have inherited is the same sum, also when chunks were added up.
sed 's/^int main.*/static int run(int argc, char **argv)/' worker.c >forker.c
cat >>forker.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	run(argc, argv);
	for (int i = 0; i < 5; i++)
		if (!fork())
			return run(argc, argv);
	while (wait(0) > 0);
	return 0;
}
END
must "$waymark" cc -O2 forker.c -o forker
for pattern in %p %m; do
	begin
	for i in 1 2 3 4 5; do WAYMARK_FILE="$PWD/profiles/$pattern.wmraw" ./forker 10000 2>>errors; done
	report ./forker profiles
	jq -c '.functions[] | [.name, .entries, .balance, (.paths | length)]' report.json >"balance.$pattern"
done
cmp balance.%p balance.%m || fail "$(cat balance.%p balance.%m)"
jq -e '.[2].inherited > 0' balance.%m >/dev/null || fail "nothing was inherited: $(cat balance.%m)"
[ "$(ls profiles | wc -l)" = 1 ] || fail "litter: $(ls profiles)"
[ "$(stat -c %s profiles/*)" -lt 1100000 ] || fail "never added up: $(ls -l profiles)"

# Who has more to tell than counts keeps a file.
must "$waymark" cc -O2 threads.c -pthread -o threads
must "$waymark" cc -O2 -fwaymark-wpp worker.c -o recorded
must "$waymark" cc -O2 -fwaymark-crash worker.c -o crashing
for program in "threads" "recorded 3" "crashing 3"; do
	begin
	must ./$program
	ls profiles | grep -q '^[0-9a-f]*_[01]\.[0-9]*\.wmraw$' || fail "$program: $(ls profiles)"
	[ "$(ls profiles | wc -l)" = 1 ] || fail "$program: $(ls profiles)"
done
