/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The internal interfaces of the runtime.  Each instrumented executable or shared object has its own hidden copy of
 * the runtime, which is responsible for that object only.
 *
 * The image is the set of counters in use:
 *     header    the header and the function table
 *     cells     the main cells: the object's own section of counters
 *     ids       the id of the path that each cell counts: a chunk of every file, not kept in memory
 *     segments  the chunks: the cells of threads, and hash tables
 *     base      what had been counted before the fork or reset with which this image began
 * The image stays at the same addresses for the lifetime of the object, because active frames hold addresses of cells
 * and tables.  Only the memory after the addresses changes: plain memory before the constructor, then pages of a
 * file, after a fork pages of another file, and plain memory again if that file cannot be created.  `wm_image_move`
 * makes this change; the constructor, fork, reset and set_file all use it.
 *
 * Another process may write to the pages of the file at any time.  Therefore the runtime reads only counts, keys and
 * times from them; wrong values of these do no harm.  Everything from which an address, a size or a loop bound is
 * derived is kept in private memory and only copied to the file: the header and the function table (wm.image.header,
 * wm.image.table), the fill level of a segment, and a struct wm_table per hash table.
 *
 * Code that changes an image or the list of segments holds wm.lock with all signals blocked, so that a signal handler
 * never waits for the frame that it interrupted.  Counting takes the lock only to get memory.  The stack may be as
 * small as a signal stack: buffers for file names are static and belong to the holder of the lock.
 */
#ifndef WM_RUNTIME_INTERNAL_H
#define WM_RUNTIME_INTERNAL_H

#include "abi/abi.h"
#include "abi/stream.h"
#include "abi/unit.h"
#include "runtime/distance.h"
#include "runtime/sys.h"

#define WM_PAGE 4096ull
#define WM_PATH 4096

/* The description of a hash table, in private memory. */
struct wm_table {
	struct wm_hash_slot *slot;
	uint64_t shift, used; /* used: the number of occupied slots */
	uint64_t away; /* calls for ids that were not in their home slot */
	struct wm_table *older; /* the next older table of the same head */
	size_t func;
	bool timed; /* WM_TABLE_TIMES */
};

struct wm_segment {
	char *memory; /* begins with a struct wm_raw_chunk; pages of the file or private memory */
	size_t size; /* of `memory`, in whole pages */
	size_t front; /* bytes of private memory before `memory`: the heads of a thread, or a struct wm_table per table */
	size_t used, table_count; /* TABLES: bytes and number of the tables */
	uint64_t offset; /* in the file; 0: the segment is not in the file */
	uint32_t kind; /* enum wm_chunk_kind */
	int32_t owner; /* THREAD, CRASH: the id of the thread; 0: there is none, -1: unknown */
	bool placed; /* THREAD: at a distance of distance.h */
};

/* BASE chunks with the same bytes as in a file; always private memory. */
struct wm_base {
	char *memory;
	size_t size;
};

/* The callback for untested paths. */
struct waymark_untested;
struct wm_untested_hook {
	void (*callback)(const struct waymark_untested *path, void *closure);
	void *closure;
	bool *(*inside)(void); /* returns the flag of this thread, shared by all copies of the runtime */
};

/* The file to which a descriptor refers. */
struct wm_stream {
	uint64_t device, inode;
	bool open;
};

/* The buffer of a thread that records, so that another thread can release it. */
struct wm_stream_buffer {
	char *memory; /* NULL: this place is free */
	size_t size;
	int32_t owner; /* thread id; -1: unknown */
};

/* The recording of the process: stream.c. */
struct wm_recording {
	bool on; /* some function is recorded */
	enum wm_stream_stop stopped; /* why nothing is recorded any more; 0: it is */
	uint64_t limit, used; /* bytes; limit 0: none */
	int spooler; /* process id; 0: there is none */
	uint64_t streams; /* the number of streams so far */
	uint64_t stamp; /* of the next special entry that has one */
	uint64_t parent_run[2]; /* run id of the parent process; zeros: not forked while recording */
	struct wm_stream_buffer *buffer;
	size_t buffer_count, buffer_capacity, buffer_cursor;
};

