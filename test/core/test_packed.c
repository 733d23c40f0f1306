/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packed sums, residual marks and perfect hashes: walks of random graphs against the definition. */
#include "core/paths/residual_marks.h"
#include "core/preferential/linear.h"
#include "core/preferential/pack.h"
#include "core/probes/early.h"
#include "core/probes/reduce.h"
#include "core/probes/regions.h"
#include "core/probes/silence.h"
#include "core/probes/trips.h"
#include "test/core/sample.h"
#include "test/core/support.h"
#include <stdlib.h>

static uint32_t regions;

/* What a profile of the sample must be, per acyclic id. */
struct profile {
	struct sample *s;
	uint64_t *expected, *counts;
};

static void profile_init(struct profile *p, struct sample *s)
{
	*p = (struct profile){
		s, calloc(s->oracle.count, sizeof *p->expected), calloc(s->oracle.count, sizeof *p->counts)};
}

static void profile_check(struct profile *p)
{
	assert_memory_equal(p->counts, p->expected, p->s->oracle.count * sizeof *p->counts);
	free(p->counts);
	free(p->expected);
}

/* `whole`: without frames that are abandoned. */
static void profile_walks(struct profile *p, const struct wm_probe_program *program, bool whole,
	void (*count)(void *closure, uint64_t total), void *closure)
{
	struct each_path each = {count, closure};
	uint32_t walk[SAMPLE_WALK + 1];
	for (int i = 0; i < 6; i++) {
		bool left;
		uint32_t length = sample_walk(p->s, walk, &left);
		/* Trips counted in a register are lost with an abandoned frame. */
		if (!left && (whole || program->trip_loop_count))
			continue;
		oracle_count(&p->s->oracle, walk, length, left, p->expected);
		sample_run(p->s, program, walk, length, left, &each);
	}
}

/* What is done to a placed program. */
enum { WITH_REGIONS = 1, WITH_TRIPS = 2 };

