/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/trace/trace_follow.h"
#include "hardware/trace/trace_words.h"

#include <stdlib.h>
#include <string.h>

enum { SAVED_MAX = 16, THREADS_MAX = 1 << 20 };

/* A block that runs, or that a signal interrupted. */
struct running {
	const struct wm_trace_block *block; /* NULL: none */
	uint64_t frame;
	uint32_t first; /* earlier instructions have been counted */
};

/* A block that a signal interrupted, and the stack pointer its handler started with. */
struct interrupted {
	struct running run;
	uint64_t stack;
};

struct thread {
	uint32_t number;
	struct running now;
	struct interrupted saved[SAVED_MAX]; /* innermost last; the oldest is given up */
	size_t saved_count;
	uint64_t entry; /* WM_WORD_ENTRY of the block that starts next; 0: none */
	bool returning, ended;
	bool returned; /* from a handler, since the last step that was passed on */
	struct wm_hw_access *access;
	size_t access_count, access_capacity;
};

struct wm_follow {
	const struct wm_trace_program *program;
	struct wm_follow_sink sink;
	bool stacks_returns;
	struct thread **thread; /* by number; NULL: not seen, or ended */
	size_t thread_capacity;
	struct wm_follow_stats stats;
	struct wm_hw_run run; /* steps that are not passed on yet; between calls, there are none */
	bool stopped; /* a run ended following */
};

struct wm_follow *wm_follow_new(const struct wm_trace_program *program, const struct wm_follow_sink *sink)
{
	struct wm_follow *follow = calloc(1, sizeof(*follow));
	if (!follow)
		return NULL;
	follow->program = program;
	follow->sink = *sink;
	follow->stacks_returns = wm_hw_arch_stacks_returns(program->arch);
	return follow;
}

static void free_thread(struct thread *thread)
{
	if (!thread)
		return;
	free(thread->access);
	free(thread);
}

void wm_follow_free(struct wm_follow *follow)
{
	if (!follow)
		return;
	for (size_t i = 0; i < follow->thread_capacity; i++)
		free_thread(follow->thread[i]);
	free(follow->thread);
	free(follow);
}

static bool make_room(struct wm_follow *follow, uint32_t number)
{
	if (number < follow->thread_capacity)
		return true;
	size_t capacity = follow->thread_capacity ? 2 * follow->thread_capacity : 16;
	while (capacity <= number)
		capacity *= 2;
	struct thread **thread = realloc(follow->thread, capacity * sizeof(struct thread *));
	if (!thread)
		return false;
	memset(thread + follow->thread_capacity, 0, (capacity - follow->thread_capacity) * sizeof(struct thread *));
	follow->thread = thread;
	follow->thread_capacity = capacity;
	return true;
}

static struct thread *find_thread(struct wm_follow *follow, uint32_t number)
{
	if (!make_room(follow, number))
		return NULL;
	if (!follow->thread[number]) {
		follow->thread[number] = calloc(1, sizeof(struct thread));
		if (!follow->thread[number])
			return NULL;
		follow->thread[number]->number = number;
		follow->stats.threads++;
	}
	return follow->thread[number];
}

/* Passing steps on. */

static void pass_run(struct wm_follow *follow)
{
	struct wm_hw_run *run = &follow->run;
	if (!run->count)
		return;
	follow->stats.steps += run->count;
	follow->stats.instructions += run->instructions;
	follow->stopped |= !follow->sink.run(follow->sink.closure, run);
	run->count = 0;
}

/* The step of a block that was executed up to its end, after which `next` starts. */
static inline void set_run_step(struct wm_hw_run_step *step, const struct running *now, uint64_t next)
{
	const struct wm_trace_block *b = now->block;
	_Static_assert(WM_HW_TYPE_BACKWARD == WM_HW_TYPE_FORWARD + 1, "a backward branch is one more");
	step->next = next;
	step->frame = now->frame;
	step->instructions = b->block.insn_count - now->first;
	step->type = (uint8_t)(b->type + (b->type == WM_HW_TYPE_FORWARD && next <= b->last));
	step->taken = b->branch != WM_HW_CONDITIONAL || next != b->block.end;
}

static void begin_run(struct wm_hw_run *run, const struct thread *thread)
{
	run->thread = thread->number;
	run->start = thread->now.block->block.start;
	run->instructions = 0;
}

