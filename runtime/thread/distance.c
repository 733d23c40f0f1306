/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/thread/distance.h"

#include "runtime/state/lock.h"
#include "runtime/state/state.h"
#include "runtime/system/elf.h"
#include "runtime/thread/own.h"

#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/uio.h>

#define HWCAP2_FSGSBASE 2u
#define MOST_ENTRIES ((size_t)1 << 18)
#define PROBES 64
/* Distances are multiples of STEP at first, so that the copies of objects that are opened later find room beside those of the
 * objects that exist.  When these are used up, there are LAPS more between two multiples. */
#define STEP ((int64_t)1 << 32)
#define STEPS ((uint64_t)1 << 16) /* half of them are negative */
#define LAPS ((uint64_t)64)
#define LEAST_STEPS 4 /* leaves room for the heap after the executable, and for mappings below the libraries */
#define MOST_OBJECTS ((size_t)1 << 16)
#define MOST_GONE ((size_t)1 << 15)
/* A process may have 65530 mappings, and the program needs some of them.  A copy takes one or two. */
#define MOST_COPIES 24000u
/* The list is this much below the beginning of the stack of the main thread, where sanitizers allow mappings and libraries do
 * not reach. */
#define BELOW_STACK (UINT64_C(5) << 38)
#define STACK_ROOM (UINT64_C(1) << 33) /* addresses below that stack at which nothing is mapped */
#define MAGIC UINT64_C(0x7374726164736d77)

struct entry {
	int64_t distance;
	int32_t owner; /* as in struct wm_chunk */
};

/* Of an object that was perhaps unloaded: its mark, and each of its copies that is still mapped. */
struct gone {
	char *low; /* the memory of the object */
	size_t size;
	int64_t distance; /* of the copy; 0: the mark */
	uintptr_t *mark;
};

/* What a thread needs at another distance. */
struct move {
	const struct wm_attachable *object; /* to be attached */
	const struct entry *left; /* what is attached there; NULL: the thread has no distance */
};

