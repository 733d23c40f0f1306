/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A story: a profile joined with the maps of the binaries to which it belongs.
 *
 * Functions are identified by binary, key and graph hash.  A function that occurs in several modules of a binary is
 * one entry with the sum of its counts.  A function that occurs in several binaries is several entries, or one if the
 * story is of functions and the sources are the same (profile/map/identity.h), or if counts of any program are used for every
 * other.  A key with two graphs is two entries.  analysis/join/story_owner.c decides to which binary the counts of an object of
 * the profile belong.  Counts that are not exact are refused by name; the rest is reported.
 */
#ifndef WM_ANALYSIS_JOIN_STORY_H
#define WM_ANALYSIS_JOIN_STORY_H

#include "analysis/join/units.h"
#include "core/graph/checks.h"

/* inherited + entries + restarts + resumed = completed + abandoned, exactly. */
struct wm_balance {
	uint64_t inherited, entries, restarts, resumed, completed, abandoned;
	uint64_t unfinished; /* of the abandoned paths, how many are known up to the call in which they were left */
};

struct wm_story_path {
	uint64_t id, count, base;
	uint64_t first_seen, pid; /* of residual functions; 0: not known */
	uint8_t start, end; /* enum wm_start, enum wm_end */
};

/* Of a function, the paths that ended in calls: wm_story_function.unfinished.  They are told by the same functions as the
 * paths that were completed, under ids of the story that have this bit; the rest of the id is the index. */
#define WM_STORY_UNFINISHED ((uint64_t)1 << 63)
struct wm_story_unfinished {
	uint64_t sum; /* site and sum determine the path: abi/unfinished.h */
	uint32_t site, block; /* where it stands */
	struct wm_story_path path;
};

enum wm_story_state {
	WM_STORY_IDLE, /* instrumented, never ran */
	WM_STORY_RAN,
	WM_STORY_SKIPPED, /* not instrumented: map->reason */
	WM_STORY_REFUSED, /* counts exist but are not exact: refusal */
};

/* A loop under a scheme whose paths can contain more than one iteration or a context. */
struct wm_story_loop {
	uint32_t head; /* block */
	uint32_t k; /* iterations in a path */
	const char *reason; /* why there are fewer than requested, or no context: one clause, or NULL */
};

/* The observable paths of a function, taken or not; after wm_story_leave_out (story_checks.h), those that remain, and those of the
 * others that ran. */
struct wm_story_possible {
	bool countable; /* `count` is known and the graph is uncut */
	uint64_t count;
	double log10; /* of the number of paths of the uncut graph */
	uint64_t ids; /* the ids are below it */
	uint64_t others; /* of the paths, how many ran and do not remain */
};

struct wm_story_loops {
	size_t count;
	struct wm_story_loop *loop;
};

struct wm_story_names {
	size_t count;
	struct wm_story_path *name; /* ascending ids; heap */
};

/* The records of the profile that belong to a function. */
struct wm_story_records {
	size_t count;
	const struct wm_profile_function **record; /* of runs without a doubt */
	uint32_t apart_doubt; /* of objects that have no other runs */
	uint64_t apart_lost;
	bool elsewhere; /* another binary has a function of this key too */
	bool stale; /* the profile also counts the function in a graph that its binary does not have */
	struct wm_story_names names; /* plans with sequences: names of paths (abi/sequence.h) */
};

struct wm_story_function;

/* Functions whose paths are numbered together.  Paths are listed under the functions in which they begin. */
struct wm_story_unit {
	const struct wm_binary_unit *binary; /* of paths across calls */
	uint32_t count; /* functions */
	const struct wm_plan *plan; /* per function */
	struct wm_story_function **function; /* per function */
	/* Per function of the unit: the same, with the graph and lines of this body.  Of several bodies of an inline function,
	 * `function` has only one.  Not for counts. */
	const struct wm_story_function **body;
	struct wm_balance balance; /* of all its paths */
};

