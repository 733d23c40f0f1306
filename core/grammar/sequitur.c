/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/grammar/sequitur.h"
#include <stdlib.h>
#include <string.h>

#define NIL UINT32_MAX
/* A symbol is an index of a word, or RULE and the index of a rule.  GUARD and the index of a rule marks the node where
 * the ring of that rule begins and ends.  FREE marks nodes that are not in use. */
#define RULE WM_GRAMMAR_RULE
#define GUARD (1u << 30)
#define FREE UINT32_MAX
enum { START = 0 };

struct wm_sequitur_node {
	uint32_t previous, next, symbol;
};
struct wm_sequitur_rule {
	uint32_t guard;
	uint32_t uses; /* of a free rule: the next free one */
};
/* The pair (left, right) is at `node`; NIL: the slot is empty. */
struct wm_sequitur_pair {
	uint32_t left, right, node;
};

static uint64_t mix(uint64_t key)
{
	key = (key ^ key >> 32) * 0x9E3779B97F4A7C15ull;
	return key ^ key >> 29;
}

static bool is_guard(const struct wm_sequitur *s, uint32_t node)
{
	return (s->node[node].symbol & (RULE | GUARD)) == GUARD;
}

static bool is_rule(const struct wm_sequitur *s, uint32_t node)
{
	return s->node[node].symbol & RULE;
}

static uint32_t next(const struct wm_sequitur *s, uint32_t node)
{
	return s->node[node].next;
}

/* Whether the node is the left one of two symbols. */
static bool begins_pair(const struct wm_sequitur *s, uint32_t node)
{
	return s->node[node].symbol != FREE && !is_guard(s, node) && !is_guard(s, next(s, node));
}

/* ---- The hash table of pairs --------------------------------------------- */

static uint32_t home(const struct wm_sequitur *s, uint32_t left, uint32_t right)
{
	return (uint32_t)mix((uint64_t)left << 32 | right) & (s->slots - 1);
}

/* The slot of the node's pair, or the empty slot where it belongs. */
static uint32_t find_pair(const struct wm_sequitur *s, uint32_t node)
{
	uint32_t left = s->node[node].symbol, right = s->node[next(s, node)].symbol;
	uint32_t at = home(s, left, right);
	while (s->pair[at].node != NIL && (s->pair[at].left != left || s->pair[at].right != right))
		at = (at + 1) & (s->slots - 1);
	return at;
}

static void enter_pair(struct wm_sequitur *s, uint32_t slot, uint32_t node)
{
	s->pair[slot] = (struct wm_sequitur_pair){s->node[node].symbol, s->node[next(s, node)].symbol, node};
}

/* Moves later entries back, so that no search ends too early. */
static void empty_slot(struct wm_sequitur *s, uint32_t hole)
{
	uint32_t mask = s->slots - 1;
	for (uint32_t at = (hole + 1) & mask; s->pair[at].node != NIL; at = (at + 1) & mask) {
		uint32_t wanted = home(s, s->pair[at].left, s->pair[at].right);
		if (((at - wanted) & mask) < ((at - hole) & mask))
			continue;
		s->pair[hole] = s->pair[at];
		hole = at;
	}
	s->pair[hole].node = NIL;
}

/* ---- Nodes and rules ----------------------------------------------------- */

/* The list holds each node a few times at most, but no bound was proven: hence the check. */
static bool look_at(struct wm_sequitur *s, uint32_t node)
{
	if (s->waiting_count == s->waiting_capacity) {
		uint32_t capacity = 2 * s->waiting_capacity;
		uint32_t *waiting = realloc(s->waiting, capacity * sizeof *waiting);
		if (!waiting)
			return false;
		s->waiting = waiting;
		s->waiting_capacity = capacity;
	}
	s->waiting[s->waiting_count++] = node;
	return true;
}

/* Two overlapping pairs of three equal symbols have one entry.  When it goes, the other pair may stay. */
static bool look_around(struct wm_sequitur *s, uint32_t node)
{
	return look_at(s, s->node[node].previous) && look_at(s, next(s, node));
}

