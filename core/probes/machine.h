/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The interpreter: it executes one activation of a function under a probe program.
 *
 * A program without ends (before the pass `ends`) reports the total of every path to counters.total.  A program with
 * ends executes them, and calls the other three functions where a compiled program would increment a cell, probe its
 * hash table or call the runtime.
 */
#ifndef WM_CORE_PROBES_MACHINE_H
#define WM_CORE_PROBES_MACHINE_H

#include "core/probes/counting.h"

struct wm_sequence;
struct wm_counters {
	void *closure;
	void (*total)(void *closure, uint64_t total, uint64_t amount);
	void (*cell)(void *closure, uint32_t cell, uint64_t amount);
	/* If the hash table has this path, adds to its count and returns true. */
	bool (*find)(void *closure, uint64_t id, uint64_t amount);
	/* The runtime counts this path. */
	void (*call)(void *closure, uint64_t id, uint64_t amount);
	/* Recordings: the subpath is appended to the stream; FRAME, or with `land` LAND, is. */
	void (*append)(void *closure, uint64_t id);
	void (*frame)(void *closure, bool land);
};

struct wm_machine {
	const struct wm_plan *plan;
	const struct wm_probe_program *program;
	const struct wm_counting *counting; /* for programs with ends */
	struct wm_counters counters;
	struct wm_sequence *sequence; /* for plans with sequences; sequence->count is called instead of `counters` */
	/* The state of the activation. */
	uint32_t block, last_edge;
	uint64_t r, l, outer;
	uint64_t *trips, *before; /* program->trip_loop_count each; may be NULL when that is 0 */
	uint64_t *saved; /* program->saved_count; may be NULL when that is 0 */
	uint64_t sum, window, done; /* core/probes/window.h */
};
void wm_machine_enter(struct wm_machine *machine);
/* Takes the edge to the next block.  WM_BAD_PATH: there is no such edge. */
enum wm_status wm_machine_step(struct wm_machine *machine, uint32_t next_block);
/* On the graph of parts (core/graph/parts.h): the call that the last step was over has returned. */
void wm_machine_return(struct wm_machine *machine);
/* Leaves the function.  WM_BAD_PATH: the current block is not an exit block. */
enum wm_status wm_machine_exit(struct wm_machine *machine);

#endif
