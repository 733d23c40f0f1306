/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A mark has the difference between two snapshots of the counters, which go on counting: so what another thread keeps in a register
 * meanwhile is counted once, and nothing changes for a reader that does not know marks.  The snapshot of the last mark stays in
 * private memory.
 */
#include "runtime/image/test_marks.h"

#include "abi/counts.h"
#include "runtime/chunk/chunk.h"
#include "runtime/file/file_write.h"
#include "runtime/file/live.h"
#include "runtime/file/test_name.h"
#include "runtime/image/sorted_counts.h"
#include "runtime/state/state.h"
#include "runtime/state/unseen.h"

#include <errno.h>

static bool exist;
static struct wm_sorted_counts last; /* what had been counted at the last mark */
static struct wm_counts_writer waiting;

static int take_snapshot(struct wm_sorted_counts *sorted)
{
	struct wm_counts_writer all = {NULL, 0, 0, 0, 0};
	wm_counts_collect(&all, WM_THREADS_ALL, WM_COLLECT_SUMS);
	bool done = wm_sorted_counts_read(sorted, &all);
	wm_counts_release(&all);
	return done ? 0 : -ENOMEM;
}

static int make_mark(struct wm_counts_writer *mark, const char *name, const struct wm_sorted_counts *now)
{
	size_t length = wm_length(name);
	wm_counts_begin(mark);
	wm_counts_copy(mark, name, length);
	wm_sorted_counts_put_since(mark, now, &last);
	return wm_counts_end(mark, WM_CHUNK_TEST, length) ? 0 : -ENOMEM;
}

/* Until the header has its checksum, the chunk counts nothing. */
static int write_mark(int fd, const struct wm_counts_writer *mark)
{
	const struct wm_raw_chunk *chunk = (const void *)mark->memory;
	const struct wm_raw_chunk begun = {.magic = chunk->magic, .kind = chunk->kind, .size = chunk->size};
	uint64_t at = wm.image.file_end;
	int error = wm_file_allocate(fd, at, chunk->size);
	if (!error)
		error = wm_file_write(fd, at, &begun, sizeof begun);
	if (!error)
		error = wm_file_write(fd, at + sizeof *chunk, chunk + 1, chunk->used);
	if (!error)
		error = wm_file_write(fd, at, chunk, sizeof *chunk);
	return error;
}

static int append_to_file(const struct wm_counts_writer *mark)
{
	if (wm_forked_unseen() || wm.image.header->flags & WM_RAW_FOREIGN_PROCESS)
		return -ECHILD;
	int fd = wm_live_open();
	if (fd < 0)
		return fd;
	int error = wm_is_cut(fd) ? -ENODATA : write_mark(fd, mark);
	if (!error) {
		wm.image.file_end += mark->used;
		wm_note_file_size();
	} else if (error != -ENODATA) {
		sys3(SYS_ftruncate, fd, (long)wm.image.file_end, 0);
	}
	wm_live_close(fd);
	return error;
}

static int append(const struct wm_counts_writer *mark)
{
	if (wm.image.mapped)
		return append_to_file(mark);
	wm_counts_copy(&waiting, mark->memory, mark->used);
	int error = waiting.error;
	waiting.error = 0;
	return error;
}

static int add_mark(const char *name, const struct wm_sorted_counts *now)
{
	struct wm_counts_writer mark = {NULL, 0, 0, 0, 0};
	int error = make_mark(&mark, name, now);
	if (!error)
		error = append(&mark);
	wm_counts_release(&mark);
	exist |= !error;
	return error;
}

int wm_test_mark(const char *name)
{
	struct wm_sorted_counts now;
	if (wm.discard || wm.condensed || wm.written)
		return 0;
	int error = take_snapshot(&now);
	if (!error)
		error = add_mark(name, &now);
	if (error) {
		wm_sorted_counts_release(&now);
		return error;
	}
	wm_sorted_counts_release(&last);
	last = now;
	return 0;
}

void wm_test_marks_drop(void)
{
	wm_sorted_counts_release(&last);
	wm_test_marks_stored();
}

void wm_test_marks_restart(void)
{
	static const struct wm_sorted_counts none;
	wm_test_marks_drop();
	exist = false;
	if (*wm_test_name() && !wm.discard && !wm.recording.on)
		add_mark(wm_test_name(), &none);
}

bool wm_test_marks_exist(void)
{
	return exist;
}

size_t wm_test_marks_waiting(const char **chunks)
{
	*chunks = waiting.memory;
	return waiting.used;
}

void wm_test_marks_stored(void)
{
	wm_counts_release(&waiting);
}