/* Before a link is broken: the pair that begins at this node goes. */
static bool forget_pair(struct wm_sequitur *s, uint32_t node)
{
	if (!begins_pair(s, node))
		return true;
	uint32_t slot = find_pair(s, node);
	if (s->pair[slot].node != node)
		return true;
	empty_slot(s, slot);
	return s->node[node].symbol != s->node[next(s, node)].symbol || look_around(s, node);
}

static void link_nodes(struct wm_sequitur *s, uint32_t left, uint32_t right)
{
	s->node[left].next = right;
	s->node[right].previous = left;
}

static uint32_t new_node(struct wm_sequitur *s, uint32_t symbol)
{
	uint32_t node = s->free_node;
	s->free_node = s->node[node].next;
	s->node[node] = (struct wm_sequitur_node){NIL, NIL, symbol};
	return node;
}

static void free_node(struct wm_sequitur *s, uint32_t node)
{
	s->node[node] = (struct wm_sequitur_node){NIL, s->free_node, FREE};
	s->free_node = node;
}

static void insert_after(struct wm_sequitur *s, uint32_t left, uint32_t symbol)
{
	uint32_t node = new_node(s, symbol), right = next(s, left);
	link_nodes(s, left, node);
	link_nodes(s, node, right);
	s->symbol_count++;
	if (symbol & RULE)
		s->rule[symbol & ~RULE].uses++;
}

/* Takes a symbol out of its rule; its pairs have been forgotten. */
static void take_out(struct wm_sequitur *s, uint32_t node)
{
	uint32_t symbol = s->node[node].symbol;
	link_nodes(s, s->node[node].previous, next(s, node));
	s->symbol_count--;
	if (symbol & RULE)
		s->rule[symbol & ~RULE].uses--;
	free_node(s, node);
}

static uint32_t new_rule(struct wm_sequitur *s)
{
	uint32_t rule = s->free_rule;
	if (rule == NIL)
		rule = s->rule_count++;
	else
		s->free_rule = s->rule[rule].uses;
	uint32_t guard = new_node(s, GUARD | rule);
	link_nodes(s, guard, guard);
	s->rule[rule] = (struct wm_sequitur_rule){.guard = guard};
	return rule;
}

static void free_rule(struct wm_sequitur *s, uint32_t rule)
{
	free_node(s, s->rule[rule].guard);
	s->rule[rule] = (struct wm_sequitur_rule){.guard = NIL, .uses = s->free_rule};
	s->free_rule = rule;
}

static uint32_t first_of(const struct wm_sequitur *s, uint32_t rule)
{
	return next(s, s->rule[rule].guard);
}

static uint32_t last_of(const struct wm_sequitur *s, uint32_t rule)
{
	return s->node[s->rule[rule].guard].previous;
}

/* ---- The two properties -------------------------------------------------- */

/* Puts a rule in the place of the pair at `node`. */
static bool substitute(struct wm_sequitur *s, uint32_t node, uint32_t rule)
{
	uint32_t left = s->node[node].previous, right = next(s, node);
	if (!forget_pair(s, left) || !forget_pair(s, node) || !forget_pair(s, right))
		return false;
	take_out(s, node);
	take_out(s, right);
	insert_after(s, left, RULE | rule);
	return look_at(s, left) && look_at(s, next(s, left));
}

/* `node` is the only use of its rule: puts the rule's symbols in its place. */
static bool expand(struct wm_sequitur *s, uint32_t node)
{
	uint32_t rule = s->node[node].symbol & ~RULE, left = s->node[node].previous, right = next(s, node);
	uint32_t first = first_of(s, rule), last = last_of(s, rule);
	if (!forget_pair(s, left) || !forget_pair(s, node))
		return false;
	take_out(s, node);
	link_nodes(s, left, first);
	link_nodes(s, last, right);
	free_rule(s, rule);
	return look_at(s, left) && look_at(s, last);
}

static bool keep_useful(struct wm_sequitur *s, uint32_t node)
{
	return !is_rule(s, node) || s->rule[s->node[node].symbol & ~RULE].uses > 1 || expand(s, node);
}

