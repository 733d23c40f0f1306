/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counting in hash tables, the slow path: compiled code calls it when the id is not in its home slot of the newest
 * table.
 *
 * A count never moves and a key is never removed.  A table that is too full, or in which too many ids are not in
 * their home slot, gets a larger, empty table in front of it; the profile is the sum of all tables.  So a signal
 * handler or a thread that still counts in an older table loses nothing.
 */
#include "runtime/count/hash.h"

#include "abi/unit_tables.h"
#include "runtime/chunk/chunk.h"
#include "runtime/chunk/hash_memory.h"
#include "runtime/state/header.h"
#include "runtime/state/lock.h"
#include "runtime/state/state.h"

#define FIRST_SLOTS 32u
#define MOST_FIRST_SLOTS (1u << 16)
#define GROWTH 4u
#define NEAR_SLOTS 8u
#define FEW_SLOTS 1024u /* smaller tables may grow although they are sparse */
/* If keys change during so many attempts, another process writes to the file, or a very rare race occurs.  The count is
 * then recorded as lost. */
#define MOST_TRIES 1000u

struct wm_hash_slot *wm_hash_find(struct wm_table *table, uint64_t id, enum wm_find how)
{
	uint64_t slots = wm_table_slots(table), wanted = wm_hash_key(id), home = wanted >> table->shift;
	for (uint64_t i = 0; i < slots; i++) {
		struct wm_hash_slot *slot = &table->slot[(home + i) & (slots - 1)];
		uint64_t key = wm_load(&slot->key);
		if (key == 0) {
			bool full = wm_load(&table->used) >= slots / 4 * 3;
			if (how == WM_FIND_KNOWN || (full && how != WM_FIND_LAST_RESORT))
				return NULL;
			if (__atomic_compare_exchange_n(
				    &slot->key, &key, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
				wm_add(&table->used, 1);
				return slot;
			}
		}
		if (key == wanted)
			return slot;
	}
	return NULL;
}

/* Checks the key again after the addition: between the search and the addition, another thread may have moved the
 * image to a new file without this key.  False: the slot belongs to another key, and nothing was added. */
static bool add_in(struct wm_hash_slot *slot, uint64_t id, uint64_t amount)
{
	uint64_t key = 0, wanted = wm_hash_key(id);
	wm_add(&slot->count, amount);
	if (__atomic_compare_exchange_n(&slot->key, &key, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		key == wanted)
		return true;
	wm_add(&slot->count, -amount);
	return false;
}

/* If a table has no free slot although few slots were taken, another process has written to the table.  It could do
 * the same to larger tables, so the table does not grow. */
static bool deserves_growth(struct wm_table *table)
{
	return wm_load(&table->used) * 8 >= wm_table_slots(table);
}

/* Whether many calls found their id outside its home slot, so that the table should grow.  A large, sparse table does not
 * grow: a table of four times the size would need much space and gain little. */
static bool keeps_colliding(struct wm_table *table, const struct wm_hash_slot *slot, uint64_t id)
{
	uint64_t slots = wm_table_slots(table);
	if (slot == &table->slot[wm_hash_key(id) >> table->shift])
		return false;
	uint64_t away = __atomic_add_fetch(&table->away, 1, __ATOMIC_RELAXED);
	return away % (2 * slots + 256) == 0 && (slots < FEW_SLOTS || deserves_growth(table));
}

/* For the paths that are expected, so that most of them are in their home slots. */
static uint64_t first_slots(const struct wm_func *f)
{
	uint64_t slots = FIRST_SLOTS, expected = wm_expected_paths(f);
	while (slots < MOST_FIRST_SLOTS && slots < 2 * expected)
		slots *= 2;
	return slots;
}

bool wm_hash_grow(const struct wm_func *f, struct wm_hash_head *head, struct wm_table *seen)
{
	if (wm_newest(head) != seen)
		return true;
	if (seen && wm_table_slots(seen) >= FEW_SLOTS && !deserves_growth(seen))
		return false;
	uint64_t slots = seen ? wm_table_slots(seen) * GROWTH : first_slots(f);
	struct wm_table *table = wm_table_new(slots, (size_t)(f - __start_wm_funcs), seen);
	if (!table)
		return false;
	__atomic_store_n(&head->newest, table, __ATOMIC_RELEASE);
	__atomic_store_n(&head->probe, (uintptr_t)table->slot | table->shift, __ATOMIC_RELEASE);
	return true;
}

static bool grow_locked(const struct wm_func *f, struct wm_hash_head *head, struct wm_table *seen)
{
	uint64_t saved;
	if (!wm_lock_counting(&saved))
		return false;
	bool done = wm_hash_grow(f, head, seen);
	wm_unlock(&saved);
	wm_warn_not_stored();
	return done;
}

void wm_hash_lose(const struct wm_func *f, uint64_t amount)
{
	if (!wm.image.header) {
		wm.early_loss = true;
		return;
	}
	wm_header_lose((size_t)(f - __start_wm_funcs), amount);
}

__attribute__((noinline)) static void add_anywhere(
	const struct wm_func *f, struct wm_hash_head *head, uint64_t id, uint64_t amount)
{
	bool stuck = false;
	for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
		struct wm_table *table = wm_newest(head);
		struct wm_hash_slot *slot =
			table ? wm_hash_find(table, id, stuck ? WM_FIND_LAST_RESORT : WM_FIND_TAKE) : NULL;
		if (slot && !add_in(slot, id, amount))
			continue;
		if (slot) {
			if (keeps_colliding(table, slot, id))
				grow_locked(f, head, table);
			return;
		}
		if (stuck)
			break;
		stuck = !grow_locked(f, head, table);
	}
	wm_hash_lose(f, amount);
}

/* Like add_in, but sets the value of the slot if it is 0.  *found receives the value of the slot. */
static bool keep_in(struct wm_hash_slot *slot, uint64_t id, uint64_t value, uint64_t *found)
{
	uint64_t key = 0, wanted = wm_hash_key(id);
	*found = 0;
	bool set = __atomic_compare_exchange_n(&slot->count, found, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n(&slot->key, &key, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		key == wanted) {
		*found = set ? value : *found;
		return true;
	}
	if (set)
		wm_add(&slot->count, -value);
	return false;
}

uint64_t wm_hash_keep(const struct wm_func *f, struct wm_hash_head *head, uint64_t key, uint64_t value)
{
	bool stuck = false;
	head = wm_own_head(f, head);
	for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
		uint64_t found;
		struct wm_table *table = wm_newest(head);
		struct wm_hash_slot *slot =
			table ? wm_hash_find(table, key, stuck ? WM_FIND_LAST_RESORT : WM_FIND_TAKE) : NULL;
		if (slot && keep_in(slot, key, value, &found))
			return found;
		if (slot)
			continue;
		if (stuck)
			return 0;
		stuck = !grow_locked(f, head, table);
	}
	return 0;
}

/* The slot of a key that is in the table, at or near its home slot; else NULL. */
static struct wm_hash_slot *find_near(struct wm_table *table, uint64_t key)
{
	uint64_t mask = wm_table_slots(table) - 1, home = key >> table->shift;
	for (uint64_t i = 0; i < NEAR_SLOTS; i++) {
		struct wm_hash_slot *slot = &table->slot[(home + i) & mask];
		uint64_t found = wm_load(&slot->key);
		if (found == key)
			return slot;
		if (!found)
			return NULL;
	}
	return NULL;
}

/* Compiled code without an inline probe calls this function for every count, and other code for ids that are not in their
 * home slots, so slots near the home slot are tried first.  A poisoned path (abi/unit_tables.h) is not counted: its id is in no
 * table. */
__attribute__((preserve_most)) void __wm_hash_add(
	const struct wm_func *f, struct wm_hash_head *head, uint64_t id, uint64_t amount)
{
	if (id & WM_POISON && f->flags & WM_FUNC_UNIT)
		return;
	head = wm_own_head(f, head);
	struct wm_table *table = wm_newest(head);
	struct wm_hash_slot *slot = table ? find_near(table, wm_hash_key(id)) : NULL;
	if (!slot) {
		add_anywhere(f, head, id, amount);
		return;
	}
	wm_count(f, slot, amount);
	if (keeps_colliding(table, slot, id))
		grow_locked(f, head, table);
}
