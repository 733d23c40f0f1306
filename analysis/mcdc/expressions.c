/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/mcdc/expressions.h"
#include "core/base/search.h"
#include <string.h>

/* A value is passed on through at most this many joins; and the operands of ?: are looked for behind at most this many expressions,
 * less one. */
enum { MOST_HOPS = 100, MOST_SETS = 16 };

/* Every block has two elements in the sets: as the end of a condition, and, above, as a target. */
struct finder {
	const struct wm_map_function *f;
	const struct wm_graph *graph;
	struct wm_arena *arena;
	uint32_t blocks;
	struct wm_dfs dfs;
	uint32_t *parent; /* of disjoint sets */
	const struct wm_map_value **ends_with; /* per block: the joined or fixed value that it ends with; NULL: none */
	const struct wm_map_value **joins; /* per block: the value that is joined in it; NULL: none */
	const struct wm_map_value **tells; /* per block: the value that its branch tells; NULL: none */
	bool *inner; /* per block: an operand of ?: begins here that is part of a condition */
	bool *is_condition; /* per block: it ends with a condition, which is a branch or not */
	uint32_t *seen; /* per block: the number of the last search that came here */
	uint32_t *queue;
	uint32_t search;
	struct wm_expressions *result;
};

/* ---- Disjoint sets --------------------------------------------------------------------------- */

static uint32_t root_of(struct finder *x, uint32_t element)
{
	return wm_find_root(x->parent, element);
}

static void join(struct finder *x, uint32_t a, uint32_t b)
{
	x->parent[root_of(x, a)] = root_of(x, b);
}

static uint32_t as_target(const struct finder *x, uint32_t block)
{
	return x->blocks + block;
}

/* ---- What ends with a condition --------------------------------------------------------------- */

static bool is_joined(const struct wm_map_value *value)
{
	return value->kind != WM_VALUE_CHOICE && value->kind != WM_VALUE_FIXED;
}

/* A branch that tells a value that was joined before, and is no condition of its own. */
static bool is_relay(const struct finder *x, uint32_t block)
{
	return x->tells[block];
}

static bool has_side(const struct wm_map_block *block)
{
	return block->condition.side[0] != WM_SIDE_UNKNOWN || block->condition.side[1] != WM_SIDE_UNKNOWN;
}

static bool is_branch_of_source(const struct finder *x, uint32_t block)
{
	const struct wm_map_block *info = &x->f->block[block];
	return info->terminator == WM_TERM_BRANCH && info->condition.kind != WM_CONDITION_CASES &&
	       info->condition.kind != WM_CONDITION_UNSAID &&
	       x->graph->first_edge[block + 1] - x->graph->first_edge[block] == 2;
}

static bool is_split(const struct finder *x, uint32_t block)
{
	return x->ends_with[block] && x->ends_with[block]->kind == WM_VALUE_SPLIT;
}

/* The branches of the expression have their targets in common. */
static bool branches(const struct finder *x, uint32_t block)
{
	return is_branch_of_source(x, block) && has_side(&x->f->block[block]) && !is_split(x, block);
}

static bool ends_with_condition(const struct finder *x, uint32_t block)
{
	const struct wm_map_value *value = x->ends_with[block];
	if (x->dfs.position[block] == WM_NONE)
		return false;
	if (value && is_joined(value) && value->kind != WM_VALUE_NESTED)
		return true;
	return branches(x, block) && !is_relay(x, block);
}

/* ---- Which belong together -------------------------------------------------------------------- */

static void join_branches(struct finder *x)
{
	for (uint32_t b = 0; b < x->blocks; b++)
		for (uint32_t e = x->graph->first_edge[b]; branches(x, b) && e < x->graph->first_edge[b + 1]; e++)
			join(x, b, as_target(x, x->graph->edge_to[e]));
}

static void join_values(struct finder *x)
{
	for (uint32_t b = 0; b < x->blocks; b++) {
		const struct wm_map_value *value = x->ends_with[b];
		if (value && is_joined(value))
			join(x, value->kind == WM_VALUE_NESTED ? as_target(x, b) : b, as_target(x, value->join));
		if (is_relay(x, b))
			join(x, b, as_target(x, x->tells[b]->join));
	}
}

