/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The independent witness of recordings.  Programs compiled under WAYMARK_TEST=trace call the three functions below at
 * every entry, block and exit; every thread writes each call as one event to a mapped file of its own, which a kill does
 * not lose:
 *
 *     PREFIX.PID.POINTER.N    the thread with this thread pointer, the N-th one that has it, from 0
 *     PREFIX.PID.fork         the thread of a forked child that forked
 *
 * PREFIX is the variable WM_WALK_PREFIX.  An event is two words: kind and number of the activation in its thread; hash of
 * the function's name and block or end.  An activation keeps its number when its thread goes on in a forked child.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ENTER = 1, BLOCK = 2, LEAVE = 3 };
#define ROOM ((size_t)1 << 32)

struct table {
	const char *name;
};
struct frame {
	uint64_t number, hash;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	uint64_t pointer;
	unsigned count;
} seen[4096];
static __thread uint64_t *at, *end;
static __thread uint64_t activations;
static __thread int forked;

void __wm_trace_enter(void *frame, const struct table *table);
void __wm_trace_block(void *frame, int32_t block);
void __wm_trace_leave(void *frame, int32_t end);
void __wm_trace_call(void *frame, int32_t position);

static unsigned occurrence(uint64_t pointer)
{
	unsigned i = 0;
	pthread_mutex_lock(&lock);
	while (seen[i].count && seen[i].pointer != pointer)
		i++;
	seen[i].pointer = pointer;
	unsigned result = seen[i].count++;
	pthread_mutex_unlock(&lock);
	return result;
}

static void open_file(void)
{
	char name[4096];
	const char *prefix = getenv("WM_WALK_PREFIX");
	uint64_t pointer = (uint64_t)__builtin_thread_pointer();
	if (!prefix)
		return;
	if (forked)
		snprintf(name, sizeof name, "%s.%d.fork", prefix, getpid());
	else
		snprintf(name, sizeof name, "%s.%d.%llx.%u", prefix, getpid(), (unsigned long long)pointer,
			occurrence(pointer));
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, ROOM)) {
		perror(name);
		abort();
	}
	at = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		abort();
	end = at + ROOM / sizeof *at;
}

static void put(int kind, const struct frame *frame, int32_t what)
{
	if (!at)
		open_file();
	if (!at)
		return;
	if (at + 2 > end)
		abort();
	at[1] = frame->hash << 32 | (uint32_t)what;
	__atomic_store_n(&at[0], frame->number << 8 | (uint64_t)kind, __ATOMIC_RELEASE);
	at += 2;
}

void __wm_trace_enter(void *memory, const struct table *table)
{
	struct frame *frame = memory;
	uint32_t hash = 2166136261u;
	for (const char *c = table->name; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	frame->number = ++activations;
	frame->hash = hash;
	put(ENTER, frame, 0);
}

void __wm_trace_block(void *frame, int32_t block)
{
	put(BLOCK, frame, block);
}

void __wm_trace_leave(void *frame, int32_t how)
{
	put(LEAVE, frame, how);
}

/* Calls show in what they execute. */
void __wm_trace_call(void *frame, int32_t position)
{
	(void)frame, (void)position;
}

static void after_fork_in_child(void)
{
	at = NULL;
	forked = 1;
	memset(seen, 0, sizeof seen);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, after_fork_in_child);
}
