/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/core/sample.h"
#include "core/graph/cfgtext.h"
#include "test/core/placing.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

bool sample_init(struct sample *sample, uint64_t seed, uint32_t size, uint32_t most)
{
	*sample = (struct sample){.random = {seed}};
	wm_arena_init(&sample->arena);
	enum random_shape shape = (enum random_shape)(seed % RANDOM_SHAPES);
	assert_int_equal(random_graph(&sample->graph, shape, size, &sample->random, &sample->arena), WM_OK);
	assert_int_equal(wm_plan_make(&sample->plan, &sample->graph, &wm_scheme_acyclic, 0, &sample->arena), WM_OK);
	return oracle_init(&sample->oracle, &sample->graph, sample->plan.cut, most);
}

void sample_parse(struct sample *sample, const char *text)
{
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	*sample = (struct sample){0};
	wm_arena_init(&sample->arena);
	assert_int_equal(wm_cfg_parse(&cfg, text, strlen(text), &error, &sample->arena), WM_OK);
	sample->graph = cfg.function[0].graph;
	assert_int_equal(wm_plan_make(&sample->plan, &sample->graph, &wm_scheme_acyclic, 0, &sample->arena), WM_OK);
	assert_true(oracle_init(&sample->oracle, &sample->graph, NULL, 1000));
}

void sample_release(struct sample *sample)
{
	oracle_release(&sample->oracle);
	wm_arena_release(&sample->arena);
}

void sample_set(struct sample *sample, struct wm_path_set *set)
{
	uint32_t paths = sample->oracle.count, count = 0, chosen = 0, share = random_below(&sample->random, 17);
	uint64_t *ids = calloc(2 * paths + 1, sizeof *ids);
	uint32_t most = random_below(&sample->random, 3) ? paths : 1 + random_below(&sample->random, 12);
	for (uint32_t k = 0; k < paths && chosen < most; k++) {
		uint32_t i = (k * 7919u + 13) % paths;
		if (random_below(&sample->random, 16) >= share)
			continue;
		ids[count++] = i;
		chosen++;
		if (random_below(&sample->random, 10) == 0)
			ids[count++] = i;
	}
	assert_int_equal(wm_path_set_make(set, &sample->plan, ids, count, &sample->arena), WM_OK);
	assert_true(set->count <= chosen);
	free(ids);
}

uint32_t sample_walk(struct sample *sample, uint32_t *walk, bool *left)
{
	const struct wm_graph *graph = &sample->graph;
	uint32_t length = 1, stop = 1 + random_below(&sample->random, SAMPLE_WALK);
	walk[0] = 0;
	for (;;) {
		uint32_t at = walk[length - 1], degree = graph->first_edge[at + 1] - graph->first_edge[at];
		*left = degree == 0;
		if (*left || length == stop)
			return length;
		walk[length++] = graph->edge_to[graph->first_edge[at] + random_below(&sample->random, degree)];
	}
}

void sample_run(struct sample *sample, const struct wm_probe_program *program, const uint32_t *walk, uint32_t length,
	bool left, struct each_path *each)
{
	const struct wm_probed probed = {.plan = &sample->plan, .program = program};
	struct wm_machine machine = {.probed = &probed, .arena = &sample->arena, .counters = count_each_path(each)};
	assert_int_equal(wm_machine_enter(&machine, 0, false), WM_OK);
	for (uint32_t i = 1; i < length; i++)
		assert_int_equal(wm_machine_step(&machine, walk[i]), WM_OK);
	assert_int_equal(wm_machine_leave(&machine), left ? WM_OK : WM_BAD_PATH);
}
