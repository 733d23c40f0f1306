/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * -fwaymark-crash: the frames of each thread (abi/crash.h), and the handler that notes where a fault happened.  Only
 * programs built with that option link this file.
 *
 * Compiled code takes the frame at crash_top and adds the size of the frame to it.  In the first WM_CRASH_SLACK
 * bytes of a page, and where a large frame would not end on the same page, it asks __wm_crash_take for a frame first.
 * A thread begins with such an address, NULL, so its first function that makes calls attaches it.  Frames that
 * are written before that, or by a thread for which there is no memory, are lost.
 */
#include "abi/crash.h"
#include "runtime/chunk/chunk.h"
#include "runtime/state/lock.h"
#include "runtime/state/state.h"
#include "runtime/state/unseen.h"
#include "runtime/thread/own.h"
#include "runtime/thread/thread_cells.h"

#include <elf.h>
#include <sys/uio.h>
#include <ucontext.h>

#define FRAME sizeof(struct wm_crash_frame)
#define RED_ZONE 128

/* The name must be that of WM_CRASH_SYMBOL. */
__attribute__((visibility("hidden"))) extern const char __wm_crash_runtime;
const char __wm_crash_runtime = WM_ABI_VERSION;

static char nowhere[2 * WM_PAGE] __attribute__((aligned(4096)));

__attribute__((preserve_most, visibility("hidden"))) char *__wm_crash_take(char *frame, uint64_t size);
__attribute__((preserve_most, visibility("hidden"))) void __wm_crash_unwind(char *frame);

static struct wm_crash_head *head_of(char *memory)
{
	return (void *)(memory + sizeof(struct wm_raw_chunk));
}

static void attach_chunk(void)
{
	int self = wm_owner_to_note();
	struct wm_chunk *chunk = self > 0 ? wm_chunk_of_dead_thread(WM_CHUNK_CRASH, self) : NULL;
	if (chunk)
		wm_zero(chunk->memory + sizeof(struct wm_raw_chunk), chunk->size - sizeof(struct wm_raw_chunk));
	else
		chunk = wm_chunk_new(WM_CHUNK_CRASH, WM_CRASH_SIZE, WM_CRASH_SIZE);
	if (!chunk)
		return;
	chunk->owner = self;
	((struct wm_raw_chunk *)(void *)chunk->memory)->thread = (uint64_t)self;
	struct wm_own *own = __wm_own();
	own->crash_chunk = chunk->memory;
	own->shared.crash_paths = &head_of(chunk->memory)->next;
}

static bool is_nowhere(const char *frame)
{
	return !frame || (frame >= nowhere && frame < nowhere + sizeof nowhere);
}

static struct wm_crash_frame *slot_at(char *at)
{
	return (void *)at;
}

/* A frame is either on the overflow page or not; slots before that page that are too few for the frame are unused. */
static char *place_frame(char *frame, uint64_t size)
{
	char *page = __wm_own()->crash_chunk + WM_CRASH_OVERFLOW;
	if (frame + size <= page - WM_CRASH_SLACK ||
		(frame >= page && frame + size <= __wm_own()->crash_chunk + WM_CRASH_END))
		return frame;
	for (; frame < page; frame += FRAME)
		slot_at(frame)->tag = WM_CRASH_MORE;
	return page;
}

/* The frame of `size` bytes to use instead of `frame`.  Outer frames that are nowhere stay there. */
__attribute__((preserve_most)) char *__wm_crash_take(char *frame, uint64_t size)
{
	uint64_t saved;
	if (!__wm_own()->crash_chunk && __atomic_load_n(&wm.started, __ATOMIC_ACQUIRE) && wm_lock_counting(&saved)) {
		attach_chunk();
		wm_unlock(&saved);
	}
	if (!__wm_own()->crash_chunk)
		return nowhere + WM_CRASH_SLACK;
	if (is_nowhere(frame))
		return __wm_own()->crash_chunk + WM_CRASH_FRAMES;
	return place_frame(frame, size);
}

/* Control is back in the activation whose frame has `frame` as its last slot: what it had called is gone. */
__attribute__((preserve_most)) void __wm_crash_unwind(char *frame)
{
	const char *end =
		is_nowhere(frame) ? nowhere + WM_PAGE + WM_CRASH_SLACK : __wm_own()->crash_chunk + WM_CRASH_STACK;
	char *at = frame + FRAME;
	while (at < end && slot_at(at)->tag) {
		uint32_t tag = slot_at(at)->tag, pieces = tag & WM_CRASH_MORE ? tag & ~WM_CRASH_MORE : 0;
		for (char *next = at + FRAME * wm_crash_more(pieces); at < next && at < end; at += FRAME)
			*slot_at(at) = (struct wm_crash_frame){0};
	}
	__wm_own()->shared.crash_top = frame + FRAME;
}

/* ---- Faults ----------------------------------------------------------------------- */

