/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/notify/announce.h"

#include "runtime/system/sys.h"

#define PAGE 4096
#define BUCKETS 256

/* What an event calls.  A timer may expire until it is deleted, and nobody knows when the last thread of a request has begun;
 * so each function with each value is kept for good, once. */
struct event {
	struct event *next; /* in the bucket */
	void (*function)(union sigval value);
	union sigval value;
};

static uint32_t lock; /* of everything below; held with signals blocked */
static struct wm_start *free_starts;
static struct event *bucket[BUCKETS], *page; /* page: of unused events */
static size_t unused;

static void attach_thread(void)
{
	if (__wm_new_thread)
		__wm_new_thread();
}

/* ---- Starts --------------------------------------------------------------------------- */

static void more_starts(void)
{
	struct wm_start *start = (void *)sys_map_anonymous(PAGE);
	for (size_t i = 0; start && i < PAGE / sizeof *start; i++) {
		start[i].next = free_starts;
		free_starts = &start[i];
	}
}

static struct wm_start *pop_start(void)
{
	if (!free_starts)
		more_starts();
	struct wm_start *start = free_starts;
	if (start)
		free_starts = start->next;
	return start;
}

struct wm_start *wm_start_take(void)
{
	uint64_t mask;
	if (!__wm_announce_thread)
		return NULL;
	__wm_announce_thread();
	sys_block_signals(&mask);
	wm_lock_take(&lock);
	struct wm_start *start = pop_start();
	wm_lock_release(&lock);
	sys_restore_signals(&mask);
	if (!start)
		wm_second_thread();
	return start;
}

void wm_start_give(struct wm_start *start)
{
	uint64_t mask;
	sys_block_signals(&mask);
	wm_lock_take(&lock);
	start->next = free_starts;
	free_starts = start;
	wm_lock_release(&lock);
	sys_restore_signals(&mask);
}

struct wm_start wm_start_begin(struct wm_start *start)
{
	struct wm_start copy = *start;
	wm_start_give(start);
	attach_thread();
	if (copy.set_mask)
		sys_restore_signals(&copy.mask);
	return copy;
}

/* ---- Events --------------------------------------------------------------------------- */

static void notify(union sigval value)
{
	const struct event *event = value.sival_ptr;
	attach_thread();
	event->function(event->value);
}

static struct event *new_event(void)
{
	if (!unused) {
		page = (void *)sys_map_anonymous(PAGE);
		unused = page ? PAGE / sizeof *page : 0;
	}
	return unused ? &page[--unused] : NULL;
}

/* The record of a function and a value, or NULL. */
static struct event *record(void (*function)(union sigval), union sigval value)
{
	uint64_t hash = ((uintptr_t)function + (uintptr_t)value.sival_ptr) * UINT64_C(0x9E3779B97F4A7C15);
	struct event **head = &bucket[hash / (UINT64_MAX / BUCKETS + 1)], *event = *head;
	while (event && (event->function != function || event->value.sival_ptr != value.sival_ptr))
		event = event->next;
	if (event)
		return event;
	event = new_event();
	if (event) {
		*event = (struct event){*head, function, value};
		*head = event;
	}
	return event;
}

/* A request that is used again has been changed before. */
void wm_announce_event(struct sigevent *event)
{
	uint64_t mask;
	if (!__wm_announce_thread || event->sigev_notify != SIGEV_THREAD || event->sigev_notify_function == notify)
		return;
	__wm_announce_thread();
	sys_block_signals(&mask);
	wm_lock_take(&lock);
	struct event *found = record(event->sigev_notify_function, event->sigev_value);
	wm_lock_release(&lock);
	sys_restore_signals(&mask);
	if (!found) {
		wm_second_thread();
		return;
	}
	event->sigev_notify_function = notify;
	event->sigev_value.sival_ptr = found;
}

struct sigevent *wm_announced_event(struct sigevent *event, struct sigevent *copy)
{
	if (!event)
		return NULL;
	*copy = *event;
	wm_announce_event(copy);
	return copy;
}
