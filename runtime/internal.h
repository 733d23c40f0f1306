/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Inside the runtime.  One copy of everything here is linked, hidden, into each
 * instrumented executable and shared object and looks after that object only.
 *
 * The image is the set of counters in force:
 *     head      header and function table
 *     cells     the main region, over the object's own section
 *     ids       which path a cell counts: a chunk of every file, never in memory
 *     segments  the chunks: regions of threads, hash tables
 *     base      what had been counted before the fork or reset it starts from
 * It lives at fixed addresses from birth to the end of the object, because frames
 * in flight hold addresses of cells and tables.  Only what stands behind the
 * addresses changes: plain memory before the constructor, then pages of a file,
 * after a fork pages of another file, plain memory again if that file cannot be
 * had.  `wm_image_move` is that change; all of constructor, fork, reset and
 * set_file go through it.
 *
 * Another process may write to the pages of the file at any time.  So the runtime takes nothing
 * but counts, keys and times from them, whose values cannot do harm.  Whatever leads to an
 * address, a size or a loop bound is kept in private memory and only copied to the file:
 * header and function table (wm.head, wm.table), the fill level of a segment, and
 * a struct wm_table per hash table.
 *
 * Whoever changes an image or the list of segments holds wm.lock with all signals
 * blocked, so that a signal handler can never wait for the frame it interrupted.
 * Counting takes the lock only to get memory.  Stacks may be as small as a signal
 * stack: buffers for paths are static and belong to the holder of the lock.
 */
#ifndef WM_RUNTIME_INTERNAL_H
#define WM_RUNTIME_INTERNAL_H

#include "abi/abi.h"
#include "runtime/sys.h"

#define WM_PAGE 4096ull
#define WM_PATH 4096

/* What the runtime knows of a hash table; private memory. */
struct wm_table {
	struct wm_hash_slot *slot;
	uint64_t shift, used; /* used: slots taken */
	uint64_t away; /* calls for ids that are not in their home slot */
	struct wm_table *older; /* of the same head */
	size_t func;
	bool timed; /* WM_TABLE_TIMES */
};

struct wm_segment {
	char *memory; /* struct wm_raw_chunk first: pages of the file or private memory */
	size_t size; /* of the memory, whole pages */
	size_t front; /* bytes of private memory before it: heads of a thread, or a struct wm_table per table */
	size_t used, table_count; /* TABLES: bytes and number of the tables */
	uint64_t offset; /* in the file; 0: not in it */
	uint32_t kind; /* enum wm_chunk_kind */
	int32_t owner; /* THREAD: thread id; 0 nobody, -1 unknown */
};

/* BASE chunks exactly as they stand in a file; always private memory. */
struct wm_base {
	char *memory;
	size_t size;
};

/* Whom to tell of untested paths. */
struct waymark_untested;
struct wm_untested_hook {
	void (*callback)(const struct waymark_untested *path, void *closure);
	void *closure;
	bool *(*inside)(void); /* of the thread: one flag for all copies of the runtime */
};

/* Which file a descriptor leads to. */
struct wm_stream {
	uint64_t device, inode;
	bool open;
};

struct wm_runtime {
	/* the object; constant after the constructor */
	const struct wm_func *func;
	size_t func_count;
	char *cells; /* first byte of the main region */
	size_t before; /* bytes from the first head or cell, whichever is lower, to `cells` */
	size_t span; /* bytes from there to the end of a region in memory, its heads included */
	size_t file_span; /* bytes of a region in a file; differs when not page-exact */
	size_t ids_size; /* bytes of the chunk of ids, whole pages; 0: none */
	bool page_exact;
	bool grows; /* some function needs chunks */
	bool secure; /* AT_SECURE: no file */
	bool executable; /* the main program: never unloaded */
	uint64_t build_id_size, build_id[4], signature;