static void add_to_run(struct wm_follow *follow, const struct thread *thread, uint64_t next)
{
	struct wm_hw_run *run = &follow->run;
	if (!run->count)
		begin_run(run, thread);
	set_run_step(&run->step[run->count], &thread->now, next);
	run->instructions += run->step[run->count].instructions;
	if (++run->count == WM_HW_RUN_MAX)
		pass_run(follow);
}

static bool pass(struct wm_follow *follow, struct thread *thread, struct wm_hw_step *step)
{
	pass_run(follow);
	if (follow->stopped)
		return false;
	follow->stats.steps++;
	follow->stats.instructions += step->end - step->first;
	step->thread = thread->number;
	step->returned = thread->returned;
	thread->returned = false;
	if (follow->sink.accesses) {
		step->access = thread->access;
		step->access_count = thread->access_count;
	}
	return follow->sink.step(follow->sink.closure, step);
}

static uint32_t insns_before(const struct wm_hw_block *block, uint64_t address)
{
	uint32_t i = 0;
	while (i < block->insn_count && block->insn[i].address < address)
		i++;
	return i;
}

static bool pass_whole(struct wm_follow *follow, struct thread *thread, const struct running *run, uint64_t next)
{
	const struct wm_trace_block *b = run->block;
	bool taken = b->branch != WM_HW_NO_BRANCH && (b->branch != WM_HW_CONDITIONAL || next != b->block.end);
	if (follow->sink.run && !thread->returned) {
		add_to_run(follow, thread, next);
		return !follow->stopped;
	}
	return pass(follow, thread,
		&(struct wm_hw_step){.block = &b->block,
			.first = run->first,
			.end = b->block.insn_count,
			.next = next,
			.frame = run->frame,
			.taken = taken});
}

static bool pass_part(struct wm_follow *follow, struct thread *thread, const struct running *run, uint64_t next)
{
	uint32_t end = insns_before(&run->block->block, next);
	return pass(follow, thread,
		&(struct wm_hw_step){.block = &run->block->block,
			.first = run->first < end ? run->first : end,
			.end = end,
			.next = next,
			.diverted = true});
}

static bool interrupt(struct wm_follow *follow, struct thread *thread, uint64_t next)
{
	if (thread->saved_count == SAVED_MAX) {
		thread->saved_count--;
		memmove(thread->saved, thread->saved + 1, thread->saved_count * sizeof(*thread->saved));
	}
	thread->saved[thread->saved_count++] =
		(struct interrupted){.run = thread->now, .stack = thread->entry & WM_WORD_ADDRESS_MASK};
	follow->stats.signals++;
	follow->stats.unexplained += !(thread->entry & WM_WORD_DELIVERED);
	uint32_t first = thread->now.first;
	return pass(follow, thread,
		&(struct wm_hw_step){.block = &thread->now.block->block,
			.first = first,
			.end = first,
			.next = next,
			.diverted = true,
			.signalled = true});
}

/* Whether the block's last instruction can have led to `next`. */
static inline bool leads_to(const struct wm_follow *follow, const struct running *run, uint64_t next)
{
	const struct wm_trace_block *b = run->block;
	if (next == b->fall || next == b->target)
		return true;
	switch ((enum wm_hw_branch)b->branch) {
	case WM_HW_NO_BRANCH:
		return b->flags & WM_HW_REPEATS && next == b->last;
	case WM_HW_CONDITIONAL:
	case WM_HW_CALL:
	case WM_HW_JUMP:
		return false;
	case WM_HW_CALL_INDIRECT:
	case WM_HW_RETURN: /* its access of the stack may have faulted */
		return !follow->stacks_returns || run->frame;
	case WM_HW_JUMP_INDIRECT:
		return true;
	case WM_HW_BRANCH_COUNT:
		break;
	}
	return false;
}

static bool inside(const struct running *run, uint64_t address)
{
	return address - run->block->block.start < run->block->block.end - run->block->block.start;
}

/* Whether `next` starts because a signal was delivered. */
static bool is_delivery(const struct wm_follow *follow, const struct thread *thread, uint64_t next)
{
	if (!(thread->entry & WM_WORD_DELIVERED))
		return false;
	enum wm_hw_branch branch = (enum wm_hw_branch)thread->now.block->branch;
	bool jumps = branch == WM_HW_JUMP || branch == WM_HW_CONDITIONAL || branch == WM_HW_JUMP_INDIRECT;
	const struct interrupted *last = thread->saved_count ? &thread->saved[thread->saved_count - 1] : NULL;
	return !(jumps && leads_to(follow, &thread->now, next) && last &&
		 last->stack == (thread->entry & WM_WORD_ADDRESS_MASK));
}

