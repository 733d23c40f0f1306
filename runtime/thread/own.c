/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A hash table from thread pointers to what the threads own.  Records are added in front of the list of a bucket and are not
 * freed while another thread may search, so that finding one takes no lock.  The record of a dead thread is given to the next
 * thread with its thread pointer, or is moved to that of another thread; a reader that is led to another list by that finds its
 * own record with the lock held.
 *
 * The lock is held only with signals blocked, and nothing else is locked meanwhile.
 */
#include "runtime/thread/own.h"

#include "runtime/state/header.h"
#include "runtime/state/lock.h"
#include "runtime/state/state.h"

#define BUCKETS 256u
#define PROBES 64
/* glibc: offset of the thread id from the thread pointer, since version 2.2. */
#define TID_OFFSET 720u

struct record {
	struct wm_own own; /* must be first */
	uintptr_t thread; /* the thread pointer */
	int32_t id; /* of the thread; -1: not known */
	struct record *next; /* in the bucket */
	struct record *older; /* in the list of all */
};

struct page {
	struct page *older;
	struct record record[(WM_PAGE - sizeof(struct page *)) / sizeof(struct record)];
};

struct wm_crash_head wm_no_crash;

static struct record *bucket[BUCKETS];
static struct record *all, *cursor; /* cursor: where the search for a dead thread continues; NULL: at the first */
static struct page *pages; /* the newest first */
static size_t used; /* records of the newest page */
static uint32_t lock;
static bool offset_is_known; /* the thread id is at TID_OFFSET */
static struct wm_own nobody = WM_OWN_BEGIN; /* of threads for which there is no memory */

bool wm_owner_is_dead(int owner, int self)
{
	return owner >= 0 && (owner == 0 || owner == self || sys3(SYS_tgkill, wm.pid, owner, 0) == -3 /* ESRCH */);
}

/* In a vfork child the thread id is that of the child, which ends before the parent continues; -1 is recorded
 * instead. */
int wm_owner_to_note(void)
{
	return sys_getpid() == wm.pid ? sys_gettid() : -1;
}

bool wm_is_guest(void)
{
	int pid = sys_getpid();
	return pid > 0 && pid != wm.pid;
}

static uintptr_t thread_pointer(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

/* What the C library has noted, so that in a child of vfork this is the waiting thread.  Without the C library's note, the child
 * is another thread. */
static int32_t noted_id(void)
{
	int32_t id;
	__asm__ volatile("movl %%fs:%c1, %0" : "=r"(id) : "i"(TID_OFFSET));
	return id;
}

static int32_t thread_id(void)
{
	return __atomic_load_n(&offset_is_known, __ATOMIC_RELAXED) ? noted_id() : sys_gettid();
}

static struct record **bucket_of(uintptr_t thread)
{
	return &bucket[(uint32_t)(thread >> 6) * 0x9E3779B1u >> 24];
}

/* A thread may look at the record of another one that had the same thread pointer, and is dead. */
static int32_t id_of(const struct record *record)
{
	return __atomic_load_n(&record->id, __ATOMIC_RELAXED);
}

static void set_id(struct record *record, int32_t id)
{
	__atomic_store_n(&record->id, id, __ATOMIC_RELAXED);
}

static struct record *find(uintptr_t thread)
{
	struct record *record = __atomic_load_n(bucket_of(thread), __ATOMIC_ACQUIRE);
	while (record && __atomic_load_n(&record->thread, __ATOMIC_RELAXED) != thread)
		record = __atomic_load_n(&record->next, __ATOMIC_ACQUIRE);
	return record;
}

static void leave_bucket(struct record *record)
{
	struct record **at = bucket_of(record->thread);
	while (*at != record)
		at = &(*at)->next;
	__atomic_store_n(at, record->next, __ATOMIC_RELEASE);
}

static void enter_bucket(struct record *record, uintptr_t thread)
{
	struct record **first = bucket_of(thread);
	__atomic_store_n(&record->thread, thread, __ATOMIC_RELAXED);
	__atomic_store_n(&record->next, *first, __ATOMIC_RELEASE);
	__atomic_store_n(first, record, __ATOMIC_RELEASE);
}

static struct record *record_of_dead_thread(int32_t self)
{
	for (int probes = PROBES; all && probes > 0; probes--) {
		struct record *record = cursor ? cursor : all;
		cursor = record->older;
		if (wm_owner_is_dead(id_of(record), self)) {
			leave_bucket(record);
			return record;
		}
	}
	return NULL;
}

static struct record *new_record(void)
{
	if (!pages || used == sizeof pages->record / sizeof *pages->record) {
		struct page *page = (void *)sys_map_anonymous(sizeof *page);
		if (!page)
			return NULL;
		page->older = pages;
		pages = page;
		used = 0;
	}
	struct record *record = &pages->record[used++];
	record->older = all;
	return all = record;
}

/* In a process that was forked a moment ago, or whose fork was not seen, thread ids say nothing yet. */
static bool continues(const struct record *record, int32_t id)
{
	return id_of(record) == id || sys_getpid() != wm.pid;
}

static struct wm_own *get_record(uintptr_t thread, int32_t id)
{
	static const struct wm_own begin = WM_OWN_BEGIN;
	struct record *record = find(thread);
	bool found = record != NULL;
	if (found && continues(record, id))
		return &record->own;
	if (!found)
		record = record_of_dead_thread(id);
	if (!record)
		record = new_record();
	if (!record)
		return NULL;
	wm_copy(&record->own, &begin, sizeof begin);
	set_id(record, id);
	if (!found)
		enter_bucket(record, thread);
	return &record->own;
}

static __attribute__((preserve_most, noinline, cold)) struct wm_own *get_own(void)
{
	uint64_t saved;
	sys_block_signals(&saved);
	wm_lock_take(&lock);
	int32_t id = sys_gettid();
	if (noted_id() == id)
		__atomic_store_n(&offset_is_known, true, __ATOMIC_RELAXED);
	struct wm_own *own = get_record(thread_pointer(), thread_id());
	wm_lock_release(&lock);
	sys_restore_signals(&saved);
	if (!own)
		wm_second_thread();
	return own ? own : &nobody;
}

/* The definition of own_tls.c is used instead if there is one. */
__attribute__((weak, preserve_most)) struct wm_own *__wm_own(void)
{
	struct record *record = find(thread_pointer());
	if (__builtin_expect(record && id_of(record) == thread_id(), 1))
		return &record->own;
	return get_own();
}

void wm_own_forked(void)
{
	struct record *record = find(thread_pointer());
	lock = 0;
	if (record)
		set_id(record, sys_gettid());
}

void wm_own_release(void)
{
	wm_lock_take(&lock);
	for (size_t i = 0; i < BUCKETS; i++)
		__atomic_store_n(&bucket[i], NULL, __ATOMIC_RELEASE);
	all = cursor = NULL;
	for (struct page *page = pages; page; page = pages) {
		pages = page->older;
		sys_unmap(page, sizeof *page);
	}
	wm_lock_release(&lock);
}
