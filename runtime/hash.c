/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counting by hash, the slow path: what compiled code calls when the id is not in
 * its home slot of the newest table.
 *
 * A count never moves and a key is never removed.  A table that has become too
 * full, or that keeps sending compiled code here, gets a larger and empty one in
 * front of it; the profile is the sum of all.  So a signal handler or a thread that
 * still counts in an older table loses nothing.
 */
#include "runtime/internal.h"

#define FIRST_SLOTS 32u
#define GROWTH 4u

static struct wm_hash_slot *slots_of(struct wm_hash_table *table)
{
	return (struct wm_hash_slot *)(table + 1);
}

/* The slot of `id`, taken for it if there is room; NULL if there is none. */
static struct wm_hash_slot *find(struct wm_hash_table *table, uint64_t id, bool last_resort)
{
	uint64_t slots = 1ull << (64 - table->shift), home = (id * WM_HASH_FACTOR) >> table->shift;
	for (uint64_t i = 0; i < slots; i++) {
		struct wm_hash_slot *slot = &slots_of(table)[(home + i) & (slots - 1)];
		uint64_t key = wm_load(&slot->key);
		if (key == 0) {
			if (wm_load(&table->used) >= slots / 4 * 3 && !last_resort)
				return NULL;
			if (__atomic_compare_exchange_n(
				    &slot->key, &key, id + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
				wm_add(&table->used, 1);
				return slot;
			}
		}
		if (key == id + 1)
			return slot;
	}
	return NULL;
}

/* The key is looked at again: between taking the slot and counting, another thread may
 * have moved the image to a new file, without this key.  False: count elsewhere. */
static bool add_in(struct wm_hash_slot *slot, uint64_t id, uint64_t amount)
{
	uint64_t key = 0;
	wm_add(&slot->count, amount);
	if (__atomic_compare_exchange_n(&slot->key, &key, id + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		key == id + 1)
		return true;
	wm_add(&slot->count, -amount);
	return false;
}

/* pad0 counts calls for ids that sit away from home.  A sparse table is left alone:
 * growing it again would buy little and cost four times the file. */
static bool keeps_colliding(struct wm_hash_table *table, const struct wm_hash_slot *slot, uint64_t id)
{
	uint64_t slots = 1ull << (64 - table->shift);
	if (slot == &slots_of(table)[(id * WM_HASH_FACTOR) >> table->shift])
		return false;
	uint64_t away = __atomic_add_fetch(&table->pad0, 1, __ATOMIC_RELAXED);
	return away % (16 * slots + 1024) == 0 && wm_load(&table->used) * 8 >= slots;
}

/* Puts a new table in front of `seen`, unless somebody else did. */
static bool grow(const struct wm_func *f, uint64_t *head, struct wm_hash_table *seen)
{
	uint64_t saved;
	bool done = true;
	wm_lock(&saved);
	if (wm_load(head) == (uintptr_t)seen) {
		uint64_t slots = seen ? (1ull << (64 - seen->shift)) * GROWTH : FIRST_SLOTS;
		struct wm_hash_table *table = wm_table_new(slots, (uint64_t)(f - __start_wm_funcs), seen);
		done = table != NULL;
		if (table)
			__atomic_store_n(head, (uintptr_t)table, __ATOMIC_RELEASE);
	}
	wm_unlock(&saved);
	return done;
}

void wm_hash_lose(const struct wm_func *f, uint64_t amount)
{
	if (!wm.head) {
		wm.early_loss = true;
		return;
	}
	wm_add(&wm.table[f - __start_wm_funcs].lost, amount);
	wm_add(&wm.head->lost, amount);
}

__attribute__((noinline)) static void add_anywhere(
	const struct wm_func *f, uint64_t *head, uint64_t id, uint64_t amount)
{
	bool stuck = false;
	for (;;) {
		struct wm_hash_table *table = (void *)__atomic_load_n(head, __ATOMIC_ACQUIRE);
		struct wm_hash_slot *slot = table ? find(table, id, stuck) : NULL;
		if (slot && !add_in(slot, id, amount))
			continue;
		if (slot) {
			if (keeps_colliding(table, slot, id))
				grow(f, head, table);
			return;
		}
		if (stuck)
			break;
		stuck = !grow(f, head, table);
	}
	wm_hash_lose(f, amount);
}

/* As add_in; *found becomes the value in force. */
static bool keep_in(struct wm_hash_slot *slot, uint64_t id, uint64_t value, uint64_t *found)
{
	uint64_t key = 0;
	*found = 0;
	bool set = __atomic_compare_exchange_n(&slot->count, found, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n(&slot->key, &key, id + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		key == id + 1) {
		*found = set ? value : *found;
		return true;
	}
	if (set)
		wm_add(&slot->count, -value);
	return false;
}

uint64_t wm_hash_keep(const struct wm_func *f, uint64_t *head, uint64_t key, uint64_t value)
{
	bool stuck = false;
	for (;;) {
		uint64_t found;
		struct wm_hash_table *table = (void *)__atomic_load_n(head, __ATOMIC_ACQUIRE);
		struct wm_hash_slot *slot = table ? find(table, key, stuck) : NULL;
		if (slot && keep_in(slot, key, value, &found))
			return found;
		if (slot)
			continue;
		if (stuck)
			return 0;
		stuck = !grow(f, head, table);
	}
}

/* Where compiled code has no probe of its own this is all there is, so the id's home
 * is looked at first.  One instruction, for the sake of signal handlers. */
__attribute__((preserve_most)) void __wm_hash_add(const struct wm_func *f, uint64_t *head, uint64_t id, uint64_t amount)
{
	struct wm_hash_table *table = (void *)__atomic_load_n(head, __ATOMIC_ACQUIRE);
	struct wm_hash_slot *home = table ? &slots_of(table)[(id * WM_HASH_FACTOR) >> table->shift] : NULL;
	if (!home || wm_load(&home->key) != id + 1)
		add_anywhere(f, head, id, amount);
	else if (WM_FUNC_UPDATE(f->flags) == WM_UPDATE_ATOMIC)
		wm_add(&home->count, amount);
	else
		__asm__("addq %1, %0" : "+m"(home->count) : "er"(amount) : "cc");
}
