# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sentences of `waymark crash` against what the program says of itself.  Before it dies, each function that has a frame says
# the line of its call or of its fault, and whoever dies says the thread, the signal and the address.  waitpid says how the
# process ended.
cat >program.cpp <<'END'
#include <cassert>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <sys/syscall.h>
#include <unistd.h>
#define OUT __attribute__((noinline))
#define QUIET __attribute__((no_profile_instrument_function, noinline))
extern "C" QUIET void say(const char *format, ...)
{
	char text[300];
	va_list list;
	va_start(list, format);
	int n = vsnprintf(text, sizeof text, format, list);
	va_end(list);
	if (write(1, text, n) != n) _exit(9);
}
#define CALLS(name, callee) say("frame %s|calls %s|%d\n", name, callee, __LINE__)
#define FAULTS(name) say("frame %s|fault|%d\n", name, __LINE__)
#define DIES(signal, address) say("dies %ld SIG%s%s\n", syscall(SYS_gettid), signal, address)
int *volatile nothing;
char *volatile wild = (char *)0x1230;
char *volatile far = (char *)0x8000000000001230;
volatile int zero;
OUT static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	if (x + y == 5) {
		DIES("SEGV", ", address 0x0");
		FAULTS("compare(void const*, void const*)"), zero = *nothing;
	}
	return x - y;
}
OUT static int sorted()
{
	int v[] = {4, 1, 9, 2};
	CALLS("sorted()", "qsort"), qsort(v, 4, sizeof *v, compare);
	return v[0] + zero;
}
OUT static int recurse(int n)
{
	if (n == 0) {
		DIES("SEGV", ", address 0x1230");
		FAULTS("recurse(int)"), zero = *wild;
		return zero;
	}
	CALLS("recurse(int)", "recurse(int)"), zero += recurse(n - 1);
	return zero;
}
OUT static int divide(int n)
{
	DIES("FPE", "");
	FAULTS("divide(int)"), zero = n / zero;
	return n;
}
OUT static int forever(int n)
{
	volatile char room[200];
	room[n % 200] = 1;
	return n < 0 ? 1 : forever(n + 1) + room[3];
}
OUT static void *threaded(void *)
{
	DIES("SEGV", ", address 0x0");
	FAULTS("threaded(void*)"), *nothing = 4;
	return NULL;
}
/* A frame that a handler interrupts need not be inside a call. */
OUT static int returned(int n)
{
	zero = n;
	say("interrupted main %d\n", n);
	return n - 1;
}
OUT static void handler(int)
{
	DIES("SEGV", ", address 0x0");
	FAULTS("handler(int)"), *nothing = 5;
}
OUT static void spins(int)
{
	DIES("SEGV", ", sent by a process");
	CALLS("spins(int)", "kill"), zero = kill(getpid(), SIGSEGV);
}
struct noisy {
	int n;
	OUT ~noisy()
	{
		if (n != 1) return;
		DIES("SEGV", ", address 0x0");
		FAULTS("noisy::~noisy()"), *nothing = 6;
	}
};
OUT static void throws(int n)
{
	if (n) DIES("ABRT", ""), CALLS("throws(int)", "__cxa_throw"), throw std::runtime_error("one");
}
OUT static void unwinds(int n)
{
	noisy a{0}, b{1};
	/* The destructor is called where the block ends. */
	say("frame unwinds(int)|calls noisy::~noisy()|%d\n", __LINE__ + 2);
	n ? throw 3 : 0;
}
OUT static void unfinished(int n)
{
	DIES("ABRT", "");
	CALLS("unfinished(int)", "__assert_fail"), assert(n == 2);
}
static jmp_buf back;
QUIET static void recovers(int) { longjmp(back, 1); }
QUIET static void leaves(int) { _exit(7); }
__attribute__((constructor(101))) QUIET static void early()
{
	const char *how = getenv("EARLY");
	if (how) signal(SIGSEGV, *how == 'r' ? recovers : leaves);
}
int main(int argc, char **argv)
{
	const char *how = argv[1];
	say("process %d\n", getpid());
	if (!strcmp(how, "main")) {
		DIES("SEGV", ", address 0x0");
		FAULTS("main"), *nothing = 1;
	}
	if (!strcmp(how, "far")) {
		DIES("SEGV", "");
		FAULTS("main"), *far = 1;
	}
	if (!strcmp(how, "trap")) {
		DIES("ILL", "");
		FAULTS("main"), __builtin_trap();
	}
	if (!strcmp(how, "strlen")) {
		DIES("SEGV", ", address 0x0");
		CALLS("main", "strlen"), zero = (int)strlen((char *)nothing);
	}
	if (!strcmp(how, "recursion")) CALLS("main", "recurse(int)"), recurse(6);
	if (!strcmp(how, "qsort")) CALLS("main", "sorted()"), sorted();
	if (!strcmp(how, "divide")) CALLS("main", "divide(int)"), divide(argc);
	if (!strcmp(how, "thread")) {
		pthread_t t;
		pthread_create(&t, NULL, threaded, NULL);
		pthread_join(t, NULL);
	}
	if (!strcmp(how, "handler")) {
		signal(SIGALRM, handler);
		ualarm(100000, 0);
		returned(__LINE__);
		for (;;)
			zero++;
	}
	if (!strcmp(how, "sent")) CALLS("main", "spins(int)"), spins(argc);
	if (!strcmp(how, "destructor")) {
		try {
			CALLS("main", "unwinds(int)"), unwinds(argc);
		} catch (int) {
			return 2;
		}
	}
	if (!strcmp(how, "overflow")) forever(0);
	if (!strcmp(how, "assert")) CALLS("main", "unfinished(int)"), unfinished(argc + 5);
	if (!strcmp(how, "abort")) DIES("ABRT", ""), CALLS("main", "abort"), abort();
	if (!strcmp(how, "throw")) CALLS("main", "throws(int)"), throws(argc);
	if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
	if (!strcmp(how, "_exit")) _exit(3);
	if (!strcmp(how, "exit")) exit(3);
	if (!strcmp(how, "handled") && setjmp(back) == 0) {
		DIES("SEGV", ", address 0x0");
		FAULTS("main"), *nothing = 1;
	}
	return zero;
}
END

