/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A random graph with its plan, its paths listed, random sets of them and random walks. */
#ifndef WM_TEST_CORE_SAMPLE_H
#define WM_TEST_CORE_SAMPLE_H

#include "core/paths/pathset.h"
#include "core/probes/place.h"
#include "test/core/oracle.h"
#include "test/core/placing.h"
#include "test/core/random_graph.h"

struct sample {
	struct wm_arena arena;
	struct random random;
	struct wm_graph graph;
	struct wm_plan plan;
	struct oracle oracle;
};
/* false: it has more than `most` paths; release it all the same. */
bool sample_init(struct sample *sample, uint64_t seed, uint32_t size, uint32_t most);
void sample_release(struct sample *sample);

/* Of every size: none, one, some, most, all. */
void sample_set(struct sample *sample, struct wm_path_set *set);

#define SAMPLE_WALK 120
/* A walk from the entry; *left tells whether it ran to an exit. */
uint32_t sample_walk(struct sample *sample, uint32_t *walk, bool *left);
/* Runs the walk; each->count gets every total. */
void sample_run(struct sample *sample, const struct wm_probe_program *program, const uint32_t *walk, uint32_t length,
	bool left, struct each_path *each);

/* The graph of a text. */
void sample_parse(struct sample *sample, const char *text);

#endif
