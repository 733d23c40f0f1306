# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A child starts at zero under its own file; exec keeps the pid and never overwrites;
# _exit loses nothing; a vforked child that execs leaves its parent's counts alone.
cat >program.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n) { int s = 0; for (int i = 0; i < n; i++) if (i % 3) s += i; return s; }
__attribute__((noinline)) int child(int n) { return work(n) & 1; }
int main(int argc, char **argv)
{
	int status;
	if (argc > 1) { work(7); _exit(0); }
	work(100);
	pid_t pid = fork();
	if (pid == 0) { child(50); _exit(0); }
	waitpid(pid, &status, 0);
	pid = vfork();
	if (pid == 0) { execl(argv[0], argv[0], "again", (char *)0); _exit(1); }
	waitpid(pid, &status, 0);
	work(10);
	execl(argv[0], argv[0], "again", (char *)0);
	return 1;
}
END
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