/* The instrumented executable or shared object; constant after the constructor. */
struct wm_runtime_object {
	const struct wm_func *func;
	size_t func_count;
	char *cells; /* first byte of the main cells */
	size_t before; /* bytes from the first head or cell, whichever is lower, to `cells` */
	size_t span; /* bytes from there to the end of a copy of the cells in memory, its heads included */
	size_t file_span; /* bytes of the cells in a file; differs when not page-exact */
	size_t ids_size; /* bytes of the chunk of ids, whole pages; 0: none */
	bool page_exact;
	bool grows; /* some function needs chunks */
	bool uses_gs; /* some function has `gs` updates */
	bool secure; /* AT_SECURE: no file */
	bool executable; /* the main program: never unloaded */
	uint64_t build_id_size, build_id[4], signature;
};

struct wm_runtime_image {
	struct wm_raw_header *header; /* in private memory; the authoritative copy */
	struct wm_raw_func *table; /* directly after *header, likewise */
	uint64_t *doubt; /* per function: the number of segments in which it counts and that are not in the file */
	struct wm_raw_header *shown; /* the copy of header and table in the file; never read */
	size_t header_size; /* of *shown, in whole pages */
	bool mapped; /* shown, cells and segments are pages of the file wm.path */
	int not_mapped_error; /* why the last attempt to make it so failed; 0: there was none */
	size_t not_stored; /* the number of segments that should be in the file and are not */
	int not_stored_error; /* why */
	uint64_t file_end, device, inode;
	int live_fd; /* the file wm.path, unless the program has closed it; -1: none */
	struct wm_segment *segment;
	size_t segment_count, segment_capacity;
	size_t thread_cursor; /* where the search for the cells of a dead thread continues */
	struct wm_base base;
};

struct wm_runtime_threads {
	bool have_cells; /* there are, or have been, cells of threads */
	bool failed; /* a thread counts in the main cells because there was no memory */
	bool announced; /* spawn.c has announced a thread */
	uint8_t second; /* WM_RAW_SECOND_THREAD */
	struct wm_distances *distances; /* NULL: no function has `gs` updates, or there was no memory */
	uintptr_t main_stack; /* an address on it; 0: not known */
};

struct wm_runtime_fork {
	uint64_t mask; /* of signals, before the fork */
	struct wm_base base;
	bool failed;
	int thread; /* the id of the thread that forks */
	bool in_child; /* between fork and the child's own image */
};

struct wm_runtime {
	struct wm_runtime_object object;
	struct wm_runtime_image image;
	struct wm_runtime_threads threads;
	struct wm_runtime_fork fork;
	bool started; /* the constructor has finished */
	bool written; /* the destructor wrote the image out */
	bool early_loss; /* a count before the constructor found no memory */
	bool discard; /* WAYMARK_FILE=/dev/null */
	bool filtered; /* the program may have a seccomp filter (spawn.c) */
	int pid;
	uint32_t lock;
	struct wm_recording recording; /* WM_FUNC_STREAM; protected by the lock */
	uint64_t *sentinel; /* 0: this address space was forked without the fork handlers */
	uint64_t snapshot; /* the number of the last snapshot */
	int warned; /* set of enum wm_warning: the warnings already given */
	struct wm_untested_hook untested; /* protected by the lock */
	struct wm_stream error_stream; /* the file of descriptor 2 when the program started */
	char pattern[WM_PATH], directory[WM_PATH], path[WM_PATH];
};
extern struct wm_runtime wm;

/* Defined by the linker and by waymark.ld; absent without instrumented code or without the script. */
extern const struct wm_func __start_wm_funcs[] __attribute__((weak, visibility("hidden")));
extern const struct wm_func __stop_wm_funcs[] __attribute__((weak, visibility("hidden")));
extern char __start_wm_heads[] __attribute__((weak, visibility("hidden")));
extern char __start_wm_cells[] __attribute__((weak, visibility("hidden")));
extern char __stop_wm_cells[] __attribute__((weak, visibility("hidden")));

/* Why the image is not in a file; never 0. */
static inline int wm_not_mapped_error(void)
{
	return wm.image.not_mapped_error ? wm.image.not_mapped_error : -95; /* ENOTSUP */
}

static inline uint64_t wm_page_up(uint64_t size)
{
	return (size + WM_PAGE - 1) & ~(WM_PAGE - 1);
}

/* lock.c: the lock, with all signals blocked; `saved` is the mask to restore. */
void wm_lock(uint64_t *saved);
void wm_unlock(const uint64_t *saved);
/* The same for any lock, when signals are blocked already. */
void wm_lock_take(uint32_t *lock);
void wm_lock_release(uint32_t *lock);

