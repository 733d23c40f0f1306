# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threads that `single` notices although nobody calls pthread_create where it looks:
# from libstdc++.a, C11's, the C library's own, and those of functions on the deny list.
cat >std.cpp <<'END'
#include <thread>
int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
int main() { std::thread a([] { work(1000); }), b([] { work(1000); }); a.join(); b.join(); return work(9) == 12 ? 0 : 1; }
END
cat >c11.c <<'END'
#include <threads.h>
int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
int run(void *unused) { (void)unused; return work(1000); }
int main(void) { thrd_t t; thrd_create(&t, run, 0); thrd_join(t, 0); return work(9) == 12 ? 0 : 1; }
END
cat >timer.c <<'END'
#include <signal.h>
#include <time.h>
#include <unistd.h>
static int pipes[2];
int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
static void tick(union sigval v) { char c = (char)work(9); (void)v; if (write(pipes[1], &c, 1) != 1) _exit(1); }
int main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
	struct itimerspec soon = {.it_value = {0, 1000}};
	timer_t timer;
	char c;
	return pipe(pipes) || timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &soon, 0) ||
	       read(pipes[0], &c, 1) != 1 || work(9) != 12;
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
# refused FUNCTION PROGRAM OBJECT
refused() {
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./$2
	report ./$3 run.wmraw
	expect "f(\"$1\") | .status == \"refused\" and (.reason | test(\"second thread\"))"
}
for static in "" -static -static-pie; do
	must "$waymark" c++ -O1 $static std.cpp -o std
	refused _Z4worki std std
	for program in c11 timer; do
		must "$waymark" cc -O1 $static $program.c -o $program
		refused work $program $program
	done
done
echo run >deny.txt
for graph in source optimised; do
	must "$waymark" cc -O1 -fwaymark-cfg=$graph -fwaymark-deny=deny.txt -fPIC -shared denied.c -o libdenied.so
	must clang-19 user.c ./libdenied.so -o user
	refused work user libdenied.so
done
