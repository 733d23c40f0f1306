/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of the runtime.  Each instrumented executable or shared object has its own hidden copy of the runtime, which is
 * responsible for that object only.
 *
 * The image is the set of counters in use:
 *     header    the header and the function table
 *     cells     the main cells: the object's own section of counters
 *     ids       the id of the path that each cell counts: a chunk of every file, not kept in memory
 *     chunks    the cells of threads, and hash tables
 *     base      what had been counted before the fork or reset with which this image began
 * The image stays at the same addresses for the lifetime of the object, because active frames hold addresses of cells
 * and tables.  Only the memory after the addresses changes: plain memory before the constructor, then pages of a
 * file, after a fork pages of another file, and plain memory again if that file cannot be created.  `wm_image_move`
 * makes this change; the constructor, fork, reset and set_file all use it.
 *
 * Another process may write to the pages of the file at any time.  Therefore the runtime reads only counts, keys and
 * times from them; wrong values of these do no harm.  Everything from which an address, a size or a loop bound is
 * derived is kept in private memory and only copied to the file: the header and the function table (wm.image.header,
 * wm.image.table), the fill level of a chunk, and a struct wm_table per hash table.
 *
 * Code that changes an image or the list of chunks holds wm.lock with all signals blocked, so that a signal handler
 * never waits for the frame that it interrupted.  Counting takes the lock only to get memory.  The stack may be as
 * small as a signal stack: buffers for file names are static and belong to the holder of the lock.
 */
#ifndef WM_RUNTIME_STATE_STATE_H
#define WM_RUNTIME_STATE_STATE_H

#include "abi/abi.h"
#include "abi/stream.h"
#include "runtime/system/sys.h"

#define WM_PAGE 4096ull
#define WM_PATH 4096

/* Whether a copy has the counts, or zeros in their place. */
enum wm_counts { WM_COUNTS_KEEP, WM_COUNTS_ZERO };

/* A chunk of the image. */
struct wm_chunk {
	char *memory; /* begins with a struct wm_raw_chunk; pages of the file or private memory */
	size_t size; /* of `memory`, in whole pages */
	size_t front; /* bytes of private memory before `memory`: the heads of a thread, or a struct wm_table per table */
	size_t used, table_count; /* TABLES: bytes and number of the tables; UNFINISHED: used: bytes of all slots */
	uint64_t offset; /* in the file; 0: the chunk is not in the file */
	uint32_t kind; /* enum wm_chunk_kind */
	int32_t owner; /* THREAD, CRASH: the id of the thread; 0: there is none, -1: unknown */
	bool placed; /* THREAD: at a distance of distance.h */
};

/* COUNTS chunks with the same bytes as in a file; always private memory. */
struct wm_base {
	char *memory;
	size_t size; /* of the chunks */
	size_t mapped; /* bytes of `memory` */
};

struct waymark_untested;

/* The callback for untested paths. */
struct wm_untested_hook {
	void (*callback)(const struct waymark_untested *path, void *closure);
	void *closure;
	bool *(*inside)(void); /* returns the flag of this thread, shared by all copies of the runtime */
};

/* The file to which a descriptor refers. */
struct wm_file_identity {
	uint64_t device, inode;
	bool open;
};

/* The buffer of a thread that records, so that another thread can release it. */
struct wm_stream_buffer {
	char *memory; /* NULL: this place is free */
	size_t size;
	int32_t owner; /* thread id; -1: unknown */
};

/* The recording of the process: recording_stream.c. */
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

struct wm_distances;

struct wm_runtime_image {
	struct wm_raw_header *header; /* in private memory; the authoritative copy */
	struct wm_raw_func *table; /* directly after *header, likewise */
	uint64_t table_sum; /* checksum of the table */
	uint64_t *doubt; /* per function: the number of chunks in which it counts and that are not in the file */
	struct wm_raw_header *shown; /* the copy of header and table in the file; never read */
	size_t header_size; /* of *shown, in whole pages */
	bool mapped; /* shown, cells and chunks are pages of the file wm.path */
	bool tells_data; /* the file system of this file tells which pages were written to (touched.h) */
	int not_mapped_error; /* why the last attempt to make it so failed; 0: there was none */
	size_t not_stored; /* the number of chunks that should be in the file and are not */
	int not_stored_error; /* why */
	uint64_t file_end, device, inode;
	int live_fd; /* the file wm.path, unless the program has closed it; -1: none */
	struct wm_chunk *chunk;
	size_t chunk_count, chunk_capacity;
	size_t thread_cursor; /* where the search for the cells of a dead thread continues */
	struct wm_base base;
};

struct wm_runtime_threads {
	bool have_cells; /* there are, or have been, cells of threads */
	bool failed; /* a thread counts in the main cells because there was no memory */
	bool announced; /* spawn.c has announced a thread */
	uint8_t second; /* WM_RAW_SECOND_THREAD */
	struct wm_distances *distances; /* NULL: no function has `gs` updates, or there was no memory */
	uintptr_t main_stack; /* an address on it */
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
	bool condensed; /* the destructor has cleared the cells and tables */
	bool left; /* the end of the process has left all activations */
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
	struct wm_file_identity error_stream; /* the file of descriptor 2 when the program started */
	char pattern[WM_PATH], directory[WM_PATH], path[WM_PATH];
};
extern struct wm_runtime wm;

/* Defined by the linker and by waymark.ld; absent without instrumented code or without the script. */
extern const struct wm_func __start_wm_funcs[] __attribute__((weak, visibility("hidden")));
extern const struct wm_func __stop_wm_funcs[] __attribute__((weak, visibility("hidden")));
extern char __start_wm_heads[] __attribute__((weak, visibility("hidden")));
extern char __start_wm_cells[] __attribute__((weak, visibility("hidden")));
extern char __start_wm_large_cells[] __attribute__((weak, visibility("hidden")));
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

/* The address of a thread's copy of wm.object.cells. */
static inline char *wm_thread_cells(const struct wm_chunk *chunk)
{
	return chunk->memory + sizeof(struct wm_raw_chunk) + (wm.object.page_exact ? 0 : wm.object.before);
}

static inline size_t wm_cells_of(size_t func)
{
	const struct wm_func *f = &wm.object.func[func];
	return (size_t)((char *)(uintptr_t)f + f->cells - wm.object.cells);
}

#endif
