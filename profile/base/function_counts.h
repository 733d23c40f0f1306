/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A profile in memory, independent of how it was stored: a set of objects (identified by build-id), each with
 * functions (identified by key and graph hash, which covers the scheme), each with counted paths, and with paths of its machine
 * code.  The readers of raw and indexed files both produce it.  Merging profiles adds their counts.
 */
#ifndef WM_PROFILE_BASE_FUNCTION_COUNTS_H
#define WM_PROFILE_BASE_FUNCTION_COUNTS_H

#include "abi/crash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_BUILD_ID_MAX 32

/* Bytes of a program's name, its terminating NUL included. */
#define WM_PROGRAM_MAX 65

/* Why a function's counts must not be printed; a set of bits. */
enum wm_doubt {
	WM_DOUBT_THREADS = 1,   /* WM_RAW_SECOND_THREAD: a thread without cells of its own */
	WM_DOUBT_LOST = 2,	   /* updates found no memory or disk */
	WM_DOUBT_SATURATED = 4, /* a sum reached 2^64-1 */
	WM_DOUBT_PROCESS = 8,   /* a process that bypassed fork() shared the counters */
	WM_DOUBT_NAMES = 16, /* two paths got the same id */
	WM_DOUBT_SCHEMES = 32, /* records with one graph hash name two schemes */
};
/* Doubts about one run.  Counts with such a doubt are never added to counts without one, so
 * that a run that cannot be trusted does not spoil the others: wm_function_is_apart(). */
#define WM_DOUBT_OF_RUN (WM_DOUBT_THREADS | WM_DOUBT_LOST | WM_DOUBT_PROCESS)

/* Beside paths, under ids from WM_NAME_BIT on, names of paths: abi/sequence.h. */
struct wm_counted_path {
	uint64_t id;
	uint64_t count;
	uint64_t base; /* counted before the fork or reset this profile starts from */
	uint64_t first_seen; /* WM_FUNC_RESIDUAL: microseconds since 1970; 0: not known */
	uint64_t pid; /* the process that first took the path; 0: not known */
};

/* What activations had done on their present path when they were left inside a call (abi/unfinished.h): the calls in which they
 * stood, and the sums of the values along the prefixes of their paths.  Site and sum determine the prefix (core/probes/pending.h). */
struct wm_unfinished_path {
	uint64_t sum;
	uint64_t count; /* not 0 */
	uint32_t site; /* the call site + 1, or WM_SITE_BLOCK | block (abi/crash.h); not 0 */
};

struct wm_profile_function {
	uint64_t key, graph_hash;
	uint64_t source; /* profile/map/identity.h; 0: not known */
	/* WM_FUNC_* of abi.h below the scheme, without WM_FUNC_IDS: all ids are those of the plan here, not indices of cells. */
	uint32_t flags;
	/* The name of the scheme (profile/base/scheme_name.h); 0: not known.  Records that differ in it alone are added up. */
	uint32_t scheme;
	uint32_t doubt; /* enum wm_doubt bits */
	uint64_t entries, resumed; /* if the flags say so */
	uint64_t base_entries, base_resumed; /* before fork or reset */
	uint64_t lost;
	size_t path_count, path_capacity;
	struct wm_counted_path *path; /* count or base non-zero; ascending ids */
	/* Not among the paths above, and perhaps not all that there were: profile/base/unfinished_paths.h. */
	size_t unfinished_count, unfinished_capacity;
	struct wm_unfinished_path *unfinished; /* ascending (site, sum); unique */
};

/* Events on a path of machine code, which `waymark hw` counts: hardware/model/path.h, profile/branch_paths.h. */
struct wm_branch_path {
	uint64_t control; /* wm_hw_control_pack: the rules by which paths were told apart */
	uint64_t start; /* address in the object, as linked; of code in no file, as executed */
	uint32_t length, outcomes; /* of its branches: struct wm_hw_path */
	uint32_t metric; /* enum wm_hw_metric: what was counted */
	uint64_t count; /* not 0; 2^64-1: at least as many */
};