/* What a function is in a unit; unit NULL: its paths do not cross calls. */
struct wm_story_across {
	struct wm_story_unit *unit;
	uint32_t index; /* in the unit */
	bool inside; /* it ran as a part of paths */
	/* The scheme does not tell in which function a path began that a landing pad or a second return of setjmp resumed:
	 * only the balance of the unit is known. */
	bool unbalanced;
};

/* Addresses of machine code, in a procedure of which the map was made from the code (analysis/machine/machine_trail.h). */
struct wm_story_machine {
	const uint64_t *branch; /* per block: the last instruction; NULL: the map has no addresses */
	uint64_t *const *line; /* per block and line: the first instruction */
};

/* An instance of a template that is one function with others (story_instances.c). */
struct wm_story_instance {
	const struct wm_map_function *map;
	char *display;
	uint64_t executions; /* of its paths */
};

struct wm_story_instances {
	size_t count; /* 0, or at least 2 */
	struct wm_story_instance *instance;
};

struct wm_story_function {
	const struct wm_map_function *map;
	const struct wm_map_module *module;
	const struct wm_object *object; /* the first object that contains the function */
	size_t program; /* index of its binary, the first of them if there are several */
	bool *binary; /* per binary: has the function.  NULL: only `program` has it */
	uint64_t source; /* profile/map/identity.h; 0: not known */
	char *display; /* demangled, or the linkage name; of several instances the name of the template */
	char *brief; /* the same for lists: long template arguments are shortened */
	enum wm_story_state state;
	char *refusal; /* one clause, or NULL */
	bool residual; /* only untested paths were counted; of the balance only `completed` is known */
	struct wm_story_possible possible;
	const struct wm_remainder *remainder; /* of the graph of `map`; NULL: nothing is left out (story_checks.h) */
	uint64_t executions; /* of paths */
	struct wm_balance balance;
	size_t ran_count; /* paths with a count; paths that are only in the base follow them */
	size_t total_count;
	struct wm_story_path *path; /* descending count, then ascending id */
	size_t unfinished_count;
	struct wm_story_unfinished *unfinished; /* ascending (site, sum) */
	struct wm_story_loops loops; /* kiter: all loops; loopcontext: those without a context */
	struct wm_story_across across;
	struct wm_plan made_plan; /* only while it is needed; never used directly: wm_story_plan makes it */
	struct wm_arena arena; /* of the plan */
	struct wm_story_records records;
	struct wm_story_machine machine;
	struct wm_story_instances instances; /* `map` is that of the first */
};

struct wm_story_refusal {
	char *name, *reason;
	const char *binary; /* path, of the object */
	size_t program; /* as in wm_story_function */
	uint64_t key; /* wm_map_function.key; several local functions may have the same name */
};

enum wm_owner_kind {
	WM_OWNER_BUILD, /* the binary with the same build-id */
	WM_OWNER_PROGRAM, /* another build of the same program */
	WM_OWNER_LIKELY, /* the profile does not name the program: the only binary with all its functions */
	WM_OWNER_ANY, /* none of the binaries, and any program counts for every other */
	WM_OWNER_UNCLEAR, /* several binaries may be */
	WM_OWNER_NONE,
};
struct wm_owner {
	enum wm_owner_kind kind;
	size_t binary; /* index; only for the first three */
};

struct wm_story_units {
	struct wm_arena arena;
	struct wm_units *of_object; /* per object */
	size_t count;
	struct wm_story_unit *unit;
};

/* What wm_story_leave_out has left out. */
struct wm_story_checks {
	struct wm_arena arena; /* of the remainders */
	uint8_t kinds; /* a set of enum wm_check */
};

