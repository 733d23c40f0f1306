# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Programs that open many instrumented objects while threads run, close half of them and open them again: every call of every
# thread is counted.  A shared object needs none of the static thread-local storage, which is scarce in a running program.
cat >plug.c <<'END'
__attribute__((noinline)) static int step(int x) { int n = 0; for (; x > 1; x = x % 2 ? 3 * x + 1 : x / 2) n++; return n; }
int plug(int x) { return x > 10 ? step(x % 64) : x % 2 ? -x : x; }
END
cat >program.c <<'END'
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
enum { THREADS = 3 };
static int count;
static void **handle;
static int (**function)(int);
static pthread_barrier_t barrier;
static long calls;
static void open_one(int i)
{
	char path[64];
	snprintf(path, sizeof path, "./objects/%d.so", i);
	handle[i] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle[i]) { puts(dlerror()); exit(1); }
	function[i] = (int (*)(int))dlsym(handle[i], "plug");
}
static void call(int first, int step)
{
	for (int i = first; i < count; i += step) { function[i](i); __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED); }
}
static void *stays(void *unused)
{
	pthread_barrier_wait(&barrier); /* all objects are open */
	call(0, 1);
	pthread_barrier_wait(&barrier); /* every other object is closed */
	pthread_barrier_wait(&barrier); /* and open again */
	call(0, 1);
	return unused;
}
static void *comes_and_goes(void *first) { call(*(int *)first, 7); return 0; }
static void short_threads(void)
{
	pthread_t t[THREADS];
	int first[THREADS];
	for (int i = 0; i < THREADS; i++) { first[i] = i; pthread_create(&t[i], 0, comes_and_goes, &first[i]); }
	for (int i = 0; i < THREADS; i++) pthread_join(t[i], 0);
}
static void vfork_child(void)
{
	pid_t child = vfork();
	if (!child) { function[count / 3](9); _exit(0); }
	waitpid(child, 0, 0);
	calls++;
}
int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	static int inherited[1024];
	for (int fd = 3; fd < 1024; fd++) inherited[fd] = fcntl(fd, F_GETFD) >= 0;
	count = argc > 1 ? atoi(argv[1]) : 12;
	handle = calloc((size_t)count, sizeof *handle);
	function = calloc((size_t)count, sizeof *function);
	pthread_barrier_init(&barrier, 0, THREADS + 1);
	for (int i = 0; i < THREADS - 1; i++) pthread_create(&t[i], 0, stays, 0);
	for (int i = 0; i < count; i++) {
		if (i == count / 2) pthread_create(&t[THREADS - 1], 0, stays, 0);
		open_one(i);
	}
	pthread_barrier_wait(&barrier);
	call(0, 1);
	vfork_child();
	short_threads();
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < count; i += 2) dlclose(handle[i]);
	for (int i = 0; i < count; i += 2) open_one(i);
	pthread_barrier_wait(&barrier);
	call(1, 3);
	short_threads();
	for (int i = 0; i < THREADS; i++) pthread_join(t[i], 0);
	char maps[64], line[4096];
	snprintf(maps, sizeof maps, "/proc/%d/maps", getpid());
	FILE *file = fopen(maps, "r");
	long mappings = 0;
	while (file && fgets(line, sizeof line, file)) mappings++;
	fclose(file);
	for (int fd = 3; fd < 1024; fd++) if (!inherited[fd] && fcntl(fd, F_GETFD) >= 0) { printf("descriptor %d\n", fd); return 1; }
	if (mappings > 20l * count + 200) { printf("%ld mappings\n", mappings); return 1; }
	printf("%ld\n", calls);
	return 0;
}
END
# plug OPTION…: COUNT copies of an object; it has no thread-local variables
plug() {
	must "$waymark" cc -O2 -w -fPIC -shared "$@" plug.c -o plug.so
	readelf -dlW plug.so >sections.txt
	! grep -E 'STATIC_TLS|^  TLS' sections.txt || fail "$*: static thread-local storage"
	copies 0 12
}
copies() {
	tee $(seq -f 'objects/%g.so' "$1" $(($2 - 1))) <plug.so >/dev/null
}
# run PROGRAM COUNT: its files are in run/
run() {
	rm -rf run
	mkdir run
	WAYMARK_FILE=run/%p.wmraw "$@" >said.txt 2>errors.txt || { cat said.txt errors.txt; fail "$*: exit code $?"; }
	[ ! -s errors.txt ] || { cat errors.txt; fail "$* prints something"; }
}
# counted: what the objects counted
counted() {
	find run -name '*.wmraw' -print0 | xargs -0 "$waymark" merge -o all.wmprof >/dev/null || fail "merge"
	"$waymark" report --json all.wmprof ./plug.so >report.json || fail "report"
}
mkdir objects
must clang-19 -O2 -pthread program.c -o plain
must "$waymark" cc -O2 -pthread program.c -o program
must "$waymark" cc -O2 -static program.c -o static 2>errors.txt # the linker warns of dlopen
plug
for program in plain program static; do
	run ./$program 12
	counted
	expect "f(\"plug\").entries == $(cat said.txt) and total(\"plug\") == $(cat said.txt)"
done
for graph in source optimised; do
	plug -fwaymark-cfg=$graph
	run ./plain 12
	counted
	cp all.wmprof train.wmprof
	for options in -fwaymark-update=delta -fwaymark-update=atomic -fwaymark-scheme=kiter=2 -fwaymark-scheme=context \
		-fwaymark-scheme=piecewise '-fwaymark-scheme=piecewise -fwaymark-update=delta' -fwaymark-crash \
		'-fwaymark-crash -fwaymark-update=delta' -fwaymark-residual=train.wmprof; do
		plug -fwaymark-cfg=$graph $options
		run ./program 12
		counted
		case $options in
		*residual*) expect '[f("plug").paths[]] | length == 0' ;;
		*) expect "f(\"plug\").entries == $(cat said.txt)" ;;
		esac
	done
	plug -fwaymark-cfg=$graph -fwaymark-wpp
	run ./plain 12
done
plug
copies 12 500
copies 500 1000
for program in program static; do
	run ./$program 1000
	counted
	expect "f(\"plug\").entries == $(cat said.txt) and total(\"plug\") == $(cat said.txt)"
done
# Code that was not compiled for shared objects does not ask whether the object is attached to its thread.
must "$waymark" cc -O2 -shared plug.c -o plug.so
copies 0 12
run ./program 12
counted
expect "f(\"plug\").entries == $(cat said.txt)"
