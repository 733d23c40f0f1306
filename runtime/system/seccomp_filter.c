/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Classic BPF, as seccomp(2) uses it: loads of words of struct seccomp_data, arithmetic, jumps forwards, and a result. */
#include "runtime/system/seccomp_filter.h"

#include "runtime/system/sys.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#define MOST_FILTERS 16
#define MOST_INSTRUCTIONS 4096 /* BPF_MAXINSNS */
#define SMALLEST_PAGE 4096u
#define EPERM_ANSWER (-1l)

#if defined(__x86_64__)
#define ARCHITECTURE 0xC000003Eu /* AUDIT_ARCH_X86_64 */
#elif defined(__aarch64__)
#define ARCHITECTURE 0xC00000B7u /* AUDIT_ARCH_AARCH64 */
#endif

bool wm_filter_any;

/*
 * A slot is taken and published without a lock, because a signal handler may install a filter too.  A thread may evaluate a slot
 * while another thread uses it again: `code` is never unmapped and holds MOST_INSTRUCTIONS, so the worst is an answer that mixes
 * a filter that holds no more with one that does not hold yet, and neither is a filter of the thread that asks.
 */
enum { FREE, TAKEN, KNOWN, STATES };
static struct filter {
	unsigned state; /* one of these, plus STATES for each time that the slot was taken */
	int holder; /* the filter holds while *word is this */
	const int *word; /* NULL: it holds for ever */
	struct sock_filter *code;
	size_t size; /* 0: nothing is allowed but what the strict mode allows */
} filters[MOST_FILTERS];
static size_t without_slot;
/* Of processes that share the memory: thread ids, which the kernel changes to 0 when the process ends or calls exec. */
static int guests[MOST_FILTERS];

struct machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
	const struct seccomp_data *data;
};

static uint32_t arithmetic(uint32_t a, uint32_t b, unsigned operation)
{
	switch (operation) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	}
	return -a; /* BPF_NEG */
}

static bool is_true(uint32_t a, uint32_t b, unsigned comparison)
{
	switch (comparison) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	}
	return a & b; /* BPF_JSET */
}

static uint32_t load(const struct machine *machine, const struct sock_filter *code)
{
	switch (BPF_MODE(code->code)) {
	case BPF_ABS:
		return code->k % 4 || code->k >= sizeof *machine->data
			       ? 0
			       : ((const uint32_t *)(const void *)machine->data)[code->k / 4];
	case BPF_MEM:
		return machine->memory[code->k % BPF_MEMWORDS];
	case BPF_LEN:
		return sizeof *machine->data;
	}
	return code->k; /* BPF_IMM */
}

/* How many instructions follow that are skipped. */
static uint32_t jump(const struct machine *machine, const struct sock_filter *code)
{
	if (BPF_OP(code->code) == BPF_JA)
		return code->k;
	uint32_t operand = BPF_SRC(code->code) == BPF_X ? machine->x : code->k;
	return is_true(machine->a, operand, BPF_OP(code->code)) ? code->jt : code->jf;
}

static void move(struct machine *machine, const struct sock_filter *code)
{
	if (BPF_MISCOP(code->code) == BPF_TAX)
		machine->x = machine->a;
	else
		machine->a = machine->x;
}