/* Sums over functions.  Begin with wm_story_no_totals. */
struct wm_story_totals {
	uint64_t executions, paths_ran;
	double paths_possible; /* exact up to 2^53; may be infinite */
	double paths_possible_log10;
	size_t functions, functions_ran, functions_skipped, functions_residual, functions_refused;
};
extern const struct wm_story_totals wm_story_no_totals;
void wm_story_totals_add(struct wm_story_totals *totals, const struct wm_story_function *function);

/* Whose counts a story tells. */
enum wm_story_kind {
	WM_STORY_OF_BINARIES, /* of the binaries, each for itself */
	WM_STORY_OF_FUNCTIONS, /* of the binaries; the same function in several of them is one function */
	WM_STORY_OF_TESTS, /* likewise, and other programs count for the functions that they share with the binaries */
	WM_STORY_TEMPLATES = 4, /* added to one of the others: instances of a template are one function */
};

struct wm_story {
	const struct wm_profile *profile;
	enum wm_story_kind kind; /* without WM_STORY_TEMPLATES */
	struct wm_owner *owner; /* per object of the profile */
	size_t object_count;
	struct wm_object *object;
	struct wm_story_units units;
	struct wm_story_checks checks;
	size_t function_count;
	struct wm_story_function *function; /* descending executions; then by file and line */
	size_t refused_count;
	struct wm_story_refusal *refused; /* functions refused, stale ones included */
	size_t note_count;
	char **note; /* sentences about the join as a whole */
	struct wm_story_totals total; /* of all functions */
	size_t doubtful_runs; /* runs with counts that are left out */
	size_t matched; /* functions of the profile whose graph is in a binary */
};

/* Joins a profile with the maps of objects.  The caller keeps ownership of both; objects must outlive the story. */
void wm_story_build(struct wm_story *story, enum wm_story_kind kind, const struct wm_profile *profile,
	struct wm_object *objects, size_t object_count);
void wm_story_release(struct wm_story *story);

/* Refuses a function of a finished story because of another profile; takes ownership of `reason`.  The totals of the
 * story do not change. */
void wm_story_refuse(struct wm_story_function *function, char *reason);

/* Ends in wm_fail with the message that the function has no path with this id. */
_Noreturn void wm_story_no_path(const struct wm_story_function *function, uint64_t id);
/* Ends in wm_fail unless the graph of some function of the profile is in a binary; `what` is how messages name the
 * profile, such as "the profile". */
void wm_story_need_match(const struct wm_story *story, const char *what);

/* If runs were left out because of doubts and nothing is left to report: why, and what to do.  Else NULL. */
const char *wm_story_all_refused(const struct wm_story *story);

/* A story of the functions of the maps, without a profile. */
void wm_story_build_bare(struct wm_story *story, struct wm_object *objects, size_t object_count);

/* Sums up the totals again. */
void wm_story_add_up(struct wm_story *story);

/* Numbers a function that was not executed, so that its paths can be decoded.  False: the function is skipped or
 * refused. */
bool wm_story_number(struct wm_story_function *function);

/* Whether `name`, which may be a glob, matches the linkage name of the function or its demangled name, whole or in part
 * (wm_demangled_matches); or that of one of its instances. */
bool wm_story_name_matches(const struct wm_story_function *function, const char *name);

/* "3 instances: f<int>, f<char> (never ran) and 1 more", or NULL if the function stands for itself; heap. */
char *wm_instances_text(const struct wm_story_function *function, size_t most);
/* The file of the definition; NULL if unknown. */
const char *wm_story_file(const struct wm_story_function *function);
/* The status `exact`, `split`, `skipped` or `refused`, and the reason, which may be "". */
const char *wm_story_status(const struct wm_story_function *function);
const char *wm_story_reason(const struct wm_story_function *function);

/* The index after the last of the refusals that follow `first` with the same reason; they are printed as one line. */
size_t wm_refused_alike(const struct wm_story_refusal *refused, size_t first, size_t count);