	/* the image */
	struct wm_raw_header *head; /* private; what is in force */
	struct wm_raw_func *table; /* behind *head, likewise */
	uint64_t *doubt; /* per function: in how many segments that are not in the file it counts */
	struct wm_raw_header *shown; /* head and table as they stand in the file; only written */
	size_t head_size; /* of what is shown, whole pages */
	bool mapped; /* shown, cells and segments are pages of the file `path` */
	size_t unsettled; /* segments that should be in the file and are not */
	int unsettled_error; /* why */
	uint64_t file_end, device, inode;
	int live_fd; /* the file `path`, unless the program has closed it; -1: none */
	struct wm_segment *segment;
	size_t segment_count, segment_capacity;
	size_t thread_cursor; /* where the search for a dead thread's region goes on */
	struct wm_base base;

	/* the process */
	bool started; /* the constructor is through */
	bool written; /* the destructor wrote the image out */
	bool early_loss; /* a count before the constructor found no memory */
	bool thread_regions; /* there are, or have been, regions of threads */
	bool thread_failed; /* a thread counts in the main region for want of memory */
	bool discard; /* WAYMARK_FILE=/dev/null */
	uint8_t thread_seen;
	uint8_t second_thread;
	int pid;
	uint32_t lock;
	uint64_t *sentinel; /* 0: this address space was forked behind our back */
	uint64_t sequence; /* of the last snapshot */
	int warned; /* enum wm_warning: those given */
	uint64_t fork_mask;
	struct wm_base fork_base;
	bool fork_failed;
	bool in_child; /* between fork and the child's own image */
	struct wm_untested_hook untested; /* under the lock */
	struct wm_stream error_stream; /* what descriptor 2 was at the start */

	char pattern[WM_PATH], directory[WM_PATH], path[WM_PATH];
};
extern struct wm_runtime wm;

/* Given by the linker, and by waymark.ld; absent without instrumented code or script. */
extern const struct wm_func __start_wm_funcs[] __attribute__((weak, visibility("hidden")));
extern const struct wm_func __stop_wm_funcs[] __attribute__((weak, visibility("hidden")));
extern char __start_wm_heads[] __attribute__((weak, visibility("hidden")));
extern char __start_wm_cells[] __attribute__((weak, visibility("hidden")));
extern char __stop_wm_cells[] __attribute__((weak, visibility("hidden")));

static inline uint64_t wm_page_up(uint64_t size)
{
	return (size + WM_PAGE - 1) & ~(WM_PAGE - 1);
}

/* lock.c: the lock, with all signals blocked; `saved` is the mask to restore. */
void wm_lock(uint64_t *saved);
void wm_unlock(const uint64_t *saved);

/* clock.c: microseconds since 1970; never 0. */
void wm_clock_start(void);
uint64_t wm_microseconds(void);

/* head.c: header and function table, in private memory and as they are shown. */
bool wm_head_make(void);
void wm_head_release(void);
void wm_head_mark(uint64_t flags);
void wm_head_unmark(uint64_t flags);
/* Counts that are lost for good. */
void wm_head_lose(size_t func, uint64_t amount);
/* All counts of all functions are in doubt. */
void wm_head_lose_all(void);
/* Counts that a kill would lose; taken back with -1. */
void wm_head_doubt(size_t func, int64_t by);
void wm_head_settle(void);

/* object.c */
bool wm_forked_unseen(void);
/* A new identity in *head: run id, pid, time; live fields zero, flags kept sane. */
/* program.c; leaves zeros where the name is not known. */
void wm_program_name(char name[WM_PROGRAM_SIZE]);
void wm_new_run(struct wm_raw_header *head);
/* head.c */
void wm_seal(struct wm_raw_header *head, const struct wm_raw_func *table);

/* name.c: wm.pattern to a path.  Negative errno on failure. */
int wm_name_set(const char *pattern);
/* Warns of letters that mean nothing. */
void wm_name_check(void);
int wm_name_expand(char path[WM_PATH]);
/* Inserts ".N" before the extension. */
int wm_name_suffix(char out[WM_PATH], const char *path, unsigned number);
const char *wm_environment(const char *name);
/* One line on stderr per process and kind of warning; GROWTH: per object, because it is given
 * while the program runs, where no other copy of the runtime may be searched for.  Never with the lock held. */
