# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# More iterations than an id can tell: paths are counted by name, exactly, by one thread and
# by several, over runs, forks and resets.
cat >program.c <<-END
	#include "waymark.h"
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/wait.h>
	#include <unistd.h>
	__attribute__((noinline)) static unsigned steps(unsigned n, unsigned seed)
	{
		unsigned sum = 0;
		for (unsigned i = 0; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			if (seed >> 16 & 1)
				sum += i;
			else if (seed >> 17 & 1)
				sum ^= seed;
		}
		return sum;
	}
	static void *work(void *argument)
	{
		for (unsigned i = 0; i < 6; i++)
			steps(80 + i, i % 3);
		return argument;
	}
	int main(int argc, char **argv)
	{
		pthread_t thread[4];
		if (argc > 1 && *argv[1] == 't')
			for (int i = 0; i < 4; i++)
				pthread_create(&thread[i], NULL, work, NULL);
		if (argc > 1 && *argv[1] == 't')
			for (int i = 0; i < 4; i++)
				pthread_join(thread[i], NULL);
		else
			work(NULL);
		if (argc > 1 && *argv[1] == 'r')
			waymark_reset();
		if (argc > 1 && *argv[1] == 'f' && fork() == 0)
			exit(0);
		if (argc > 1 && (*argv[1] == 'f' || *argv[1] == 'r'))
			work(NULL);
		while (wait(NULL) > 0)
			;
		return 0;
	}
END

# counts FILE…: of `steps`, one line for each path
counts() {
	report ./program "$@"
	jq -c "$facts "'f("steps") | .paths[] | [.id, .count, .fresh, .blocks]' report.json | sort >counts.txt
	expect 'f("steps").scheme == "kiter=64,sequences" and f("steps").status == "exact" and f("steps").paths_possible_log10 > 18'
	expect 'f("steps").balance.abandoned == 0'
}

# as_often N WHEN: counts.txt is once.txt with every count N times as large
as_often() {
	jq -c ".[1] *= $1" once.txt | sort | cmp -s - counts.txt || fail "not $1 times the counts of one run: $2"
}

export WAYMARK_SCHEME=kiter=64 WM_TRACE_SCHEME=kiter=64
for level in -O0 -O2; do
	WAYMARK_TEST=trace must "$waymark" cc $level -pthread -I"$build" program.c "$build/test/trace.o" -o program
	WM_TRACE_FILE=trace.txt WAYMARK_FILE=traced.wmraw must ./program
	report ./program traced.wmraw
	trace_equal trace.txt
	rm traced.wmraw
	[ $level = -O2 ] || continue
	for update in gs atomic delta; do
		must "$waymark" cc $level -pthread -fwaymark-update=$update -I"$build" program.c -o program
		rm -f -- *.wmraw
		WAYMARK_FILE=one.wmraw must ./program
		counts one.wmraw
		expect '[f("steps").paths[].count] | add > 100'
		cp counts.txt once.txt
		for run in two three; do WAYMARK_FILE=$run.wmraw must ./program; done
		counts one.wmraw two.wmraw three.wmraw
		as_often 3 "merging runs"
		WAYMARK_FILE=reset.wmraw must ./program reset
		counts reset.wmraw
		as_often 1 "after a reset"
		WAYMARK_FILE=fork-%p.wmraw must ./program fork
		counts fork-*.wmraw
		as_often 2 "after a fork"
		WAYMARK_FILE=threads.wmraw must ./program threads
		counts threads.wmraw
		as_often 4 "of four threads"
	done
done
must "$waymark" residual --tested one.wmraw threads.wmraw ./program
must "$waymark" residual --json --tested one.wmraw threads.wmraw ./program