/* Whether the pair at `node` is all of a rule other than the first. */
static bool is_whole_rule(const struct wm_sequitur *s, uint32_t node)
{
	uint32_t guard = s->node[node].previous;
	return is_guard(s, guard) && next(s, next(s, node)) == guard && guard != s->rule[START].guard;
}

/* A rule for the pair that is at `other` and, by the time this has returned, at one place more. */
static bool rule_of_pair(struct wm_sequitur *s, uint32_t other, uint32_t *rule)
{
	if (is_whole_rule(s, other)) {
		*rule = s->node[s->node[other].previous].symbol & ~GUARD;
		return true;
	}
	uint32_t left = s->node[other].symbol, right = s->node[next(s, other)].symbol;
	*rule = new_rule(s);
	insert_after(s, s->rule[*rule].guard, left);
	insert_after(s, first_of(s, *rule), right);
	return substitute(s, other, *rule) && look_at(s, first_of(s, *rule));
}

/* The pair at `node` occurs at `other` too.  Rules that are used less now are used in the rule of the pair, so that
 * one with a single use has that use there. */
static bool replace_both(struct wm_sequitur *s, uint32_t node, uint32_t other)
{
	uint32_t rule;
	if (is_whole_rule(s, node))
		return true; /* no input is known that comes here; a rule of one symbol would remain */
	return rule_of_pair(s, other, &rule) && substitute(s, node, rule) && keep_useful(s, first_of(s, rule)) &&
	       keep_useful(s, last_of(s, rule));
}

static bool restore_uniqueness(struct wm_sequitur *s, uint32_t node)
{
	if (!begins_pair(s, node))
		return true;
	uint32_t slot = find_pair(s, node), other = s->pair[slot].node;
	if (other == NIL)
		enter_pair(s, slot, node);
	else if (other != node && next(s, other) != node && next(s, node) != other)
		return replace_both(s, node, other);
	return true;
}

static enum wm_status settle(struct wm_sequitur *s)
{
	while (s->waiting_count)
		if (!restore_uniqueness(s, s->waiting[--s->waiting_count]))
			return WM_NO_MEMORY;
	return WM_OK;
}

/* ---- Words --------------------------------------------------------------- */

static uint32_t index_of_word(struct wm_sequitur *s, uint64_t word)
{
	uint32_t at = (uint32_t)mix(word) & (s->slots - 1);
	for (; s->word_slot[at]; at = (at + 1) & (s->slots - 1))
		if (s->word[s->word_slot[at] - 1] == word)
			return s->word_slot[at] - 1;
	s->word[s->word_count] = word;
	s->word_slot[at] = ++s->word_count;
	return s->word_count - 1;
}

bool wm_sequitur_is_full(const struct wm_sequitur *s)
{
	return s->symbol_count >= s->most || s->word_count >= s->most;
}

enum wm_status wm_sequitur_append(struct wm_sequitur *s, uint64_t word)
{
	if (wm_sequitur_is_full(s))
		return WM_TOO_MANY;
	uint32_t last = last_of(s, START);
	insert_after(s, last, index_of_word(s, word));
	s->length++;
	return look_at(s, last) ? settle(s) : WM_NO_MEMORY;
}

/* ---- Beginning and closing ----------------------------------------------- */

static uint32_t node_capacity(const struct wm_sequitur *s)
{
	return s->most + s->most / 2 + 16; /* with guards: a rule has at least two symbols */
}

static void begin_grammar(struct wm_sequitur *s)
{
	uint32_t nodes = node_capacity(s);
	for (uint32_t i = 0; i < nodes; i++)
		s->node[i] = (struct wm_sequitur_node){NIL, i + 1 < nodes ? i + 1 : NIL, FREE};
	s->free_node = 0;
	s->free_rule = NIL;
	memset(s->pair, 0xFF, s->slots * sizeof *s->pair);
	memset(s->word_slot, 0, s->slots * sizeof *s->word_slot);
	s->rule_count = s->word_count = s->waiting_count = s->symbol_count = 0;
	s->length = 0;
	new_rule(s);
}

