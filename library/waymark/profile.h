/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libwaymark: reading path profiles.
 *
 * A program that was compiled by `waymark cc` counts the paths that it takes and writes a profile.  This library joins
 * profiles with the binaries that wrote them, as `waymark report` does, and tells for every function which paths were
 * executed, how often, and which source lines and decisions each path consists of.  The functions with which a profiled
 * program controls its own counting are another interface, <waymark.h>.
 *
 *     struct waymark_options options = {0};
 *     struct waymark_error error;
 *     struct waymark *counts;
 *     options.size = sizeof options;
 *     options.profiles = (const char *const[]){"app.wmprof"};
 *     options.profile_count = 1;
 *     options.binaries = (const char *const[]){"./app"};
 *     options.binary_count = 1;
 *     if (waymark_open(&counts, &options, &error))
 *         errx(1, "%s", error.text);
 *     for (size_t i = 0; i < waymark_function_count(counts); i++)
 *         puts(waymark_function_display(waymark_function_at(counts, i)));
 *     waymark_close(counts);
 *
 * Compile with `cc $(pkg-config --cflags waymark) FILE.c $(pkg-config --libs waymark)`.
 *
 * Errors.  A function that can fail returns WAYMARK_OK or another status, describes it in *error (which may be NULL), and
 * leaves its other results unchanged.  The library prints nothing and never ends the process.  All other functions cannot
 * fail if their arguments are valid.
 *
 * Counts.  A count that is told is exact.  Counts that are not (because a thread could not be followed, because a profile is
 * of another build in which the function had another control-flow graph, …) are refused: the function has the status
 * WAYMARK_REFUSED, or is only in the list of refused functions, with the reason.
 *
 * Memory.  Everything that a function returns belongs to the `struct waymark` and stays valid until waymark_close, except
 * trails, which may be released before.  Strings end in NUL.  Names and lines come from other people's files and may
 * contain any bytes but NUL.
 *
 * Threads.  Each `struct waymark` is used by one thread at a time.  Different ones are independent of each other.
 *
 * Compatibility.  Types are opaque, except for two structures that may grow at the end in later versions: `size` of struct
 * waymark_options says how much of it the caller knows, and struct waymark_error keeps its size.  Enumerations may get more
 * values.
 */
#ifndef WAYMARK_PROFILE_H
#define WAYMARK_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ------------------------------------------------------------------------------ */

enum waymark_status {
	WAYMARK_OK = 0,
	WAYMARK_BAD_ARGUMENT = 1, /* the call makes no sense: no profile is given, a size is unknown, … */
	WAYMARK_BAD_PROFILE = 2, /* no profile could be used: missing, damaged, or of a kind that is not read here */
	WAYMARK_BAD_BINARY = 3, /* no binary could be used: missing, not an ELF file, or without a map of paths */
	WAYMARK_NO_MATCH =
		4, /* the profiles have no counts of the binaries: another program, or all graphs have changed */
	WAYMARK_NO_MEMORY = 5,
	WAYMARK_DEFECT = 6 /* Waymark contradicts itself; please report it */
};

#define WAYMARK_ERROR_MAX 1024

struct waymark_error {
	enum waymark_status status;
	char text[WAYMARK_ERROR_MAX]; /* one sentence: what is wrong, where, and what to do; cut if it is longer */
};

/* ---- Opening and closing ------------------------------------------------------------------ */

/* Must be initialised with zeros, except `size`.  Everything that it refers to is used only during waymark_open, except the
 * callbacks and their closure. */
