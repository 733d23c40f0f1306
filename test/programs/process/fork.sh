# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A child starts at zero under its own file; exec keeps the pid and never overwrites;
# _exit loses nothing; a vforked child that execs leaves its parent's counts alone.
for level in -O0 -O2; do
	must "$waymark" cc $level program.c -o program
	rm -f -- *.wmraw
	must ./program
	set -- waymark-*.wmraw
	[ $# = 4 ] || fail "expected 4 raw files (parent, child, two execs), found: $*"
	report ./program "$@"
	expect 'f("work").entries == 5 and f("child").entries == 1'
	expect 'ends("work"; "backedge") == 100 + 50 + 7 + 10 + 7'
	expect 'ends("work"; "return") == 5 and f("work").balance.abandoned == 0'
	for raw; do
		report ./program "$raw"
		jq "$facts f(\"work\").entries" report.json
	done | sort -n | paste -sd ' ' >entries
	[ "$(cat entries)" = "1 1 1 2" ] || fail "entries per process: $(cat entries)"
done

# Where there is no file, too, a fork costs what was touched: neither process reads or writes the pages of 9 MB of cells, and both
# count on.
{
	echo '#include <stdio.h>'
	echo '#include <sys/resource.h>'
	echo '#include <sys/wait.h>'
	echo '#include <unistd.h>'
	echo '#include <waymark.h>'
	awk 'BEGIN { for (f = 0; f < 300; f++) {
		printf "__attribute__((noinline)) int f%d(int x) { int s = 0;", f
		for (b = 0; b < 12; b++) printf " if (x & %d) s += %d;", 2 ^ b, b + f
		print " return s; }" } }'
	cat <<'C'
static long faults(void) { struct rusage r; getrusage(RUSAGE_SELF, &r); return r.ru_minflt; }
int main(void)
{
	int s = f1(5);
	long before = faults();
	pid_t pid = fork();
	if (pid == 0) {
		s += f1(5) + f299(9);
		printf("%ld\n", faults());
		fflush(stdout);
		_exit(waymark_dump("child.wmraw"));
	}
	int status;
	waitpid(pid, &status, 0);
	printf("%ld\n", faults() - before);
	s += f1(5);
	return status || waymark_dump("parent.wmraw") || s < 0;
}
C
} >large.c
must "$waymark" cc -O1 large.c -o large
WAYMARK_FILE=/dev/null ./large >faults || fail "large: exit code $?"
[ "$(wc -l <faults)" = 2 ] || fail "two processes tell their page faults: $(cat faults)"
awk '$1 > 1000 { exit 1 }' faults || fail "a fork touches the pages of all cells: $(paste -sd ' ' faults) page faults"
report ./large child.wmraw
expect '[.functions[] | select((.entries // 0) > 0) | [.name, .entries]] | sort == [["f1", 1], ["f299", 1], ["faults", 1]]'
report ./large parent.wmraw
expect 'f("f1").entries == 2 and f("f299").entries == 0'
