/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/hw_session.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void wm_hw_session_init(struct wm_hw_session *session, struct wm_hw_feed *feed, bool children)
{
	*session = (struct wm_hw_session){.feed = feed};
	session->memory = memfd_create("waymark-hw", MFD_CLOEXEC);
	if (session->memory < 0 || ftruncate(session->memory, (off_t)WM_SHARED_SIZE) != 0)
		wm_fail("cannot create memory to share with the program: %s", strerror(errno));
	void *memory = mmap(NULL, WM_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, session->memory, 0);
	if (memory == MAP_FAILED)
		wm_fail("cannot map memory to share with the program: %s", strerror(errno));
	session->shared = memory;
	session->shared->magic = WM_SHARED_MAGIC;
	session->shared->reader = (uint32_t)getpid();
	session->shared->accesses = feed->options->accesses;
	session->shared->children = children;
}

void wm_hw_session_release(struct wm_hw_session *session)
{
	munmap(session->shared, WM_SHARED_SIZE);
	close(session->memory);
}

static void take(struct wm_hw_session *session, const struct wm_shared_chunk *chunk)
{
	struct wm_shared *shared = session->shared;
	if (!session->begun) {
		wm_hw_feed_begin(
			session->feed, &(struct wm_trace_header){.arch = shared->arch, .accesses = shared->accesses});
		session->begun = true;
	}
	uint32_t used = atomic_load(&chunk->used);
	wm_hw_feed_facts(session->feed, shared->facts, (size_t)atomic_load(&shared->facts_used));
	if (!session->stopped && !wm_hw_feed_words(session->feed, chunk->thread, chunk->word, used)) {
		session->stopped = true;
		session->killed = session->feed->options->kill && kill(session->pid, SIGKILL) == 0;
		wm_shared_stop(shared);
	}
}

void wm_hw_session_take(struct wm_hw_session *session, unsigned timeout_ms)
{
	struct wm_shared_chunk *chunk;
	while ((chunk = wm_shared_take(session->shared, timeout_ms))) {
		take(session, chunk);
		wm_shared_release(session->shared, chunk);
		timeout_ms = 0;
	}
}

static void take_orphans(struct wm_hw_session *session)
{
	struct wm_shared_chunk *chunk;
	size_t at = 0;
	while ((chunk = wm_shared_orphan(session->shared, &at))) {
		take(session, chunk);
		wm_shared_release(session->shared, chunk);
	}
}

static void explain(const struct wm_hw_session *session)
{
	const struct wm_follow_stats *stats = wm_follow_stats(session->feed->follow);
	if (atomic_load(&session->shared->facts_lost))
		wm_warn("the program has too much code; the code that was loaded last is not in the profile");
	if (stats->lost)
		wm_warn("too many threads ran at once; parts of %llu are not in the profile",
			(unsigned long long)stats->lost);
	if (stats->execs && !session->stopped)
		wm_warn(session->shared->children
				? "a process executed a program that cannot be profiled"
				: "the program executed another program in its place, which is profiled only with -o");
}

bool wm_hw_session_finish(struct wm_hw_session *session, int status)
{
	wm_hw_session_take(session, 0);
	take_orphans(session);
	if (!session->begun)
		return false;
	wm_hw_feed_end(session->feed, session->killed ? 0 : status);
	explain(session);
	return true;
}