/* A run with functions whose counts are kept apart. */
struct wm_doubtful_run {
	uint64_t start_time; /* seconds since 1970 */
	uint64_t pid;
	uint32_t doubt; /* of all its functions together; WM_DOUBT_OF_RUN */
};

struct wm_profile_object {
	uint8_t build_id[WM_BUILD_ID_MAX];
	uint32_t build_id_size;
	char program[WM_PROGRAM_MAX]; /* name of the program or shared object; "": not known */
	bool claimed; /* only in memory: nothing but the word of a store's writer for its own program stands for the build-id, or stood for it before it was dropped */
	uint64_t runs; /* raw profiles of it; 0: not known (indexed profiles before version 3) */
	size_t doubtful_count, doubtful_capacity;
	struct wm_doubtful_run *doubtful; /* ascending (start_time, pid, doubt) */
	size_t function_count, function_capacity;
	struct wm_profile_function *function; /* ascending (key, graph_hash, flags, apart); unique */
	size_t branch_count, branch_capacity;
	struct wm_branch_path *branches; /* ascending (control, metric, start, length, outcomes); unique */
};

/* Which raw profile was summed.  The raw file of a run and epoch is its part 0.  If a file was stored in several increments
 * while its program ran (`waymark push`), these are the parts from 1 on, and the sum of all of them is the file.  Counts of a
 * program that went on counting, from a snapshot or from a file that was merged while the program ran, are the part
 * WM_PART_UNFINISHED: nobody knows which other parts they contain. */
#define WM_PART_UNFINISHED UINT64_MAX
struct wm_run_id {
	uint64_t high, low; /* random; never both 0 */
	uint64_t epoch, part;
	uint64_t start_time; /* seconds since 1970; 0: not known */
};

struct wm_profile {
	uint64_t runs; /* raw profiles summed */
	/* Those of the runs whose ids are known: older runtimes and indexed profiles before version 7 have none. */
	size_t run_id_count, run_id_capacity;
	struct wm_run_id *run_id; /* ascending (high, low, epoch, part); unique */
	uint64_t kill_unsafe_runs; /* of those, how many would have lost counts on SIGKILL */
	bool any_program; /* the user said that what one program did counts for every other */
	size_t object_count, object_capacity;
	struct wm_profile_object *object; /* ascending (build-id, program if there is no build-id); unique */
};

void wm_profile_init(struct wm_profile *profile);
void wm_profile_release(struct wm_profile *profile);
void wm_profile_object_release(struct wm_profile_object *object);
void wm_function_release(struct wm_profile_function *function);

/* a + b.  If the sum exceeds 2^64-1, the result is 2^64-1 and *doubt gets WM_DOUBT_SATURATED. */
uint64_t wm_add_saturating(uint64_t a, uint64_t b, uint32_t *doubt);

/* The orders of the arrays.  Functions: by key, graph hash, flags, and counts that are kept apart last. */
int wm_function_compare(const struct wm_profile_function *a, const struct wm_profile_function *b);
int wm_object_compare(const struct wm_profile_object *a, const struct wm_profile_object *b);
int wm_doubtful_run_compare(const void *a, const void *b);
int wm_run_id_compare(const void *a, const void *b);

enum wm_profile_status {
	WM_PROFILE_OK = 0,
	WM_PROFILE_DAMAGED, /* readable in part: `text` says what was lost, *profile holds the rest */
	WM_PROFILE_REFUSED, /* nothing usable: foreign, empty, truncated before the counters, newer version */
	WM_PROFILE_IO, /* errno-like trouble: `text` says */
	WM_PROFILE_NO_MEMORY,
};
struct wm_profile_error {
	char text[256]; /* one clause, without the file's name */
};

/* read_any.c: which of the formats a buffer begins with. */
enum wm_format { WM_FORMAT_UNKNOWN, WM_FORMAT_RAW, WM_FORMAT_INDEXED };
enum wm_format wm_profile_format(const uint8_t *data, size_t size);