static bool stops(struct finder *x, uint32_t block, uint32_t set)
{
	return x->is_condition[block] && root_of(x, block) == set;
}

/* How many edges a search follows: an exception leaves the expression. */
static uint32_t followed_edges(const struct finder *x, uint32_t block)
{
	uint32_t edges = x->graph->first_edge[block + 1] - x->graph->first_edge[block];
	return x->f->block[block].terminator == WM_TERM_INVOKE && edges > 1 ? 1 : edges;
}

/* A search from a block; x->queue[0 … count - 1] are the blocks that it has come to. */
static uint32_t begin_search(struct finder *x, uint32_t block)
{
	x->search++;
	x->queue[0] = block;
	x->seen[block] = x->search;
	return 1;
}

static void go_on_search(struct finder *x, uint32_t at, uint32_t *count)
{
	for (uint32_t k = 0; k < followed_edges(x, at); k++) {
		uint32_t to = x->graph->edge_to[x->graph->first_edge[at] + k];
		if (x->seen[to] == x->search)
			continue;
		x->seen[to] = x->search;
		x->queue[(*count)++] = to;
	}
}

/* The only condition of the set with which evaluation can go on from a block; WM_NONE: none, or several. */
static uint32_t first_condition(struct finder *x, uint32_t block, uint32_t set)
{
	uint32_t count = begin_search(x, block), found = WM_NONE;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = x->queue[i];
		if (!stops(x, at, set)) {
			go_on_search(x, at, &count);
			continue;
		}
		if (found != WM_NONE)
			return WM_NONE;
		found = at;
	}
	return found;
}

/* The sets of the conditions that evaluation can come to from a block, nearest first.  Returns how many. */
static uint32_t list_sets(struct finder *x, uint32_t block, uint32_t set[MOST_SETS])
{
	uint32_t count = begin_search(x, block), sets = 0;
	for (uint32_t i = 0; i < count && sets < MOST_SETS; i++) {
		uint32_t root = root_of(x, x->queue[i]);
		bool known = !x->is_condition[x->queue[i]];
		for (uint32_t k = 0; k < sets && !known; k++)
			known = set[k] == root;
		if (!known)
			set[sets++] = root;
		go_on_search(x, x->queue[i], &count);
	}
	return sets;
}

static bool is_choice(const struct wm_map_block *block)
{
	const uint8_t *side = block->condition.side;
	return (side[0] == WM_SIDE_CHOSEN && side[1] == WM_SIDE_OTHER) ||
	       (side[0] == WM_SIDE_OTHER && side[1] == WM_SIDE_CHOSEN);
}

/* Joins the condition of ?: with the operands, if these are different conditions of the set. */
static bool join_choice_with(struct finder *x, uint32_t block, uint32_t set)
{
	const uint32_t *to = &x->graph->edge_to[x->graph->first_edge[block]];
	uint32_t chosen = first_condition(x, to[0], set), other = first_condition(x, to[1], set);
	if (chosen == WM_NONE || other == WM_NONE || chosen == other || set == root_of(x, block))
		return false;
	join(x, block, chosen);
	x->inner[to[0]] = x->inner[to[1]] = true;
	return true;
}

/* The condition of ?: leads to different conditions of one expression if the operands of ?: are such conditions.  Conditions of
 * other expressions may come before them: those of an argument, in `a ? f(b || c) : f(d)`.  What follows the ?: begins with the same
 * condition for both operands. */
static bool join_choice(struct finder *x, uint32_t block)
{
	uint32_t set[MOST_SETS], sets = list_sets(x, x->graph->edge_to[x->graph->first_edge[block]], set);
	for (uint32_t i = 0; i < sets; i++)
		if (join_choice_with(x, block, set[i]))
			return true;
	return false;
}

static void join_choices(struct finder *x)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = x->blocks; b-- > 0;)
			if (branches(x, b) && x->is_condition[b] && is_choice(&x->f->block[b]))
				changed |= join_choice(x, b);
	}
}