# Frames of the text, the innermost first, as NAME|WORDS|LINE.  Of threads, only the first.
frames() {
	awk '/^thread/ { if (seen++) exit } !/^  #/ { next }
		{
			last = first = substr($1, 2)
			if ($2 == "to") { last = substr($3, 2); sub(/^  #[0-9]+ to #[0-9]+ */, "") } else sub(/^  #[0-9]+ */, "")
			name = $0; sub(/  (fault|calls|as of|has made|interrupted).*/, "", name)
			words = substr($0, length(name) + 3)
			line = words; sub(/^.*:/, "", line)
			sub(/ (at|near) [^ ]*$/, "", words)
			for (i = first; i <= last; i++) { if (i != number++) { print "#" i " is not the next frame"; exit } print name "|" words "|" line }
		}' crash.txt
}

# said: the same as the program has said it, and its thread
said() { sed -n 's/^frame //p' record | tac; }

must_print() { grep -qxF -- "$1" crash.txt || { cat record crash.txt; fail "$flags $how: no sentence: $1"; }; }
must_not_print() { ! grep -qE -- "$1" crash.txt || { cat record crash.txt; fail "$flags $how: prints $1"; }; }

# run HOW: the program says all of itself in `record`; $code is how it ended
run() {
	rm -f run.wmraw
	code=0
	WAYMARK_FILE=run.wmraw ./program "$1" >record 2>err || code=$?
	"$waymark" crash run.wmraw program >crash.txt 2>log || { cat log; fail "$flags $how: crash"; }
	process=$(sed -n 's/^process //p' record)
}

ulimit -c 0
for flags in '-O0 -fwaymark-cfg=source' '-O2 -fwaymark-cfg=source -fwaymark-crash=4' '-O1 -fwaymark-cfg=optimised'; do
	must "$waymark" c++ -w -g -fwaymark-update=atomic -fwaymark-crash $flags program.cpp -o program -pthread
	for how in main far trap strlen recursion qsort divide thread sent destructor assert abort throw; do
		run $how
		dies=$(sed -n 's/^dies \([0-9]*\) /thread \1: /p' record)
		signal=$(echo "$dies" | sed 's/.*: SIG\([A-Z]*\).*/\1/')
		[ $code -gt 128 ] && [ "$(kill -l $((code - 128)))" = "$signal" ] || { cat record; fail "$flags $how: exit code $code"; }
		must_print "process $process died of SIG$signal"
		must_print "$dies"
		said >said.txt
		frames >frames.txt
		cmp -s said.txt frames.txt || { diff said.txt frames.txt || true; cat crash.txt; fail "$flags $how: the frames"; }
		[ $how = thread ] || must_not_print 'near|no path|not known|not instrumented'
	done
	# A path that ends with a call that does not return is finished, but its frame is there.
	for how in assert abort; do
		run $how
		case $flags in
		*crash=4*) grep -q '^  -1 .*  the path of #0, which ends with that call$' crash.txt || { cat crash.txt; fail "$flags $how: path"; } ;;
		*) must_not_print 'last finished' ;;
		esac
	done
	# The other threads of a program that crashed.
	how=thread
	run thread
	must_print "thread $process"
	grep -qE '^  #0  main  as of its last call, of pthread_(create|join) at program.cpp:[0-9]*; what it did since then is not known$' crash.txt ||
		{ cat crash.txt; fail "$flags: the thread that waited"; }
	how=handler
	run handler
	must_print "process $process died of SIGSEGV"
	said=$(sed -n 's/^frame \(.*\)|fault|\(.*\)/\1  fault at program.cpp:\2/p' record)
	must_print "  #0  $said"
	line=$(sed -n 's/^interrupted main //p' record)
	must_print "  #1  main  as of its last call, of returned(int) at program.cpp:$line; what it did since then is not known"
	how=overflow
	run overflow
	[ $code = 139 ] || fail "$flags: no overflow"
	must_print "process $process was killed, or ended without its destructors, or is still running: the innermost frame of each thread is as of its last call"
	must_print '  ... the innermost frames are missing: the stack was too deep to be recorded whole'
	[ "$(wc -l <crash.txt)" -lt 60 ] || fail "$flags: frames that are alike are printed one by one"
	for how in kill _exit; do
		run $how
		must_print "process $process was killed, or ended without its destructors, or is still running: the innermost frame of each thread is as of its last call"
		must_print "thread $process"
	done
	how=exit
	run exit
	[ $code = 3 ] || fail "exit"
	must_print "process $process ended normally"
	# A handler that was there before the runtime: it ends the process, or recovers and the program ends normally.
	how=handled
	export EARLY=leaves
	run handled
	[ $code = 7 ] || fail "$flags: the handler did not run"
	must_print "process $process got SIGSEGV, which a handler of its own took"
	must_print "$(sed -n 's/^dies \([0-9]*\) /thread \1: /p' record)"
	export EARLY=recovers
	run handled
	[ $code = 0 ] || fail "$flags: the handler did not recover"
	must_print "process $process ended normally"
	must_not_print 'SIG|fault'
	unset EARLY
done

# A deep stack of frames that are not alike is shortened in the middle, and --full prints it whole.
cat >deep.c <<'END'
#include <stdlib.h>
#define OUT __attribute__((noinline))
volatile int sink;
OUT int odd(int n);
OUT int even(int n)
{
	sink = n ? odd(n - 1) : (abort(), 1);
	return sink + 1;
}
OUT int odd(int n)
{
	sink = even(n - 1);
	return sink + 2;
}
int main(int argc, char **argv)
{
	return even(atoi(argv[1]));
}
END
must "$waymark" cc -O1 -g -w -fwaymark-crash deep.c -o deep
WAYMARK_FILE=deep.wmraw ./deep 1000 2>err && fail "deep did not die"
"$waymark" crash deep.wmraw deep >crash.txt || fail "waymark crash"
flags=deep how=text
must_print '  ... 962 frames are left out here (--full prints them)'
grep -q '^  #1001 main  calls even' crash.txt || { cat crash.txt; fail "the outermost frame of a deep stack"; }
"$waymark" crash --full deep.wmraw deep >crash.txt || fail "waymark crash --full"
must_not_print 'left out'
[ "$(grep -c '^  #' crash.txt)" = 1002 ] || fail "--full does not print all frames"