/* clock.c: microseconds since 1970; never 0. */
void wm_clock_start(void);
uint64_t wm_microseconds(void);

/* header.c: the header and the function table, in private memory and in the file. */
bool wm_header_make(void);
void wm_header_release(void);
void wm_header_set_flags(uint64_t flags);
void wm_header_clear_flags(uint64_t flags);
/* Records that counts of a function are lost for good. */
void wm_header_lose(size_t func, uint64_t amount);
/* Records that all counts of all functions are in doubt. */
void wm_header_lose_all(void);
/* Records that a kill would lose counts of a function; by = -1 revokes it. */
void wm_header_doubt(size_t func, int64_t by);
void wm_header_store(void);

/* object.c: the constructor; does nothing the second time. */
void wm_start(void);
/* Whether the process has one thread. */
bool wm_is_alone(void);
bool wm_forked_unseen(void);
/* program.c: the name of the program; zeros if it is not known. */
void wm_program_name(char name[WM_PROGRAM_SIZE]);
/* object.c: gives *header a new run id, pid and time, and resets the fields of a live file. */
void wm_new_run(struct wm_raw_header *header);
/* header.c */
void wm_seal(struct wm_raw_header *header, const struct wm_raw_func *table);

/* name.c: turns wm.pattern into a path.  Negative errno on failure. */
int wm_name_set(const char *pattern);
/* Warns about unknown % letters. */
void wm_name_check(void);
int wm_name_expand(char path[WM_PATH]);
/* Inserts ".N" before the extension. */
int wm_name_suffix(char out[WM_PATH], const char *path, unsigned number);
const char *wm_environment(const char *name);
/* Each kind of warning is one line on stderr per process.  GROWTH is per object, because it is given while the program
 * runs, when other copies of the runtime must not be searched for.  Must not be called with the lock held. */
enum wm_warning { WM_WARN_NAME = 1, WM_WARN_LATE = 2, WM_WARN_LOST = 4, WM_WARN_GROWTH = 8, WM_WARN_STREAM = 16 };
struct wm_stream wm_stream_of(int fd);
/* Prints only if descriptor 2 is still the same file as at the start; otherwise the program uses it for data. */
void wm_warn(enum wm_warning warning, const char *what, const char *which, int error);

/* file.c */
struct wm_file {
	int fd;
	bool named; /* has the temporary name in `temporary` */
	char path[WM_PATH], temporary[WM_PATH + 32];
};
/* A new file in the directory of `path`, not visible under a final name. */
int wm_file_create(struct wm_file *file, const char *path, bool named);
/* Gives the file its name, or one with a number if that exists; `path` receives it.  With N such files, O(log N)
 * attempts. */
int wm_file_publish(struct wm_file *file);
/* Replaces the existing file `path`; the file must be `named`. */
int wm_file_replace(struct wm_file *file);
/* Closes the file, and removes its temporary name if it has one. */
void wm_file_discard(struct wm_file *file);
/* Allocates zeroed disk space for these bytes, or fails, so that writing to a mapping never fails on a full disk. */
int wm_file_allocate(int fd, uint64_t offset, uint64_t size);
/* When a file would exceed RLIMIT_FSIZE, the kernel sends SIGXFSZ to this thread, which would end the program.  With signals
 * blocked: removes the pending signal before they are unblocked. */
void wm_take_back_xfsz(void);

/* image.c */
enum wm_counts { WM_COUNTS_KEEP, WM_COUNTS_ZERO };
enum wm_publish { WM_PUBLISH_NEW, WM_PUBLISH_REPLACE, WM_PUBLISH_NEVER };
/* Moves the image, with `header`, to a new file (NEVER: to private memory).  On success *base becomes
 * wm.image.base.  On failure nothing changes. */
int wm_image_move(
	const struct wm_raw_header *header, enum wm_counts counts, struct wm_base *base, enum wm_publish publish);
/* Writes a copy of the image to a new file. */
int wm_image_write(const struct wm_raw_header *header);
/* Does the same as a move with ZERO, in place; only for an image in private memory. */
void wm_image_restart(const struct wm_raw_header *header, struct wm_base *base);
/* Whether the file at wm.path is still the file of this image. */
bool wm_image_in_place(void);
/* At the end of the program: gives the disk space of pages that contain only zeros back. */
void wm_image_trim(void);