/* The kernel checks what it installs: jumps stay inside, and the last instruction returns. */
static uint32_t run(const struct filter *filter, size_t size, struct machine *machine)
{
	for (size_t i = 0; i < size; i++) {
		const struct sock_filter *code = &filter->code[i];
		switch (BPF_CLASS(code->code)) {
		case BPF_LD:
			machine->a = load(machine, code);
			break;
		case BPF_LDX:
			machine->x = load(machine, code);
			break;
		case BPF_ST:
			machine->memory[code->k % BPF_MEMWORDS] = machine->a;
			break;
		case BPF_STX:
			machine->memory[code->k % BPF_MEMWORDS] = machine->x;
			break;
		case BPF_ALU:
			machine->a = arithmetic(
				machine->a, BPF_SRC(code->code) == BPF_X ? machine->x : code->k, BPF_OP(code->code));
			break;
		case BPF_JMP:
			i += jump(machine, code);
			break;
		case BPF_RET:
			return BPF_RVAL(code->code) == BPF_A ? machine->a : code->k;
		case BPF_MISC:
			move(machine, code);
			break;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

static bool is_strictly_allowed(long number)
{
	return number == SYS_read || number == SYS_write || number == SYS_exit || number == SYS_rt_sigreturn;
}

static long answer_of(const struct filter *filter, const struct seccomp_data *data)
{
	size_t size = __atomic_load_n(&filter->size, __ATOMIC_RELAXED);
	if (!size)
		return is_strictly_allowed(data->nr) ? 0 : EPERM_ANSWER;
	struct machine machine = {.data = data};
	uint32_t result = run(filter, size, &machine), action = result & SECCOMP_RET_ACTION_FULL;
	if (action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG)
		return 0;
	long error = action == SECCOMP_RET_ERRNO ? (long)(result & SECCOMP_RET_DATA) : 0;
	return error ? -error : EPERM_ANSWER;
}

static bool holds(const struct filter *filter)
{
	return !filter->word || __atomic_load_n(filter->word, __ATOMIC_ACQUIRE) == filter->holder;
}

long wm_filter_answer(const long call[7])
{
	struct seccomp_data data = {.nr = (int)call[0], .arch = ARCHITECTURE};
	for (int i = 0; i < 6; i++)
		data.args[i] = (uint64_t)call[i + 1];
	bool strict = __atomic_load_n(&without_slot, __ATOMIC_ACQUIRE) && !is_strictly_allowed(call[0]);
	long answer = strict ? EPERM_ANSWER : 0;
	for (size_t i = 0; i < MOST_FILTERS && !answer; i++)
		if (__atomic_load_n(&filters[i].state, __ATOMIC_ACQUIRE) % STATES == KNOWN && holds(&filters[i]))
			answer = answer_of(&filters[i], &data);
	return answer;
}

static __attribute__((noinline, cold)) long filtered_call(long number, long a, long b, long c, long d, long e, long f)
{
	long answer = wm_filter_answer((const long[7]){number, a, b, c, d, e, f});
	return answer ? answer : sys_unchecked6(number, a, b, c, d, e, f);
}

/* The array is made in a function of its own, so that system calls of most programs need no stack for it. */
long wm_system_call(long number, long a, long b, long c, long d, long e, long f)
{
	if (__builtin_expect(wm_filter_any, false))
		return filtered_call(number, a, b, c, d, e, f);
	return sys_unchecked6(number, a, b, c, d, e, f);
}

/* ---- Copies of programs ------------------------------------------------------------------ */

/* The kernel reads the mask before it changes anything, and all signals are blocked already.  process_vm_readv would be another
 * call that a filter must allow.  Returns -EFAULT if the word cannot be read. */
static long try_word(uintptr_t address)
{
	return sys6(SYS_rt_sigprocmask, SIG_BLOCK, (long)address, 0, sizeof(uint64_t), 0, 0);
}

static long try_memory(const void *memory, size_t size)
{
	uintptr_t word = (uintptr_t)memory, last = word + size - sizeof(uint64_t);
	for (; word < last; word += SMALLEST_PAGE) {
		long error = try_word(word);
		if (error)
			return error;
	}
	return try_word(last);
}

static void copy_code(struct filter *filter, const struct sock_fprog *program)
{
	if (!filter->code)
		filter->code = (void *)sys_map_anonymous(MOST_INSTRUCTIONS * sizeof *filter->code);
	if (!filter->code)
		return;
	wm_copy(filter->code, program->filter, program->len * sizeof *program->filter);
	__atomic_store_n(&filter->size, program->len, __ATOMIC_RELAXED);
}

/* Stores how many instructions the program has, 0 if the kernel will refuse it, after it was tried. */
static long try_program(const struct sock_fprog *program, struct sock_fprog *copy)
{
	long error = try_memory(program, sizeof *program);
	if (!error)
		*copy = *program;
	if (copy->len > MOST_INSTRUCTIONS)
		copy->len = 0;
	return error || !copy->len ? error : try_memory(copy->filter, copy->len * sizeof *copy->filter);
}

/* False: the kernel will refuse the program.  A program that cannot be copied is taken as the strict mode; while another thread
 * waits for the answer to a filter of its own, that filter may seem to forbid the trial. */
static bool copy_program(struct filter *filter, const struct sock_fprog *program)
{
	uint64_t saved;
	if (!sys_block_signals(&saved))
		return true;
	struct sock_fprog copy = {0};
	long error = try_program(program, &copy);
	if (!error && copy.len)
		copy_code(filter, &copy);
	sys_restore_signals(&saved);
	return error ? error != -EFAULT : copy.len;
}

/* ---- Slots ------------------------------------------------------------------------------- */

/* The word that the kernel clears at the end of this process.  NULL: there is none, or the kernel clears another one. */
static const int *guest_word(int self)
{
	int *word = NULL;
	if (sys6(SYS_prctl, PR_GET_TID_ADDRESS, (long)&word, 0, 0, 0, 0))
		return NULL;
	if (word)
		return word >= guests && word < guests + MOST_FILTERS ? word : NULL;
	for (size_t i = 0; i < MOST_FILTERS; i++) {
		int nobody = 0;
		if (!__atomic_compare_exchange_n(&guests[i], &nobody, self, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		if (sys3(SYS_set_tid_address, (long)&guests[i], 0, 0) == self)
			return &guests[i];
		__atomic_store_n(&guests[i], 0, __ATOMIC_RELEASE);
		return NULL;
	}
	return NULL;
}

static bool take(struct filter *filter)
{
	unsigned state = __atomic_load_n(&filter->state, __ATOMIC_ACQUIRE);
	if (state % STATES == TAKEN || (state % STATES == KNOWN && holds(filter)))
		return false;
	return __atomic_compare_exchange_n(&filter->state, &state, state - state % STATES + STATES + TAKEN, false,
		__ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void leave(struct filter *filter, unsigned state)
{
	__atomic_store_n(&filter->state, filter->state - TAKEN + state, __ATOMIC_RELEASE);
}

/* Filters that are too many are taken as the strict mode. */
size_t wm_filter_add(unsigned long mode, const struct sock_fprog *program, bool guest)
{
	size_t index = 0;
	while (index < MOST_FILTERS && !take(&filters[index]))
		index++;
	wm_filter_any = true;
	if (index == MOST_FILTERS) {
		__atomic_add_fetch(&without_slot, 1, __ATOMIC_ACQ_REL);
		return index;
	}
	struct filter *filter = &filters[index];
	filter->word = NULL;
	__atomic_store_n(&filter->size, 0, __ATOMIC_RELAXED);
	if (mode != SECCOMP_MODE_STRICT && (mode != SECCOMP_MODE_FILTER || !copy_program(filter, program))) {
		leave(filter, FREE);
		return WM_FILTER_NONE;
	}
	filter->holder = guest ? sys_gettid() : 0;
	filter->word = guest ? guest_word(filter->holder) : NULL;
	leave(filter, KNOWN);
	return index;
}

void wm_filter_remove(size_t index)
{
	if (index < MOST_FILTERS)
		__atomic_sub_fetch(&filters[index].state, KNOWN - FREE, __ATOMIC_RELEASE);
	else if (index != WM_FILTER_NONE)
		__atomic_sub_fetch(&without_slot, 1, __ATOMIC_RELEASE);
}

void wm_filter_forked(int thread)
{
	if (thread <= 0)
		return;
	for (size_t i = 0; i < MOST_FILTERS; i++) {
		struct filter *filter = &filters[i];
		if (filter->state % STATES == KNOWN && filter->word && filter->holder != thread)
			wm_filter_remove(i);
		filter->word = NULL;
		guests[i] = 0;
	}
}