enum wm_warning { WM_WARN_NAME = 1, WM_WARN_LATE = 2, WM_WARN_LOST = 4, WM_WARN_GROWTH = 8 };
struct wm_stream wm_stream_of(int fd);
/* Only where descriptor 2 still is what it was at the start: elsewhere it is the program's data. */
void wm_warn(enum wm_warning warning, const char *what, const char *which, int error);

/* file.c */
struct wm_file {
	int fd;
	bool named; /* has the temporary name in `temporary` */
	char path[WM_PATH], temporary[WM_PATH + 32];
};
/* A new file in the directory of `path`, not visible under a final name. */
int wm_file_create(struct wm_file *file, const char *path, bool named);
/* Gives it its name, or a suffixed one: `path` says which.  With N such files, O(log N) attempts. */
int wm_file_publish(struct wm_file *file);
/* Takes the place of the existing file `path`; needs a named one. */
int wm_file_replace(struct wm_file *file);
/* Closes; removes the temporary name if it still has one. */
void wm_file_discard(struct wm_file *file);
/* Real space for these bytes, zeroed, or an error: a mapping never meets a full disk. */
int wm_file_allocate(int fd, uint64_t offset, uint64_t size);

/* image.c */
enum wm_counts { WM_COUNTS_KEEP, WM_COUNTS_ZERO };
enum wm_publish { WM_PUBLISH_NEW, WM_PUBLISH_REPLACE, WM_PUBLISH_NEVER };
/* Puts the image, with `head` as its header, onto a new file (NEVER: onto private
 * memory).  On success *base becomes wm.base.  On failure all is as it was. */
int wm_image_move(
	const struct wm_raw_header *head, enum wm_counts counts, struct wm_base *base, enum wm_publish publish);
/* Writes a copy of the image to a new file. */
int wm_image_write(const struct wm_raw_header *head);
/* The same as a move with ZERO, in place; only for an image in private memory. */
void wm_image_restart(const struct wm_raw_header *head, struct wm_base *base);
/* Whether the file at wm.path is still ours. */
bool wm_image_in_place(void);

/* ids.c */
size_t wm_ids_size(void);
/* The chunk of wm.ids_size bytes. */
void wm_ids_fill(char *to);

/* hash.c */
/* The slot of `id`; if it has none, TAKE gives it one while the table is a quarter
 * empty, LAST_RESORT while there is any.  NULL: none. */
enum wm_find { WM_FIND_KNOWN, WM_FIND_TAKE, WM_FIND_LAST_RESORT };
struct wm_hash_slot *wm_hash_find(struct wm_table *table, uint64_t id, enum wm_find how);
/* With the lock held: puts a larger table in front of `seen`, unless somebody did.
 * False: no memory. */
bool wm_hash_grow(const struct wm_func *f, struct wm_head *head, struct wm_table *seen);
void wm_hash_lose(const struct wm_func *f, uint64_t amount);
/* The value of a key that is no count; it becomes `value` where the newest table
 * has none.  0: no memory. */
uint64_t wm_hash_keep(const struct wm_func *f, struct wm_head *head, uint64_t key, uint64_t value);
__attribute__((preserve_most, visibility("hidden"))) void __wm_hash_add(
	const struct wm_func *f, struct wm_head *head, uint64_t id, uint64_t amount);

/* residual.c */
/* Takes over the callback that other objects of the process already call. */
void wm_untested_inherit(void);
void wm_untested_set(const struct wm_untested_hook *hook);

/* live.c: the file behind the image, for chunks that come later. */
/* A descriptor that outlives chroot and a change of the user: out of the range that
 * programs use, closed by exec.  A program that closes all descriptors closes it too. */
void wm_live_keep(int fd);
void wm_live_drop(void);
/* Negative errno if the file is out of reach or another one has its name now. */
int wm_live_open(void);
void wm_live_close(int fd);
/* By its path. */
int wm_live_reopen(void);