const char *wm_start_text(unsigned start); /* entry, loop, cut */
const char *wm_end_text(unsigned end); /* return, backedge, noreturn, unwind, cut, call */
const char *wm_stage_text(unsigned stage);
const char *wm_update_text(unsigned update);

/* These write into `text` and return it.  The macros have texts that end with the block around the call: they must not be returned
 * from a function. */
enum { WM_TIME_SIZE = 64, WM_NUMBER_SIZE = 40, WM_FILE_SIZE = 4096 };
/* "2026-11-15 05:15:41 UTC" */
const char *wm_time_print(uint64_t microseconds, char text[WM_TIME_SIZE]);
#define wm_time_text(microseconds) wm_time_print(microseconds, (char[WM_TIME_SIZE]){0})
/* "path 14", or "unfinished path 1" for an id with WM_STORY_UNFINISHED */
const char *wm_path_label_print(uint64_t id, char text[WM_NUMBER_SIZE]);
#define wm_path_label(id) wm_path_label_print(id, (char[WM_NUMBER_SIZE]){0})
/* "1,234,567" */
const char *wm_thousands_print(uint64_t number, char text[WM_NUMBER_SIZE]);
#define wm_thousands(number) wm_thousands_print(number, (char[WM_NUMBER_SIZE]){0})
/* "96", or "10^23.4" if the number does not fit 63 bits. */
const char *wm_possible_print(const struct wm_story_function *function, char text[WM_NUMBER_SIZE]);
#define wm_possible_text(function) wm_possible_print(function, (char[WM_NUMBER_SIZE]){0})

/* The short form of a file name: without the current directory and without `..`, on one line; `text` is used if that changes
 * more than the beginning. */
const char *wm_short_file_print(const char *file, char text[WM_FILE_SIZE]);
#define wm_short_file(file) wm_short_file_print(file, (char[WM_FILE_SIZE]){0})
/* The part as a percentage of the whole; 0 if both are 0. */
double wm_share(uint64_t part, uint64_t whole);

/* Source-level name of a linkage name; heap. */
char *wm_demangle(const char *name);

/* What the files story*.c share. */

/* Sums in 128 bits: each addend has 64, and there are fewer than 2^60 of them. */
struct wm_story_sums {
	__int128 inherited, entries, restarts, resumed, completed;
};
/* Adds the cells of a record; `counters`: its entries are counted. */
void wm_story_sums_add_record(struct wm_story_sums *sums, const struct wm_profile_function *record, bool counters);
/* Adds a path to the function in which it begins, and to the one in which the next path begins; they may be the same. */
void wm_story_sums_add_path(
	struct wm_story_sums *begun, struct wm_story_sums *next, const struct wm_story_path *path, bool counters);
/* NULL, or why there is no balance: heap. */
char *wm_story_sums_balance(struct wm_story_sums sums, bool residual, struct wm_balance *balance);
/* All paths of these records, ascending ids; heap.  False: a sum does not fit. */
bool wm_story_sum(
	const struct wm_profile_function *const *record, size_t count, struct wm_story_path **path, size_t *total);
/* Ascending ids; and the order of wm_story_function.path. */
int wm_story_by_id(const void *left, const void *right);
int wm_story_by_count(const void *left, const void *right);

/* Sets what the records of its functions tell of a unit: paths, balances and states, or why they are refused. */
void wm_story_tell(struct wm_story_unit *unit);

/* Reads the unfinished paths of a function that has its balance, and whose paths do not cross calls. */
void wm_story_tell_unfinished(struct wm_story_function *function);
/* The block of a site (abi/unfinished.h); WM_NONE: the function has no such call. */
uint32_t wm_story_site_block(const struct wm_story_function *function, uint32_t site);
/* The call site of the map; WM_NONE: the map does not list the call. */
uint32_t wm_story_site_call(uint32_t site);
/* The paths that ran, whether they were completed or are unfinished: from 0 on, completed ones first. */
size_t wm_story_taken_count(const struct wm_story_function *function);
const struct wm_story_path *wm_story_taken(const struct wm_story_function *function, size_t index);
/* The unfinished path with an id of the story; NULL: the id is that of a path that is completed. */
const struct wm_story_unfinished *wm_story_unfinished(const struct wm_story_function *function, uint64_t id);
/* How many abandoned paths are not known. */
uint64_t wm_balance_unknown(const struct wm_balance *balance);
/* NULL: there is none. */
const struct wm_story_unfinished *wm_story_find_unfinished(
	const struct wm_story_function *function, uint32_t site, uint64_t sum);