/* ids.c */
size_t wm_ids_size(void);
/* Writes the chunk of wm.object.ids_size bytes. */
void wm_ids_fill(char *to);

/* hash.c */
/* Finds the slot of `id`.  If there is none, TAKE occupies one while a quarter of the table is empty, LAST_RESORT while
 * any slot is empty.  NULL: there is no slot. */
enum wm_find { WM_FIND_KNOWN, WM_FIND_TAKE, WM_FIND_LAST_RESORT };
struct wm_hash_slot *wm_hash_find(struct wm_table *table, uint64_t id, enum wm_find how);
/* With the lock held: puts a larger table in front of `seen`, unless another thread already has.  False: out of
 * memory. */
bool wm_hash_grow(const struct wm_func *f, struct wm_hash_head *head, struct wm_table *seen);
void wm_hash_lose(const struct wm_func *f, uint64_t amount);
/* The value of a key that is not a count.  If the newest table does not have the key, its value becomes `value`.
 * 0: out of memory. */
uint64_t wm_hash_keep(const struct wm_func *f, struct wm_hash_head *head, uint64_t key, uint64_t value);
__attribute__((preserve_most, visibility("hidden"))) void __wm_hash_add(
	const struct wm_func *f, struct wm_hash_head *head, uint64_t id, uint64_t amount);

/* residual.c */
/* Adopts the callback that other objects of the process already use. */
void wm_untested_inherit(void);
void wm_untested_set(const struct wm_untested_hook *hook);

/* live.c: the descriptor of the file after the image, for chunks that are added later. */
/* Keeps a descriptor, which stays usable after chroot and after a change of user.  Its number is above the range that
 * programs use, and exec closes it.  A program that closes all descriptors closes this one too. */
void wm_live_keep(int fd);
void wm_live_drop(void);
/* Negative errno: the file cannot be opened, or another file has its name now. */
int wm_live_open(void);
void wm_live_close(int fd);
/* Opens the file by its path. */
int wm_live_reopen(void);

/* chunk.c */
/* Unmaps all segments; later counts start new ones. */
void wm_segments_drop(void);
/* Allocates `size` bytes if possible, at least `least`. */
struct wm_segment *wm_segment_new(enum wm_chunk_kind kind, size_t size, size_t least);
/* The same for a place whose private memory is mapped already. */
struct wm_segment *wm_segment_place(const struct wm_segment *place);
void wm_segment_remove(size_t index);
uint64_t wm_segment_file_size(const struct wm_segment *segment);
void wm_segment_fill(char *to, const struct wm_segment *segment, enum wm_counts counts);
void wm_cells_fill(char *to, const char *from, enum wm_counts counts);
/* Moves segments that are not in the file into it.  Negative errno: why that is not possible. */
int wm_segments_store(void);
/* Warns once that counts are not in the file yet.  Must not be called with the lock held. */
void wm_warn_not_stored(void);

/* Whether the live file was truncated, so that its pages must not be touched. */
bool wm_is_cut(int fd);
/* Appends `size` bytes to the live file and maps them over the private pages at `at`; `flags` are further flags of
 * mmap.  Negative errno on failure. */
int wm_extend_file(size_t size, char *at, int flags, uint64_t *offset);

/* stream.c: recordings (abi/stream.h). */
extern __thread uint64_t __wm_stream_cursor __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* In the constructor: reads the environment and tells the functions their index. */
void wm_stream_start(void);
/* In the destructor: seals what was recorded.  A process with one stream makes no system call here. */
void wm_stream_end(void);
/* In the child of a fork, before it has a run id of its own. */
void wm_stream_fork(void);
/* Unmaps all buffers; entries that come later get new ones. */
void wm_stream_release(void);

/* table.c */
/* Makes an empty table in a chunk.  NULL: out of memory. */
struct wm_table *wm_table_new(uint64_t slots, size_t func, struct wm_table *older);
struct wm_table *wm_tables_of(const struct wm_segment *segment);
void wm_table_fill(char *to, struct wm_table *table, enum wm_counts counts);

/* thread.c: whether what `owner` has noted is free for `self`, a thread that has none yet.  If the id of a dead thread is
 * used again, the dead one is not recognised; a live thread is never taken for dead. */
