/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The QEMU plugin of `waymark hw`: writes what a program executes into memory shared with the
 * command (hardware/trace/shared.h).  It decides nothing; all analysis is the command's.
 *
 * Argument: socket=NAME, from which the memory comes (hardware/trace/attach.h).
 */
#include "hardware/decode/decode_code.h"
#include "hardware/qemu/exec.h"
#include "hardware/qemu/guest.h"
#include "hardware/qemu/guest_facts.h"
#include "hardware/qemu/interface.h"
#include "hardware/trace/attach.h"
#include "hardware/trace/trace_facts.h"
#include "hardware/trace/trace_words.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { VCPUS_MAX = 1 << 14 };

/* Numbers of the system calls that matter. */
struct calls {
	int64_t mmap, mprotect, sigaction, sigreturn, execve, execveat;
	int64_t fork, vfork, clone, clone3; /* -1: the architecture does not have it */
};

struct thread {
	struct wm_shared_chunk *chunk;
	struct wm_shared_chunk *nowhere; /* where it writes when it has no chunk: nobody reads that */
	uint32_t number;
	uint64_t block; /* that runs */
	bool lands; /* the running block ends in a call or return that stacks nothing */
};

static struct {
	struct wm_shared *shared;
	struct wm_hw_decoder *decoder;
	pthread_mutex_t decoding;
	struct calls calls;
	bool stacks_returns;
	bool child; /* forked: not traced */
	char socket[WM_ATTACH_NAME];
	char plugin[2 * PATH_MAX + WM_ATTACH_NAME]; /* what follows -plugin when another emulator starts */
	uint32_t forked; /* of the memory, before a fork */
	struct thread thread[VCPUS_MAX];
} state = {.decoding = PTHREAD_MUTEX_INITIALIZER};

int qemu_plugin_version = WM_QEMU_INTERFACE_VERSION;

static struct wm_shared_chunk *next_chunk(struct thread *thread)
{
	struct wm_shared_chunk *chunk = state.child ? NULL : wm_shared_acquire(state.shared, thread->number);
	if (chunk)
		return chunk;
	atomic_store_explicit(&thread->nowhere->used, 0, memory_order_relaxed);
	return thread->nowhere;
}

static void hand_over(struct thread *thread)
{
	bool lost = thread->chunk == thread->nowhere;
	if (!lost)
		wm_shared_hand_over(state.shared, thread->chunk);
	thread->chunk = next_chunk(thread);
	if (lost && thread->chunk != thread->nowhere) {
		thread->chunk->word[0] = wm_word_control(WM_CONTROL_LOST);
		atomic_store_explicit(&thread->chunk->used, 1, memory_order_release);
	}
}

static inline void put_word(struct thread *thread, uint64_t word)
{
	struct wm_shared_chunk *chunk = thread->chunk;
	uint32_t used = atomic_load_explicit(&chunk->used, memory_order_relaxed);
	chunk->word[used] = word;
	atomic_store_explicit(&chunk->used, used + 1, memory_order_release);
	if (used + 1 == WM_SHARED_WORDS)
		hand_over(thread);
}

static void on_block(unsigned vcpu, void *data)
{
	struct thread *thread = &state.thread[vcpu];
	thread->block = (uintptr_t)data;
	put_word(thread, (uintptr_t)data);
}

/* Facts about a block that the data of on_entry holds above its number. */
#define HANDLER (UINT64_C(1) << 32) /* starts a signal handler */
#define LANDS (UINT64_C(1) << 33) /* ends in a call or return that stacks nothing */

/* For the blocks whose start says more than their number. */
static void on_entry(unsigned vcpu, void *data)
{
	struct thread *thread = &state.thread[vcpu];
	uint64_t facts = (uintptr_t)data, stack = 0;
	bool delivered = false;
	if (thread->lands || facts & HANDLER)
		stack = wm_guest_stack_pointer(vcpu);
	if (facts & HANDLER)
		delivered = wm_guest_is_delivery(vcpu, stack);
	if (thread->lands || delivered)
		put_word(thread, wm_word_entry(stack, delivered));
	thread->lands = facts & LANDS;
	on_block(vcpu, (void *)(uintptr_t)(facts & UINT32_MAX));
}

/* What an access belongs to, as the data of its callback. */
static void *access_data(uint64_t block, size_t insn)
{
	return (void *)(uintptr_t)(block << 9 | (insn < WM_WORD_INSN_MAX ? insn : WM_WORD_INSN_MAX));
}

/* QEMU 7.2 may leave the callbacks of a block's last instruction active after the block, so
 * that an access of another block by one of QEMU's helpers reports to them, too. */
static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	struct thread *thread = &state.thread[vcpu];
	if ((uintptr_t)data >> 9 == thread->block)
		put_word(thread, wm_word_access(address, qemu_plugin_mem_size_shift(info),
					 qemu_plugin_mem_is_store(info), (uintptr_t)data & WM_WORD_INSN_MAX));
}