static void place(
	struct sample *s, const int64_t *value, const bool *first, struct wm_probe_program *program, unsigned with)
{
	static const uint32_t sizes[] = {4, 30, 1000};
	uint32_t size = sizes[random_below(&s->random, 3)];
	struct wm_region_limits limits = {size, 2 * size, random_below(&s->random, 2) * 4};
	struct wm_weights weights;
	struct wm_loops loops;
	assert_int_equal(wm_weights_static(&weights, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	assert_int_equal(wm_place_sums(&s->plan, &(struct wm_sums){.value = value, .first = first}, WM_PLACE_OPTIMAL,
				 &weights, program, &s->arena),
		WM_OK);
	assert_int_equal(wm_loops_run(&loops, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	if (with & WITH_REGIONS)
		assert_int_equal(wm_place_regions(&s->plan, &loops, &weights, NULL, limits, program), WM_OK);
	if (with & WITH_TRIPS)
		assert_int_equal(wm_place_trips(&s->plan, &loops, &weights, NULL, program, &s->arena), WM_OK);
	regions += program->region_count;
}

/* ---- Packed sums ----------------------------------------------------------------- */

struct packed {
	struct profile profile;
	struct wm_pack pack;
	struct wm_preferential preferential;
	uint64_t *table;
};

static uint64_t low_bits(uint64_t total, uint32_t bits)
{
	return total & (((uint64_t)1 << bits) - 1);
}

static bool is_negative(uint64_t total)
{
	return total >> 63;
}

static void count_packed(void *closure, uint64_t sum)
{
	struct packed *p = closure;
	uint64_t total = wm_pack_total(&p->pack, sum), index = wm_pack_index(&p->pack, total);
	assert_true(index < p->pack.size);
	bool interesting = p->table[index] == total;
	uint64_t id = interesting ? p->preferential.set->id[wm_preferential_find(&p->preferential, index)]
				  : low_bits(total, p->pack.acyclic_bits);
	assert_true(id < p->profile.s->oracle.count);
	uint32_t member = wm_path_set_find(p->preferential.set, id);
	assert_int_equal(interesting, member != WM_NONE && p->preferential.id[member] < p->pack.size);
	p->profile.counts[id]++;
}

static void check_immediates(const struct packed *p, const struct wm_probe_program *program)
{
	for (uint32_t e = 0; e < p->profile.s->graph.edge_count && p->pack.width == 32; e++)
		for (uint32_t i = 0; i < program->edge[e].count; i++)
			assert_true(program->edge[e].action[i].value == (int32_t)program->edge[e].action[i].value);
}

/* As if the acyclic sum needed more than 32 bits. */
static void widen(struct packed *p)
{
	struct wm_pack *pack = &p->pack;
	unsigned index_bits = pack->width - pack->shift;
	pack->width = 64;
	pack->shift = 64 - index_bits;
	for (uint32_t e = 0; e < p->profile.s->plan.dag.edge_count; e++) {
		uint64_t high = index_bits ? (uint64_t)p->preferential.value[e] << pack->shift : 0;
		pack->value[e] = (int64_t)(high + (uint64_t)p->profile.s->plan.numbering.value[e]);
	}
}

/* `limit`: ids from there on are not interesting. */
static void check_packed(struct sample *s, const struct wm_path_set *set, bool wide, uint32_t limit)
{
	struct packed p;
	struct wm_probe_program program;
	profile_init(&p.profile, s);
	assert_int_equal(wm_preferential_linear(&p.preferential, &s->plan, set, &s->arena), WM_OK);
	assert_int_equal(wm_pack_make(&p.pack, &s->plan, &p.preferential, limit, &s->arena), WM_OK);
	assert_int_equal(p.pack.width, 32);
	assert_true(p.pack.size <= limit);
	if (wide)
		widen(&p);
	assert_int_equal(wm_pack_table(&p.pack, &p.preferential, &p.table, &s->arena), WM_OK);
	place(s, p.pack.value, NULL, &program, random_below(&s->random, 4));
	wm_reduce_program(&p.pack, &s->graph, &program);
	check_immediates(&p, &program);
	profile_walks(&p.profile, &program, false, count_packed, &p);
	profile_check(&p.profile);
}

/* ---- Residual marks ---------------------------------------------------------------- */

struct residual {
	struct profile profile;
	struct wm_residual residual;
	const struct wm_path_set *tested;
	bool *clean; /* per acyclic id: all its edges are tested */
};

static struct {
	uint32_t closed, open, leaving, untested, silenced, early, core, left_core, looked_up;
} seen;

static void count_residual(void *closure, uint64_t total)
{
	struct residual *r = closure;
	uint64_t id = low_bits(total, r->residual.shift);
	assert_true(id < r->profile.s->oracle.count);
	assert_int_equal(is_negative(total), !r->clean[id]);
	if (r->residual.edge_closed)
		assert_int_equal(is_negative(total), wm_path_set_find(r->tested, id) == WM_NONE);
	seen.untested += !r->clean[id];
	r->profile.counts[id]++;
}

/* Straight from the definition: edges of tested paths, then paths of such edges. */
static void find_clean(struct residual *r)
{
	struct sample *s = r->profile.s;
	uint32_t edges = s->plan.dag.edge_count, clean = 0;
	bool *tested = calloc(edges, 1);
	struct wm_path path = {.edge = calloc(s->plan.dag.node_count, sizeof(uint32_t))};
	for (uint32_t i = 0; i < r->tested->count; i++) {
		wm_dag_decode(&s->plan.dag, &s->plan.numbering, r->tested->id[i], &path, &s->arena);
		for (uint32_t k = 0; k < path.length; k++)
			tested[path.edge[k]] = true;
	}
	assert_memory_equal(tested, r->residual.tested, edges);
	for (uint32_t id = 0; id < s->oracle.count; id++) {
		wm_dag_decode(&s->plan.dag, &s->plan.numbering, id, &path, &s->arena);
		r->clean[id] = true;
		for (uint32_t k = 0; k < path.length; k++)
			r->clean[id] &= tested[path.edge[k]];
		clean += r->clean[id];
	}
	assert_int_equal(r->residual.tested_edge_paths, clean);
	assert_int_equal(r->residual.edge_closed, clean == r->tested->count);
	free(path.edge);
	free(tested);
}

static bool is_tested_event(const struct residual *r, uint32_t cfg_edge)
{
	const struct wm_dag *dag = &r->profile.s->plan.dag;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (dag->edge[e].cfg_edge == cfg_edge)
			return r->residual.tested[e] &&
			       (dag->edge[e].kind == WM_EDGE_REAL || r->residual.tested[dag->edge[e].restart]);
	return false;
}

/* What is added on a tested edge is a difference of acyclic ids: no mark is in it. */
static void check_marks(const struct residual *r, const struct wm_probe_program *program)
{
	int64_t bound = (int64_t)1 << r->residual.shift;
	for (uint32_t e = 0; e < r->profile.s->graph.edge_count; e++) {
		if (!is_tested_event(r, e))
			continue;
		for (uint32_t i = 0; i < program->edge[e].count; i++) {
			const struct wm_action *action = &program->edge[e].action[i];
			if (wm_action_rows[action->kind].operands & WM_HAS_VALUE)
				assert_true(action->value < 2 * bound && action->value > -2 * bound);
		}
	}
}

/* What the definition says of an edge: all paths that take it, one by one. */
struct checked {
	uint32_t paths, members, clean;
	uint64_t only;
	bool decided; /* the way on to End is one */
};

static enum wm_member expected_member(const struct checked *edge)
{
	return !edge->decided		      ? WM_MEMBER_UNDECIDED
	       : edge->members == 0	      ? WM_MEMBER_NONE
	       : edge->members == edge->paths ? WM_MEMBER_ALL
	       : edge->members == 1	      ? WM_MEMBER_ONE
	       : edge->members == edge->clean ? WM_MEMBER_CLEAN
					      : WM_MEMBER_SOME;
}

/* A path is checked once, where it is decided, and not before a block in which it may vanish. */
static void check_checked(const struct residual *r, const struct wm_path *path, const bool *may_not_return)
{
	const struct wm_dag *dag = &r->profile.s->plan.dag;
	uint32_t times = 0;
	for (uint32_t i = 0; i < path->length; i++) {
		uint32_t e = path->edge[i], to = dag->edge[e].to;
		assert_true(!times || dag->first_edge[dag->edge[e].from + 1] - dag->first_edge[dag->edge[e].from] == 1);
		times += r->residual.membership.checked[e];
		seen.early += r->residual.membership.checked[e] && to != WM_DAG_END;
		assert_true(!times || to == WM_DAG_END || !may_not_return || !may_not_return[dag->node_block[to]]);
	}
	assert_int_equal(times, 1);
}

static void look_at(const struct residual *r, uint32_t id, const struct wm_path *path, struct checked *edges)
{
	const struct wm_dag *dag = &r->profile.s->plan.dag;
	bool member = wm_path_set_find(r->tested, id) != WM_NONE, decided = true;
	for (uint32_t i = path->length; i-- > 0;) {
		uint32_t e = path->edge[i];
		edges[e].paths++;
		edges[e].members += member;
		edges[e].clean += r->clean[id];
		edges[e].only = member ? id : edges[e].only;
		edges[e].decided = decided;
		decided &= dag->first_edge[dag->edge[e].from + 1] - dag->first_edge[dag->edge[e].from] == 1;
	}
}

static void check_membership(const struct residual *r, const bool *may_not_return)
{
	struct sample *s = r->profile.s;
	const struct wm_membership *membership = &r->residual.membership;
	uint32_t edges = s->plan.dag.edge_count, unclear = 0, unmarked = 0;
	struct checked *edge = calloc(edges, sizeof *edge);
	struct wm_path path = {.edge = calloc(s->plan.dag.node_count, sizeof(uint32_t))};
	for (uint32_t id = 0; id < s->oracle.count; id++) {
		wm_dag_decode(&s->plan.dag, &s->plan.numbering, id, &path, &s->arena);
		look_at(r, id, &path, edge);
		check_checked(r, &path, may_not_return);
	}
	for (uint32_t e = 0; e < edges; e++) {
		enum wm_member expected = expected_member(&edge[e]);
		assert_int_equal(membership->member[e], expected);
		assert_true(expected != WM_MEMBER_ONE || membership->only[e] == edge[e].only);
		unclear += membership->checked[e] && expected == WM_MEMBER_SOME ? edge[e].members : 0;
		bool looks_up = expected == WM_MEMBER_CLEAN || expected == WM_MEMBER_SOME;
		unmarked += membership->checked[e] && looks_up ? edge[e].members : 0;
	}
	assert_int_equal(r->residual.unclear.count, unclear);
	assert_int_equal(r->residual.unmarked.count, unmarked);
	free(path.edge);
	free(edge);
}

static void count_heard(void *closure, uint64_t total)
{
	struct residual *r = closure;
	r->profile.counts[low_bits(total, r->residual.shift)]++;
}

static bool is_silent(const struct wm_membership *membership, const struct wm_path *path)
{
	for (uint32_t i = 0; i < path->length; i++)
		if (membership->checked[path->edge[i]])
			return membership->member[path->edge[i]] == WM_MEMBER_ALL;
	return false;
}

/* Counted early, all is as before; what is then silenced was tested; what still counts
 * counts the same. */
static void check_silence(struct residual *r, struct wm_probe_program *program)
{
	struct sample *s = r->profile.s;
	struct profile all = r->profile;
	const struct wm_membership *membership = &r->residual.membership;
	bool *silent = calloc(s->plan.dag.edge_count, 1);
	struct wm_path path = {.edge = calloc(s->plan.dag.node_count, sizeof(uint32_t))};
	for (uint32_t e = 0; e < s->plan.dag.edge_count; e++)
		silent[e] = membership->checked[e] && membership->member[e] == WM_MEMBER_ALL;
	assert_int_equal(wm_place_early(&s->plan, membership->checked, program, &s->arena), WM_OK);
	profile_init(&r->profile, s);
	profile_walks(&r->profile, program, true, count_heard, r);
	profile_check(&r->profile);
	assert_int_equal(wm_place_silence(&s->plan, silent, program, &s->arena), WM_OK);
	profile_init(&r->profile, s);
	profile_walks(&r->profile, program, true, count_heard, r);
	for (uint32_t id = 0; id < s->oracle.count; id++) {
		wm_dag_decode(&s->plan.dag, &s->plan.numbering, id, &path, &s->arena);
		if (is_silent(membership, &path)) {
			seen.silenced += r->profile.expected[id] > 0;
			r->profile.expected[id] = 0;
		}
	}
	profile_check(&r->profile);
	r->profile = all;
	free(path.edge);
	free(silent);
}

static void check_residual(struct sample *s, const struct wm_path_set *tested)
{
	struct residual r = {.tested = tested};
	struct wm_probe_program program;
	struct wm_weights weights;
	bool early = random_below(&s->random, 4), loops = random_below(&s->random, 2),
	     *may_not_return = calloc(s->graph.block_count, 1);
	for (uint32_t b = 0; b < s->graph.block_count; b++)
		may_not_return[b] = !random_below(&s->random, 8);
	profile_init(&r.profile, s);
	r.clean = calloc(s->oracle.count, 1);
	assert_int_equal(wm_weights_static(&weights, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	struct wm_checking checking = {early ? &weights : NULL, may_not_return, loops};
	assert_int_equal(wm_residual_make(&r.residual, &s->plan, tested, &checking, &s->arena), WM_OK);
	find_clean(&r);
	check_membership(&r, may_not_return);
	assert_int_equal(r.residual.marks, WM_MARKS_ALL);
	place(s, r.residual.value, r.residual.tested, &program, loops ? 0 : random_below(&s->random, 2) * WITH_REGIONS);
	check_silence(&r, &program);
	place(s, r.residual.value, r.residual.tested, &program, random_below(&s->random, 4));
	if (!program.trip_loop_count && !program.region_count)
		check_marks(&r, &program);
	profile_walks(&r.profile, &program, false, count_residual, &r);
	profile_check(&r.profile);
	free(r.clean);
	free(may_not_return);
	seen.closed += r.residual.edge_closed;
	seen.open += !r.residual.edge_closed;
}

/* ---- Cores ------------------------------------------------------------------------- */

/* Which paths are over core edges only, and that these are tested. */
static void find_core(struct residual *r, const struct wm_core *core, const uint64_t *weight)
{
	struct sample *s = r->profile.s;
	struct wm_path path = {.edge = calloc(s->plan.dag.node_count, sizeof(uint32_t))};
	uint32_t paths = 0, heaviest = 0;
	for (uint32_t id = 0; id < s->oracle.count; id++) {
		wm_dag_decode(&s->plan.dag, &s->plan.numbering, id, &path, &s->arena);
		r->clean[id] = true;
		for (uint32_t k = 0; k < path.length; k++)
			r->clean[id] &= core->edge[path.edge[k]];
		uint32_t member = wm_path_set_find(r->tested, id);
		assert_int_equal(r->clean[id], member != WM_NONE && core->inside[member]);
		paths += r->clean[id];
	}
	assert_int_equal(core->paths, paths);
	for (uint32_t i = 0; i < r->tested->count; i++)
		heaviest = weight[i] > weight[heaviest] ? i : heaviest;
	assert_true(!r->tested->count || core->inside[heaviest]);
	seen.core += paths > 1;
	seen.left_core += paths < r->tested->count;
	free(path.edge);
}

static uint32_t checked_edge(const struct residual *r, const struct wm_path *path)
{
	uint32_t i = 0;
	while (!r->residual.membership.checked[path->edge[i]])
		i++;
	return path->edge[i];
}

/* What a residual build does at the end of a path tells whether it is tested. */
static void count_by_core(void *closure, uint64_t total)
{
	struct residual *r = closure;
	struct sample *s = r->profile.s;
	uint64_t id = low_bits(total, r->residual.shift);
	struct wm_path path = {0};
	assert_int_equal(wm_dag_decode(&s->plan.dag, &s->plan.numbering, id, &path, &s->arena), WM_OK);
	bool tested = wm_path_set_find(r->tested, id) != WM_NONE, marked = false;
	uint32_t e = checked_edge(r, &path);
	for (uint32_t i = 0; i < path.length; i++)
		marked |= r->residual.marked[path.edge[i]];
	assert_int_equal(marked, is_negative(total));
	switch ((enum wm_member)r->residual.membership.member[e]) {
	case WM_MEMBER_NONE:
		assert_false(tested);
		break;
	case WM_MEMBER_ALL:
		assert_true(tested);
		break;
	case WM_MEMBER_ONE:
		assert_int_equal(tested, id == r->residual.membership.only[e]);
		break;
	case WM_MEMBER_CLEAN:
		assert_int_equal(tested, !marked);
		break;
	default:
		assert_true(tested ? wm_path_set_find(&r->residual.unclear, id) != WM_NONE
				   : marked || !r->residual.tested[e]);
		seen.looked_up += marked;
		break;
	}
	r->profile.counts[id]++;
}

static void place_core(struct sample *s, const struct residual *r, struct wm_probe_program *program, bool trips)
{
	struct wm_weights weights;
	struct wm_loops loops;
	bool *adds = calloc(s->plan.dag.edge_count, 1);
	for (uint32_t e = 0; e < s->plan.dag.edge_count; e++)
		adds[e] = random_below(&s->random, 2);
	struct wm_sums sums = {r->residual.value, r->residual.tested, r->residual.marked, adds};
	assert_int_equal(wm_weights_static(&weights, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	assert_int_equal(wm_place_sums(&s->plan, &sums, WM_PLACE_OPTIMAL, &weights, program, &s->arena), WM_OK);
	assert_int_equal(wm_loops_run(&loops, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	if (trips)
		assert_int_equal(wm_place_trips(&s->plan, &loops, &weights, NULL, program, &s->arena), WM_OK);
	free(adds);
}

static void check_left_core(const struct residual *r, const struct wm_core *core, const uint64_t *weight)
{
	uint64_t all = 0, edges = 0;
	for (uint32_t i = 0; i < r->tested->count; i++)
		all += core->inside[i] ? 0 : weight[i];
	for (uint32_t e = 0; e < r->profile.s->plan.dag.edge_count; e++)
		edges += r->residual.left_core[e];
	assert_true(all == edges);
}

static void check_core(struct sample *s, const struct wm_path_set *tested)
{
	struct residual r = {.tested = tested};
	struct wm_probe_program program;
	struct wm_weights weights;
	struct wm_core core;
	uint64_t *weight = calloc(tested->count + 1, sizeof *weight);
	for (uint32_t i = 0; i < tested->count; i++)
		weight[i] = random_below(&s->random, 100);
	profile_init(&r.profile, s);
	r.clean = calloc(s->oracle.count, 1);
	assert_int_equal(wm_weights_static(&weights, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	struct wm_checking checking = {
		random_below(&s->random, 4) ? &weights : NULL, NULL, random_below(&s->random, 4)};
	assert_int_equal(wm_core_make(&core, &s->plan, tested, weight, &s->arena), WM_OK);
	find_core(&r, &core, weight);
	assert_int_equal(wm_residual_from_core(&r.residual, &s->plan, &core, &checking, &s->arena), WM_OK);
	check_left_core(&r, &core, weight);
	place_core(s, &r, &program, random_below(&s->random, 2));
	profile_walks(&r.profile, &program, false, count_by_core, &r);
	profile_check(&r.profile);
	place_core(s, &r, &program, false);
	check_silence(&r, &program);
	free(r.clean);
	free(weight);
}

/* ---- All together ---------------------------------------------------------------------- */

static void test_random_walks(void **state)
{
	(void)state;
	uint32_t sets = 0;
	for (uint64_t seed = 0; seed < 5200; seed++) {
		struct sample s;
		if (sample_init(&s, seed, 3 + (uint32_t)(seed / 5 % 21), 250) && s.oracle.count)
			for (int i = 0; i < 3; i++, sets++) {
				struct wm_path_set set;
				sample_set(&s, &set);
				check_packed(&s, &set, i == 1, i == 2 ? 4 : WM_PACK_LIMIT);
				check_residual(&s, &set);
				check_core(&s, &set);
			}
		sample_release(&s);
	}
	assert_true(sets > 10000 && seen.closed > 1000 && seen.open > 1000 && seen.untested > 10000 &&
		    seen.silenced > 1000 && seen.early > 1000 && regions > 10000);
	assert_true(seen.core > 1000 && seen.left_core > 1000 && seen.looked_up > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_walks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
