/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/push_queue.h"

#include "support/attempt.h"
#include "support/fail.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

static struct wm_push_file *find_oldest(struct wm_push_directory *directory)
{
	struct wm_push_file *oldest = NULL;
	for (size_t i = 0; i < directory->count; i++) {
		struct wm_push_file *file = &directory->file[i];
		bool older = !oldest || file->changed.tv_sec < oldest->changed.tv_sec ||
			     (file->changed.tv_sec == oldest->changed.tv_sec &&
				     file->changed.tv_nsec < oldest->changed.tv_nsec);
		if (file->size && !file->is_alive && older)
			oldest = file;
	}
	return oldest;
}

static uint64_t drop_oldest(struct wm_push_queue *queue, struct wm_push_directory *directory)
{
	struct wm_push_file *oldest = find_oldest(directory);
	if (!oldest)
		return UINT64_MAX;
	uint64_t size = oldest->size;
	if (wm_push_file_remove(directory, oldest)) {
		queue->removed++;
		wm_warn("%s was removed without being stored, because more than %" PRIu64
			" MiB of files wait for the store (--queue-limit)",
			oldest->name, queue->limit);
	}
	oldest->size = 0;
	return size;
}

static void drop_files(struct wm_push_queue *queue, struct wm_push_directory *directory)
{
	uint64_t waiting = 0;
	for (size_t i = 0; i < directory->count; i++)
		waiting += directory->file[i].is_alive ? 0 : directory->file[i].size;
	while (waiting > queue->limit << 20) {
		uint64_t freed = drop_oldest(queue, directory);
		waiting = freed < waiting ? waiting - freed : 0;
	}
}

static void close_directory(void *directory)
{
	wm_push_directory_close(directory);
}

void wm_push_queue_limit(struct wm_push_queue *queue)
{
	struct wm_push_directory now = {.path = queue->directory->path};
	struct wm_guard guard;
	if (!queue->limit)
		return;
	now.fd = fcntl(queue->directory->fd, F_DUPFD_CLOEXEC, 0);
	wm_guard_begin(&guard, close_directory, &now);
	wm_push_directory_scan(&now);
	drop_files(queue, &now);
	wm_guard_end(&guard);
}

static int64_t seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec;
}

/* One part in twenty of the time may go into it. */
void wm_push_queue_limit_again(void *argument)
{
	struct wm_push_queue *queue = argument;
	int64_t begun = seconds();
	if (begun < queue->next)
		return;
	wm_push_queue_limit(queue);
	queue->next = seconds() + 20 * (seconds() - begun);
}