struct waymark_options {
	size_t size; /* sizeof(struct waymark_options) */
	/* Raw (.wmraw) and indexed (.wmprof) profiles.  Their counts are added; a run that is in several of them counts
	 * once.  Profiles that cannot be read are left out with a warning. */
	const char *const *profiles;
	size_t profile_count;
	/* The program and the shared objects that wrote the profiles.  Binaries without a map are left out with a warning if
	 * there are others. */
	const char *const *binaries;
	size_t binary_count;
	const char *debug_dir; /* where debug files of stripped binaries are searched for first; NULL: only as usual */
	/* Directories in which source files are searched for first. */
	const char *const *source_dirs;
	size_t source_dir_count; /* at most 32 */
	bool no_source; /* do not read source files: conditions and source lines are not told */
	bool any_program; /* the counts of any program are used for functions of the same name and graph */
	/* Called with one sentence for each input that was used in part or not at all; NULL: nobody wants to know. */
	void (*warn)(void *closure, const char *sentence);
	/* Called now and then during long work, with `total` 0 if it is not known; `what` is NULL when the work is done.  NULL:
	 * nobody wants to know. */
	void (*progress)(void *closure, const char *what, size_t done, size_t total);
	void *closure;
};

/* Profiles that are joined with their binaries. */
struct waymark;

/* BAD_ARGUMENT, BAD_PROFILE, BAD_BINARY, NO_MATCH, NO_MEMORY, DEFECT. */
enum waymark_status waymark_open(
	struct waymark **counts, const struct waymark_options *options, struct waymark_error *error);
/* Releases everything, trails included; NULL is allowed. */
void waymark_close(struct waymark *counts);

/* The version of the library, such as "0.1.0". */
const char *waymark_version(void);

/* ---- What was read as a whole ---------------------------------------------------------------- */

/* How many paths were executed, one after another, in all functions; at most 2^64-1. */
uint64_t waymark_executions(const struct waymark *counts);

/* Sentences about the profiles as a whole, such as runs that were left out. */
size_t waymark_note_count(const struct waymark *counts);
const char *waymark_note(const struct waymark *counts, size_t index);

/* Functions whose counts are refused, with those that the binaries no longer have in the form that was counted. */
size_t waymark_refused_count(const struct waymark *counts);
const char *waymark_refused_name(const struct waymark *counts, size_t index); /* as people write it */
const char *waymark_refused_reason(const struct waymark *counts, size_t index);
const char *waymark_refused_binary(const struct waymark *counts, size_t index);

/* ---- Functions ------------------------------------------------------------------------------- */

struct waymark_function;

/* In the order of descending executions, then by file and line. */
size_t waymark_function_count(const struct waymark *counts);
const struct waymark_function *waymark_function_at(const struct waymark *counts, size_t index);

enum waymark_function_status {
	WAYMARK_EXACT = 0, /* every path has a number */
	WAYMARK_SPLIT = 1, /* so many paths that they are cut; the counts of the parts are exact */
	WAYMARK_SKIPPED = 2, /* not instrumented: nothing is known */
	WAYMARK_REFUSED = 3 /* there are counts, but they are not exact, so they are not told */
};

const char *waymark_function_name(const struct waymark_function *function); /* linkage name */
const char *waymark_function_display(const struct waymark_function *function); /* demangled, as people write it */
const char *waymark_function_file(const struct waymark_function *function); /* NULL: not known */
uint32_t waymark_function_line(const struct waymark_function *function); /* 0: not known */
const char *waymark_function_binary(const struct waymark_function *function); /* as it was given */
const char *waymark_function_scheme(const struct waymark_function *function); /* "acyclic", "kiter=2", … */
enum waymark_function_status waymark_function_status(const struct waymark_function *function);
/* Why the function is split, skipped or refused; "" if it is exact. */
const char *waymark_function_reason(const struct waymark_function *function);
/* Only paths that no test had executed were counted (-fwaymark-residual). */
bool waymark_function_is_residual(const struct waymark_function *function);

/* How many paths the function has, executed or not.  False: not known, or more than 2^63-1. */
bool waymark_function_paths_possible(const struct waymark_function *function, uint64_t *count);
/* The decimal logarithm of that number, however large it is; 0: not known. */
double waymark_function_paths_possible_log10(const struct waymark_function *function);
/* How often the function was entered.  False: not known. */
bool waymark_function_entries(const struct waymark_function *function, uint64_t *count);
/* How many paths of the function were executed, one after another.  False: not known. */
bool waymark_function_executions(const struct waymark_function *function, uint64_t *count);

