/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/trail/feasible.h"
#include "core/base/search.h"

/* A set of integers that needs more intervals is widened. */
enum { MOST_INTERVALS = 8 };

/* Ascending intervals, none of which meet. */
struct interval_set {
	uint32_t count;
	struct wm_value_range interval[MOST_INTERVALS];
};

struct wm_known_value {
	struct interval_set set; /* the value is in one of the intervals */
	uint32_t step; /* the step that last added to what is known; WM_NONE: none */
};

static void add_interval(struct interval_set *set, struct wm_value_range interval)
{
	if (set->count < MOST_INTERVALS)
		set->interval[set->count++] = interval;
	else if (interval.high > set->interval[MOST_INTERVALS - 1].high)
		set->interval[MOST_INTERVALS - 1].high = interval.high;
}

static struct interval_set intersect(const struct interval_set *a, const struct interval_set *b)
{
	struct interval_set both = {0};
	for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
		struct wm_value_range x = a->interval[i], y = b->interval[j];
		struct wm_value_range common = {x.low > y.low ? x.low : y.low, x.high < y.high ? x.high : y.high};
		if (common.low <= common.high)
			add_interval(&both, common);
		if (x.high < y.high)
			i++;
		else
			j++;
	}
	return both;
}

static void know(struct wm_known_value *value, struct wm_value_range interval, uint32_t step)
{
	bool anything = interval.low == INT64_MIN && interval.high == INT64_MAX;
	*value = (struct wm_known_value){{1, {interval}}, anything ? WM_NONE : step};
}

enum wm_status wm_knowledge_init(struct wm_knowledge *k, const struct wm_facts *facts, struct wm_arena *arena)
{
	*k = (struct wm_knowledge){facts, WM_NEW(arena, struct wm_known_value, facts->value_count)};
	if (!k->value)
		return WM_NO_MEMORY;
	wm_knowledge_forget(k);
	return WM_OK;
}

void wm_knowledge_forget(struct wm_knowledge *k)
{
	for (uint32_t i = 0; i < k->facts->value_count; i++)
		know(&k->value[i], WM_ANYTHING, WM_NONE);
}

static uint32_t first_of_block(const struct wm_facts *facts, uint32_t block)
{
	uint32_t i;
	WM_LOWER_BOUND(i, 0, facts->count, facts->fact[i].block < block);
	return i;
}

/* Takes the tests of one value by one edge, from facts->fact[*i] on. */
static struct interval_set take_tests(const struct wm_facts *facts, uint32_t *i)
{
	const struct wm_fact *first = &facts->fact[*i], *end = facts->fact + facts->count, *at = first;
	struct interval_set set = {0};
	for (; at < end && at->block == first->block && at->kind == first->kind && at->value == first->value &&
		at->edge == first->edge;
		at++)
		add_interval(&set, at->range);
	*i += (uint32_t)(at - first);
	return set;
}

/* Returns as wm_knowledge_pass. */
static uint32_t learn(struct wm_known_value *value, const struct interval_set *test, uint32_t step)
{
	struct interval_set both = intersect(&value->set, test);
	if (!both.count)
		return value->step;
	bool same = both.count == value->set.count;
	for (uint32_t i = 0; i < both.count && same; i++)
		same = both.interval[i].low == value->set.interval[i].low &&
		       both.interval[i].high == value->set.interval[i].high;
	if (!same)
		*value = (struct wm_known_value){both, step};
	return WM_NONE;
}

uint32_t wm_knowledge_pass(struct wm_knowledge *k, uint32_t block, uint32_t from, uint32_t to, uint32_t step)
{
	const struct wm_facts *facts = k->facts;
	uint32_t i = first_of_block(facts, block), impossible = WM_NONE;
	while (i < facts->count && facts->fact[i].block == block) {
		const struct wm_fact *fact = &facts->fact[i];
		if (fact->kind == WM_FACT_TEST) {
			struct interval_set test = take_tests(facts, &i);
			uint32_t against = fact->edge == to ? learn(&k->value[fact->value], &test, step) : WM_NONE;
			impossible = impossible == WM_NONE ? against : impossible;
			continue;
		}
		if (fact->kind != WM_FACT_FROM || fact->edge == from)
			know(&k->value[fact->value], fact->range, step);
		i++;
	}
	return impossible;
}