/* ---- The diagram ------------------------------------------------------------------------------ */

/* What is decided where evaluation leaves a condition or a branch on a value. */
struct way {
	uint32_t
		node; /* an outcome; or WM_NONE: `block` ends with the next condition; WM_NONE in both: not understood */
	uint32_t block;
	uint32_t teller, ordinal; /* the branch that this way takes behind a value that is joined; WM_NONE: none */
	bool value; /* the outcome is a value */
};

static bool goes_on(const struct finder *x, uint32_t block, uint32_t ordinal)
{
	uint8_t side = x->f->block[block].condition.side[ordinal];
	return side == WM_SIDE_NEXT_IF_TRUE || side == WM_SIDE_NEXT_IF_FALSE;
}

static uint32_t outcome_of_side(uint8_t side)
{
	if (side == WM_SIDE_HOLDS || side == WM_SIDE_CHOSEN)
		return WM_OUTCOME_TRUE;
	return side == WM_SIDE_FAILS || side == WM_SIDE_OTHER ? WM_OUTCOME_FALSE : WM_NONE;
}

static struct way way_of_edge(struct finder *x, uint32_t block, uint32_t ordinal, uint32_t hops);

/* The way on when a value has been joined in a block. */
static struct way way_of_value(struct finder *x, uint32_t block, bool value, uint32_t hops)
{
	const struct wm_map_value *outer = x->ends_with[block];
	struct way unknown = {WM_NONE, WM_NONE, WM_NONE, 0, false};
	if (hops > MOST_HOPS)
		return unknown;
	if (x->joins[block]->use != WM_USE_OTHER) {
		uint32_t teller = x->joins[block]->teller, true_edge = x->f->block[teller].true_edge;
		bool holds = value == (x->joins[block]->use == WM_USE_BRANCH);
		uint32_t ordinal = holds ? true_edge : !true_edge;
		struct way way = way_of_edge(x, teller, ordinal, hops + 1);
		way.teller = teller;
		way.ordinal = ordinal;
		return way;
	}
	if (outer && outer->kind == WM_VALUE_NESTED)
		return way_of_value(x, outer->join, outer->truth ? value : !value, hops + 1);
	return (struct way){value ? WM_OUTCOME_TRUE : WM_OUTCOME_FALSE, WM_NONE, WM_NONE, 0, true};
}

static struct way way_of_edge(struct finder *x, uint32_t block, uint32_t ordinal, uint32_t hops)
{
	uint32_t to = x->graph->edge_to[x->graph->first_edge[block] + ordinal];
	struct way way = {WM_NONE, WM_NONE, WM_NONE, 0, false};
	if (x->joins[to])
		return way_of_value(x, to, x->joins[to]->disjunction, hops + 1);
	if (goes_on(x, block, ordinal) || x->inner[to])
		way.block = first_condition(x, to, root_of(x, block));
	else
		way.node = outcome_of_side(x->f->block[block].condition.side[ordinal]);
	return way;
}

/* The way from a condition that has a value. */
static struct way way_from(struct finder *x, uint32_t block, bool value)
{
	const struct wm_map_value *operand = x->ends_with[block];
	if (operand && is_joined(operand))
		return way_of_value(x, operand->join, operand->kind == WM_VALUE_CONSTANT ? operand->truth : value, 0);
	uint32_t true_edge = x->f->block[block].true_edge;
	return way_of_edge(x, block, value ? true_edge : !true_edge, 0);
}

static void describe_value(struct finder *x, uint32_t block, struct wm_operand *operand)
{
	const struct wm_map_value *value = x->ends_with[block];
	struct way way = way_of_value(x, value->join, true, 0);
	operand->value = value;
	operand->place = value->place;
	operand->name = value->name;
	operand->truth = value->truth;
	operand->kind = value->kind == WM_VALUE_CONSTANT ? WM_OPERAND_CONSTANT
			: value->kind == WM_VALUE_SPLIT	 ? WM_OPERAND_BRANCH
			: way.teller != WM_NONE		 ? WM_OPERAND_TOLD
							 : WM_OPERAND_UNSEEN;
	operand->teller = way.teller;
	operand->true_edge = value->kind == WM_VALUE_SPLIT ? x->f->block[block].true_edge : way.ordinal;
}

