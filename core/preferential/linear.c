/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * 1. Column operations bring A into echelon form; the order of its rows does not change.  Let y be the vector of
 *    coordinates in which A has that form.  Modulo 2^64, one of any two numbers divides the other, so
 *    each row is one of
 *      free   the row has pivot 1 and nothing else: its id is its own coordinate of y
 *      even   the row has pivot 2^t: earlier rows determine its id modulo 2^t
 *      bound  the row has no pivot: earlier rows determine its id
 * 2. Rows that depend on each other, directly or indirectly, form a family.  Large families come first; rows on
 *    which nothing depends come last, because they can fill any holes.  Each bound row moves up to directly after
 *    the last row on which it depends, so that a choice is evaluated at once.
 * 3. For increasing sizes, a depth-first search chooses ids for the free and even rows such that all ids are
 *    distinct and in [0, size).  Trying the smallest ids first finds Ball and Larus' own numbering where the set is
 *    a product.  Where that fails, the search begins at varying offsets, so that bound rows do not always collide.
 *    A size that takes more than its share of steps is given up, so an optimum is not guaranteed.
 *
 * The first step takes O(rows · columns · rank).
 */
#include "core/preferential/linear.h"
#include <stdlib.h>
#include <string.h>

/* Terms that may be added up per window, beyond some for each row, and in all. */
#define SEARCH_STEPS 60000
#define SEARCH_STEPS_PER_ROW 64
#define SEARCH_STEPS_ALL 10000000
#define SEARCH_ATTEMPTS 8

struct term {
	uint32_t row;
	uint64_t factor;
};

struct row {
	uint32_t pivot; /* column, or WM_NONE for a bound row */
	uint8_t log2; /* of the pivot */
	uint32_t term_count;
	struct term *term; /* what its id owes to the y of earlier rows */
};

struct linear {
	uint32_t rows, columns;
	uint64_t **column; /* rows cells of A, then `columns` cells of the change of coordinates */
	bool *is_pivot; /* per column */
	struct row *row;
	uint32_t *order; /* rows as the search visits them */
	/* The search: per row */
	uint64_t *id, *y;
	uint64_t *start, *number; /* the id it tries first, and how many it has tried */
	/* per id of the window */
	uint8_t *used;
	uint64_t size, steps, random;
};

/* ---- Echelon form -------------------------------------------------------------- */

/* Newton: each round doubles the number of right low bits, of which an odd number has three. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;
	for (int i = 0; i < 5; i++)
		x *= 2 - odd * x;
	return x;
}

static void subtract(struct linear *l, uint32_t from, uint32_t what, uint64_t factor, uint32_t first)
{
	uint64_t *a = l->column[from];
	const uint64_t *b = l->column[what];
	for (uint32_t i = first; i < l->rows + l->columns; i++)
		a[i] -= factor * b[i];
}

/* The free column that divides all others in this row, plain ones preferred. */
static uint32_t find_pivot(const struct linear *l, uint32_t row)
{
	uint32_t best = WM_NONE;
	int best_rank = 65;
	for (uint32_t c = 0; c < l->columns; c++) {
		uint64_t cell = l->column[c][row];
		if (l->is_pivot[c] || !cell)
			continue;
		int rank = cell == 1 || cell + 1 == 0 ? -1 : __builtin_ctzll(cell);
		if (rank < best_rank) {
			best = c;
			best_rank = rank;
		}
	}
	return best;
}

static void reduce_row(struct linear *l, uint32_t row)
{
	struct row *r = &l->row[row];
	r->pivot = find_pivot(l, row);
	if (r->pivot == WM_NONE)
		return;
	uint64_t *pivot = l->column[r->pivot];
	r->log2 = (uint8_t)__builtin_ctzll(pivot[row]);
	uint64_t scale = inverse(pivot[row] >> r->log2);
	for (uint32_t i = row; i < l->rows + l->columns && scale != 1; i++)
		pivot[i] *= scale;
	l->is_pivot[r->pivot] = true;
	for (uint32_t c = 0; c < l->columns; c++)
		if (c != r->pivot && l->column[c][row] >> r->log2)
			subtract(l, c, r->pivot, l->column[c][row] >> r->log2, row);
}

static bool collect_terms(struct linear *l, uint32_t row, struct wm_arena *arena)
{
	struct row *r = &l->row[row];
	uint32_t count = 0;
	for (uint32_t earlier = 0; earlier < row; earlier++)
		count += l->row[earlier].pivot != WM_NONE && l->column[l->row[earlier].pivot][row] != 0;
	r->term = WM_NEW(arena, struct term, count);
	if (!r->term)
		return false;
	for (uint32_t earlier = 0; earlier < row; earlier++) {
		uint32_t pivot = l->row[earlier].pivot;
		if (pivot != WM_NONE && l->column[pivot][row] != 0)
			r->term[r->term_count++] = (struct term){earlier, l->column[pivot][row]};
	}
	return true;
}

