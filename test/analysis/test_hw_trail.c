/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Trails of machine code, compared with the instructions that paths visit.  The code is that of this test. */
#include "analysis/machine/machine_trail.h"
#include "core/base/arena.h"
#include "test/profile/testing.h"
#include <stdlib.h>
#include <string.h>

extern const char __ehdr_start[];

enum { ROUNDS = 20000, EVENTS = 4096 };

/* What a path does, in order: 'b' a block begins, 'T' or 'N' an outcome, '(' and ')' calls and returns that are part of it. */
struct events {
	size_t count;
	char kind[EVENTS];
	uint64_t address[EVENTS]; /* of blocks */
};

static void add_event(struct events *events, char kind, uint64_t address)
{
	if (events->count == EVENTS)
		return;
	events->kind[events->count] = kind;
	events->address[events->count++] = address;
}

struct visits {
	struct events events;
	bool inside; /* the instruction is not the first one of its block */
	size_t depth;
};

static void note_visit(void *closure, const struct wm_hw_visit *visit)
{
	struct visits *v = closure;
	enum wm_hw_branch branch = (enum wm_hw_branch)visit->insn->branch;
	bool call = branch == WM_HW_CALL || branch == WM_HW_CALL_INDIRECT;
	if (!v->inside)
		add_event(&v->events, 'b', visit->insn->address);
	v->inside = branch == WM_HW_NO_BRANCH || call;
	if (visit->branches)
		add_event(&v->events, visit->taken ? 'T' : 'N', 0);
	if (visit->crosses && call) {
		add_event(&v->events, '(', 0);
		v->depth++;
		v->inside = false;
	} else if (visit->crosses) {
		add_event(&v->events, ')', 0);
		v->depth--;
		v->inside = true;
	}
}

static void note_trail(struct events *events, const struct wm_trail *trail, const struct wm_story_function *const *body)
{
	uint32_t entered[WM_HW_CALLS_MAX + 1] = {0};
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		const struct wm_map_function *map = body[step->function]->map;
		if (step->kind == WM_TRAIL_BLOCK)
			add_event(events, 'b', body[step->function]->machine.line[step->block][0]);
		else
			add_event(events, step->kind == WM_TRAIL_CALL ? '(' : ')', 0);
		if (step->kind == WM_TRAIL_BLOCK)
			entered[step->depth] = i;
		if (step->kind == WM_TRAIL_CALL || wm_trail_calls_next(trail, i))
			continue;
		uint32_t edge = trail->step[entered[step->depth]].edge;
		if (edge != WM_NONE && map->block[step->block].terminator == WM_TERM_INSTRUCTION)
			add_event(events, edge & 1 ? 'T' : 'N', 0);
	}
}

static struct wm_hw_control random_control(uint64_t *seed)
{
	struct wm_hw_control control = random_next(seed) % 2 ? wm_hw_ball_larus : wm_hw_whole_program;
	control.extension = (enum wm_hw_extension)(random_next(seed) % 3);
	control.extension_max = control.extension ? 1 + (uint32_t)(random_next(seed) % 3) : 0;
	return control;
}

static size_t compare_path(
	struct wm_hw_procedures *procedures, const struct wm_code *code, const struct wm_hw_path *path, uint64_t *seed)
{
	static struct visits visits;
	static struct events events;
	const struct wm_hw_control control = random_control(seed);
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	memset(&visits, 0, sizeof visits);
	events.count = 0;
	enum wm_hw_end end = wm_hw_walk(code, path, &control, note_visit, &visits);
	assert_int_equal(wm_hw_trail(procedures, path, &control, &trail, &arena), end);
	note_trail(&events, &trail, wm_hw_procedures_bodies(procedures));
	/* A call after which nothing is known is not part of the trail. */
	if (visits.events.count && visits.events.kind[visits.events.count - 1] == '(')
		visits.events.count--;
	assert_int_equal(events.count, visits.events.count);
	assert_memory_equal(events.kind, visits.events.kind, events.count);
	assert_memory_equal(events.address, visits.events.address, events.count * sizeof *events.address);
	wm_arena_release(&arena);
	return memchr(events.kind, ')', events.count) != NULL;
}

static void trails_have_what_paths_visit(void **state)
{
	const uint64_t first = (uint64_t)((const char *)(uintptr_t)&compare_path - __ehdr_start);
	struct wm_code code;
	uint64_t seed = 1;
	size_t returned = 0;
	(void)state;
	assert_int_equal(wm_code_open(&code, "/proc/self/exe", NULL), WM_CODE_OK);
	struct wm_hw_procedures *procedures = wm_hw_procedures_new(&code);
	for (int i = 0; i < ROUNDS; i++) {
		struct wm_hw_path path = {
			.start = first + random_next(&seed) % 2000, .length = (uint32_t)(random_next(&seed) % 12)};
		path.outcomes = (uint32_t)random_next(&seed) & ((1u << path.length) - 1);
		returned += compare_path(procedures, &code, &path, &seed);
	}
	assert_true(returned > 10);
	wm_hw_procedures_free(procedures);
	wm_code_release(&code);
}

static void bodies_are_procedures(void **state)
{
	const uint64_t start = (uint64_t)((const char *)(uintptr_t)&note_visit - __ehdr_start);
	struct wm_code code;
	struct wm_trail trail;
	struct wm_arena arena;
	(void)state;
	wm_arena_init(&arena);
	assert_int_equal(wm_code_open(&code, "/proc/self/exe", NULL), WM_CODE_OK);
	struct wm_hw_procedures *procedures = wm_hw_procedures_new(&code);
	const struct wm_hw_path path = {.start = start};
	wm_hw_trail(procedures, &path, &wm_hw_ball_larus, &trail, &arena);
	assert_true(trail.count >= 1);
	assert_int_equal(trail.start, WM_START_ENTRY);
	assert_string_equal(wm_hw_procedures_bodies(procedures)[trail.step[0].function]->brief, "note_visit");
	wm_hw_procedures_free(procedures);
	wm_code_release(&code);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trails_have_what_paths_visit),
		cmocka_unit_test(bodies_are_procedures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
