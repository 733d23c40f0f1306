/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For each span from the number of paths up to the best known: is there an
 * assignment?  Binary z(i, k) says that path i has id k; every path has one id, every
 * id at most one path; the id of a path is the sum of the values of its chords.
 */
#include "test/core/optimal.h"
#include "core/preferential/linear.h"
#include <glpk.h>
#include <stdlib.h>

#define LARGEST_VALUE 1e6

struct program {
	const struct wm_incidence *a;
	uint32_t span;
	glp_prob *problem;
	/* A row under construction, from 1 as GLPK wants it. */
	int *column, length;
	double *factor;
};

static int z_column(const struct program *p, uint32_t path, uint32_t id)
{
	return 1 + (int)(path * p->span + id);
}

static int x_column(const struct program *p, uint32_t chord)
{
	return 1 + (int)(p->a->rows * p->span + chord);
}

static void add_term(struct program *p, int column, double factor)
{
	p->length++;
	p->column[p->length] = column;
	p->factor[p->length] = factor;
}

static void end_row(struct program *p, int kind, double bound)
{
	int row = glp_add_rows(p->problem, 1);
	glp_set_row_bnds(p->problem, row, kind, bound, bound);
	glp_set_mat_row(p->problem, row, p->length, p->column, p->factor);
	p->length = 0;
}

static void add_columns(struct program *p)
{
	glp_add_cols(p->problem, (int)(p->a->rows * p->span + p->a->columns));
	for (uint32_t path = 0; path < p->a->rows; path++)
		for (uint32_t id = 0; id < p->span; id++)
			glp_set_col_kind(p->problem, z_column(p, path, id), GLP_BV);
	for (uint32_t c = 0; c < p->a->columns; c++) {
		glp_set_col_kind(p->problem, x_column(p, c), GLP_IV);
		glp_set_col_bnds(p->problem, x_column(p, c), GLP_DB, -LARGEST_VALUE, LARGEST_VALUE);
	}
}

static void add_rows(struct program *p)
{
	for (uint32_t path = 0; path < p->a->rows; path++) {
		for (uint32_t id = 0; id < p->span; id++)
			add_term(p, z_column(p, path, id), 1);
		end_row(p, GLP_FX, 1);
		for (uint32_t id = 1; id < p->span; id++)
			add_term(p, z_column(p, path, id), id);
		for (uint32_t c = 0; c < p->a->columns; c++)
			if (p->a->cell[(size_t)path * p->a->columns + c])
				add_term(p, x_column(p, c), -1);
		end_row(p, GLP_FX, 0);
	}
	for (uint32_t id = 0; id < p->span; id++) {
		for (uint32_t path = 0; path < p->a->rows; path++)
			add_term(p, z_column(p, path, id), 1);
		end_row(p, GLP_UP, 1);
	}
}

/* WM_OK: solved; WM_BAD_PATH: there is no solution; WM_UNKNOWN: not known. */
static enum wm_status run(struct program *p, unsigned seconds)
{
	glp_iocp options;
	glp_init_iocp(&options);
	options.presolve = GLP_ON;
	options.msg_lev = GLP_MSG_OFF;
	options.tm_lim = (int)(seconds * 1000);
	int code = glp_intopt(p->problem, &options);
	int status = glp_mip_status(p->problem);
	if (code == 0 && (status == GLP_OPT || status == GLP_FEAS))
		return WM_OK;
	if (code == GLP_ENOPFS || (code == 0 && status == GLP_NOFEAS))
		return WM_BAD_PATH;
	return WM_UNKNOWN;
}

static void read_values(const struct program *p, int64_t *value)
{
	for (uint32_t c = 0; c < p->a->columns; c++) {
		double x = glp_mip_col_val(p->problem, x_column(p, c));
		value[p->a->chord[c]] = (int64_t)(x < 0 ? x - 0.5 : x + 0.5);
	}
}

static enum wm_status try_span(
	const struct wm_incidence *a, uint32_t span, unsigned seconds, int64_t *value, struct wm_arena *arena)
{
	size_t terms = (size_t)a->rows * span + a->columns + 1;
	struct program p = {
		.a = a, .span = span, .column = WM_NEW(arena, int, terms), .factor = WM_NEW(arena, double, terms)};
	if (!p.column || !p.factor)
		return WM_NO_MEMORY;
	glp_term_out(GLP_OFF);
	p.problem = glp_create_prob();
	add_columns(&p);
	add_rows(&p);
	enum wm_status status = run(&p, seconds);
	if (status == WM_OK)
		read_values(&p, value);
	glp_delete_prob(p.problem);
	return status;
}

enum wm_status preferential_optimal(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_path_set *set, unsigned seconds, struct wm_arena *arena)
{
	struct wm_preferential best;
	struct wm_prefixes prefixes;
	struct wm_incidence incidence;
	int64_t *value = WM_NEW(arena, int64_t, plan->dag.edge_count);
	if (!value)
		return WM_NO_MEMORY;
	if (set->count > OPTIMAL_PATHS)
		return WM_TOO_MANY;
	enum wm_status status = wm_preferential_linear(&best, plan, set, arena);
	if (status == WM_OK)
		status = wm_prefixes_make(&prefixes, plan, set, arena);
	if (status == WM_OK)
		status = wm_incidence_make(&incidence, plan, &prefixes, UINT64_MAX, arena);
	for (uint32_t span = set->count; status == WM_OK && span < best.span; span++) {
		double gamma = best.gamma;
		status = try_span(&incidence, span, seconds, value, arena);
		if (status == WM_BAD_PATH) {
			status = WM_OK;
			continue;
		}
		if (status == WM_OK)
			status = wm_preferential_use(&best, plan, &prefixes, value, arena);
		best.gamma = gamma;
	}
	if (status == WM_OK)
		*preferential = best;
	return status;
}
