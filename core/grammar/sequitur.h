/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sequitur (Nevill-Manning and Witten, "Identifying Hierarchical Structure in Sequences", JAIR 7, 1997), which Larus
 * 1999 uses to compress whole program paths.  It reads a sequence word by word and keeps a grammar of it that has two
 * properties:
 *
 *   digram uniqueness   no pair of adjacent symbols occurs twice, unless the two occurrences overlap (as in "aaa")
 *   rule utility        every rule except the first is used at least twice
 *
 * The paper's program is recursive: replacing a pair makes new pairs, which are replaced at once.  Here new pairs wait
 * on a list, so that the depth of the machine's stack does not depend on the input.  The order in which waiting pairs
 * are examined does not matter for the two properties, nor for the time, which is linear on average: every
 * replacement shortens the grammar or adds a rule, and there are never more rules than half of the symbols.
 *
 * Memory is bounded: once the grammar has `most` symbols, the sequence must be closed and a new one begun.
 */
#ifndef WM_CORE_SEQUITUR_H
#define WM_CORE_SEQUITUR_H

#include "core/grammar/grammar.h"

struct wm_sequitur_node;
struct wm_sequitur_pair;
struct wm_sequitur_rule;
struct wm_sequitur {
	uint32_t most;
	uint64_t length; /* words so far */
	uint32_t symbol_count; /* in all rules */
	/* The symbols of all rules, each rule a ring around its guard; unused nodes are a list. */
	struct wm_sequitur_node *node;
	uint32_t free_node;
	struct wm_sequitur_rule *rule;
	uint32_t rule_count, free_rule; /* rule_count: those ever used */
	/* Where each pair occurs; open addressing, `slots` is a power of two. */
	struct wm_sequitur_pair *pair;
	uint32_t slots;
	/* Nodes whose pair with the next node has to be examined. */
	uint32_t *waiting;
	uint32_t waiting_count, waiting_capacity;
	/* The words, and a hash table of their indices plus one. */
	uint64_t *word;
	uint32_t word_count, *word_slot;
};

/* The least and the greatest value of `most`; each symbol takes about 100 bytes of memory. */
#define WM_SEQUITUR_LEAST 16u
#define WM_SEQUITUR_MOST (1u << 27)
/* WM_TOO_MANY: `most` is out of range.  WM_NO_MEMORY. */
enum wm_status wm_sequitur_init(struct wm_sequitur *sequitur, uint32_t most);
void wm_sequitur_release(struct wm_sequitur *sequitur);
/* True: the sequence must be closed before the next word. */
bool wm_sequitur_is_full(const struct wm_sequitur *sequitur);
/* WM_NO_MEMORY: the sequence is lost.  WM_TOO_MANY: it is full, and nothing has changed. */
enum wm_status wm_sequitur_append(struct wm_sequitur *sequitur, uint64_t word);
/* Makes the grammar of the words so far, and begins a new sequence.  WM_NO_MEMORY: nothing has changed. */
enum wm_status wm_sequitur_close(struct wm_sequitur *sequitur, struct wm_grammar *grammar);

#endif
