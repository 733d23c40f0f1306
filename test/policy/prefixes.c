/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/policy/prefixes.h"
#include "test/core/support.h"
#include <stdlib.h>

uint32_t prefixes_seen[WM_PREFIX_SECOND + 1];

/* A block to which a single prefix leads has a constant sum, also where no register is. */
static void check_only(struct prefixes *p, uint32_t block)
{
	uint64_t sum = 0;
	const struct wm_prefix_sum *at = &p->sums.block[block];
	enum wm_status status = wm_prefix_only(p->choice->plan, block, &sum, &p->arena);
	bool reached = p->choice->plan->dfs.position[block] != WM_NONE;
	assert_true(status == WM_OK || status == WM_BAD_PATH);
	if (at->place == WM_PREFIX_CONSTANT && reached)
		assert_true(status == WM_OK && sum == at->missing);
	else if (at->place != WM_PREFIX_CONSTANT && at->place != WM_PREFIX_UNKNOWN)
		assert_int_equal(status, WM_BAD_PATH);
}

void prefixes_init(struct prefixes *p, const struct wm_plan *plan, const struct wm_store_choice *choice, bool second)
{
	struct wm_weights weights;
	*p = (struct prefixes){.choice = choice, .plan = plan};
	wm_arena_init(&p->arena);
	second &= !choice->shape;
	assert_int_equal(wm_weights_static(&weights, plan->graph, &plan->dfs, &p->arena), WM_OK);
	uint32_t blocks = choice->plan->graph->block_count;
	bool *wanted = WM_NEW(&p->arena, bool, blocks);
	p->path = WM_NEW(&p->arena, uint32_t, blocks);
	for (uint32_t b = 0; b < blocks; b++)
		wanted[b] = b % 3 != 0;
	assert_int_equal(wm_prefix_sums_find(&p->sums, choice->plan, &choice->program, &choice->counting, wanted,
				 second ? &weights : NULL, &p->arena),
		WM_OK);
	for (uint32_t b = 0; b < blocks; b++)
		check_only(p, b);
	for (uint32_t b = 0; b < blocks; b++)
		assert_true(!second || !wanted[b] || p->sums.block[b].place != WM_PREFIX_UNKNOWN ||
			    choice->plan->dfs.position[b] == WM_NONE);
}

static void run(struct prefixes *p, const struct wm_probe *probe)
{
	for (uint32_t i = 0; i < probe->count; i++) {
		assert_true(probe->action[i].kind == WM_ACTION_SET || probe->action[i].kind == WM_ACTION_ADD);
		p->second = (uint64_t)probe->action[i].value + (probe->action[i].kind == WM_ACTION_ADD ? p->second : 0);
	}
}

static uint64_t sum_of(const struct prefixes *p, const struct wm_prefix_sum *at, uint64_t r)
{
	uint64_t value = at->place == WM_PREFIX_REGISTER ? r : at->place == WM_PREFIX_SECOND ? p->second : 0;
	return (value + at->missing) & (at->bits == 64 ? UINT64_MAX : ((uint64_t)1 << at->bits) - 1);
}

/* The plan of the function itself has the same sums. */
static void check_origins(struct prefixes *p, uint32_t block, uint64_t sum)
{
	const uint32_t *origin = p->choice->shape->origin;
	struct wm_block_path path = {0};
	assert_int_equal(wm_prefix_decode(p->plan, origin[block], sum, &path, &p->arena), WM_OK);
	assert_int_equal(path.length, p->length);
	for (uint32_t i = 0; i < path.length; i++)
		assert_int_equal(path.block[i], origin[p->path[i]]);
}

static void check(struct prefixes *p, const struct wm_machine *machine)
{
	const struct wm_frame *frame = wm_machine_top(machine);
	const struct wm_prefix_sum *at = &p->sums.block[frame->block];
	struct wm_block_path path = {0};
	prefixes_seen[at->place]++;
	if (at->place == WM_PREFIX_UNKNOWN)
		return;
	uint64_t r = p->choice->counting.width == 32 ? frame->r | 0xABCD00000000u : frame->r;
	assert_int_equal(wm_prefix_decode(p->choice->plan, frame->block, sum_of(p, at, r), &path, &p->arena), WM_OK);
	assert_int_equal(path.length, p->length);
	assert_memory_equal(path.block, p->path, p->length * sizeof *p->path);
	if (p->choice->shape)
		check_origins(p, frame->block, sum_of(p, at, r));
}

void prefixes_enter(struct prefixes *p, const struct wm_machine *machine)
{
	p->second = 0x123456789ABCDEF;
	p->path[0] = 0;
	p->length = 1;
	if (p->sums.second)
		run(p, &p->sums.second->entry);
	check(p, machine);
}

void prefixes_step(struct prefixes *p, const struct wm_machine *machine, uint32_t from)
{
	const struct wm_plan *plan = p->choice->plan;
	uint32_t edge = wm_graph_find_edge(plan->graph, from, wm_machine_top(machine)->block);
	if (p->sums.second)
		run(p, &p->sums.second->edge[edge]);
	if (plan->dfs.back_edge[edge] || (plan->cut && plan->cut[edge]))
		p->length = 0;
	p->path[p->length++] = wm_machine_top(machine)->block;
	check(p, machine);
}

void prefixes_release(struct prefixes *p)
{
	wm_arena_release(&p->arena);
}
