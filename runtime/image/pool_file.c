/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process that ends appends its counts to the pool.  It never waits long for that: if others keep the lock, or anything is
 * not as it should be, its own file stays, which every reader of the pool finds beside it.
 *
 * The pool is another process's data, so nothing that is read from it is used as an address, and what is read as a size is
 * checked.
 */
#include "runtime/image/pool_file.h"

#include "abi/pool.h"
#include "runtime/chunk/chunk.h"
#include "runtime/chunk/ids.h"
#include "runtime/file/family_file.h"
#include "runtime/file/file_write.h"
#include "runtime/file/live.h"
#include "runtime/file/name.h"
#include "runtime/file/new_file.h"
#include "runtime/file/warn.h"
#include "runtime/image/packed_counts.h"
#include "runtime/image/test_marks.h"
#include "runtime/state/header.h"
#include "runtime/state/unseen.h"

#include <errno.h>
#include <sys/file.h>

#define ATTEMPTS 100 /* to get the lock */
#define PAUSE 2000000 /* nanoseconds between them */
/* The chunks of a pool are added up when they have so many bytes, and are several times as large as the first, which is the
 * last sum: the work for each chunk stays the same, however many there are.  One process has to do all of it before it ends, with
 * signals blocked, so larger pools only grow. */
#define LEAST_SUM (1u << 20)
#define MOST_SUM (2u << 20)
#define GROWTH 3

static char pool[WM_PATH];
static int failure; /* negative errno, of which wm_pool_warn tells; 0: none */

void wm_pool_remember(void)
{
	wm_copy(pool, wm_name_pool(), wm_length(wm_name_pool()) + 1);
}

void wm_pool_warn(void)
{
	if (failure)
		wm_warn(WM_WARN_POOL, "counts stay in a file of their own, because they cannot be added to", pool,
			failure);
	failure = 0;
}

/* ---- What this process adds --------------------------------------------------------- */

static bool only_counts(void)
{
	for (size_t i = 0; i < wm.image.chunk_count; i++) {
		uint32_t kind = wm.image.chunk[i].kind;
		if (kind != WM_CHUNK_TABLES && kind != WM_CHUNK_THREAD && kind != WM_CHUNK_UNFINISHED)
			return false;
	}
	return true;
}

/* A run of which there is more to say than its counts keeps its file: recordings, threads of a crash, losses, names of tests, and
 * families of `waymark test`. */
static bool may_leave(void)
{
	uint64_t usual = WM_RAW_KILL_SAFE | WM_RAW_INHERITED | WM_RAW_ENDED;
	return pool[0] && wm.image.mapped && !wm.image.not_stored && wm.object.page_exact && !wm.recording.on &&
	       !wm_family_wanted() && !wm_test_marks_exist() && !wm.image.header->lost &&
	       !(wm.image.header->flags & ~usual) && only_counts() && wm_unseen_none();
}

static size_t base_size(void)
{
	const struct wm_raw_chunk *chunk;
	size_t size = 0;
	for (size_t at = 0; at < wm.image.base.size; at += chunk->size) {
		chunk = (const void *)(wm.image.base.memory + at);
		size += chunk->used;
	}
	return size;
}

static char *put_base(char *to)
{
	const struct wm_raw_chunk *chunk;
	for (size_t at = 0; at < wm.image.base.size; at += chunk->size) {
		chunk = (const void *)(wm.image.base.memory + at);
		wm_copy(to, chunk + 1, chunk->used);
		to += chunk->used;
	}
	return to;
}

static struct wm_raw_run this_run(void)
{
	const struct wm_raw_header *header = wm.image.header;
	return (struct wm_raw_run){
		header->run_id_low, header->run_id_high, header->epoch, header->start_time, header->pid};
}

static bool make_chunk(struct wm_pool_chunks *made, const struct wm_counts_writer *writer)
{
	const struct wm_raw_chunk *counts = (const void *)writer->memory;
	size_t base = base_size(), counted = writer->used ? counts->used : 0;
	size_t used = sizeof(struct wm_raw_run) + base + counted;
	made->size = wm_page_up(sizeof(struct wm_raw_chunk) + used);
	made->memory = sys_map_anonymous(made->size);
	if (!made->memory)
		return false;
	struct wm_raw_chunk *chunk = (void *)made->memory;
	*chunk = (struct wm_raw_chunk){.magic = WM_CHUNK_MAGIC,
		.kind = WM_CHUNK_RUNS,
		.size = made->size,
		.used = used,
		.thread = 1,
		.parent_low = base};
	struct wm_raw_run *run = (void *)(chunk + 1);
	*run = this_run();
	wm_copy(put_base((char *)(run + 1)), counts + 1, counted);
	wm_pool_seal(chunk);
	return true;
}