/* chunk.c */
/* Unmaps all segments; later counts start new ones. */
void wm_segments_drop(void);
/* At least `least` bytes, better `size`. */
struct wm_segment *wm_segment_new(enum wm_chunk_kind kind, size_t size, size_t least);
void wm_segment_remove(size_t index);
uint64_t wm_segment_file_size(const struct wm_segment *segment);
void wm_segment_fill(char *to, const struct wm_segment *segment, enum wm_counts counts);
void wm_region_fill(char *to, const char *from, enum wm_counts counts);
/* Brings segments that are not in the file into it, if possible; else why not. */
int wm_segments_settle(void);
/* Warns, once, that counts are not in the file yet.  Not with the lock held. */
void wm_warn_unsettled(void);

/* table.c */
/* Empty, complete and counted in its chunk; NULL: no memory. */
struct wm_table *wm_table_new(uint64_t slots, size_t func, struct wm_table *older);
struct wm_table *wm_tables_of(const struct wm_segment *segment);
void wm_table_fill(char *to, struct wm_table *table, enum wm_counts counts);

/* thread.c: notes a second thread that nothing else would have seen; before a file is finished. */
void wm_ask_for_threads(void);

/* base.c: base + main region + the regions of all threads or of this one. */
enum wm_threads { WM_THREADS_ALL, WM_THREADS_SELF };
int wm_base_build(struct wm_base *base, enum wm_threads threads);
void wm_base_release(struct wm_base *base);

/* fork.c: the handlers of pthread_atfork */
void wm_fork_prepare(void);
void wm_fork_parent(void);
void wm_fork_child(void);

/* thread.c */
extern __thread int64_t __wm_thread_delta __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern __thread unsigned char __wm_thread_known __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* api.c: what copies of the runtime in one process know of each other. */
struct wm_control {
	uint64_t version;
	int (*dump)(const char *pattern);
	int (*reset)(void);
	int (*set_file)(const char *pattern);
	int *warned;
	void (*set_untested)(const struct wm_untested_hook *hook);
	struct wm_untested_hook *untested;
	const struct wm_stream *error_stream;
};
extern const struct wm_control __wm_control;
/* To be called once, in the constructor, before the next. */
void wm_control_start(void);
/* Calls `visit` for each copy; stops at the first non-zero result. */
int wm_each_control(int (*visit)(const struct wm_control *control, void *data), void *data);

/* Where a thread's copy of wm.cells is. */
static inline char *wm_region(const struct wm_segment *segment)
{
	return segment->memory + sizeof(struct wm_raw_chunk) + (wm.page_exact ? 0 : wm.before);
}

static inline size_t wm_cells_of(size_t func)
{
	const struct wm_func *f = &wm.func[func];
	return (size_t)((char *)(uintptr_t)f + f->cells - wm.cells);
}

/* Of a WM_FUNC_HASH function; `delta` leads to the heads of a thread. */
static inline struct wm_head *wm_head_of(const struct wm_func *f, int64_t delta)
{
	return (struct wm_head *)(void *)((char *)(uintptr_t)f + f->head + delta);
}

static inline struct wm_table *wm_newest(const struct wm_head *head)
{
	return __atomic_load_n(&head->newest, __ATOMIC_ACQUIRE);
}

static inline uint64_t wm_table_slots(const struct wm_table *table)
{
	return 1ull << (64 - table->shift);
}

/* One instruction, for the sake of signal handlers. */
static inline void wm_add_alone(uint64_t *cell, uint64_t amount)
{
	__asm__("addq %1, %0" : "+m"(*cell) : "er"(amount) : "cc");
}

/* In a slot that has its key. */
static inline void wm_count(const struct wm_func *f, struct wm_hash_slot *slot, uint64_t amount)
{
	if (WM_FUNC_UPDATE(f->flags) == WM_UPDATE_ATOMIC)
		wm_add(&slot->count, amount);
	else
		wm_add_alone(&slot->count, amount);
}

/* One per slot, in tables that are timed. */
static inline uint64_t *wm_times_of(const struct wm_table *table)
{
	return (uint64_t *)(table->slot + wm_table_slots(table));
}

#endif