bool wm_owner_is_dead(int owner, int self);
/* A segment of this kind whose owner has ended, or NULL. */
struct wm_segment *wm_segment_of_dead_thread(enum wm_chunk_kind kind, int self);
/* The id of this thread, or -1 in a vfork child, which ends before its parent. */
int wm_owner_to_note(void);
/* waiting.c: in the child of a fork.  Programs without pending paths do not have it. */
__attribute__((weak)) void wm_waiting_fork(void);
/* thread.c: whether a chunk of kind THREAD is that of this thread. */
bool wm_is_own_cells(const struct wm_segment *segment);
void wm_threads_start(void);
void wm_threads_stop(void);
/* Records that a thread has no cells of its own. */
void wm_second_thread(void);

/* unseen.c: threads that nobody announced. */
void wm_unseen_start(void);
/* Called before a file is finished.  Makes no system call if `quiet`. */
void wm_unseen_detect(bool quiet);

/* base.c: the sum of base, main cells, and the cells of all threads or of this one. */
enum wm_threads { WM_THREADS_ALL, WM_THREADS_SELF };
int wm_base_build(struct wm_base *base, enum wm_threads threads);
void wm_base_release(struct wm_base *base);

/* fork.c: the handlers of pthread_atfork */
void wm_fork_prepare(void);
void wm_fork_parent(void);
void wm_fork_child(void);

/* thread.c */
extern __thread int64_t __wm_thread_delta __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern __thread struct wm_mailbox __wm_mailbox __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern __thread unsigned char __wm_thread_known __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern __thread int64_t wm_thread_distance __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* api.c: the interface between the copies of the runtime in one process. */
struct wm_control {
	uint64_t version;
	int (*dump)(const char *pattern);
	int (*reset)(void);
	int (*set_file)(const char *pattern);
	int *warned;
	void (*set_untested)(const struct wm_untested_hook *hook);
	struct wm_untested_hook *untested;
	const struct wm_stream *error_stream;
	struct wm_distances *const *distances;
};
extern const struct wm_control __wm_control;
/* Must be called once, in the constructor, before wm_each_control. */
void wm_control_start(void);
/* Calls `visit` for each copy; stops at the first non-zero result. */
int wm_each_control(int (*visit)(const struct wm_control *control, void *data), void *data);

/* The address of a thread's copy of wm.object.cells. */
static inline char *wm_thread_cells(const struct wm_segment *segment)
{
	return segment->memory + sizeof(struct wm_raw_chunk) + (wm.object.page_exact ? 0 : wm.object.before);
}

static inline size_t wm_cells_of(size_t func)
{
	const struct wm_func *f = &wm.object.func[func];
	return (size_t)((char *)(uintptr_t)f + f->cells - wm.object.cells);
}

/* The head of a WM_FUNC_HASH function; `delta` is the offset of the heads of a thread. */
static inline struct wm_hash_head *wm_hash_head_of(const struct wm_func *f, int64_t delta)
{
	return (struct wm_hash_head *)(void *)((char *)(uintptr_t)f + f->head + delta);
}

/* The head of this thread, given the one that compiled code passes. */
static inline struct wm_hash_head *wm_own_head(const struct wm_func *f, struct wm_hash_head *head)
{
	if (WM_FUNC_UPDATE(f->flags) != WM_UPDATE_GS)
		return head;
	return (struct wm_hash_head *)(void *)((char *)head + wm_thread_distance);
}

static inline struct wm_table *wm_newest(const struct wm_hash_head *head)
{
	return __atomic_load_n(&head->newest, __ATOMIC_ACQUIRE);
}

static inline uint64_t wm_table_slots(const struct wm_table *table)
{
	return 1ull << (64 - table->shift);
}

/* One instruction, so that a signal handler that counts the same path loses nothing. */
static inline void wm_add_alone(uint64_t *cell, uint64_t amount)
{
	__asm__("addq %1, %0" : "+m"(*cell) : "er"(amount) : "cc");
}

/* Adds to the count of a slot whose key is set. */
static inline void wm_count(const struct wm_func *f, struct wm_hash_slot *slot, uint64_t amount)
{
	if (WM_FUNC_UPDATE(f->flags) == WM_UPDATE_ATOMIC)
		wm_add(&slot->count, amount);
	else
		wm_add_alone(&slot->count, amount);
}

/* The times of a timed table, one per slot. */
static inline uint64_t *wm_times_of(const struct wm_table *table)
{
	return (uint64_t *)(table->slot + wm_table_slots(table));
}

#endif