/* The frame address where the running block's call or return stacks nothing. */
static void land(const struct wm_follow *follow, struct thread *thread)
{
	enum wm_hw_branch branch = (enum wm_hw_branch)thread->now.block->branch;
	if (thread->entry && !follow->stacks_returns &&
		(branch == WM_HW_CALL || branch == WM_HW_CALL_INDIRECT || branch == WM_HW_RETURN))
		thread->now.frame = thread->entry & WM_WORD_ADDRESS_MASK;
}

/* The running block is over, and `next` starts.  The instructions of the block that returns
 * from a handler belong to nobody. */
static bool leave_handler(struct wm_follow *follow, struct thread *thread, uint64_t next)
{
	bool returned = thread->returning;
	if (returned) {
		pass_run(follow);
		thread->returning = false;
		thread->returned = true;
		if (!thread->saved_count)
			return true;
		thread->now = thread->saved[--thread->saved_count].run;
		thread->access_count = 0;
	}
	if (is_delivery(follow, thread, next))
		return interrupt(follow, thread, next);
	land(follow, thread);
	/* A handler may change where it returns to. */
	if (returned && !leads_to(follow, &thread->now, next) && !inside(&thread->now, next))
		return true;
	if (leads_to(follow, &thread->now, next))
		return pass_whole(follow, thread, &thread->now, next);
	return inside(&thread->now, next) ? pass_part(follow, thread, &thread->now, next)
					  : interrupt(follow, thread, next);
}

static bool enter_block(struct wm_follow *follow, struct thread *thread, const struct wm_trace_block *next)
{
	bool again = false;
	if (thread->now.block) {
		const struct wm_trace_block *b = thread->now.block;
		again = b->flags & WM_HW_REPEATS && next->block.start == b->last;
		if (!leave_handler(follow, thread, next->block.start))
			return false;
	}
	thread->now = (struct running){.block = next, .first = again};
	thread->access_count = 0;
	thread->entry = 0;
	return true;
}

static bool add_access(struct thread *thread, uint64_t word)
{
	if (thread->access_count == thread->access_capacity) {
		size_t capacity = thread->access_capacity ? 2 * thread->access_capacity : 64;
		struct wm_hw_access *access = realloc(thread->access, capacity * sizeof(*access));
		if (!access)
			return false;
		thread->access = access;
		thread->access_capacity = capacity;
	}
	thread->access[thread->access_count++] = (struct wm_hw_access){.address = word & WM_WORD_ADDRESS_MASK,
		.insn = (uint16_t)(word >> 52 & WM_WORD_INSN_MAX),
		.size = (uint8_t)(1u << (word >> 48 & 7)),
		.store = word >> 51 & 1};
	return true;
}

/* An access by the running block, which may tell the frame address.  False: the block has no such instruction. */
static inline bool take_frame(const struct wm_follow *follow, struct running *now, uint64_t word)
{
	const struct wm_trace_block *b = now->block;
	unsigned insn = word >> 52 & WM_WORD_INSN_MAX, last = b->block.insn_count - 1;
	if (insn > last)
		return false;
	bool store = word >> 51 & 1, calls = b->branch == WM_HW_CALL || b->branch == WM_HW_CALL_INDIRECT;
	/* The first one: QEMU 7.2 may report accesses of the delivery of a signal after it. */
	if (insn == last && follow->stacks_returns && !now->frame && (store ? calls : b->branch == WM_HW_RETURN))
		now->frame = word & WM_WORD_ADDRESS_MASK;
	return true;
}

static enum wm_trace_status take_access(struct wm_follow *follow, struct thread *thread, uint64_t word)
{
	if (!thread->now.block)
		return WM_TRACE_OK;
	if (!take_frame(follow, &thread->now, word))
		return WM_TRACE_DAMAGED;
	return !follow->sink.accesses || add_access(thread, word) ? WM_TRACE_OK : WM_TRACE_NO_MEMORY;
}

static bool end_thread(struct wm_follow *follow, struct thread *thread)
{
	const struct wm_trace_block *b = thread->now.block;
	thread->ended = true;
	return !b || pass(follow, thread,
			     &(struct wm_hw_step){.block = &b->block,
				     .first = thread->now.first,
				     .end = b->block.insn_count,
				     .next = b->block.end,
				     .diverted = true,
				     .ended = true});
}

