/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/distance.h"

#include "runtime/elf.h"
#include "runtime/lock.h"
#include "runtime/sys.h"
#include "runtime/thread.h"

#include <asm/prctl.h>
#include <sys/auxv.h>

#define HWCAP2_FSGSBASE 2u
#define MOST_ENTRIES ((size_t)1 << 18)
#define PROBES 64
/* Distances are multiples of STEP at first, so that the copies of objects that are opened later find room beside those of the
 * objects that exist.  When these are used up, there are LAPS more between two multiples. */
#define STEP ((int64_t)1 << 32)
#define STEPS ((uint64_t)1 << 16) /* half of them are negative */
#define LAPS ((uint64_t)64)
#define LEAST_STEPS 4 /* leaves room for the heap after the executable, and for mappings below the libraries */

struct entry {
	int64_t distance;
	int32_t owner; /* as in struct wm_chunk */
};

struct wm_distances {
	uint32_t lock;
	unsigned forks; /* how many copies of the runtime are between prepare and the end of a fork */
	int forking; /* the thread that forks; only that thread's value is ever equal to its own id */
	struct wm_attachable *object;
	uint64_t candidate; /* the next one to try */
	size_t count, cursor; /* cursor: where the search for a dead thread continues */
	struct entry entry[MOST_ENTRIES]; /* pages that were never written take no memory */
};

/* ---- GS ------------------------------------------------------------------------------ */

static bool has_instructions(void)
{
	return __getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE;
}

int64_t wm_gs(void)
{
	uint64_t base = 0;
	if (has_instructions())
		__asm__ volatile("rdgsbase %0" : "=r"(base));
	else
		sys3(SYS_arch_prctl, ARCH_GET_GS, (long)&base, 0);
	return (int64_t)base;
}

static void set_gs(int64_t base)
{
	if (has_instructions())
		__asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
	else
		sys3(SYS_arch_prctl, ARCH_SET_GS, base, 0);
}

/* ---- The list -------------------------------------------------------------------------- */

struct wm_distances *wm_distances_start(struct wm_distances *all, struct wm_attachable *object)
{
	if (!all)
		all = (void *)sys_map(NULL, sizeof *all, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!all)
		return NULL;
	wm_lock_take(&all->lock);
	object->next = all->object;
	all->object = object;
	wm_lock_release(&all->lock);
	return all;
}

void wm_distances_remove(struct wm_distances *all, struct wm_attachable *object)
{
	wm_lock_take(&all->lock);
	struct wm_attachable **at = &all->object;
	while (*at && *at != object)
		at = &(*at)->next;
	if (*at)
		*at = object->next;
	wm_lock_release(&all->lock);
}

static struct entry *entry_of(struct wm_distances *all, int64_t distance, int self)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->entry[i].distance == distance)
			return all->entry[i].owner == self ? &all->entry[i] : NULL;
	return NULL;
}

static bool reserve_everywhere(struct wm_distances *all, int64_t distance)
{
	struct wm_attachable *object = all->object;
	while (object && object->reserve(distance))
		object = object->next;
	if (!object)
		return true;
	for (struct wm_attachable *reserved = all->object; reserved != object; reserved = reserved->next)
		reserved->release(distance);
	return false;
}

/* The distance of a dead thread, with room for the objects that have no copy there yet. */
static struct entry *find_dead(struct wm_distances *all, int self)
{
	size_t probes = all->count < PROBES ? all->count : PROBES;
	for (; probes; probes--) {
		all->cursor = (all->cursor + 1) % all->count;
		struct entry *entry = &all->entry[all->cursor];
		if (wm_owner_is_dead(entry->owner, self) && reserve_everywhere(all, entry->distance))
			return entry;
	}
	return NULL;
}

/* In a file, the cells of a thread follow a struct wm_raw_chunk, which begins a page. */
static int64_t candidate(uint64_t number)
{
	uint64_t step = number % STEPS, lap = number / STEPS % LAPS;
	int64_t size = ((int64_t)(step / 2) + LEAST_STEPS) * STEP + (int64_t)lap * (STEP / (int64_t)LAPS);
	return (step % 2 ? size : -size) + (int64_t)sizeof(struct wm_raw_chunk);
}

static struct entry *make_entry(struct wm_distances *all)
{
	for (uint64_t tries = 0; tries < 2 * STEPS && all->count < MOST_ENTRIES; tries++) {
		int64_t distance = candidate(all->candidate++);
		if (!reserve_everywhere(all, distance))
			continue;
		struct entry *entry = &all->entry[all->count++];
		entry->distance = distance;
		return entry;
	}
	return NULL;
}

/* ---- Threads --------------------------------------------------------------------------- */

/* GS is set last: until then a signal handler, if signals were not blocked, would count where the thread counted before. */
static void move_thread(struct wm_distances *all, int self)
{
	struct entry *left = entry_of(all, wm_gs(), self), *entry = find_dead(all, self);
	if (!entry)
		entry = make_entry(all);
	if (entry && left && left != entry)
		left->owner = 0;
	if (entry)
		entry->owner = self;
	for (struct wm_attachable *object = all->object; object; object = object->next)
		if (entry)
			object->attach(entry->distance);
		else
			object->fail();
	if (entry)
		set_gs(entry->distance);
}

static void attach_object(struct wm_distances *all, const struct wm_attachable *object, int self)
{
	int64_t distance = wm_gs();
	if (!entry_of(all, distance, self) || !object->reserve(distance))
		move_thread(all, self);
	else
		object->attach(distance);
}

void wm_distances_attach(struct wm_distances *all, const struct wm_attachable *object)
{
	int self = wm_owner_to_note();
	wm_lock_take(&all->lock);
	if (self > 0)
		attach_object(all, object, self);
	wm_lock_release(&all->lock);
}

void wm_distances_fork(struct wm_distances *all)
{
	int self = sys_gettid();
	if (__atomic_load_n(&all->forking, __ATOMIC_RELAXED) != self)
		wm_lock_take(&all->lock);
	__atomic_store_n(&all->forking, self, __ATOMIC_RELAXED);
	all->forks++;
}

static void forget_others(struct wm_distances *all)
{
	int64_t distance = wm_gs();
	bool kept = distance != 0;
	all->count = kept;
	all->cursor = 0;
	if (kept)
		all->entry[0] = (struct entry){distance, sys_gettid()};
}

void wm_distances_forked(struct wm_distances *all, bool in_child)
{
	if (in_child)
		forget_others(all);
	if (--all->forks)
		return;
	__atomic_store_n(&all->forking, 0, __ATOMIC_RELAXED);
	wm_lock_release(&all->lock);
}