/* A file in memory.  A sparse file has bytes only in its extents; elsewhere, memory contains zeros that nobody has read. */
struct wm_extent {
	uint64_t begin, end;
};
struct wm_profile_image {
	const uint8_t *data;
	size_t size;
	const struct wm_extent
		*extent; /* ascending, disjoint, within the size; NULL: all of it may be other than zero */
	size_t extent_count;
};

/* raw_table.c: what a reader of many raw profiles need not check again in the next one.  NULL: no memory. */
struct wm_raw_table *wm_raw_table_new(void);
void wm_raw_table_free(struct wm_raw_table *table);
/* The caller has added the profile that was read last.  From now on, of files with the same function table, only functions are
 * read that are worth storing. */
void wm_raw_table_summed(struct wm_raw_table *table);

/* Identity of a raw file, for dropping snapshots that a later file contains. */
struct wm_raw_identity {
	uint64_t run_id_low, run_id_high, epoch, snapshot;
	uint64_t start_time; /* seconds since 1970 */
	uint64_t pid;
	bool is_snapshot;
	bool is_pool; /* of many runs, whose ids are in the profile */
};

/* raw.c: reads a .wmraw image.  *profile must be initialised; hostile input. */
enum wm_profile_status wm_raw_read(struct wm_profile *profile, struct wm_raw_identity *identity, const uint8_t *data,
	size_t size, struct wm_profile_error *error);
/* The same of a sparse file.  `table` may be NULL. */
enum wm_profile_status wm_raw_read_image(struct wm_profile *profile, struct wm_raw_identity *identity,
	const struct wm_profile_image *image, struct wm_raw_table *table, struct wm_profile_error *error);
/* The same with the counts of `groups` (abi/counts.h) in place of those of the file.  WM_PROFILE_OK, WM_PROFILE_NO_MEMORY, or
 * WM_PROFILE_REFUSED: they make no sense. */
enum wm_profile_status wm_raw_read_groups(struct wm_profile *profile, const struct wm_profile_image *image,
	const uint8_t *groups, uint64_t size, struct wm_raw_table *table, struct wm_profile_error *error);
/* The identity alone, from the header; the counters after it may be damaged.
 * WM_PROFILE_OK or WM_PROFILE_REFUSED. */
enum wm_profile_status wm_raw_identify(
	struct wm_raw_identity *identity, const uint8_t *data, size_t size, struct wm_profile_error *error);

/* raw_crash.c: what a .wmraw image says of the threads of a program that died (abi/crash.h). */
struct wm_raw_frame { /* struct wm_crash_frame */
	uint64_t kept;
	uint32_t tag, site;
	uint32_t piece_count; /* earlier pieces, the last one first */
	const uint64_t *piece;
};
struct wm_raw_thread {
	uint64_t id;
	struct wm_crash_head head;
	const struct wm_raw_frame *frame; /* the active frames, outermost first */
	size_t frame_count;
	/* Between the frames above and these, which are the innermost, there are others that are not known.  If
	 * overflow is true and inner_count is 0, the innermost frames are not known either. */
	const struct wm_raw_frame *inner;
	size_t inner_count;
	bool overflow;
	const uint8_t *window[WM_CRASH_WINDOWS]; /* head.window[i].size bytes */
};
struct wm_raw_ending {
	bool ended; /* normally */
	bool snapshot; /* the program was running */
	uint64_t pid;
	uint8_t build_id[WM_BUILD_ID_MAX];
	uint32_t build_id_size;
};
/* `take` is given one thread after the other, and says whether to go on; what it is given is valid during the call.
 * Hostile input.  WM_PROFILE_DAMAGED: some chunk could not be read. */
typedef bool wm_raw_take_thread(void *closure, const struct wm_raw_thread *thread);
enum wm_profile_status wm_raw_threads(const uint8_t *data, size_t size, wm_raw_take_thread *take, void *closure,
	struct wm_raw_ending *ending, struct wm_profile_error *error);

