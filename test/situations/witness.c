/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses what a situation does, and compares frames (abi/crash.h) with activations.  See situations.h. */
#include "abi/crash.h"
#include "abi/thread.h"
#include "situations.h"
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Choices: a sequence of digits, counted up ----------------------------------------------- */

enum { MOST_CHOICES = 64 };
static int answer[MOST_CHOICES], ways_of[MOST_CHOICES], asked, given;

static int next_answer(int ways)
{
	if (asked == MOST_CHOICES) {
		fprintf(stderr, "too many choices\n");
		exit(2);
	}
	if (asked == given)
		answer[given++] = 0;
	ways_of[asked] = ways;
	return answer[asked++];
}

int next_run(void)
{
	given = asked;
	while (given && answer[given - 1] + 1 == ways_of[given - 1])
		given--;
	asked = 0;
	if (given)
		answer[given - 1]++;
	return given;
}

/* ---- Frames ------------------------------------------------------------------------------------ */

static long checks, steps, wrong;
static int stepping; /* the code of situations is executed one instruction at a time */
static int handling; /* a handler runs */

#ifdef FRAMES
extern __thread struct wm_thread __wm_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Each function has one tag, and each tag belongs to one function. */
enum { MOST_FUNCTIONS = 1 << 16 };
static struct {
	const struct function *function;
	uint32_t tag;
} known[MOST_FUNCTIONS], owner[MOST_FUNCTIONS];

static uint32_t place(uint64_t value)
{
	return (uint32_t)(value * 0x9E3779B97F4A7C15u >> 48);
}

static int belongs(const struct function *function, uint32_t tag)
{
	uint32_t f = place((uintptr_t)function), t = place(tag);
	while (known[f].function && known[f].function != function)
		f = (f + 1) % MOST_FUNCTIONS;
	while (owner[t].function && owner[t].tag != tag)
		t = (t + 1) % MOST_FUNCTIONS;
	if (!known[f].function && !owner[t].function) {
		known[f].function = owner[t].function = function;
		known[f].tag = owner[t].tag = tag;
	}
	return known[f].tag == tag && owner[t].function == function;
}

static void complain(const struct link *here, const char *what)
{
	if (wrong++ >= 5)
		return;
	fprintf(stderr, "%s in run", what);
	for (int i = 0; i < asked; i++)
		fprintf(stderr, " %d", answer[i]);
	for (const struct link *l = here; l; l = l->outer)
		fprintf(stderr, "\n\t%s", l->function->name);
	fprintf(stderr, "\n");
}

/* The frames from the first one on: that of main, on the first page. */
static const struct wm_crash_frame *first_slot;

static const struct wm_crash_frame *after_frame(const struct wm_crash_frame *slot)
{
	uint32_t more = slot[1].tag;
	return slot + 1 + (more & WM_CRASH_MORE ? wm_crash_more(more & ~WM_CRASH_MORE) : 0);
}

static int same_stack(const struct wm_crash_frame **slot, const struct link *here)
{
	if (here->outer && !same_stack(slot, here->outer))
		return 0;
	uint32_t tag = (*slot)->tag;
	*slot = after_frame(*slot);
	return belongs(here->function, tag);
}

/* A handler of signals may find a frame that is taken but not written yet; so only its own is compared. */
static void check_frames(const struct link *here)
{
	const struct wm_crash_frame *top = (const void *)__wm_thread.crash_top;
	if (!first_slot)
		first_slot = (const void *)(((uintptr_t)top & ~(uintptr_t)4095) + WM_CRASH_SLACK);
	const struct wm_crash_frame *slot = handling ? top - 1 : first_slot;
	if (!same_stack(&slot, here))
		complain(here, "the frames are not the activations");
	else if (slot != top || top->tag)
		complain(here, "the stack does not end at its top");
}
#else
static void check_frames(const struct link *here)
{
	(void)here;
}
#endif

/* ---- Signals ------------------------------------------------------------------------------------- */

static void set_trap_flag(void)
{
	__asm__ volatile("pushfq\norq $0x100, (%%rsp)\npopfq" ::: "memory", "cc");
}

static void clear_trap_flag(void)
{
	__asm__ volatile("pushfq\nandq $~0x100, (%%rsp)\npopfq" ::: "memory", "cc");
}

static void on_step(int number)
{
	steps++;
	handling = 1;
	handled(number);
	handling = 0;
}

void single_step(int on)
{
	struct sigaction action = {.sa_handler = on_step};
	if (stepping)
		clear_trap_flag();
	sigaction(SIGTRAP, &action, NULL);
	stepping = on;
	if (on)
		set_trap_flag();
}

/* ---- What situations call -------------------------------------------------------------------------- */

void at(const struct link *here)
{
	if (stepping && !handling)
		clear_trap_flag();
	checks++;
	check_frames(here);
	if (stepping && !handling)
		set_trap_flag();
}

/* Neither the unwinder nor longjmp is executed in steps: they would take millions. */
int choose(int ways)
{
	if (stepping)
		clear_trap_flag();
	int chosen = next_answer(ways);
	if (stepping && !chosen)
		set_trap_flag();
	return chosen;
}

void judge(long runs)
{
	printf("%ld runs, %ld places, %ld interrupts, %ld errors\n", runs, checks, steps, wrong);
	exit(wrong != 0);
}