static struct wm_operand describe(struct finder *x, uint32_t block)
{
	const struct wm_map_block *info = &x->f->block[block];
	const struct wm_map_value *value = x->ends_with[block];
	struct wm_operand operand = {.kind = WM_OPERAND_BRANCH,
		.block = block,
		.true_edge = info->true_edge,
		.teller = WM_NONE,
		.place = info->decision,
		.name = info->condition.name};
	if (value && is_joined(value))
		describe_value(x, block, &operand);
	if (value && value->kind == WM_VALUE_FIXED) {
		operand.kind = WM_OPERAND_CONSTANT;
		operand.truth = value->truth;
	}
	return operand;
}

/* False: the ways are not understood. */
static bool connect(struct finder *x, struct wm_expression *expression)
{
	for (uint32_t c = 0; c < expression->count; c++)
		for (unsigned v = 0; v < 2; v++) {
			struct way way = way_from(x, expression->operand[c].block, v);
			uint32_t next = way.block == WM_NONE ? WM_NONE : x->result->at[way.block].operand;
			expression->diagram.next[c][v] = way.node != WM_NONE ? way.node : next;
			expression->used_as_value |= way.value;
			if (way.node == WM_NONE && next == WM_NONE)
				return false;
		}
	if (!wm_diagram_is_valid(&expression->diagram))
		return false;
	for (uint32_t c = 0; c < expression->count; c++) {
		uint32_t *next = expression->diagram.next[c];
		if (expression->operand[c].kind == WM_OPERAND_CONSTANT)
			next[!expression->operand[c].truth] = next[expression->operand[c].truth];
	}
	return true;
}

/* Finds the diagrams of all expressions, when their operands are known. */
static enum wm_status connect_all(struct finder *x)
{
	for (uint32_t i = 0; i < x->result->count; i++) {
		struct wm_expression *expression = &x->result->expression[i];
		expression->diagram.count = expression->count;
		expression->diagram.next =
			wm_arena_alloc(x->arena, expression->count, sizeof *expression->diagram.next);
		if (!expression->diagram.next)
			return WM_NO_MEMORY;
		if (!connect(x, expression)) {
			expression->diagram.count = 0;
			expression->obstacle = "its branches are not those of a boolean expression";
		}
	}
	return WM_OK;
}

/* ---- All expressions -------------------------------------------------------------------------- */

static bool is_unseen_choice(const struct finder *x, const struct wm_map_value *value)
{
	return value->kind == WM_VALUE_CHOICE && x->dfs.position[value->block] != WM_NONE;
}

/* Conditions of ?: without a branch are expressions after all others.  Returns how many there are. */
static uint32_t number_choices(struct finder *x)
{
	uint32_t count = 0;
	for (uint32_t v = 0; v < x->f->value_count; v++) {
		uint32_t *first = &x->result->at[x->f->value[v].block].choice;
		if (!is_unseen_choice(x, &x->f->value[v]))
			continue;
		if (*first == WM_NONE)
			*first = x->result->count + count;
		count++;
	}
	return count;
}

static enum wm_status add_choices(struct finder *x)
{
	for (uint32_t v = 0; v < x->f->value_count; v++) {
		const struct wm_map_value *value = &x->f->value[v];
		if (!is_unseen_choice(x, value))
			continue;
		struct wm_expression *made = &x->result->expression[x->result->count++];
		made->count = made->diagram.count = 1;
		made->operand = WM_NEW(x->arena, struct wm_operand, 1);
		made->diagram.next = wm_arena_alloc(x->arena, 1, sizeof *made->diagram.next);
		if (!made->operand || !made->diagram.next)
			return WM_NO_MEMORY;
		made->diagram.next[0][0] = WM_OUTCOME_FALSE;
		made->diagram.next[0][1] = WM_OUTCOME_TRUE;
		*made->operand = (struct wm_operand){.kind = WM_OPERAND_UNSEEN,
			.block = value->block,
			.teller = WM_NONE,
			.place = value->place,
			.name = value->name};
	}
	return WM_OK;
}