struct action { /* of the kernel */
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { FAULTS = sizeof faults / sizeof *faults, SA_RESTORER_FLAG = 0x04000000 };
static struct action before[FAULTS];

extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));
void __wm_crash_return(void) __attribute__((visibility("hidden")));
__asm__(".text\n.hidden __wm_crash_return\n.globl __wm_crash_return\n.type __wm_crash_return,@function\n"
	"__wm_crash_return: movl $15, %eax\nsyscall\n.size __wm_crash_return, .-__wm_crash_return\n");

static long set_action(int signal, const struct action *new, struct action *old)
{
	return sys6(SYS_rt_sigaction, signal, (long)new, (long)old, sizeof(uint64_t), 0, 0);
}

/* A thread whose functions have made no calls has no frames, but may fault. */
static void attach_late(void)
{
	if (__wm_own()->crash_chunk || !wm_lock_try(&wm.lock))
		return;
	attach_chunk();
	wm_lock_release(&wm.lock);
}

/* A thread that has ended may have left frames behind. */
static void note_dead_threads(void)
{
	if (!wm_lock_try(&wm.lock))
		return;
	for (size_t i = 0; i < wm.image.chunk_count; i++) {
		const struct wm_chunk *chunk = &wm.image.chunk[i];
		if (chunk->kind == WM_CHUNK_CRASH && chunk->owner > 0)
			head_of(chunk->memory)->dead = sys3(SYS_tgkill, wm.pid, chunk->owner, 0) == -3 /* ESRCH */;
	}
	wm_lock_release(&wm.lock);
}

/* The system call fails where a copy by this function would fault; it reads an element whole or not at all, so each page
 * is an element. */
static void copy_stack(struct wm_crash_head *head, int window, uint64_t from)
{
	enum { PAGES = WM_CRASH_WINDOW / WM_PAGE + 2 };
	struct iovec to = {__wm_own()->crash_chunk + WM_CRASH_STACK + window * WM_CRASH_WINDOW, WM_CRASH_WINDOW},
		     page[PAGES];
	uint64_t at = from, end = from + WM_CRASH_WINDOW;
	for (int i = 0; i < PAGES; i++) {
		uint64_t next = (at + WM_PAGE) & ~(WM_PAGE - 1);
		page[i] = (struct iovec){(void *)at, (next < end ? next : end) - at};
		at += page[i].iov_len;
	}
	long copied = sys6(SYS_process_vm_readv, sys_getpid(), (long)&to, 1, (long)page, PAGES, 0);
	head->window[window] = (struct wm_crash_window){from, copied > 0 ? (uint64_t)copied : 0};
}

static void note_fault(int signal, const siginfo_t *info, const ucontext_t *context)
{
	struct wm_crash_head *head = head_of(__wm_own()->crash_chunk);
	const char *top = __wm_own()->shared.crash_top;
	head->base[WM_BASE_RSP] = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
	head->base[WM_BASE_RBP] = (uint64_t)context->uc_mcontext.gregs[REG_RBP];
	head->base[WM_BASE_RBX] = (uint64_t)context->uc_mcontext.gregs[REG_RBX];
	copy_stack(head, 0, head->base[WM_BASE_RSP] - RED_ZONE);
	copy_stack(head, 1, head->base[WM_BASE_RBP] - WM_CRASH_WINDOW);
	head->pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP] - (uintptr_t)&__ehdr_start;
	head->address = (uintptr_t)info->si_addr;
	head->code = WM_CRASH_CODE | (uint32_t)info->si_code;
	if (context->uc_sigmask.__val[0])
		head->code |= WM_CRASH_BLOCKED;
	for (int i = 0; i < FAULTS; i++)
		if (faults[i] == signal && before[i].handler != (void *)SIG_DFL)
			head->code |= WM_CRASH_HANDLED;
	head->top = is_nowhere(top) ? 0 : (uint64_t)(top - __wm_own()->crash_chunk);
	__atomic_store_n(&head->signal, (uint64_t)signal, __ATOMIC_RELEASE);
}

/* Notes the fault and gives the signal back to whatever handled it before: a fault happens again when the handler
 * returns, and a signal that was sent is sent again. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	bool own = !wm_forked_unseen();
	if (own)
		attach_late();
	if (own && __wm_own()->crash_chunk) {
		note_fault(signal, info, context);
		note_dead_threads();
	}
	for (int i = 0; i < FAULTS; i++)
		if (faults[i] == signal)
			set_action(signal, &before[i], NULL);
	if (info->si_code <= 0)
		sys3(SYS_tgkill, sys_getpid(), sys_gettid(), signal);
}

/* After the constructor of the runtime, before those of the program.  A signal that is ignored stays ignored. */
__attribute__((constructor(102))) static void watch(void)
{
	for (int i = 0; i < FAULTS && wm.started && !wm.discard; i++) {
		struct action ours = {on_fault, SA_SIGINFO | SA_ONSTACK | SA_RESTORER_FLAG, __wm_crash_return, 0};
		if (set_action(faults[i], NULL, &before[i]) || before[i].handler == (void *)SIG_IGN)
			continue;
		set_action(faults[i], &ours, NULL);
	}
}
