/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A story: a profile joined with the maps of the binaries to which it belongs.
 *
 * Functions are identified by binary, key and graph hash.  A function that occurs in several modules of a binary is
 * one entry with the sum of its counts.  A function that occurs in several binaries is several entries, unless counts
 * of any program are used for every other.  A key with two graphs is two entries.  tool/story_owner.c decides to
 * which binary the counts of an object of the profile belong.  Counts that are not exact are refused by name; the
 * rest is reported.
 */
#ifndef WM_TOOL_STORY_H
#define WM_TOOL_STORY_H

#include "tool/object.h"

/* inherited + entries + restarts + resumed = completed + abandoned, exactly. */
struct wm_balance {
	uint64_t inherited, entries, restarts, resumed, completed, abandoned;
};

struct wm_story_path {
	uint64_t id, count, base;
	uint64_t first_seen, pid; /* of residual functions; 0: not known */
	uint8_t start, end; /* enum wm_start, enum wm_end */
};

enum wm_story_state {
	WM_STORY_IDLE,    /* instrumented, never ran */
	WM_STORY_RAN,
	WM_STORY_SKIPPED, /* not instrumented: map->reason */
	WM_STORY_REFUSED, /* counts exist and are not told: refusal */
};

/* A loop of which a scheme could tell more than one iteration at a time. */
struct wm_story_loop {
	uint32_t head; /* block */
	uint32_t k; /* iterations in a path */
	const char *reason; /* why not as many as asked for, or no context: one clause; else NULL */
};

/* The observable paths of a function, taken or not. */
struct wm_story_possible {
	bool countable; /* `count` is known and the graph is uncut */
	uint64_t count; /* the ids are below it */
	double log10; /* of the number of paths of the uncut graph */
};

struct wm_story_loops {
	size_t count;
	struct wm_story_loop *loop;
};

struct wm_story_names {
	size_t count;
	const struct wm_story_path *name; /* ascending ids */
};

/* The records of the profile that belong to a function. */
struct wm_story_records {
	size_t count;
	const struct wm_profile_function **record; /* of runs without a doubt */
	uint32_t apart_doubt; /* of objects that have no other runs */
	uint64_t apart_lost;
	bool elsewhere; /* another binary has a function of this key too */
	bool stale; /* the profile also counts the function in a graph that its binary does not have */
};

struct wm_story_function {
	const struct wm_map_function *map;
	const struct wm_map_module *module;
	const struct wm_object *object; /* the first that has it */
	size_t program; /* index of its binary; 0 for all if any program counts for every other */
	char *display; /* demangled, or the linkage name */
	enum wm_story_state state;
	char *refusal; /* one clause, or NULL */
	bool residual; /* only untested paths were counted; of the balance only `completed` is known */
	struct wm_story_possible possible;
	uint64_t executions; /* of paths */
	struct wm_balance balance;
	size_t ran_count; /* paths with a count; base-only paths stand behind them */
	size_t total_count;
	struct wm_story_path *path; /* descending count, then ascending id */
	struct wm_story_loops loops; /* kiter: all loops; loopcontext: those without a context */
	struct wm_story_names names; /* plans with sequences: names of paths (abi/sequence.h) */
	struct wm_plan plan; /* RAN only */
	struct wm_arena arena;
	struct wm_story_records records;
};

struct wm_story_refusal {
	char *name, *reason;
	const char *binary; /* path, of the object */
	size_t program; /* as in wm_story_function */
	uint64_t key; /* wm_map_function.key: names of local functions repeat */
};

enum wm_owner_kind {
	WM_OWNER_BUILD, /* the very binary that ran */
	WM_OWNER_PROGRAM, /* another build of the same program */
	WM_OWNER_LIKELY, /* the profile does not name the program: the only binary with all its functions */
	WM_OWNER_ANY,   /* none of the binaries, and any program counts for every other */
	WM_OWNER_UNCLEAR, /* several binaries may be */
	WM_OWNER_NONE,
};
struct wm_owner {
	enum wm_owner_kind kind;
	size_t binary; /* index; only for the first three */
};