/* Units: read before the functions are collected; told when records are placed; pointers to functions are set when
 * they are in their final order. */
void wm_story_units_read(struct wm_story *story);
void wm_story_units_tell(struct wm_story *story);
/* False: another unit has the functions of this one, as when several objects have the same file. */
bool wm_story_unit_is_whole(const struct wm_story_unit *unit);
/* How many paths across calls were abandoned.  The functions on them are not known. */
uint64_t wm_story_units_abandoned(const struct wm_story *story);
void wm_story_units_point(struct wm_story *story);
void wm_story_units_release(struct wm_story *story);

/* Whether the paths of the function cross calls. */
bool wm_story_crosses_calls(const struct wm_story_function *function);
/* The unit with which the function's paths are numbered; NULL: they do not cross calls. */
struct wm_story_unit *wm_story_unit_of(const struct wm_story_function *function);
/* The balance of all paths that are numbered with those of the function: of its unit, or its own. */
const struct wm_balance *wm_story_whole_balance(const struct wm_story_function *function);
/* The plan of the function's paths: that of the function in its unit if they cross calls.  All plans of a large program need more
 * memory than everything else that a story knows of it, and most questions are about few functions.  So the plan of a function
 * that ran is made when it is asked for.  It stays until wm_story_forget_plan. */
const struct wm_plan *wm_story_plan(const struct wm_story_function *function);
/* Frees the memory of the plan, to which nothing may point any more.  A function that did not run must be numbered again
 * (wm_story_number) before its plan is asked for; units keep their plans. */
void wm_story_forget_plan(const struct wm_story_function *function);
/* The lookup (core/scheme/pieces.h) of names in the profile of a function, which is the closure. */
bool wm_story_find_name(const void *function, uint64_t key, uint64_t *value);

/* The graph hash and the source of the function in profiles. */
uint64_t wm_story_hash(const struct wm_story_function *function);
uint64_t wm_story_source(const struct wm_story_function *function);

/* Fills story->owner, the records of all functions, story->matched, and the notes.
 * The functions must be in the order of wm_story_identity(). */
void wm_story_place(struct wm_story *story);

/* Compares by file, line, name and identity. */
int wm_story_by_place(const struct wm_story_function *a, const struct wm_story_function *b);
/* Makes one function of the instances of a template, before they are told and after their records are placed.  Changes the order
 * and the number of the functions. */
void wm_story_join_instances(struct wm_story *story);
void wm_story_instances_release(struct wm_story_instances *instances);
/* Notes that a binary has the function. */
void wm_story_add_binary(const struct wm_story *story, struct wm_story_function *function, size_t binary);
void wm_story_function_release(struct wm_story_function *function);
/* Whether a binary has the function. */
bool wm_story_has_binary(const struct wm_story_function *function, size_t binary);
/* Compares by key, graph hash and first binary. */
int wm_story_identity(const struct wm_story_function *a, const struct wm_story_function *b);

/* Takes ownership of the text. */
void wm_story_note(struct wm_story *story, char *text);
/* Copies the reason. */
void wm_story_list_refusal(struct wm_story *story, const struct wm_story_function *function, const char *reason);

/* One clause that says why counts with this doubt are not reported, and what to do; heap. */
char *wm_doubt_text(uint32_t doubt, uint64_t lost);

#endif