static bool load_incidence(struct linear *l, const struct wm_incidence *a, struct wm_arena *arena)
{
	l->rows = a->rows;
	l->columns = a->columns;
	l->column = WM_NEW(arena, uint64_t *, a->columns);
	l->is_pivot = WM_NEW(arena, bool, a->columns);
	l->row = WM_NEW(arena, struct row, a->rows);
	l->order = WM_NEW(arena, uint32_t, a->rows);
	l->id = WM_NEW(arena, uint64_t, a->rows);
	l->y = WM_NEW(arena, uint64_t, a->rows);
	l->start = WM_NEW(arena, uint64_t, a->rows);
	l->number = WM_NEW(arena, uint64_t, a->rows);
	if (!l->column || !l->is_pivot || !l->row || !l->order || !l->id || !l->y || !l->start || !l->number)
		return false;
	for (uint32_t c = 0; c < a->columns; c++) {
		l->column[c] = WM_NEW(arena, uint64_t, (size_t)a->rows + a->columns);
		if (!l->column[c])
			return false;
		for (uint32_t r = 0; r < a->rows; r++)
			l->column[c][r] = a->cell[(size_t)r * a->columns + c];
		l->column[c][a->rows + c] = 1;
	}
	return true;
}

/* ---- Order ----------------------------------------------------------------------- */

struct place {
	uint32_t size, family, after, row;
};

/* Larger families first, each in one piece; within it a row after all it depends on,
 * and a bound row, whose `after` is not its own, next to the last of them. */
static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	if (x->after != y->after)
		return x->after < y->after ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static uint32_t family_of(uint32_t *family, uint32_t row)
{
	while (family[row] != row)
		row = family[row] = family[family[row]];
	return row;
}

static void find_families(const struct linear *l, uint32_t *family, uint32_t *size)
{
	for (uint32_t i = 0; i < l->rows; i++)
		family[i] = i;
	for (uint32_t i = 0; i < l->rows; i++)
		for (uint32_t t = 0; t < l->row[i].term_count; t++)
			family[family_of(family, i)] = family_of(family, l->row[i].term[t].row);
	for (uint32_t i = 0; i < l->rows; i++)
		size[family_of(family, i)]++;
}

static bool arrange(struct linear *l, struct wm_arena *arena)
{
	uint32_t *family = WM_NEW(arena, uint32_t, l->rows), *size = WM_NEW(arena, uint32_t, l->rows);
	struct place *place = WM_NEW(arena, struct place, l->rows);
	if (!family || !size || !place)
		return false;
	find_families(l, family, size);
	for (uint32_t i = 0; i < l->rows; i++) {
		const struct row *r = &l->row[i];
		bool waits = r->pivot == WM_NONE && r->term_count;
		uint32_t mine = family_of(family, i);
		place[i] = (struct place){size[mine], mine, waits ? r->term[r->term_count - 1].row : i, i};
	}
	qsort(place, l->rows, sizeof *place, compare_places);
	for (uint32_t i = 0; i < l->rows; i++)
		l->order[i] = place[i].row;
	return true;
}

/* ---- Search ------------------------------------------------------------------------ */

static uint64_t decided(struct linear *l, const struct row *r)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < r->term_count; i++)
		sum += r->term[i].factor * l->y[r->term[i].row];
	l->steps += 1 + r->term_count;
	return sum;
}

/* The next id in the row's own order, from number `from` on, that it may have; false: none. */
static bool choose_id(struct linear *l, uint32_t row, uint64_t from)
{
	const struct row *r = &l->row[row];
	uint64_t base = decided(l, r), below = ((uint64_t)1 << r->log2) - 1, id = base;
	if (r->pivot == WM_NONE) {
		if (from > 0 || base >= l->size || l->used[base])
			return false;
	} else {
		for (id = l->start[row] + from; from < l->size; id++, from++) {
			id -= id >= l->size ? l->size : 0;
			l->steps++;
			if (!l->used[id] && ((id - base) & below) == 0)
				break;
		}
		if (from >= l->size)
			return false;
		l->y[row] = (id - base) >> r->log2;
	}
	l->id[row] = id;
	l->number[row] = from;
	l->used[id] = 1;
	return true;
}

static bool search_ids(struct linear *l, uint64_t limit)
{
	uint64_t from = 0;
	limit += l->steps;
	memset(l->used, 0, l->size);
	for (uint32_t depth = 0; depth < l->rows;) {
		if (choose_id(l, l->order[depth], from)) {
			depth++;
			from = 0;
			continue;
		}
		if (depth == 0 || l->steps > limit)
			return false;
		uint32_t last = l->order[--depth];
		from = l->number[last] + 1;
		l->used[l->id[last]] = 0;
	}
	return true;
}

