/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Chooses the traces of superblocks (core/superblock/superblock.h) from the paths of a function that were executed.
 *
 * A trace is worth its copies only if something is decided on it that is not decided elsewhere: a decision whose outcome follows
 * from the way by which it was reached.  Edge counts cannot show that (thesis07, section 2.3.1, figure 2.1); paths do.  So for
 * every decision the ways by which paths reached it are collected, longer ways after shorter ones, and the trace is the shortest way
 * that decides: after a join, the blocks no longer determine the outcome.  The evidence is:
 *
 *     decided      by the facts (core/graph/facts.h) that hold on the way, the decision has one outcome: LLVM will find that out,
 *                  too, and remove the decision from the copy
 *     iterated     as determined, by an earlier iteration of a loop
 *     determined   always, or nearly, the paths have the same outcome after this way, and other outcomes after others.  LLVM cannot
 *                  remove the decision, but lays the copies out so that they are straight
 *     hot          all paths that ran often enough, whether anything is decided or not: the superblocks of Hwu and Mahlke
 *     all          all paths that ran, for tests
 *
 * Decided traces are formed.  The others gained nothing on bzip2, zlib, Lua and Expat: against edges alone, programs with iterated
 * traces took 1 to 6 % more time (without zlib; although a state machine became 26 % faster than plain with them), programs with
 * traces that are determined inside an iteration took 0 to 5 % more time, and programs with hot traces 4 to 8 % (the least of five
 * runs each).  Today's processors predict such decisions from the branches before, without copies.  The decision of a loop to be
 * entered is left to LLVM, which rotates loops, and so are decided traces that copy less than WM_SUPERBLOCK_LEAST instructions inside
 * an iteration, because LLVM threads jumps over them by itself: with these, bzip2 executed 0.5 % more instructions, zlib 0.2 % fewer.
 *
 * A trace must also have been executed often enough for the size of its copies, of all executions of paths of the program.  Loops
 * may become irreducible by traces over several iterations: what an iteration decides for the next one is worth more than what LLVM
 * could do for the loop (a state machine is an example).
 */
#ifndef WM_POLICY_CHOSEN_SUPERBLOCKS_H
#define WM_POLICY_CHOSEN_SUPERBLOCKS_H

#include "core/graph/facts.h"
#include "core/superblock/routing.h"
#include "core/superblock/superblock.h"

enum wm_superblock_evidence {
	WM_EVIDENCE_DECIDED,
	WM_EVIDENCE_ITERATED,
	WM_EVIDENCE_DETERMINED,
	WM_EVIDENCE_HOT,
	WM_EVIDENCE_ALL,
};
/* What a build forms unless a test says otherwise. */
#define WM_SUPERBLOCK_EVIDENCE WM_EVIDENCE_DECIDED

/* The longest way to a decision that is considered, in blocks. */
#define WM_SUPERBLOCK_WAY 32
/* Of this many executions of a determined decision, at most one has another outcome. */
#define WM_SUPERBLOCK_EXCEPTIONS 256
/* A copied instruction must be executed once in this many executions of paths of the program. */
#define WM_SUPERBLOCK_RARE 20000
/* Inside an iteration, decided traces that copy fewer instructions than this are left to LLVM's jump threading, which copies up to
 * six instructions of optimised code; here code is not optimised yet. */
#define WM_SUPERBLOCK_LEAST 16
/* Functions may grow by this percentage of their instructions, and small ones by this many instructions at least. */
#define WM_SUPERBLOCK_GROWTH 50
#define WM_SUPERBLOCK_SMALL 100

struct wm_superblock_request {
	const struct wm_graph *graph;
	const struct wm_facts *facts; /* NULL: none are known */
	const struct wm_routed_path *path;
	size_t path_count;
	double executions; /* of all paths of the program */
	const uint32_t *size; /* instructions per block */
	uint32_t growth; /* percentage of the function's size */
	uint32_t small; /* instructions by which every function may grow */
	/* Traces with this evidence are formed, and those with evidence that comes before in the enum. */
	enum wm_superblock_evidence evidence;
};

/* A trace that was formed, for remarks. */
struct wm_formed_trace {
	struct wm_trace trace;
	enum wm_superblock_evidence evidence;
	uint32_t edge; /* the outcome of the last block of the trace; WM_NONE: none */
	uint64_t count; /* executions of the trace */
	uint64_t taken; /* of these with the outcome */
	double worth; /* what it is expected to gain for every copied instruction */
};

struct wm_formation {
	struct wm_shape shape; /* blocks that are not executed are `unlikely` */
	struct wm_routing routing; /* the counts of the shape */
	uint64_t size, original_size;
	uint32_t trace_count;
	struct wm_formed_trace *trace; /* descending worth */
	uint32_t refused_count; /* traces that were worth it, but a limit would have been exceeded */
};

/* The paths must be paths of the graph.  WM_UNKNOWN: no trace is worth it or within the limits; only refused_count is set.
 * WM_NO_MEMORY.  O(paths · length · WM_SUPERBLOCK_WAY) and O(blocks + edges) for each trace that is tried. */
enum wm_status wm_superblocks_form(
	struct wm_formation *formation, const struct wm_superblock_request *request, struct wm_arena *arena);

#endif
