/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Neighbours of a set of paths: cases by hand, and random graphs, sets and restrictions against the definition. */
#include "core/graph/cfgtext.h"
#include "core/paths/neighbours.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 3000, ENDLESS = 1 << 30 };

static struct wm_plan *make_plan(const char *text, struct wm_arena *arena)
{
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	struct wm_plan *plan = WM_NEW(arena, struct wm_plan, 1);
	struct wm_graph *graph = WM_NEW(arena, struct wm_graph, 1);
	assert_int_equal(wm_cfg_parse(&cfg, text, strlen(text), &error, arena), WM_OK);
	*graph = cfg.function[0].graph;
	assert_int_equal(wm_plan_make(plan, graph, &wm_scheme_acyclic, 0, arena), WM_OK);
	return plan;
}

/* Two decisions in a row.  The path ACD.. of ids: 0 = left left, 1 = left right, 2 = right left, 3 = right right. */
static void test_by_hand(void **state)
{
	struct wm_arena arena;
	const uint64_t set[] = {0};
	(void)state;
	wm_arena_init(&arena);
	struct wm_plan *plan = make_plan("function f\na -> b c\nb -> d\nc -> d\nd -> e g\ne -> h\ng -> h\nh\n", &arena);
	struct wm_neighbours n = {.plan = plan, .set = set, .set_count = 1, .most = 10, .effort = ENDLESS};
	assert_int_equal(wm_neighbours_find(&n, &arena), WM_OK);
	assert_int_equal(n.sought, 4);
	assert_int_equal(n.outside, 3);
	assert_int_equal(n.count, 3);
	/* One decision away: the last, then the first; the entry and a are common to all. */
	assert_true(n.path[0].id == 1 && n.path[0].distance == 1 && n.path[0].common == 3);
	assert_true(n.path[1].id == 2 && n.path[1].distance == 1 && n.path[1].common == 1);
	assert_true(n.path[2].id == 3 && n.path[2].distance == 2 && n.path[2].common == 1);
	assert_true(
		n.path[0].fresh != WM_NONE && n.path[1].fresh != WM_NONE && n.path[2].fresh != WM_NONE && !n.stopped);
	free(n.path);
	/* With both sides of both decisions taken, no edge is fresh. */
	const uint64_t corners[] = {0, 3};
	n = (struct wm_neighbours){.plan = plan, .set = corners, .set_count = 2, .most = 1, .effort = ENDLESS};
	assert_int_equal(wm_neighbours_find(&n, &arena), WM_OK);
	assert_int_equal(n.outside, 2);
	assert_int_equal(n.count, 1);
	assert_true(n.path[0].id == 1 && n.path[0].nearest == 0 && n.path[0].fresh == WM_NONE);
	free(n.path);
	const uint64_t bad[] = {4};
	n = (struct wm_neighbours){.plan = plan, .set = bad, .set_count = 1, .most = 1, .effort = ENDLESS};
	assert_int_equal(wm_neighbours_find(&n, &arena), WM_BAD_PATH);
	wm_arena_release(&arena);
}

/* ---- The definition ------------------------------------------------------------------------- */

struct model {
	const struct wm_neighbours *n;
	struct wm_path *path; /* per id */
	bool *in_set;
	bool *taken; /* per edge */
};

static bool takes(const struct wm_path *path, uint32_t edge)
{
	for (uint32_t i = 0; i < path->length; i++)
		if (path->edge[i] == edge)
			return true;
	return false;
}

static uint32_t count_changes(const struct wm_dag *dag, const struct wm_path *path, const struct wm_path *from)
{
	uint32_t changes = 0;
	for (uint32_t i = 0; i < path->length; i++) {
		uint32_t node = dag->edge[path->edge[i]].from, out = 0;
		for (uint32_t e = 0; e < dag->edge_count; e++)
			out += dag->edge[e].from == node;
		changes += out > 1 && !takes(from, path->edge[i]);
	}
	return changes;
}

static uint32_t common_beginning(const struct wm_path *a, const struct wm_path *b)
{
	uint32_t i = 0;
	while (i < a->length && i < b->length && a->edge[i] == b->edge[i])
		i++;
	return i;
}

static enum wm_verdict by_remainder(void *closure, uint64_t id)
{
	(void)closure;
	return id % 3 == 0 ? WM_VERDICT_DEMOTE : id % 7 == 0 ? WM_VERDICT_SKIP : WM_VERDICT_KEEP;
}