/* Room for the code of a translation block. */
struct copy {
	uint8_t bytes[WM_FACT_BLOCK_BYTES], insn_size[WM_FACT_BLOCK_INSNS];
};

/* False: the block is too large. */
static bool copy_code(const struct qemu_plugin_tb *tb, struct copy *copy, struct wm_hw_code *code)
{
	*code = (struct wm_hw_code){.bytes = copy->bytes,
		.insn_size = copy->insn_size,
		.count = qemu_plugin_tb_n_insns(tb),
		.address = qemu_plugin_tb_vaddr(tb)};
	if (!code->count || code->count > WM_FACT_BLOCK_INSNS)
		return false;
	for (size_t i = 0; i < code->count; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t more = qemu_plugin_insn_size(insn);
		if (!more || more > UINT8_MAX || code->size + more > WM_FACT_BLOCK_BYTES)
			return false;
		memcpy(copy->bytes + code->size, qemu_plugin_insn_data(insn), more);
		copy->insn_size[i] = (uint8_t)more;
		code->size += more;
	}
	return true;
}

static bool calls_or_returns(const struct qemu_plugin_insn *insn)
{
	struct wm_hw_insn decoded = {0};
	pthread_mutex_lock(&state.decoding);
	wm_hw_decode(state.decoder, qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn), 0, &decoded);
	pthread_mutex_unlock(&state.decoding);
	return decoded.branch == WM_HW_CALL || decoded.branch == WM_HW_CALL_INDIRECT || decoded.branch == WM_HW_RETURN;
}

static void watch_accesses(const struct qemu_plugin_tb *tb, size_t count, uint64_t block)
{
	for (size_t i = 0; state.shared->accesses && i < count; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_access, QEMU_PLUGIN_CB_NO_REGS,
			QEMU_PLUGIN_MEM_RW, access_data(block, i));
	if (state.shared->accesses || !state.stacks_returns)
		return;
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, count - 1);
	/* QEMU 7.2 confuses loads and stores when only one of them is asked for. */
	if (calls_or_returns(last))
		qemu_plugin_register_vcpu_mem_cb(
			last, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, access_data(block, count - 1));
}

static uint64_t block_facts(const struct qemu_plugin_tb *tb, size_t count)
{
	bool lands = !state.stacks_returns && calls_or_returns(qemu_plugin_tb_get_insn(tb, count - 1));
	return (wm_guest_is_handler(qemu_plugin_tb_vaddr(tb)) ? HANDLER : 0) | (lands ? LANDS : 0);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	static _Thread_local struct copy copy;
	struct wm_hw_code code;
	(void)id;
	if (state.child || !copy_code(tb, &copy, &code))
		return;
	uint64_t number = wm_facts_block(&code);
	if (number == UINT64_MAX)
		return;
	uint64_t facts = block_facts(tb, code.count);
	/* Without stacked returns, any block may follow a call or return. */
	qemu_plugin_register_vcpu_tb_exec_cb(tb, facts || !state.stacks_returns ? on_entry : on_block,
		QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)(number | facts));
	watch_accesses(tb, code.count, number);
}

/* The interrupted block may have ended in a call or return. */
static void return_from_signal(struct thread *thread)
{
	put_word(thread, wm_word_control(WM_CONTROL_SIGRETURN));
	thread->lands = !state.stacks_returns;
}

static void start_program(unsigned vcpu, int64_t number, const uint64_t call[3])
{
	bool follows = state.shared->children && number == state.calls.execve;
	if (!follows || wm_exec_follow(state.plugin, call))
		put_word(&state.thread[vcpu], wm_word_control(WM_CONTROL_EXEC));
}

/* The thread that made the last system call that may fork, in this host thread. */
static _Thread_local struct thread *forking;

static void on_syscall(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
	uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	(void)id, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	const struct calls *calls = &state.calls;
	if (state.child)
		return;
	if (number == calls->sigaction)
		wm_guest_add_handler(vcpu, a2);
	else if (number == calls->sigreturn)
		return_from_signal(&state.thread[vcpu]);
	else if (number == calls->execve || number == calls->execveat)
		start_program(vcpu, number, (uint64_t[]){a1, a2, a3});
	else if (number == calls->fork || number == calls->vfork || number == calls->clone || number == calls->clone3)
		forking = &state.thread[vcpu];
	else if ((number == calls->mmap || number == calls->mprotect) && a3 & PROT_EXEC)
		wm_facts_forget_mappings();
}

