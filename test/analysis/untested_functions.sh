#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# untested_functions.sh BUILD: a residual build counts functions that no test ran as a complete build does, with the time of each
# path, in threads and forked children, in arrays and in hash tables, with every way to update counters, and after a reset.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

cat >program.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <waymark.h>
static int few(unsigned a)
{
	if (a % 3 == 0)
		return 1;
	return a & 8 ? 2 : 3;
}
#define STEP(n) if (a >> n & 1) s += n
static int many(unsigned a)
{
	int s = 0;
	STEP(0); STEP(1); STEP(2); STEP(3); STEP(4); STEP(5); STEP(6); STEP(7); STEP(8); STEP(9); STEP(10); STEP(11); STEP(12);
	return s;
}
static int loops(unsigned n)
{
	int s = 0;
	for (unsigned i = 0; i < n; i++)
		s += i & 1 ? 3 : 1;
	for (unsigned i = 0; i < n; i++)
		s ^= 1;
	return s;
}
static void *work(void *from)
{
	long s = 0, first = (long)from;
	for (long i = first; i < first + 3000; i++)
		s += few((unsigned)i) + many((unsigned)i / 4) + loops((unsigned)i % 5);
	return (void *)s;
}
int main(int argc, char **argv)
{
	pthread_t thread[3];
	long s = (long)work((void *)0);
	if (argc > 1 && argv[1][0] == 'r')
		waymark_reset();
	for (long i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work, (void *)(i * 1000));
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	if (fork() == 0)
		_exit(work((void *)2000) == NULL);
	wait(NULL);
	s += (long)work((void *)7000);
	return s == 0;
}
END
echo 'int main(void) { return 0; }' >other.c
"$waymark" cc other.c -o other
WAYMARK_FILE=other.wmraw ./other
"$waymark" merge -o tests.wmprof other.wmraw >/dev/null

# The paths and counts of a process and of its child.
counts() { # DIRECTORY BINARY
	for file in "$1"/*; do
		"$waymark" report --json "$file" "$2" |
			jq -c '[.functions[] | select(.name != "main") | {name, paths: [.paths[] | [.id, .count]]}] | sort_by(.name)'
	done | sort
}
timed='[.functions[].paths[] | select((.first_seen // 0) == 0 or .pid == 0)] == []'

for options in '' -fwaymark-cfg=optimised -fwaymark-update=delta -fwaymark-update=atomic; do
	# shellcheck disable=SC2086
	"$waymark" cc -O2 -pthread $options program.c -o complete
	# shellcheck disable=SC2086
	"$waymark" cc -O2 -pthread $options -fwaymark-residual=tests.wmprof program.c -o residual
	for how in '' r; do
		rm -rf whole untested && mkdir whole untested
		# shellcheck disable=SC2086
		WAYMARK_FILE=whole/%p.wmraw ./complete $how && WAYMARK_FILE=untested/%p.wmraw ./residual $how
		counts whole complete >expected
		counts untested residual >got
		[ -s expected ] || fail "$options: nothing was counted"
		cmp expected got || fail "$options $how: the residual build counts something else"
		for file in untested/*; do
			json "$timed" "$waymark" report --json "$file" residual
		done
	done
done