/* ---- Paths ----------------------------------------------------------------------------------- */

/* A path that was executed.  A path that crosses calls belongs to the function in which it begins. */
struct waymark_path;

/* In the order of descending counts, then of ascending numbers. */
size_t waymark_path_count(const struct waymark_function *function);
const struct waymark_path *waymark_path_at(const struct waymark_function *function, size_t index);

enum waymark_path_start {
	WAYMARK_START_ENTRY = 0, /* at the entry of the function */
	WAYMARK_START_LOOP = 1, /* at the head of a loop, after a path that ended with its back edge */
	WAYMARK_START_CUT =
		2, /* where a path was cut, or control came back by an exception or a second return of setjmp */
	WAYMARK_START_CALL = 3 /* after a call */
};
enum waymark_path_end {
	WAYMARK_END_NONE = 0, /* does not occur */
	WAYMARK_END_RETURN = 1,
	WAYMARK_END_NORETURN = 2, /* a call that does not return */
	WAYMARK_END_UNWIND = 3, /* an exception leaves the function */
	WAYMARK_END_BACKEDGE = 4, /* the back edge of a loop */
	WAYMARK_END_CUT = 5, /* the path is cut here */
	WAYMARK_END_CALL = 6 /* a call */
};

uint64_t waymark_path_id(const struct waymark_path *path); /* the number that `waymark show --path` takes */
uint64_t waymark_path_executions(const struct waymark_path *path); /* how often; at least 1 */
enum waymark_path_start waymark_path_start(const struct waymark_path *path);
enum waymark_path_end waymark_path_end(const struct waymark_path *path);

/* ---- Trails ---------------------------------------------------------------------------------- */

/* A path in source terms: a list of steps, each of them at a source line. */
struct waymark_trail;
struct waymark_step;

/* `path` is one of the function, and the function is one of `counts`.  NO_MEMORY, DEFECT; after either, this function
 * fails for all paths of `counts`, and all else stays usable. */
enum waymark_status waymark_trail_new(struct waymark *counts, const struct waymark_function *function,
	const struct waymark_path *path, struct waymark_trail **trail, struct waymark_error *error);
/* NULL is allowed. */
void waymark_trail_free(struct waymark_trail *trail);

/* At least one, if any line of the path is known. */
size_t waymark_step_count(const struct waymark_trail *trail);
const struct waymark_step *waymark_step_at(const struct waymark_trail *trail, size_t index);

/* How the path comes to a step. */
enum waymark_step_kind {
	WAYMARK_STEP_GO = 0, /* inside of a function; the first step of a trail is one of these, if no other applies */
	WAYMARK_STEP_CALL = 1, /* by a call that the path crosses, or that was inlined: the first step in the callee */
	WAYMARK_STEP_RETURN = 2 /* by returning from such a call */
};

enum waymark_step_kind waymark_step_kind(const struct waymark_step *step);
const struct waymark_function *waymark_step_function(const struct waymark_step *step);
/* How many calls the path has crossed and not returned from.  Calls that were inlined count too. */
uint32_t waymark_step_depth(const struct waymark_step *step);
const char *waymark_step_file(const struct waymark_step *step); /* NULL: not known */
uint32_t waymark_step_line(const struct waymark_step *step); /* 0: not known */
uint32_t waymark_step_column(const struct waymark_step *step); /* of a decision; 0: not known */
/* The line itself, without its end and with its indentation; NULL: not found. */
const char *waymark_step_source(const struct waymark_step *step);
/* What was decided at the end of the step, such as "true", "case RED", "threw", "returned"; "": nothing. */
const char *waymark_step_outcome(const struct waymark_step *step);
/* The condition whose outcome it is, such as "c == 3"; "": that of the whole line, or there is none. */
const char *waymark_step_condition(const struct waymark_step *step);
/* What part of the path begins with the step, in words, such as "iteration 2" or "calls f"; "": nothing. */
const char *waymark_step_begins(const struct waymark_step *step);

#ifdef __cplusplus
}
#endif

#endif