static void on_thread_start(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	struct thread *thread = &state.thread[vcpu < VCPUS_MAX ? vcpu : 0];
	if (!thread->nowhere)
		thread->nowhere = calloc(1, sizeof(*thread->nowhere));
	if (vcpu >= VCPUS_MAX || !thread->nowhere) {
		fprintf(stderr, "waymark hw: thread %u of the program cannot be followed\n", vcpu);
		_exit(2);
	}
	thread->number = atomic_fetch_add(&state.shared->threads, 1);
	thread->chunk = next_chunk(thread);
}

static void on_thread_exit(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	struct thread *thread = &state.thread[vcpu];
	if (vcpu >= VCPUS_MAX || !thread->chunk || thread->chunk == thread->nowhere)
		return;
	put_word(thread, wm_word_control(WM_CONTROL_EXIT));
	if (thread->chunk != thread->nowhere)
		wm_shared_hand_over(state.shared, thread->chunk);
	thread->chunk = thread->nowhere;
}

/* Locks are held around a fork, so that the child gets none that a thread of the parent holds. */
static void before_fork(void)
{
	pthread_mutex_lock(&state.decoding);
	wm_facts_lock();
	wm_guest_lock();
	state.forked = atomic_load(&state.shared->forked);
}

static void after_fork(void)
{
	wm_guest_unlock();
	wm_facts_unlock();
	pthread_mutex_unlock(&state.decoding);
}

static void in_parent(void)
{
	uint32_t forked = state.forked;
	after_fork();
	if (state.shared->children && !state.child)
		wm_shared_await_child(state.shared, forked);
}

/* The parent goes on with all chunks; only the thread that forked is in the child. */
static void leave_chunks(void)
{
	for (size_t i = 0; i < VCPUS_MAX; i++)
		if (state.thread[i].chunk) {
			state.thread[i].chunk = state.thread[i].nowhere;
			atomic_store(&state.thread[i].nowhere->used, 0);
		}
}

static void in_child(void)
{
	struct wm_shared *old = state.shared;
	leave_chunks();
	struct wm_shared *own = old->children && !state.child && forking ? wm_attach(state.socket) : NULL;
	if (own) {
		own->arch = old->arch;
		wm_facts_move(own);
		state.shared = own;
		forking->number = atomic_fetch_add(&own->threads, 1);
		forking->chunk = next_chunk(forking);
		forking->lands = false;
		atomic_store(&own->started, 1);
	}
	state.child = !own;
	wm_shared_child_ready(old);
	after_fork();
}

static const struct calls calls_x86 = {.mmap = 9,
	.mprotect = 10,
	.sigaction = 13,
	.sigreturn = 15,
	.execve = 59,
	.execveat = 322,
	.fork = 57,
	.vfork = 58,
	.clone = 56,
	.clone3 = 435};
static const struct calls calls_aarch64 = {.mmap = 222,
	.mprotect = 226,
	.sigaction = 134,
	.sigreturn = 139,
	.execve = 221,
	.execveat = 281,
	.fork = -1,
	.vfork = -1,
	.clone = 220,
	.clone3 = 435};

static bool prepare(const qemu_info_t *info)
{
	enum wm_hw_arch arch = wm_hw_arch_find(info->target_name);
	if (!arch)
		return false;
	state.calls = arch == WM_HW_X86_64 ? calls_x86 : calls_aarch64;
	state.stacks_returns = wm_hw_arch_stacks_returns(arch);
	state.decoder = wm_hw_decoder_new(arch);
	wm_facts_open(state.shared);
	state.shared->arch = arch;
	atomic_store(&state.shared->started, 1);
	return state.decoder && wm_guest_open(arch) && pthread_atfork(before_fork, in_parent, in_child) == 0;
}

/* The file of this plugin as QEMU's argument, in which two commas stand for one.  The file is asked from the dynamic
 * loader and never taken from outside of the process: it is code that another process will load. */
static bool name_plugin(void)
{
	Dl_info own;
	size_t used = 0;
	if (!dladdr((void *)(uintptr_t)&qemu_plugin_version, &own) || strlen(own.dli_fname) >= PATH_MAX)
		return false;
	for (const char *at = own.dli_fname; *at; at++) {
		state.plugin[used++] = *at;
		if (*at == ',')
			state.plugin[used++] = ',';
	}
	snprintf(state.plugin + used, sizeof(state.plugin) - used, ",socket=%s", state.socket);
	return true;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], "socket=", 7) == 0)
			snprintf(state.socket, sizeof(state.socket), "%s", argv[i] + 7);
	/* A program that exec started runs on when the command has ended. */
	state.shared = wm_attach(state.socket);
	if (!state.shared)
		return 0;
	if (!name_plugin() || !prepare(info)) {
		fprintf(stderr, "waymark hw: the plugin cannot start under this QEMU\n");
		return 1;
	}
	qemu_plugin_register_vcpu_init_cb(id, on_thread_start);
	qemu_plugin_register_vcpu_exit_cb(id, on_thread_exit);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	return 0;
}
