/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Signals that end the process: what they leave is recorded, and then the signal takes its default action, with the status that
 * it would have had.
 *
 * Only the executable does so, and only for signals with the default action.  Faults are watched always; the other signals only if
 * the functions that tell of handlers are replaced (runtime/notify/handlers.c), so that the program sees the default action:
 * programs look whether somebody else handles a signal.  The kernel takes the handler away when it calls it, and at exec.
 *
 * The process with the id 1 is not ended by such signals, and a program that announces a seccomp filter might not be able to send
 * the signal again: there, nothing is watched.  WAYMARK_SIGNALS=0 watches nothing.
 */
#include "runtime/file/name.h"
#include "runtime/process/leaving.h"
#include "runtime/state/control_record.h"
#include "runtime/state/state.h"
#include "runtime/thread/own.h"
#include "runtime/unwind/crash_note.h"

#include <ucontext.h>

struct action { /* of the kernel */
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

#define SA_RESTORER_FLAG 0x04000000
#define HANDLER_FLAGS (SA_SIGINFO | SA_ONSTACK | SA_RESETHAND)

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static const int others[] = {SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM, SIGPIPE, SIGXCPU, SIGUSR1, SIGUSR2};
enum { FAULTS = sizeof faults / sizeof *faults, OTHERS = sizeof others / sizeof *others };

static bool watching; /* signals are watched unless the program changes their action */
static bool watching_all;

void __wm_signal_return(void) __attribute__((visibility("hidden")));
__asm__(".text\n.hidden __wm_signal_return\n.globl __wm_signal_return\n.type __wm_signal_return,@function\n"
	"__wm_signal_return: movl $15, %eax\nsyscall\n.size __wm_signal_return, .-__wm_signal_return\n");

/* handlers.c: whether the program sees the default action. */
__attribute__((weak, visibility("hidden"))) bool __wm_hides_handlers(void);
__attribute__((visibility("hidden"))) bool __wm_fatal_action(int signal, struct sigaction *action);
__attribute__((visibility("hidden"))) bool __wm_is_fatal_handler(const void *handler);

/* ---- The handler --------------------------------------------------------------------------- */

static void take_registers(struct wm_frame *frame, const ucontext_t *context)
{
	static const uint8_t place[WM_REGISTERS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP,
		REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	for (unsigned i = 0; i < WM_REGISTERS; i++)
		frame->reg[i] = (uint64_t)context->uc_mcontext.gregs[place[i]];
	frame->known = (1u << WM_REGISTERS) - 1;
	frame->exact = true;
}

static bool happens_again(int signal, const siginfo_t *info)
{
	enum { NOT_NOW = 5 /* BUS_MCEERR_AO */ };
	for (int i = 0; i < FAULTS; i++)
		if (faults[i] == signal)
			return info->si_code > 0 && !(signal == SIGBUS && info->si_code == NOT_NOW);
	return false;
}

/* The signal is blocked until the handler returns.  The kernel takes all that it told only from the first thread; what other threads
 * do not cause again, they send without it. */
static void send_again(int signal, const siginfo_t *info)
{
	int pid = sys_getpid(), thread = sys_gettid();
	if (sys6(SYS_rt_tgsigqueueinfo, pid, thread, signal, (long)info, 0, 0) && !happens_again(signal, info))
		sys3(SYS_tgkill, pid, thread, signal);
}

static void on_fatal_signal(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	struct wm_fatal fatal = {
		signal, info->si_code, (uintptr_t)info->si_addr, interrupted->uc_sigmask.__val[0] != 0};
	struct wm_leaving leaving;
	leaving.kind = WM_LEAVE_ALL;
	leaving.in_handler = true;
	leaving.target = 0;
	leaving.fatal = &fatal;
	take_registers(&leaving.begin, context);
	wm_leaving_tell(&leaving);
	send_again(signal, info);
}

/* ---- Dispositions -------------------------------------------------------------------------- */

static long set_action(int signal, const struct action *new, struct action *old)
{
	return sys6(SYS_rt_sigaction, signal, (long)new, (long)old, sizeof(uint64_t), 0, 0);
}

static bool is_watched(int signal)
{
	for (int i = 0; i < FAULTS; i++)
		if (faults[i] == signal)
			return watching;
	for (int i = 0; i < OTHERS; i++)
		if (others[i] == signal)
			return watching && (watching_all || signal == SIGABRT);
	return false;
}

static void watch_signal(int signal)
{
	struct action old, ours = {on_fatal_signal, HANDLER_FLAGS | SA_RESTORER_FLAG, __wm_signal_return, ~UINT64_C(0)};
	if (is_watched(signal) && !set_action(signal, NULL, &old) && old.handler == (void *)SIG_DFL)
		set_action(signal, &ours, NULL);
}

static bool is_wanted(void)
{
	const char *text = wm_environment("WAYMARK_SIGNALS");
	return !(text && wm_equal(text, "0")) && !wm.object.secure && !wm.discard && !wm.filtered && wm.pid != 1;
}

static void watch(void)
{
	if (watching || !wm_leaving_matters() || !is_wanted())
		return;
	watching_all = __wm_hides_handlers && __wm_hides_handlers();
	watching = true;
	for (int i = 0; i < FAULTS; i++)
		watch_signal(faults[i]);
	for (int i = 0; i < OTHERS; i++)
		watch_signal(others[i]);
}

/* After the constructors of the runtime and of crash_frames.c, before those of the program. */
__attribute__((constructor(103))) static void start_watching(void)
{
	if (!wm.started || !wm.object.executable)
		return;
	__atomic_store_n(&__wm_leave_control.leavers->watch, watch, __ATOMIC_RELEASE);
	watch();
}

/* Signals that the program handles now are its own. */
void wm_fatal_signals_forget(void)
{
	static const struct action none;
	struct action old;
	for (int i = 0; watching && i < FAULTS + OTHERS; i++) {
		int signal = i < FAULTS ? faults[i] : others[i - FAULTS];
		if (!set_action(signal, NULL, &old) && old.handler == on_fatal_signal)
			set_action(signal, &none, NULL);
	}
	watching = false;
}

/* ---- What handlers.c asks -------------------------------------------------------------------- */

/* The action to set if the program sets the default action. */
bool __wm_fatal_action(int signal, struct sigaction *action)
{
	if (!is_watched(signal) || wm_is_guest())
		return false;
	wm_zero(action, sizeof *action);
	action->sa_sigaction = on_fatal_signal;
	action->sa_flags = HANDLER_FLAGS;
	for (size_t i = 0; i < sizeof action->sa_mask / sizeof(unsigned long); i++)
		action->sa_mask.__val[i] = ~0ul;
	return true;
}

bool __wm_is_fatal_handler(const void *handler)
{
	return handler == (const void *)on_fatal_signal;
}
