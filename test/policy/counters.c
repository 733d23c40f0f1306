/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/policy/counters.h"
#include "test/core/support.h"
#include <stdlib.h>

void counters_init(struct counters *c, const struct wm_store_choice *choice)
{
	*c = (struct counters){.choice = choice, .paths = (uint32_t)choice->plan->numbering.path_count};
	c->cells = choice->counting.store == WM_COUNT_ARRAY ? c->paths : choice->program.cells.size;
	c->cell = calloc(c->cells + 1, sizeof *c->cell);
	c->called = calloc(c->paths, sizeof *c->called);
	c->probed =
		(struct wm_probed){.plan = choice->plan, .program = &choice->program, .counting = &choice->counting};
	wm_arena_init(&c->arena);
}

void counters_release(struct counters *c)
{
	free(c->cell);
	free(c->called);
	wm_arena_release(&c->arena);
}

static void add_cell(void *closure, uint32_t cell, uint64_t amount)
{
	struct counters *c = closure;
	assert_false(c->choice->counting.residual);
	assert_true(cell < c->cells);
	c->cell[cell] += amount;
}

static void add_path(void *closure, uint64_t id, uint64_t amount)
{
	struct counters *c = closure;
	assert_true(id < c->paths);
	c->called[id] += amount;
	c->calls++;
}

/* The table has what the runtime has seen. */
static bool find_path(void *closure, uint64_t id, uint64_t amount)
{
	struct counters *c = closure;
	assert_true(id < c->paths);
	if (!c->called[id])
		return false;
	c->called[id] += amount;
	return true;
}

struct wm_machine counters_machine(struct counters *c)
{
	return (struct wm_machine){.probed = &c->probed,
		.arena = &c->arena,
		.counters = {.closure = c, .cell = add_cell, .find = find_path, .call = add_path}};
}

void counters_add_to(const struct counters *c, uint64_t *found)
{
	for (uint32_t i = 0; i < c->cells; i++) {
		uint64_t id = c->cell[i] ? wm_probed_cell(&c->probed, i) : 0;
		assert_true(id < c->paths);
		found[id] += c->cell[i];
	}
	for (uint32_t id = 0; id < c->paths; id++)
		found[id] += c->called[id];
}