static bool collect(struct wm_pool_chunks *made)
{
	struct wm_counts_writer writer = {NULL, 0, 0, 0, 0};
	wm_counts_collect(&writer, WM_THREADS_ALL, WM_COLLECT_ALL);
	/* Counts without a key are lost counts, which were found only now. */
	bool done = !writer.error && !wm.image.header->lost && make_chunk(made, &writer);
	wm_counts_release(&writer);
	return done;
}

/* ---- The file ----------------------------------------------------------------------- */

static uint64_t first_chunk(void)
{
	return wm.image.header->chunks_offset + wm.object.ids_size;
}

static void make_header(struct wm_raw_header *header, uint64_t size)
{
	wm_copy(header, wm.image.header, sizeof *header);
	header->run_id_low = header->run_id_high = header->pid = header->epoch = 0;
	header->flags = WM_RAW_POOL | WM_RAW_KILL_SAFE;
	header->condensed = 0;
	header->file_size = size;
	wm_seal(header);
}

static int write_ids(int fd)
{
	if (!wm.object.ids_size)
		return 0;
	char *ids = sys_map_anonymous(wm.object.ids_size);
	if (!ids)
		return -ENOMEM;
	wm_ids_fill(ids);
	int error = wm_file_write(fd, wm.image.header->chunks_offset, ids, wm.object.ids_size);
	sys_unmap(ids, wm.object.ids_size);
	return error;
}

static int write_pool(int fd, const struct wm_pool_chunks *chunks)
{
	struct wm_raw_header header;
	make_header(&header, first_chunk() + chunks->size);
	int error = wm_file_write(fd, 0, &header, sizeof header);
	if (!error)
		error = wm_file_write(fd, sizeof header, wm.image.table, wm.object.func_count * sizeof *wm.image.table);
	if (!error)
		error = write_ids(fd);
	return error ? error : wm_file_write(fd, first_chunk(), chunks->memory, chunks->size);
}

/* -EEXIST: another process was faster. */
static int create(const struct wm_pool_chunks *chunks)
{
	static struct wm_file file;
	int error = wm_file_create(&file, pool, false);
	if (error)
		return error;
	error = write_pool(file.fd, chunks);
	if (!error)
		error = wm_file_publish_exactly(&file);
	wm_file_discard(&file);
	return error;
}

static int lock(int fd)
{
	const struct timespec pause = {0, PAUSE};
	for (int i = 0; i < ATTEMPTS; i++) {
		long error = sys3(SYS_flock, fd, LOCK_EX | LOCK_NB, 0);
		if (error != -EAGAIN)
			return (int)error;
		sys3(SYS_nanosleep, (long)&pause, 0, 0);
	}
	return -EAGAIN;
}

/* Whether the file is a pool of this very build, to which its user may add. */
static int check(int fd, struct wm_raw_header *header)
{
	struct wm_raw_header own;
	struct stat status;
	if (sys3(SYS_fstat, fd, (long)&status, 0) || !S_ISREG(status.st_mode))
		return -ENXIO;
	if (!status.st_nlink)
		return -ESTALE;
	if (status.st_uid != (uid_t)sys3(SYS_geteuid, 0, 0, 0))
		return -EPERM;
	if (sys6(SYS_pread64, fd, (long)header, sizeof *header, 0, 0, 0) != sizeof *header)
		return -EEXIST;
	make_header(&own, header->file_size);
	own.start_time = header->start_time;
	wm_seal(&own);
	if (own.magic != header->magic || own.version != header->version || own.header_size != header->header_size ||
		own.flags != header->flags || own.checksum != header->checksum)
		return -EEXIST;
	uint64_t size = (uint64_t)status.st_size;
	return header->file_size < first_chunk() || header->file_size % WM_PAGE || header->file_size > size ? -ENODATA
													    : 0;
}

static int commit(int fd, uint64_t size)
{
	return wm_file_write(fd, offsetof(struct wm_raw_header, file_size), &size, sizeof size);
}