/* Pages that were never written take no memory; a process without threads writes to the first one only. */
struct wm_distances {
	uint64_t magic;
	uint32_t lock;
	unsigned forks; /* how many copies of the runtime are between prepare and the end of a fork */
	int forking; /* the thread that forks; only that thread's value is ever equal to its own id */
	bool full; /* there was no room for a thread, and nothing was given back since then */
	struct wm_attachable *object;
	size_t mark_count; /* of the first marks, which are or have been used */
	size_t free_count;
	size_t copies; /* of all objects, at all distances */
	size_t gone_count;
	uint64_t candidate; /* the next one to try */
	size_t count, cursor; /* cursor: where the search for a dead thread continues */
	uintptr_t mark[MOST_OBJECTS]; /* each thread has a copy of all marks at its distance */
	uintptr_t *free[MOST_OBJECTS]; /* marks that can be used again */
	struct gone gone[MOST_GONE];
	struct entry entry[MOST_ENTRIES];
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

/* ---- Marks ----------------------------------------------------------------------------- */

static uintptr_t thread_pointer(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

static uintptr_t *at_distance(uintptr_t *mark, int64_t distance)
{
	return (uintptr_t *)(void *)((char *)mark + distance);
}

static bool is_marked(const struct wm_attachable *object, int64_t distance)
{
	return __atomic_load_n(at_distance(object->mark, distance), __ATOMIC_RELAXED) == thread_pointer();
}

int64_t wm_distance_of(const struct wm_attachable *object)
{
	int64_t distance = object->mark ? wm_gs() : 0;
	return distance && is_marked(object, distance) ? distance : 0;
}

/* The mark is last: it says that the copy exists. */
static void attach_to(struct wm_distances *all, struct wm_attachable *object, int64_t distance)
{
	bool made = object->attach(distance);
	object->copies += made;
	all->copies += made;
	__atomic_store_n(at_distance(object->mark, distance), thread_pointer(), __ATOMIC_RELEASE);
}

void wm_distances_attach_main(struct wm_attachable *object)
{
	__atomic_store_n(object->mark, thread_pointer(), __ATOMIC_RELEASE);
}

/* A mark that is zero in every copy.  NULL: there is none. */
static uintptr_t *take_mark(struct wm_distances *all)
{
	if (all->free_count)
		return all->free[--all->free_count];
	return all->mark_count < MOST_OBJECTS ? &all->mark[all->mark_count++] : NULL;
}

static void give_mark(struct wm_distances *all, uintptr_t *mark)
{
	for (size_t i = 0; i < all->count; i++)
		*at_distance(mark, all->entry[i].distance) = 0;
	*mark = 0;
	all->free[all->free_count++] = mark;
}

static bool is_near_stack(const char *low, size_t size)
{
	uintptr_t top = wm.threads.main_stack;
	return (uintptr_t)low < top && (uintptr_t)low + size > top - STACK_ROOM;
}

/* Linux 4.17 introduced MAP_FIXED_NOREPLACE; earlier kernels take the address as a hint. */
bool wm_map_exactly(char *low, size_t size)
{
	if (is_near_stack(low, size))
		return false;
	char *mapped = sys_map(low, size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (mapped && mapped != low)
		sys_unmap(mapped, size);
	return mapped == low;
}

static char *marks_at(struct wm_distances *all, int64_t distance)
{
	return (char *)all->mark + distance;
}

/* The copies of the marks stay as long as the distance is in the list. */
static bool map_marks(struct wm_distances *all, int64_t distance)
{
	size_t front = (uintptr_t)marks_at(all, distance) % WM_PAGE;
	return wm_map_exactly(marks_at(all, distance) - front, wm_page_up(front + sizeof all->mark));
}

static void unmap_marks(struct wm_distances *all, int64_t distance)
{
	size_t front = (uintptr_t)marks_at(all, distance) % WM_PAGE;
	sys_unmap(marks_at(all, distance) - front, wm_page_up(front + sizeof all->mark));
}

static void clear_marks(struct wm_distances *all, int64_t distance)
{
	wm_zero(marks_at(all, distance), all->mark_count * sizeof *all->mark);
}

/* ---- Objects ----------------------------------------------------------------------------- */

/*
 * The list has the same address for every object of the process.  So it is found again when all instrumented objects were
 * unloaded and another one is opened; threads may still have distances from before.  If something else is mapped there, or the
 * kernel is older than 4.17, the address is any other.
 */
static struct wm_distances *map_list(void)
{
	char *place = (char *)((__getauxval(AT_RANDOM) - BELOW_STACK) & ~(WM_PAGE - 1));
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	struct wm_distances *all = (void *)sys_map(place, sizeof *all, flags | MAP_FIXED_NOREPLACE, -1, 0);
	uint64_t magic = 0;
	struct iovec to = {&magic, sizeof magic}, from = {place, sizeof magic};
	if (!all && sys6(SYS_process_vm_readv, sys_getpid(), (long)&to, 1, (long)&from, 1, 0) == sizeof magic &&
		magic == MAGIC)
		return (void *)place;
	return all ? all : (void *)sys_map(NULL, sizeof *all, flags, -1, 0);
}

static void note_gone(struct wm_distances *all, const struct wm_attachable *object, int64_t distance)
{
	if (all->gone_count == MOST_GONE)
		return;
	all->gone[all->gone_count++] = (struct gone){object->low, object->size, distance, object->mark};
	all->copies += distance != 0;
}

static void remove_one(struct wm_distances *all, const struct gone *gone)
{
	if (gone->distance) {
		sys_unmap(gone->low + gone->distance, gone->size);
		all->copies--;
	} else {
		give_mark(all, gone->mark);
	}
}

/* The destructor of an object also runs at the end of the process, when threads may still count in their copies.  An object
 * that has the addresses of another one proves that nobody uses the copies of that one any more. */
static void remove_gone(struct wm_distances *all, const struct wm_attachable *object)
{
	for (size_t i = all->gone_count; i-- > 0;) {
		const struct gone *gone = &all->gone[i];
		if (gone->low >= object->low + object->size || object->low >= gone->low + gone->size)
			continue;
		remove_one(all, gone);
		all->gone[i] = all->gone[--all->gone_count];
	}
}

/* Its functions do not check, so threads that have a distance must find the copies. */
static void attach_everywhere(struct wm_distances *all, struct wm_attachable *object)
{
	for (size_t i = 0; i < all->count; i++) {
		int64_t distance = all->entry[i].distance;
		if (!object->reserve(distance))
			object->fail();
		else if (object->attach(distance))
			object->copies++;
	}
	all->copies += object->copies;
}

struct wm_distances *wm_distances_start(struct wm_distances *all, struct wm_attachable *object)
{
	if (!all)
		all = map_list();
	if (!all)
		return NULL;
	wm_lock_take(&all->lock);
	all->magic = MAGIC;
	remove_gone(all, object);
	object->mark = take_mark(all);
	if (object->mark) {
		object->next = all->object;
		all->object = object;
		all->full = false;
		if (object->always)
			attach_everywhere(all, object);
	}
	wm_lock_release(&all->lock);
	return object->mark ? all : NULL;
}

void wm_distances_keep(struct wm_distances *all, const struct wm_attachable *object, int64_t distance)
{
	note_gone(all, object, distance);
}

void wm_distances_remove(
	struct wm_distances *all, struct wm_attachable *object, void (*keep_copies)(struct wm_distances *all))
{
	wm_lock_take(&all->lock);
	struct wm_attachable **at = &all->object;
	while (*at && *at != object)
		at = &(*at)->next;
	if (*at)
		*at = object->next;
	all->copies -= object->copies < all->copies ? object->copies : all->copies;
	note_gone(all, object, 0);
	keep_copies(all);
	wm_lock_release(&all->lock);
}

/* ---- The list -------------------------------------------------------------------------- */

static struct entry *entry_of(struct wm_distances *all, int64_t distance, int self)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->entry[i].distance == distance)
			return all->entry[i].owner == self ? &all->entry[i] : NULL;
	return NULL;
}

static bool moves(const struct move *move, const struct wm_attachable *object)
{
	return object == move->object || object->always || (move->left && is_marked(object, move->left->distance));
}

static bool reserve(const struct wm_distances *all, const struct wm_attachable *object, int64_t distance)
{
	return all->copies < MOST_COPIES && object->reserve(distance);
}

static bool reserve_all(struct wm_distances *all, const struct move *move, int64_t distance)
{
	struct wm_attachable *object = all->object;
	while (object && (!moves(move, object) || reserve(all, object, distance)))
		object = object->next;
	if (!object)
		return true;
	for (struct wm_attachable *reserved = all->object; reserved != object; reserved = reserved->next)
		if (moves(move, reserved))
			reserved->release(distance);
	return false;
}

/* The distance of a dead thread, with room for what this thread needs. */
static struct entry *find_dead(struct wm_distances *all, const struct move *move, int self)
{
	size_t probes = all->count < PROBES ? all->count : PROBES;
	for (; probes; probes--) {
		all->cursor = (all->cursor + 1) % all->count;
		struct entry *entry = &all->entry[all->cursor];
		if (entry != move->left && wm_owner_is_dead(entry->owner, self) &&
			reserve_all(all, move, entry->distance))
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

static struct entry *make_entry(struct wm_distances *all, const struct move *move)
{
	for (uint64_t tries = 0; tries < 2 * STEPS && all->count < MOST_ENTRIES; tries++) {
		int64_t distance = candidate(all->candidate++);
		if (!map_marks(all, distance))
			continue;
		if (!reserve_all(all, move, distance)) {
			unmap_marks(all, distance);
			continue;
		}
		struct entry *entry = &all->entry[all->count++];
		entry->distance = distance;
		return entry;
	}
	return NULL;
}

/* ---- Threads --------------------------------------------------------------------------- */

/* GS is set last: until then a signal handler, if signals were not blocked, would count where the thread counted before. */
static void move_to(struct wm_distances *all, const struct move *move, struct entry *entry, int self)
{
	clear_marks(all, entry->distance);
	entry->owner = self;
	for (struct wm_attachable *object = all->object; object; object = object->next)
		if (moves(move, object))
			attach_to(all, object, entry->distance);
	set_gs(entry->distance);
}

/* A thread for which there is no room counts where the main thread does, because those cells exist for certain; the runtime is
 * told, so that the counts are refused. */
static void give_up(struct wm_distances *all)
{
	all->full = true;
	for (struct wm_attachable *object = all->object; object; object = object->next)
		object->fail();
	set_gs(0);
}

static void move_thread(struct wm_distances *all, struct wm_attachable *object, int self)
{
	struct entry *left = entry_of(all, wm_gs(), self), *entry = NULL;
	struct move move = {object, left};
	if (!all->full)
		entry = find_dead(all, &move, self);
	if (!all->full && !entry)
		entry = make_entry(all, &move);
	if (entry)
		move_to(all, &move, entry, self);
	else
		give_up(all);
	if (left)
		left->owner = 0;
}

static void attach_object(struct wm_distances *all, struct wm_attachable *object, int self)
{
	int64_t distance = wm_gs();
	if (entry_of(all, distance, self) && reserve(all, object, distance))
		attach_to(all, object, distance);
	else
		move_thread(all, object, self);
}

/* In a child of vfork: for the thread that waits for it, whose memory and thread pointer the child has. */
static void attach_for_parent(struct wm_distances *all, struct wm_attachable *object)
{
	int64_t distance = wm_gs();
	bool known = false;
	for (size_t i = 0; i < all->count && !known; i++)
		known = all->entry[i].distance == distance;
	if (known && reserve(all, object, distance)) {
		attach_to(all, object, distance);
	} else if (distance) {
		object->fail();
		set_gs(0);
	}
}

void wm_distances_attach(struct wm_distances *all, struct wm_attachable *object)
{
	int self = wm_owner_to_note();
	wm_lock_take(&all->lock);
	if (self > 0)
		attach_object(all, object, self);
	else
		attach_for_parent(all, object);
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
	bool kept = false;
	for (size_t i = 0; i < all->count; i++) {
		kept |= all->entry[i].distance == distance;
		if (all->entry[i].distance != distance)
			unmap_marks(all, all->entry[i].distance);
	}
	all->count = kept;
	all->cursor = all->copies = 0;
	all->full = false;
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
