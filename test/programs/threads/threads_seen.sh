# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threads get cells of their own however they are created: from libstdc++.a, C11's, those of the C library itself, and
# in a library that a program without instrumentation calls.  A thread that cannot get cells is noticed.
cat >std.cpp <<'END'
#include <thread>
extern "C" int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
int main() { std::thread a([] { work(1000); }), b([] { work(1000); }); a.join(); b.join(); return work(9) == 12 ? 0 : 1; }
END
cat >c11.c <<'END'
#include <threads.h>
int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
int run(void *unused) { (void)unused; return work(1000); }
int main(void) { thrd_t t, u; thrd_create(&t, run, 0); thrd_create(&u, run, 0); thrd_join(t, 0); thrd_join(u, 0); return work(9) == 12 ? 0 : 1; }
END
# Each of these starts its threads while the main thread counts, so shared cells would lose counts.
cat >common.h <<'END'
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static sem_t done;
int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
static void tick(union sigval v) { if (v.sival_int != 7) abort(); for (int i = 0; i < 1000; i++) work(9); sem_post(&done); }
static struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick, .sigev_value.sival_int = 7};
/* Counts until the events have run. */
static int finish(int events) { int n = 0, left = events; while (left) { n++; work(9); if (sem_trywait(&done) == 0) left--; } printf("%d\n", n + 1000 * events); return 0; }
END
cat >timer.c <<'END'
#include "common.h"
int main(void)
{
	struct itimerspec soon = {.it_value = {0, 1000}};
	timer_t timer, other;
	sem_init(&done, 0, 0);
	return timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_create(CLOCK_MONOTONIC, &event, &other) || timer_settime(timer, 0, &soon, 0) || timer_settime(other, 0, &soon, 0) || finish(2);
}
END
cat >aio.c <<'END'
#include "common.h"
int main(void)
{
	static char buffer[100];
	struct aiocb a = {.aio_fildes = open("common.h", O_RDONLY), .aio_buf = buffer, .aio_nbytes = 50, .aio_sigevent = event}, b = a, *list[] = {&b};
	sem_init(&done, 0, 0);
	a.aio_lio_opcode = b.aio_lio_opcode = LIO_READ;
	if (aio_read(&a)) return 1;
	while (aio_error(&a) == EINPROGRESS) usleep(1000);
	/* The request is used again as it is. */
	return aio_return(&a) != 50 || aio_read(&a) || lio_listio(LIO_NOWAIT, list, 1, &event) || finish(4);
}
END
cat >names.c <<'END'
#include "common.h"
int main(void)
{
	struct gaicb request = {.ar_name = "127.0.0.1"}, *list[] = {&request};
	sem_init(&done, 0, 0);
	return getaddrinfo_a(GAI_NOWAIT, list, 1, &event) || finish(1);
}
END
cat >queue.c <<'END'
#include "common.h"
int main(void)
{
	char name[40];
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
	snprintf(name, sizeof name, "/waymark-%d", (int)getpid());
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
	mq_unlink(name);
	sem_init(&done, 0, 0);
	return queue < 0 ? 77 : mq_notify(queue, &event) || mq_send(queue, "x", 1, 0) || finish(1);
}
END
cat >denied.c <<'END'
#include <pthread.h>
static __attribute__((noinline)) int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
void *run(void *unused) { (void)unused; return (void *)(long)work(1000); }
int entry(void) { return work(9); }
END
cat >user.c <<'END'
#include <pthread.h>
void *run(void *);
int entry(void);
int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return entry() == 12 ? 0 : 1; }
END
# counted OBJECT PROGRAM N: work is entered as often as the program says, or N times
counted() {
	rm -f run.wmraw
	status=0
	WAYMARK_FILE=run.wmraw $2 >said.txt 2>error.txt || status=$?
	[ $status != 77 ] || return 0
	[ $status = 0 ] || { cat error.txt; fail "$2: exit code $status"; }
	report "$1" run.wmraw
	expect "f(\"work\").entries == ${3:-$(cat said.txt)}"
}
for static in "" -static -static-pie; do
	must "$waymark" c++ -O1 $static std.cpp -o std
	counted ./std ./std 3
	for program in c11 timer aio names queue; do
		must "$waymark" cc -O1 $static -w $program.c -o $program 2>/dev/null
		[ $program = c11 ] && counted ./c11 ./c11 3 || counted ./$program ./$program
	done
done
# Sanitizers have their own pthread_create, and threads of their own.
for sanitizer in address thread; do
	must "$waymark" c++ -O1 -fsanitize=$sanitizer std.cpp -o std
	counted ./std ./std 3
	echo 'int work(int n) { return n % 3; } int main(void) { return work(9); }' >alone.c
	must "$waymark" cc -O1 -fsanitize=$sanitizer alone.c -o alone
	counted ./alone ./alone 1
done

echo run >deny.txt
for graph in source optimised; do
	must "$waymark" cc -O1 -fwaymark-cfg=$graph -fwaymark-deny=deny.txt -fPIC -shared denied.c -o libdenied.so
	must clang-19 user.c ./libdenied.so -o user
	counted ./libdenied.so ./user 2
done

# What the runtime cannot give cells: the C library's clone, the system call itself, and threads of a pthread_create that
# the program defines.  All but the last are right with atomic updates.
cat >clone.c <<'END'
#define _GNU_SOURCE
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
static char stack[65536];
int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
static int run(void *unused) { (void)unused; work(100000); _exit(0); }
int main(void)
{
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | 17;
	pid_t child = clone(run, stack + sizeof stack, flags, 0);
	return child < 0 || waitpid(child, 0, 0) != child || work(9) != 12;
}
END
cat >call.c <<'END'
int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
static char stack[65536] __attribute__((aligned(16)));
static volatile int word = 1;
__attribute__((used)) static void run(void) { work(1000000); word = 0; }
int main(void)
{
	/* CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */
	long result;
	register void (*function)(void) __asm__("r12") = run;
	__asm__ volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\tcall *%%r12\n\tmov $60, %%eax\n\txor %%edi, %%edi\n\tsyscall\n1:"
		: "=a"(result) : "0"(56l), "D"(0x50f00l), "S"(stack + sizeof stack), "d"(0l), "r"(function) : "rcx", "r11", "memory");
	if (result < 0) return 1;
	while (word) work(9);
	for (volatile int i = 0; i < 10000000; i++) continue; /* the thread has ended */
	return work(9) != 12;
}
END
cat >own.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
static void *run(void *unused) { (void)unused; return (void *)(long)work(1000); }
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*start)(void *), void *data)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
	return real(t, a, start, data);
}
int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return work(9) == 12 ? 0 : 1; }
END
for program in clone call own; do
	must "$waymark" cc -O1 $program.c -o $program
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./$program
	report ./$program run.wmraw
	expect 'f("work") | .status == "refused" and (.reason | test("thread without counters.*-fwaymark-update=atomic"))'
	must "$waymark" cc -O1 -fwaymark-update=atomic $program.c -o $program
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./$program
	report ./$program run.wmraw
	expect 'f("work").entries >= 2'
done