static enum wm_trace_status take_control(struct wm_follow *follow, struct thread *thread, uint32_t control)
{
	switch (control) {
	case WM_CONTROL_SIGRETURN:
		thread->returning = thread->now.block != NULL;
		return WM_TRACE_OK;
	case WM_CONTROL_EXIT:
		return end_thread(follow, thread) ? WM_TRACE_OK : WM_TRACE_END;
	case WM_CONTROL_EXEC:
		follow->stats.execs++;
		return WM_TRACE_OK;
	case WM_CONTROL_LOST:
		follow->stats.lost++;
		pass_run(follow);
		thread->now.block = NULL;
		return WM_TRACE_OK;
	}
	return WM_TRACE_DAMAGED;
}

/* Adds the next block to the run.  False: more than a branch leads to it, or the branch was not seen to. */
static inline bool add_block(
	const struct wm_follow *follow, struct wm_hw_run *run, struct running *now, const struct wm_trace_block *next)
{
	struct wm_hw_run_step *step = &run->step[run->count];
	if (now->block->flags & WM_HW_REPEATS || !leads_to(follow, now, next->block.start))
		return false;
	set_run_step(step, now, next->block.start);
	run->instructions += step->instructions;
	run->count++;
	*now = (struct running){.block = next};
	return true;
}

/* Takes the words from the first on that need not be passed on before the next one is known: ordinary blocks and their
 * frame addresses.  The same as take_word for each.  Returns how many words were taken, at most until the run is full. */
static size_t take_blocks(struct wm_follow *follow, struct thread *thread, const uint64_t *word, size_t count)
{
	const struct wm_trace_program *program = follow->program;
	struct wm_hw_run *run = &follow->run;
	struct running now = thread->now;
	size_t i = 0;
	if (!now.block || thread->returning || thread->returned || thread->entry)
		return 0;
	if (!run->count)
		begin_run(run, thread);
	for (bool taken = true; i < count && run->count < WM_HW_RUN_MAX; i++) {
		if (word[i] < program->block_count)
			taken = add_block(follow, run, &now, wm_trace_program_block(program, word[i]));
		else
			taken = wm_word_kind(word[i]) == WM_WORD_ACCESS && take_frame(follow, &now, word[i]);
		if (!taken)
			break;
	}
	thread->now = now;
	if (run->count == WM_HW_RUN_MAX)
		pass_run(follow);
	return i;
}

static enum wm_trace_status take_word(struct wm_follow *follow, struct thread *thread, uint64_t word)
{
	/* Most words: the kind of a block is 0. */
	if (word < follow->program->block_count)
		return enter_block(follow, thread, wm_trace_program_block(follow->program, word)) ? WM_TRACE_OK
												  : WM_TRACE_END;
	switch (wm_word_kind(word)) {
	case WM_WORD_BLOCK:
		return WM_TRACE_DAMAGED;
	case WM_WORD_ACCESS:
		return take_access(follow, thread, word);
	case WM_WORD_CONTROL:
		return take_control(follow, thread, (uint32_t)word);
	case WM_WORD_ENTRY:
		thread->entry = word;
		return WM_TRACE_OK;
	}
	return WM_TRACE_DAMAGED;
}

enum wm_trace_status wm_follow_words(struct wm_follow *follow, uint32_t number, const uint64_t *word, size_t count)
{
	if (number >= THREADS_MAX)
		return WM_TRACE_DAMAGED;
	struct thread *thread = find_thread(follow, number);
	if (!thread)
		return WM_TRACE_NO_MEMORY;
	enum wm_trace_status status = WM_TRACE_OK;
	follow->stats.words += count;
	for (size_t i = 0; i < count && !thread->ended && !status && !follow->stopped;) {
		size_t taken = follow->sink.run ? take_blocks(follow, thread, word + i, count - i) : 0;
		if (!taken)
			status = take_word(follow, thread, word[i]);
		i += taken ? taken : 1;
	}
	pass_run(follow);
	return follow->stopped ? WM_TRACE_END : status;
}

enum wm_trace_status wm_follow_finish(struct wm_follow *follow)
{
	for (size_t i = 0; i < follow->thread_capacity; i++)
		if (follow->thread[i] && !follow->thread[i]->ended && !end_thread(follow, follow->thread[i]))
			return WM_TRACE_END;
	return WM_TRACE_OK;
}

const struct wm_follow_stats *wm_follow_stats(const struct wm_follow *follow)
{
	return &follow->stats;
}