/* Numbers the expressions by their first blocks, and the conditions in each of them. */
static enum wm_status list(struct finder *x)
{
	struct wm_expressions *result = x->result;
	uint32_t *number = WM_NEW(x->arena, uint32_t, 2 * (size_t)x->blocks), *size;
	size = WM_NEW(x->arena, uint32_t, x->blocks);
	if (!number || !size)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < x->blocks; b++) {
		result->at[b] = (struct wm_expression_place){WM_NONE, WM_NONE, WM_NONE};
		if (!x->is_condition[b])
			continue;
		uint32_t *of = &number[root_of(x, b)];
		if (!*of)
			*of = ++result->count;
		result->at[b] = (struct wm_expression_place){*of - 1, size[*of - 1]++, WM_NONE};
	}
	uint32_t choices = number_choices(x);
	result->expression = WM_NEW(x->arena, struct wm_expression, result->count + choices);
	for (uint32_t i = 0; result->expression && i < result->count; i++)
		if (!(result->expression[i].operand = WM_NEW(x->arena, struct wm_operand, size[i])))
			return WM_NO_MEMORY;
	for (uint32_t b = 0; result->expression && b < x->blocks; b++) {
		struct wm_expression *expression = &result->expression[result->at[b].expression];
		if (x->is_condition[b])
			expression->operand[expression->count++] = describe(x, b);
	}
	return result->expression ? WM_OK : WM_NO_MEMORY;
}

static enum wm_status prepare(struct finder *x)
{
	x->parent = WM_NEW(x->arena, uint32_t, 2 * (size_t)x->blocks);
	x->ends_with = wm_arena_alloc(x->arena, x->blocks, sizeof *x->ends_with);
	x->joins = wm_arena_alloc(x->arena, x->blocks, sizeof *x->joins);
	x->tells = wm_arena_alloc(x->arena, x->blocks, sizeof *x->tells);
	x->is_condition = WM_NEW(x->arena, bool, x->blocks);
	x->inner = WM_NEW(x->arena, bool, x->blocks);
	x->seen = WM_NEW(x->arena, uint32_t, x->blocks);
	x->queue = WM_NEW(x->arena, uint32_t, x->blocks);
	x->result->at = WM_NEW(x->arena, struct wm_expression_place, x->blocks);
	if (!x->parent || !x->ends_with || !x->joins || !x->tells || !x->is_condition || !x->inner || !x->seen ||
		!x->queue || !x->result->at)
		return WM_NO_MEMORY;
	enum wm_status status = wm_dfs_run(&x->dfs, x->graph, x->arena);
	if (status != WM_OK)
		return status;
	for (uint32_t i = 0; i < 2 * x->blocks; i++)
		x->parent[i] = i;
	for (uint32_t v = 0; v < x->f->value_count; v++) {
		const struct wm_map_value *value = &x->f->value[v];
		if (value->kind != WM_VALUE_CHOICE)
			x->ends_with[value->block] = value;
		if (is_joined(value))
			x->joins[value->join] = value;
		if (value->use != WM_USE_OTHER)
			x->tells[value->teller] = value;
	}
	for (uint32_t b = 0; b < x->blocks; b++)
		x->is_condition[b] = ends_with_condition(x, b);
	return WM_OK;
}

enum wm_status wm_expressions_find(
	struct wm_expressions *expressions, const struct wm_map_function *function, struct wm_arena *arena)
{
	*expressions = (struct wm_expressions){0};
	struct finder x = {.f = function,
		.graph = &function->graph,
		.arena = arena,
		.blocks = function->graph.block_count,
		.result = expressions};
	enum wm_status status = prepare(&x);
	if (status != WM_OK)
		return status;
	join_branches(&x);
	join_values(&x);
	join_choices(&x);
	status = list(&x);
	if (status == WM_OK)
		status = connect_all(&x);
	return status == WM_OK ? add_choices(&x) : status;
}