/* What a killed process had begun to write behind the end is cut off first. */
static int append(int fd, struct wm_raw_header *header, const struct wm_pool_chunks *chunks)
{
	int error = (int)sys3(SYS_ftruncate, fd, (long)header->file_size, 0);
	if (error)
		return error;
	error = wm_file_write(fd, header->file_size, chunks->memory, chunks->size);
	if (!error)
		error = commit(fd, header->file_size + chunks->size);
	if (error)
		sys3(SYS_ftruncate, fd, (long)header->file_size, 0);
	else
		header->file_size += chunks->size;
	return error;
}

/* ---- The sum ------------------------------------------------------------------------ */

static bool read_chunks(int fd, const struct wm_raw_header *header, struct wm_pool_chunks *chunks)
{
	chunks->size = header->file_size - first_chunk();
	chunks->memory = sys_map_anonymous(chunks->size);
	if (!chunks->memory)
		return false;
	long got = sys6(SYS_pread64, fd, (long)chunks->memory, (long)chunks->size, (long)first_chunk(), 0, 0);
	if (got == (long)chunks->size)
		return true;
	sys_unmap(chunks->memory, chunks->size);
	return false;
}

/* The name is always the same, so that what a killed process leaves is removed by the next one. */
static void replace(const struct wm_pool_chunks *sum)
{
	static char name[WM_PATH];
	size_t length = wm_length(pool);
	wm_copy(name, pool, length);
	wm_copy(name + length, ".sum", 5);
	sys_unlink(name);
	int fd = sys_open(name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (write_pool(fd, sum) || sys3(SYS_rename, (long)name, (long)pool, 0))
		sys_unlink(name);
	sys_close(fd);
}

/* The time at which a path was first taken belongs to one process. */
static bool has_times(void)
{
	for (size_t i = 0; i < wm.object.func_count; i++)
		if (wm.object.func[i].flags & WM_FUNC_RESIDUAL)
			return true;
	return false;
}

/* Whoever waits for the lock of the old file sees that it has no name any more, and opens the new one. */
static void add_up(int fd, const struct wm_raw_header *header)
{
	struct wm_pool_chunks chunks, sum;
	struct wm_raw_chunk first;
	uint64_t size = header->file_size - first_chunk();
	if (size < LEAST_SUM || size > MOST_SUM ||
		sys6(SYS_pread64, fd, (long)&first, sizeof first, (long)first_chunk(), 0, 0) != sizeof first ||
		first.size > size / GROWTH || has_times() || !read_chunks(fd, header, &chunks))
		return;
	if (wm_pool_sum(&chunks, &sum)) {
		replace(&sum);
		sys_unmap(sum.memory, sum.size);
	}
	sys_unmap(chunks.memory, chunks.size);
}

/* ---- Leaving ------------------------------------------------------------------------ */

/* -ENOENT, -ESTALE: there is no pool any more. */
static int add_to_pool(const struct wm_pool_chunks *chunks)
{
	struct wm_raw_header header;
	int fd = sys_open(pool, O_RDWR | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	int error = lock(fd);
	if (!error)
		error = check(fd, &header);
	if (!error)
		error = append(fd, &header, chunks);
	if (!error)
		add_up(fd, &header);
	sys_close(fd);
	return error;
}

static int add(const struct wm_pool_chunks *chunks)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		int error = add_to_pool(chunks);
		if (error == -ENOENT) {
			error = create(chunks);
			error = error == -EEXIST ? -ESTALE : error;
		}
		if (error != -ESTALE)
			return error;
	}
	return -EAGAIN;
}

static void remove_own_file(void)
{
	int fd = wm_live_reopen();
	if (fd < 0)
		return;
	sys_unlink(wm.path);
	sys_close(fd);
}

static bool own_file_is_whole(void)
{
	int fd = wm_live_open();
	bool whole = fd >= 0 && !wm_is_cut(fd);
	if (fd >= 0)
		wm_live_close(fd);
	return whole;
}

bool wm_pool_leave(void)
{
	struct wm_pool_chunks chunks;
	if (!may_leave() || !own_file_is_whole() || !collect(&chunks))
		return false;
	int error = add(&chunks);
	sys_unmap(chunks.memory, chunks.size);
	if (!error)
		remove_own_file();
	else if (error != -EAGAIN)
		failure = error;
	return !error;
}