static bool is_sought(const struct model *m, uint64_t id)
{
	bool wanted = !m->n->wanted;
	for (uint32_t i = 0; i < m->path[id].length; i++) {
		if (m->n->avoided && m->n->avoided[m->path[id].edge[i]])
			return false;
		wanted |= m->n->wanted && m->n->wanted[m->path[id].edge[i]];
	}
	return wanted;
}

static struct wm_neighbour by_definition(const struct model *m, uint64_t id)
{
	struct wm_neighbour best = {.id = id, .distance = UINT32_MAX};
	const struct wm_dag *dag = &m->n->plan->dag;
	for (size_t i = 0; i < m->n->set_count; i++) {
		const struct wm_path *q = &m->path[m->n->set[i]];
		uint32_t far = count_changes(dag, &m->path[id], q), common = common_beginning(&m->path[id], q);
		if (far > best.distance || (far == best.distance && common <= best.common))
			continue;
		best.distance = far;
		best.common = common;
		best.nearest = m->n->set[i];
	}
	best.fresh = WM_NONE;
	for (uint32_t i = 0; i < m->path[id].length && best.fresh == WM_NONE; i++)
		best.fresh = m->taken[m->path[id].edge[i]] ? WM_NONE : m->path[id].edge[i];
	best.demoted = m->n->judge && m->n->judge(NULL, id) == WM_VERDICT_DEMOTE;
	return best;
}

