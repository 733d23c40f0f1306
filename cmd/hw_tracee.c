/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/hw_tracee.h"
#include "support/fail.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void wm_hw_tracee_init(struct wm_hw_tracee *tracee, struct wm_hw_feed *feed, bool children)
{
	*tracee = (struct wm_hw_tracee){.feed = feed};
	tracee->memory = memfd_create("waymark-hw", MFD_CLOEXEC);
	if (tracee->memory < 0 || ftruncate(tracee->memory, (off_t)WM_SHARED_SIZE) != 0)
		wm_fail("cannot create memory to share with the program: %s", strerror(errno));
	void *memory = mmap(NULL, WM_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, tracee->memory, 0);
	if (memory == MAP_FAILED)
		wm_fail("cannot map memory to share with the program: %s", strerror(errno));
	tracee->shared = memory;
	tracee->shared->magic = WM_SHARED_MAGIC;
	tracee->shared->reader = (uint32_t)getpid();
	tracee->shared->accesses = feed->options->accesses;
	tracee->shared->children = children;
}

void wm_hw_tracee_release(struct wm_hw_tracee *tracee)
{
	munmap(tracee->shared, WM_SHARED_SIZE);
	close(tracee->memory);
}

static void feed_chunk(struct wm_hw_tracee *tracee, const struct wm_shared_chunk *chunk)
{
	struct wm_shared *shared = tracee->shared;
	if (!tracee->begun) {
		wm_hw_feed_begin(
			tracee->feed, &(struct wm_trace_header){.arch = shared->arch, .accesses = shared->accesses});
		tracee->begun = true;
	}
	uint32_t used = atomic_load(&chunk->used);
	wm_hw_feed_facts(tracee->feed, shared->facts, (size_t)atomic_load(&shared->facts_used));
	if (!tracee->stopped && !wm_hw_feed_words(tracee->feed, chunk->thread, chunk->word, used)) {
		tracee->stopped = true;
		tracee->killed = tracee->feed->options->kill && kill(tracee->pid, SIGKILL) == 0;
		wm_shared_stop(shared);
	}
}

void wm_hw_tracee_take(struct wm_hw_tracee *tracee, unsigned timeout_ms)
{
	struct wm_shared_chunk *chunk;
	while ((chunk = wm_shared_take(tracee->shared, timeout_ms))) {
		feed_chunk(tracee, chunk);
		wm_shared_release(tracee->shared, chunk);
		timeout_ms = 0;
	}
}

static void take_orphans(struct wm_hw_tracee *tracee)
{
	struct wm_shared_chunk *chunk;
	size_t at = 0;
	while ((chunk = wm_shared_orphan(tracee->shared, &at))) {
		feed_chunk(tracee, chunk);
		wm_shared_release(tracee->shared, chunk);
	}
}

static void explain(const struct wm_hw_tracee *tracee)
{
	const struct wm_follow_stats *stats = wm_follow_stats(tracee->feed->follow);
	if (atomic_load(&tracee->shared->facts_lost))
		wm_warn("the program has too much code; the code that was loaded last is not in the profile");
	if (stats->lost)
		wm_warn("too many threads ran at once; parts of %llu are not in the profile",
			(unsigned long long)stats->lost);
	if (stats->execs && !tracee->stopped)
		wm_warn(tracee->shared->children
				? "a process executed a program that cannot be profiled"
				: "the program executed another program in its place, which is profiled only with -o");
}

bool wm_hw_tracee_finish(struct wm_hw_tracee *tracee, int status)
{
	wm_hw_tracee_take(tracee, 0);
	take_orphans(tracee);
	if (!tracee->begun)
		return false;
	wm_hw_feed_end(tracee->feed, tracee->killed ? 0 : status);
	explain(tracee);
	return true;
}