/* In the first attempt every row tries small ids first, in others it begins anywhere. */
static void shuffle(struct linear *l, int attempt)
{
	for (uint32_t i = 0; i < l->rows; i++) {
		l->random = l->random * 6364136223846793005u + 1442695040888963407u;
		l->start[i] = attempt ? (l->random >> 33) % l->size : 0;
	}
}

/* Windows from the smallest conceivable to just below `bound`. */
static bool search_windows(struct linear *l, uint64_t bound)
{
	uint64_t limit = SEARCH_STEPS + (uint64_t)SEARCH_STEPS_PER_ROW * l->rows;
	for (l->size = l->rows; l->size < bound && l->steps < SEARCH_STEPS_ALL; l->size += 1 + l->size / 32)
		for (int attempt = 0; attempt < SEARCH_ATTEMPTS; attempt++) {
			shuffle(l, attempt);
			if (search_ids(l, attempt ? limit / SEARCH_ATTEMPTS : limit))
				return true;
		}
	return false;
}

static void values(const struct linear *l, const struct wm_incidence *a, int64_t *value)
{
	for (uint32_t i = 0; i < l->rows; i++) {
		if (l->row[i].pivot == WM_NONE)
			continue;
		const uint64_t *change = l->column[l->row[i].pivot] + l->rows;
		for (uint32_t c = 0; c < l->columns; c++) {
			int64_t *to = &value[a->chord[c]];
			*to = (int64_t)((uint64_t)*to + change[c] * l->y[i]);
		}
	}
}

/* Ids beyond 16 per path are no better than a hash: such windows are not searched. */
static uint64_t window_bound(uint64_t rows, uint64_t span)
{
	return span < 16 * rows ? span : 16 * rows;
}

static enum wm_status solve(
	const struct wm_incidence *a, uint64_t span, int64_t *value, bool *found, struct wm_arena *arena)
{
	struct linear l = {0};
	uint64_t bound = window_bound(a->rows, span);
	if (!load_incidence(&l, a, arena))
		return WM_NO_MEMORY;
	for (uint32_t row = 0; row < l.rows; row++)
		reduce_row(&l, row);
	for (uint32_t row = 0; row < l.rows; row++)
		if (!collect_terms(&l, row, arena))
			return WM_NO_MEMORY;
	l.used = WM_NEW(arena, uint8_t, bound);
	if (!l.used || !arrange(&l, arena))
		return WM_NO_MEMORY;
	*found = search_windows(&l, bound);
	if (*found)
		values(&l, a, value);
	return WM_OK;
}

/* ---- The best of three ---------------------------------------------------------------- */

/* Takes the numbering by `value` if it is better. */
static enum wm_status consider(struct wm_preferential *best, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, const int64_t *value, enum wm_preferential_method method,
	struct wm_arena *arena)
{
	struct wm_preferential other;
	enum wm_status status = wm_preferential_use(&other, plan, prefixes, value, arena);
	if (status != WM_OK)
		return status;
	if (other.span >= best->span)
		return WM_OK;
	other.method = method;
	other.gamma = best->gamma;
	*best = other;
	return WM_OK;
}

static enum wm_status consider_linear(struct wm_preferential *best, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, struct wm_arena *arena)
{
	struct wm_incidence incidence;
	bool found = false;
	enum wm_status status = wm_incidence_make(&incidence, plan, prefixes, WM_LINEAR_LIMIT, arena);
	if (status != WM_OK)
		return status == WM_TOO_MANY ? WM_OK : status;
	int64_t *value = WM_NEW(arena, int64_t, plan->dag.edge_count);
	if (!value)
		return WM_NO_MEMORY;
	status = solve(&incidence, best->span, value, &found, arena);
	if (status != WM_OK || !found)
		return status;
	return consider(best, plan, prefixes, value, WM_METHOD_LINEAR, arena);
}

static uint64_t acyclic_span(const struct wm_path_set *set)
{
	return set->count ? set->id[set->count - 1] - set->id[0] + 1 : 0;
}

enum wm_status wm_preferential_linear(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_path_set *set, struct wm_arena *arena)
{
	struct wm_preferential best;
	struct wm_prefixes prefixes;
	enum wm_status status = wm_prefixes_make(&prefixes, plan, set, arena);
	if (status == WM_OK)
		status = wm_preferential_from_prefixes(&best, plan, &prefixes, arena);
	if (status == WM_OK && acyclic_span(set) < best.span)
		status = consider(&best, plan, &prefixes, plan->numbering.value, WM_METHOD_ACYCLIC, arena);
	if (status == WM_OK && best.span > set->count && set->count <= WM_LINEAR_PATHS)
		status = consider_linear(&best, plan, &prefixes, arena);
	if (status == WM_OK)
		*preferential = best;
	return status;
}