enum wm_status wm_sequitur_init(struct wm_sequitur *sequitur, uint32_t most)
{
	struct wm_sequitur s = {.most = most, .slots = 64, .waiting_capacity = 64};
	if (most < WM_SEQUITUR_LEAST || most > WM_SEQUITUR_MOST)
		return WM_TOO_MANY;
	while (s.slots < 2 * most + 16)
		s.slots *= 2;
	s.node = malloc(node_capacity(&s) * sizeof *s.node);
	s.rule = malloc(node_capacity(&s) * sizeof *s.rule);
	s.pair = malloc(s.slots * sizeof *s.pair);
	s.word_slot = malloc(s.slots * sizeof *s.word_slot);
	s.word = malloc((most + 1) * sizeof *s.word);
	s.waiting = malloc(s.waiting_capacity * sizeof *s.waiting);
	if (!s.node || !s.rule || !s.pair || !s.word_slot || !s.word || !s.waiting) {
		wm_sequitur_release(&s);
		return WM_NO_MEMORY;
	}
	begin_grammar(&s);
	*sequitur = s;
	return WM_OK;
}

void wm_sequitur_release(struct wm_sequitur *s)
{
	free(s->node);
	free(s->rule);
	free(s->pair);
	free(s->word_slot);
	free(s->word);
	free(s->waiting);
	*s = (struct wm_sequitur){0};
}

/*
 * The rules in an order in which every rule precedes those that it refers to: a rule is placed when its last use has
 * been.  `left` counts the uses that are not placed yet.  place[r] becomes the new index of rule r; the order itself
 * is kept in `order`.
 */
static uint32_t order_rules(const struct wm_sequitur *s, uint32_t *left, uint32_t *order, uint32_t *place)
{
	uint32_t count = 1;
	for (uint32_t r = 0; r < s->rule_count; r++)
		left[r] = s->rule[r].uses;
	order[0] = place[START] = START;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t guard = s->rule[order[i]].guard;
		for (uint32_t n = next(s, guard); n != guard; n = next(s, n)) {
			uint32_t rule = s->node[n].symbol & ~RULE;
			if (is_rule(s, n) && !--left[rule]) {
				place[rule] = count;
				order[count++] = rule;
			}
		}
	}
	return count;
}

static void copy_rules(
	const struct wm_sequitur *s, struct wm_grammar *grammar, const uint32_t *order, const uint32_t *place)
{
	size_t at = 0;
	for (uint32_t i = 0; i < grammar->rule_count; i++) {
		uint32_t guard = s->rule[order[i]].guard;
		grammar->first[i] = at;
		for (uint32_t n = next(s, guard); n != guard; n = next(s, n)) {
			uint32_t symbol = s->node[n].symbol;
			grammar->symbol[at++] = symbol & RULE ? RULE | place[symbol & ~RULE] : symbol;
		}
	}
	grammar->first[grammar->rule_count] = at;
	memcpy(grammar->word, s->word, s->word_count * sizeof *s->word);
}

static bool make_room(struct wm_grammar *grammar, const struct wm_sequitur *s)
{
	grammar->word_count = s->word_count;
	grammar->word = malloc((s->word_count + 1) * sizeof *grammar->word);
	grammar->first = malloc((grammar->rule_count + 1) * sizeof *grammar->first);
	grammar->symbol = malloc((s->symbol_count + 1) * sizeof *grammar->symbol);
	return grammar->word && grammar->first && grammar->symbol;
}

enum wm_status wm_sequitur_close(struct wm_sequitur *s, struct wm_grammar *grammar)
{
	struct wm_grammar made = {0};
	uint32_t *scratch = malloc(3 * (size_t)s->rule_count * sizeof *scratch);
	uint32_t *order = scratch + s->rule_count, *place = order + s->rule_count;
	if (!scratch)
		return WM_NO_MEMORY;
	made.rule_count = order_rules(s, scratch, order, place);
	bool room = make_room(&made, s);
	if (room) {
		copy_rules(s, &made, order, place);
		*grammar = made;
		begin_grammar(s);
	} else {
		wm_grammar_release(&made);
	}
	free(scratch);
	return room ? WM_OK : WM_NO_MEMORY;
}