/* What is known of a value when the block tests it. */
static struct interval_set value_at_test(const struct wm_knowledge *k, uint32_t block, uint32_t from, uint32_t value)
{
	const struct wm_facts *facts = k->facts;
	struct interval_set set = k->value[value].set;
	for (uint32_t i = first_of_block(facts, block); i < facts->count && facts->fact[i].block == block; i++) {
		const struct wm_fact *fact = &facts->fact[i];
		bool holds = fact->kind == WM_FACT_BEFORE || (fact->kind == WM_FACT_FROM && fact->edge == from);
		if (holds && fact->value == value)
			set = (struct interval_set){1, {fact->range}};
	}
	return set;
}

bool wm_knowledge_allows(const struct wm_knowledge *k, uint32_t block, uint32_t from, uint32_t to)
{
	const struct wm_facts *facts = k->facts;
	uint32_t i = first_of_block(facts, block);
	while (i < facts->count && facts->fact[i].block == block) {
		const struct wm_fact *fact = &facts->fact[i];
		if (fact->kind != WM_FACT_TEST || fact->edge != to) {
			i++;
			continue;
		}
		struct interval_set before = value_at_test(k, block, from, fact->value), test = take_tests(facts, &i);
		if (!intersect(&before, &test).count)
			return false;
	}
	return true;
}

/* ---- Trails ---------------------------------------------------------------------------- */

/* One activation of each depth: that of the deepest call is followed, and those of its callers wait. */
struct activation {
	struct wm_knowledge knowledge;
	bool known; /* knowledge is of this activation */
	uint32_t left_by; /* the edge by which it left its last block; WM_NONE: it has not left one */
};

static uint32_t depth_count(const struct wm_trail *trail)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < trail->count; i++)
		most = trail->step[i].depth > most ? trail->step[i].depth : most;
	return most + 1;
}

/* Whether the block of a step was entered before in the same activation, so that the path has both iterations. */
static bool iterates(const struct wm_trail *trail, uint32_t step)
{
	const struct wm_trail_step *s = &trail->step[step];
	for (uint32_t i = step; i-- > 0 && trail->step[i].depth >= s->depth;) {
		const struct wm_trail_step *before = &trail->step[i];
		if (before->depth > s->depth || before->kind != WM_TRAIL_BLOCK)
			continue;
		if (before->block == s->block)
			return true;
		if (before->restart)
			return false;
	}
	return false;
}

/* Nothing is known of an activation that begins, or of which the path does not have what came before. */
static enum wm_status begin(struct activation *a, const struct wm_facts *facts, struct wm_arena *arena)
{
	a->left_by = WM_NONE;
	a->known = facts != NULL;
	if (!facts)
		return WM_OK;
	if (a->knowledge.facts == facts) {
		wm_knowledge_forget(&a->knowledge);
		return WM_OK;
	}
	return wm_knowledge_init(&a->knowledge, facts, arena);
}

/* Whether what is known of the activation of a step does not hold at the step. */
static bool is_beginning(const struct wm_trail *trail, uint32_t step)
{
	const struct wm_trail_step *s = &trail->step[step];
	bool entered = step && trail->step[step - 1].kind == WM_TRAIL_CALL;
	return !step || entered || s->restart || (s->again && !iterates(trail, step));
}

enum wm_status wm_trail_find_contradiction(const struct wm_trail *trail, const struct wm_facts *const *facts,
	struct wm_contradiction *found, struct wm_arena *arena)
{
	struct activation *activation = WM_NEW(arena, struct activation, depth_count(trail));
	enum wm_status status = activation ? WM_OK : WM_NO_MEMORY;
	*found = (struct wm_contradiction){WM_NONE, WM_NONE};
	for (uint32_t i = 0; i < trail->count && status == WM_OK && found->later == WM_NONE; i++) {
		const struct wm_trail_step *s = &trail->step[i];
		struct activation *a = &activation[s->depth];
		bool returns = s->kind == WM_TRAIL_RETURN && s->lone;
		if (s->kind != WM_TRAIL_BLOCK && !returns)
			continue;
		if (returns || is_beginning(trail, i))
			status = begin(a, facts[s->function], arena);
		if (status != WM_OK || !a->known)
			continue;
		uint32_t against = wm_knowledge_pass(&a->knowledge, s->block, a->left_by, s->edge, i);
		if (against != WM_NONE)
			*found = (struct wm_contradiction){against, i};
		a->left_by = s->edge;
	}
	return status;
}