struct wm_story {
	const struct wm_profile *profile;
	struct wm_owner *owner; /* per object of the profile */
	size_t object_count;
	struct wm_object *object;
	size_t function_count;
	struct wm_story_function *function; /* descending executions; then by file and line */
	size_t refused_count;
	struct wm_story_refusal *refused; /* functions refused, stale ones included */
	size_t note_count;
	char **note; /* sentences about the join as a whole */
	/* totals */
	uint64_t executions, paths_ran;
	double paths_possible; /* exact up to 2^53; may be infinite */
	double paths_possible_log10;
	size_t functions_ran, functions_skipped, functions_residual, functions_refused;
	size_t doubtful_runs; /* with counts that are left out */
	size_t matched; /* functions of the profile that found their graph */
};

/* Joins; takes over neither argument.  Objects must outlive the story. */
void wm_story_build(
	struct wm_story *story, const struct wm_profile *profile, struct wm_object *objects, size_t object_count);
void wm_story_release(struct wm_story *story);

/* Refuses a function after the fact, for what another profile says; takes over
 * `reason`.  The story's totals stay as they were. */
void wm_story_refuse(struct wm_story_function *function, char *reason);

/* Fails: the function has no path with this id. */
_Noreturn void wm_story_no_path(const struct wm_story_function *function, uint64_t id);
/* Ends in wm_fail unless a function of the profile found its graph; `what` names the
 * profile: "the profile". */
void wm_story_need_match(const struct wm_story *story, const char *what);

/* The map's functions alone, without a profile. */
void wm_story_build_bare(struct wm_story *story, struct wm_object *objects, size_t object_count);

/* Numbers a function that did not run, so that its paths can be decoded.  False: it is
 * skipped or refused. */
bool wm_story_number(struct wm_story_function *function);

/* Blocks of one path; memory in the arena. */
void wm_story_decode(
	const struct wm_story_function *function, uint64_t id, struct wm_block_path *path, struct wm_arena *arena);

/* Whether NAME (exact or a glob) is this function's linkage or demangled name,
 * with or without its parameters. */
bool wm_story_name_matches(const struct wm_story_function *function, const char *name);

/* File of the definition, NULL when unknown. */
const char *wm_story_file(const struct wm_story_function *function);
/* `exact`, `split`, `skipped` or `refused`; and why, "" when there is nothing to say. */
const char *wm_story_status(const struct wm_story_function *function);
const char *wm_story_reason(const struct wm_story_function *function);

/* Where the refusals for the same reason as the first end: they read best as one line. */
size_t wm_refused_alike(const struct wm_story_refusal *refused, size_t first, size_t count);

const char *wm_start_text(unsigned start); /* entry, loop, cut */
const char *wm_end_text(unsigned end);     /* return, backedge, noreturn, unwind, cut, call */
const char *wm_stage_text(unsigned stage);
const char *wm_update_text(unsigned update);

/* "2026-11-15 05:15:41 UTC" in one of a few rotating buffers. */
const char *wm_time_text(uint64_t microseconds);
/* "1,234,567" in one of a few rotating buffers. */
const char *wm_thousands(uint64_t number);
/* "96", or "10^23.4" when the number has no exact 63-bit form. */
const char *wm_possible_text(const struct wm_story_function *function);

/* Source-level name of a linkage name; heap. */
char *wm_demangle(const char *name);

/* What story.c and story_owner.c share. */

/* Fills story->owner, the records of all functions, story->matched, and the notes.
 * The functions must be in the order of wm_story_identity(). */
void wm_story_place(struct wm_story *story);

/* By program, key and graph hash. */
/* By file, line, name and identity: the order of the source, not of addresses. */
int wm_story_by_place(const struct wm_story_function *a, const struct wm_story_function *b);
int wm_story_identity(const struct wm_story_function *a, const struct wm_story_function *b);

/* Takes over the text. */
void wm_story_note(struct wm_story *story, char *text);
/* Copies the reason. */
void wm_story_list_refusal(struct wm_story *story, const struct wm_story_function *function, const char *reason);

/* One clause, heap: why counts with this doubt are not told, and what to do. */
char *wm_doubt_text(uint32_t doubt, uint64_t lost);

#endif