/* indexed.c: .wmprof.  The writer gives a malloc'd buffer; the reader verifies the
 * checksum and reads every older version. */
enum wm_profile_status wm_indexed_write(const struct wm_profile *profile, uint8_t **data, size_t *size);
enum wm_profile_status wm_indexed_read(
	struct wm_profile *profile, const uint8_t *data, size_t size, struct wm_profile_error *error);
/* Reads only which runs were added, and how many. */
enum wm_profile_status wm_indexed_read_runs(
	struct wm_profile *profile, const uint8_t *data, size_t size, struct wm_profile_error *error);

/* Whether an indexed profile has the function.  One that never ran, and about which there is no doubt, is left out. */
bool wm_function_is_worth_storing(const struct wm_profile_function *function);
/* Flags that no function in an indexed profile has. */
uint32_t wm_indexed_refused_flags(void);

/* read_any.c: either format, by its magic. */
enum wm_profile_status wm_profile_read(
	struct wm_profile *profile, const uint8_t *data, size_t size, struct wm_profile_error *error);

/* The same of a sparse file.  `table` is for raw profiles, and may be NULL. */
enum wm_profile_status wm_profile_read_image(struct wm_profile *profile, const struct wm_profile_image *image,
	struct wm_raw_table *table, struct wm_profile_error *error);

/* add_profiles.c: into += from.  Saturating; a saturated function gets WM_DOUBT_SATURATED.
 * WM_PROFILE_NO_MEMORY leaves `into` as it was. */
enum wm_profile_status wm_profile_merge(struct wm_profile *into, const struct wm_profile *from);

/* Whether some function counts only untested paths (WM_FUNC_RESIDUAL). */
bool wm_profile_is_residual(const struct wm_profile *profile);
/* Whether it has paths of machine code; and whether it has functions. */
bool wm_profile_has_branches(const struct wm_profile *profile);
bool wm_profile_has_functions(const struct wm_profile *profile);
/* Whether some function counts all paths in one of them and only untested ones in the
 * other: their sum would be neither. */
bool wm_profile_conflicts(const struct wm_profile *a, const struct wm_profile *b);
/* Whether the first of two sightings of a path takes precedence: a known time before an unknown one, then the earlier
 * time, then the lower pid. */
bool wm_seen_before(uint64_t time, uint64_t pid, uint64_t other_time, uint64_t other_pid);

/* Whether counts of both are of one run and epoch that would be added twice: the same part, or a part and the whole file or
 * WM_PART_UNFINISHED. */
bool wm_run_id_overlaps(const struct wm_run_id *a, const struct wm_run_id *b);
/* How many ids of b are of runs that a has too; *first: one of them.  O(size of b × log size of a). */
size_t wm_profile_shared_runs(const struct wm_profile *a, const struct wm_profile *b, struct wm_run_id *first);

/* Whether a doubt about its run keeps these counts apart from those of other runs. */
bool wm_function_is_apart(const struct wm_profile_function *function);
/* Whether both are known to be of one program: the same build, or the same recorded name. */
bool wm_same_program(const struct wm_profile_object *a, const struct wm_profile_object *b);

/* Lookup; NULL when absent; of objects without a build-id the first.  O(log n). */
const struct wm_profile_object *wm_profile_find_object(
	const struct wm_profile *profile, const uint8_t *build_id, uint32_t size);
/* The object that `like` would be added to. */
const struct wm_profile_object *wm_profile_find_like(
	const struct wm_profile *profile, const struct wm_profile_object *like);
const struct wm_profile_function *wm_object_find_function(
	const struct wm_profile_object *object, uint64_t key, uint64_t graph_hash);
/* The first record of the function in any graph; its other records follow.  NULL: there is none. */
const struct wm_profile_function *wm_object_find_key(const struct wm_profile_object *object, uint64_t key);

#endif