static int by_distance(const void *left, const void *right)
{
	const struct wm_neighbour *a = left, *b = right;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static int by_demotion(const void *left, const void *right)
{
	const struct wm_neighbour *a = left, *b = right;
	return a->demoted != b->demoted ? a->demoted - b->demoted : by_distance(left, right);
}

/* The turns of paths that are in the order of distance and id. */
static void give_turns(const struct model *m, struct wm_neighbour *path, size_t count)
{
	enum { NOBODY = -1 };
	int *teller = malloc(
		(m->n->plan->dag.edge_count + 1) * sizeof *teller); /* the distance of the first path of an edge */
	for (uint32_t e = 0; e < m->n->plan->dag.edge_count; e++)
		teller[e] = NOBODY;
	for (size_t i = 0; i < count; i++) {
		struct wm_neighbour *p = &path[i];
		p->turn = p->fresh == WM_NONE	       ? WM_TURN_OLD
			  : teller[p->fresh] == NOBODY ? WM_TURN_FIRST
						       : WM_TURN_AGAIN;
		if (p->turn == WM_TURN_FIRST && !p->demoted)
			teller[p->fresh] = (int)p->distance;
	}
	free(teller);
}

/* All neighbours in the order of distances; then those up to the last that is not demoted. */
static size_t all_by_definition(const struct model *m, struct wm_neighbour *want, uint64_t *outside)
{
	size_t count = 0, accepted = 0, kept = 0;
	*outside = 0;
	for (uint64_t id = 0; id < m->n->plan->numbering.path_count; id++)
		if (!m->in_set[id] && is_sought(m, id)) {
			*outside += 1;
			if (!m->n->judge || m->n->judge(NULL, id) != WM_VERDICT_SKIP)
				want[count++] = by_definition(m, id);
		}
	qsort(want, count, sizeof *want, by_distance);
	give_turns(m, want, count);
	qsort(want, count, sizeof *want, by_distance);
	while (kept < count && accepted < m->n->most)
		accepted += !want[kept++].demoted;
	qsort(want, kept, sizeof *want, by_demotion);
	return kept;
}

static void assert_same(const struct wm_neighbour *got, const struct wm_neighbour *want)
{
	assert_int_equal(got->id, want->id);
	assert_int_equal(got->nearest, want->nearest);
	assert_int_equal(got->distance, want->distance);
	assert_int_equal(got->common, want->common);
	assert_int_equal(got->fresh, want->fresh);
	assert_int_equal(got->turn, want->turn);
	assert_int_equal(got->demoted, want->demoted);
}

static void compare(const struct wm_neighbours *n, struct wm_arena *arena)
{
	uint64_t paths = n->plan->numbering.path_count, outside;
	struct model m = {.n = n};
	m.path = WM_NEW(arena, struct wm_path, paths);
	m.in_set = WM_NEW(arena, bool, paths);
	m.taken = WM_NEW(arena, bool, n->plan->dag.edge_count);
	struct wm_neighbour *want = WM_NEW(arena, struct wm_neighbour, paths);
	for (uint64_t id = 0; id < paths; id++)
		assert_int_equal(wm_dag_decode(&n->plan->dag, &n->plan->numbering, id, &m.path[id], arena), WM_OK);
	for (size_t i = 0; i < n->set_count; i++) {
		m.in_set[n->set[i]] = true;
		for (uint32_t e = 0; e < m.path[n->set[i]].length; e++)
			m.taken[m.path[n->set[i]].edge[e]] = true;
	}
	size_t count = all_by_definition(&m, want, &outside);
	assert_int_equal(n->outside, outside);
	assert_int_equal(n->count, count);
	for (size_t i = 0; i < count; i++)
		assert_same(&n->path[i], &want[i]);
	for (size_t i = 0; i < count && i < 5; i++) {
		struct wm_neighbour one = {.id = want[i].id, .turn = want[i].turn, .demoted = want[i].demoted};
		assert_int_equal(wm_neighbours_measure(n, &one, arena), WM_OK);
		assert_same(&one, &want[i]);
	}
}

static bool *random_edges(uint32_t count, uint32_t one_in, struct random *random, struct wm_arena *arena)
{
	bool *edges = WM_NEW(arena, bool, count);
	for (uint32_t e = 0; e < count; e++)
		edges[e] = random_below(random, one_in) == 0;
	return random_below(random, 2) ? edges : NULL;
}

static void one_graph(enum random_shape shape, struct random *random)
{
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_plan plan;
	wm_arena_init(&arena);
	assert_int_equal(random_graph(&graph, shape, 3 + random_below(random, 26), random, &arena), WM_OK);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	uint64_t paths = plan.numbering.path_count;
	if (paths <= MOST_PATHS) {
		uint64_t *set = WM_NEW(&arena, uint64_t, paths);
		struct wm_neighbours n = {.plan = &plan, .set = set, .effort = ENDLESS};
		uint32_t one_in = 1 + random_below(random, 12);
		for (uint64_t id = 0; id < paths; id++)
			if (random_below(random, one_in) == 0 || id == paths / 2)
				set[n.set_count++] = id;
		n.most = random_below(random, 3) ? 1 + random_below(random, 9) : paths;
		n.avoided = random_edges(plan.dag.edge_count, 12, random, &arena);
		n.wanted = random_edges(plan.dag.edge_count, 6, random, &arena);
		n.judge = random_below(random, 2) ? by_remainder : NULL;
		assert_int_equal(wm_neighbours_find(&n, &arena), WM_OK);
		assert_false(n.stopped);
		compare(&n, &arena);
		free(n.path);
	}
	wm_arena_release(&arena);
}

static void test_random(void **state)
{
	struct random random = {11};
	(void)state;
	for (int i = 0; i < 1200; i++)
		one_graph((enum random_shape)(i % RANDOM_SHAPES), &random);
}

/* Sixty diamonds have 2^60 paths.  What is nearest is found without looking at them all; little effort is noticed. */
static void test_many(void **state)
{
	struct wm_arena arena;
	char text[8192];
	int used = snprintf(text, sizeof text, "function f\n");
	const uint64_t set[] = {0};
	(void)state;
	for (int i = 0; i < 60; i++)
		used += snprintf(text + used, sizeof text - (size_t)used, "a%d -> b%d c%d\nb%d -> a%d\nc%d -> a%d\n", i,
			i, i, i, i + 1, i, i + 1);
	snprintf(text + used, sizeof text - (size_t)used, "a60\n");
	wm_arena_init(&arena);
	struct wm_plan *plan = make_plan(text, &arena);
	struct wm_neighbours n = {.plan = plan, .set = set, .set_count = 1, .most = 100, .effort = ENDLESS};
	assert_int_equal(wm_neighbours_find(&n, &arena), WM_OK);
	assert_true(n.outside == (UINT64_C(1) << 60) - 1);
	assert_int_equal(n.count, 100);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(n.path[i].distance, i < 60 ? 1 : 2);
	assert_true(n.path[59].id == UINT64_C(1) << 59);
	assert_false(n.stopped);
	free(n.path);
	n.effort = 1000;
	assert_int_equal(wm_neighbours_find(&n, &arena), WM_OK);
	assert_true(n.stopped && n.count < 60);
	free(n.path);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
