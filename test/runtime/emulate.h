/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the compiler plugin emits, by hand: records, cells and the inline updates.
 * A test of the runtime needs no instrumented code then.
 */
#ifndef WM_TEST_EMULATE_H
#define WM_TEST_EMULATE_H

#include "abi/abi.h"
#include "abi/thread.h"

#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))

extern HIDDEN const char __wm_runtime_abi_6;
__attribute__((used, retain)) static const char *const pull_runtime = &__wm_runtime_abi_6;

extern HIDDEN uintptr_t *__wm_mark;
HIDDEN struct wm_thread *__wm_own(void) __attribute__((preserve_most));
HIDDEN void __wm_hash_add(const struct wm_func *f, struct wm_hash_head *head, uint64_t id, uint64_t amount)
	__attribute__((preserve_most));
HIDDEN void __wm_residual_add(const struct wm_func *f, struct wm_hash_head *head, uint64_t id, uint64_t amount)
	__attribute__((preserve_most));
HIDDEN int64_t __wm_thread_attach(void) __attribute__((preserve_most));
HIDDEN void __wm_new_thread(void) __attribute__((preserve_most));

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* Function `name`: a record, `count` cells and a head, needed or not. */
/* clang-format off */
#define FUNCTION_WITH(name, key, count, flags, ids, text) \
	__asm__(".pushsection .bss.wm_cells,\"aw\",@nobits\n" \
		"	.balign 8\n" \
		"	.hidden cells_" #name "\n	.globl cells_" #name "\n" \
		"cells_" #name ":	.zero 8*(" TEXT(count) ")\n" \
		"	.popsection\n" \
		"	.pushsection .bss.wm_heads,\"aw\",@nobits\n" \
		"	.balign 8\n" \
		"	.hidden head_" #name "\n	.globl head_" #name "\n" \
		"head_" #name ":	.zero 16\n" \
		"	.popsection\n" \
		"	.pushsection wm_funcs,\"awR\",@progbits\n" \
		"	.balign 8\n" \
		"	.hidden func_" #name "\n	.globl func_" #name "\n" \
		"func_" #name ":	.quad " TEXT(key) ", 0x1234, cells_" #name " - func_" #name "\n" \
		"	.long " TEXT(count) ", " TEXT(flags) "\n" \
		"	.quad " ids ", " text ", head_" #name " - func_" #name ", 0\n" \
		"	.popsection\n"); \
	extern HIDDEN uint64_t cells_##name[]; \
	extern HIDDEN struct wm_hash_head head_##name; \
	extern HIDDEN const struct wm_func func_##name;
#define FUNCTION(name, key, count, flags) FUNCTION_WITH(name, key, count, flags, "0", "0")

/* Its cells count the paths 3, 10, 17, ...; the last one none. */
#define INTERESTING 64
#define FUNCTION_IDS(name, key, flags) \
	__asm__(".pushsection .rodata\n" \
		"	.balign 8\n" \
		"ids_" #name ":\n" \
		"	.set next_id, 3\n" \
		"	.rept " TEXT(INTERESTING) "\n" \
		"	.quad next_id\n" \
		"	.set next_id, next_id + 7\n" \
		"	.endr\n" \
		"	.quad -1\n" \
		"	.popsection\n"); \
	FUNCTION_WITH(name, key, INTERESTING + 2, flags, "ids_" #name " - func_" #name, "0")

#define FUNCTION_RESIDUAL(name, key, flags) \
	__asm__(".pushsection .rodata\n" \
		"text_" #name ":	.asciz \"" #name "\"\n" \
		"	.popsection\n"); \
	FUNCTION_WITH(name, key, 1, flags, "0", "text_" #name " - func_" #name)
/* clang-format on */

static inline void add_plain(uint64_t *cell)
{
	__asm__ volatile("incq %0" : "+m"(*cell));
}

static inline void add_gs(uint64_t *cell)
{
	__asm__ volatile("incq %%gs:%0" : "+m"(*cell));
}

static inline void add_atomic(uint64_t *cell)
{
	__atomic_fetch_add(cell, 1, __ATOMIC_RELAXED);
}

static inline void count_probe(
	const struct wm_func *f, struct wm_hash_head *head, uint64_t probe, uint64_t id, void (*add)(uint64_t *))
{
	uint64_t shift = probe & WM_PROBE_SHIFT;
	if (probe) {
		struct wm_hash_slot *slot = (struct wm_hash_slot *)(probe - shift) + (wm_hash_key(id) >> shift);
		if (__atomic_load_n(&slot->key, __ATOMIC_RELAXED) == wm_hash_key(id)) {
			add(&slot->count);
			return;
		}
	}
	__wm_hash_add(f, head, id, 1);
}

static inline void count_hash(const struct wm_func *f, struct wm_hash_head *head, uint64_t id, void (*add)(uint64_t *))
{
	count_probe(f, head, __atomic_load_n(&head->probe, __ATOMIC_ACQUIRE), id, add);
}

static inline void count_hash_gs(const struct wm_func *f, struct wm_hash_head *head, uint64_t id)
{
	uint64_t probe;
	__asm__ volatile("movq %%gs:%1, %0" : "=r"(probe) : "m"(head->probe));
	count_probe(f, head, probe, id, add_plain);
}

/* `cells` begin with the entries. */
static inline void count_ids(
	const struct wm_func *f, uint64_t *cells, struct wm_hash_head *head, uint64_t id, void (*add)(uint64_t *))
{
	if (id % 7 == 3 && id / 7 < INTERESTING)
		add(&cells[1 + id / 7]);
	else
		count_hash(f, head, id, add);
}

/* Function entries, as in code that may be part of a shared object. */
static inline void enter_gs(void)
{
	uintptr_t attached;
	__asm__ volatile("movq %%gs:%1, %0" : "=r"(attached) : "m"(*__wm_mark));
	if (attached != (uintptr_t)__builtin_thread_pointer())
		__wm_new_thread();
}

/* The result moves cells. */
static inline int64_t enter_delta(void)
{
	int64_t delta = __atomic_load_n(&__wm_own()->delta, __ATOMIC_RELAXED);
	return delta ? delta : __wm_thread_attach();
}

static inline uint64_t *moved(uint64_t *cell, int64_t delta)
{
	return (uint64_t *)((char *)cell + delta);
}

static inline struct wm_hash_head *moved_head(struct wm_hash_head *head, int64_t delta)
{
	return (struct wm_hash_head *)((char *)head + delta);
}

#endif
