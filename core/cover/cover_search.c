/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Set cover by reductions, components and branch and bound, after Beasley, "An algorithm for set covering problem",
 * 1987, without the linear relaxation.  The lower bound here is a set of rows that share no column: each of these
 * rows needs a column of its own.
 *
 * Branching takes a row with the fewest columns and tries each of them.  A column that has been tried is excluded
 * from the later branches of the same row, because covers that contain it have been searched.
 */
#include "core/cover/cover_search.h"
#include <stdlib.h>
#include <string.h>

enum { WORD = 64, MAX_MASK_WORDS = 1 << 25 };

static uint32_t words_for(uint32_t bits)
{
	return bits / WORD + (bits % WORD != 0);
}

static void set_bit(uint64_t *mask, uint32_t bit)
{
	mask[bit / WORD] |= UINT64_C(1) << bit % WORD;
}

static void clear_bit(uint64_t *mask, uint32_t bit)
{
	mask[bit / WORD] &= ~(UINT64_C(1) << bit % WORD);
}

/* The first bit of a ∩ b at or after `from`; words · WORD when there is none. */
static uint32_t next_bit(const uint64_t *a, const uint64_t *b, uint32_t words, uint32_t from)
{
	uint32_t word = from / WORD;
	if (word >= words)
		return words * WORD;
	uint64_t bits = a[word] & b[word] & ~UINT64_C(0) << from % WORD;
	while (!bits && ++word < words)
		bits = a[word] & b[word];
	return word < words ? word * WORD + (uint32_t)__builtin_ctzll(bits) : words * WORD;
}
#define FOR_BITS(bit, a, b, words) \
	for (uint32_t bit = next_bit(a, b, words, 0); bit < (words) * WORD; bit = next_bit(a, b, words, bit + 1))

static uint32_t count_bits(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	uint32_t count = 0;
	for (uint32_t w = 0; w < words; w++)
		count += (uint32_t)__builtin_popcountll(a[w] & b[w]);
	return count;
}

static bool meet(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

/* a ∩ within ⊆ b */
static bool is_within(const uint64_t *a, const uint64_t *b, const uint64_t *within, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & within[w] & ~b[w])
			return false;
	return true;
}

static uint64_t *row_of(const struct wm_cover_search *s, uint32_t row)
{
	return s->row + (size_t)row * s->column_words;
}

static uint64_t *column_of(const struct wm_cover_search *s, uint32_t column)
{
	return s->column + (size_t)column * s->row_words;
}

/* False when the budget is used up. */
static bool spend_words(struct wm_cover_search *s, uint64_t words)
{
	s->budget = s->budget > words ? s->budget - words : 0;
	return s->budget;
}

static uint64_t mask_words(uint32_t rows, uint32_t columns)
{
	return (uint64_t)rows * words_for(columns) + (uint64_t)columns * words_for(rows);
}

bool wm_cover_search_fits(uint32_t rows, uint32_t columns, uint64_t budget)
{
	uint64_t words = mask_words(rows, columns);
	return words <= MAX_MASK_WORDS && words < budget;
}

enum wm_status wm_cover_search_init(
	struct wm_cover_search *search, uint32_t rows, uint32_t columns, uint64_t budget, struct wm_arena *arena)
{
	struct wm_cover_search s = {.row_count = rows, .column_count = columns, .budget = budget};
	s.row_words = words_for(rows);
	s.column_words = words_for(columns);
	s.row = WM_NEW(arena, uint64_t, (size_t)rows *s.column_words);
	s.column = WM_NEW(arena, uint64_t, (size_t)columns *s.row_words);
	s.rows = WM_NEW(arena, uint64_t, s.row_words);
	s.columns = WM_NEW(arena, uint64_t, s.column_words);
	if (!s.row || !s.column || !s.rows || !s.columns)
		return WM_NO_MEMORY;
	for (uint32_t r = 0; r < rows; r++)
		set_bit(s.rows, r);
	for (uint32_t c = 0; c < columns; c++)
		set_bit(s.columns, c);
	*search = s;
	return WM_OK;
}

void wm_cover_search_add(struct wm_cover_search *search, uint32_t row, uint32_t column)
{
	set_bit(row_of(search, row), column);
	set_bit(column_of(search, column), row);
}

/* Reductions */

struct picks {
	uint32_t count, *column;
};

static void pick_column(struct wm_cover_search *s, struct picks *picks, uint32_t column)
{
	picks->column[picks->count++] = column;
	clear_bit(s->columns, column);
	for (uint32_t w = 0; w < s->row_words; w++)
		s->rows[w] &= ~column_of(s, column)[w];
}

static bool pick_essential(struct wm_cover_search *s, struct picks *picks)
{
	bool changed = false;
	FOR_BITS (r, s->rows, s->rows, s->row_words) {
		spend_words(s, s->column_words);
		if (count_bits(row_of(s, r), s->columns, s->column_words) != 1)
			continue;
		pick_column(s, picks, next_bit(row_of(s, r), s->columns, s->column_words, 0));
		changed = true;
	}
	return changed;
}

/* The line of `line` with the fewest lines across it: what contains `line` is there. */
static uint32_t narrowest(const uint64_t *line, const uint64_t *in_play, uint32_t words, const uint32_t *size)
{
	uint32_t best = words * WORD;
	FOR_BITS (i, line, in_play, words)
		if (best == words * WORD || size[i] < size[best])
			best = i;
	return best;
}

static void count_bits_of_all(const struct wm_cover_search *s, uint32_t *row_size, uint32_t *column_size)
{
	FOR_BITS (r, s->rows, s->rows, s->row_words)
		row_size[r] = count_bits(row_of(s, r), s->columns, s->column_words);
	FOR_BITS (c, s->columns, s->columns, s->column_words)
		column_size[c] = count_bits(column_of(s, c), s->rows, s->row_words);
}

/* A row that contains another is covered with it. */
static bool drop_rows(struct wm_cover_search *s, const uint32_t *column_size)
{
	bool changed = false;
	FOR_BITS (r, s->rows, s->rows, s->row_words) {
		uint32_t c = narrowest(row_of(s, r), s->columns, s->column_words, column_size);
		const uint64_t *others = column_of(s, c);
		FOR_BITS (other, others, s->rows, s->row_words) {
			if (!spend_words(s, s->column_words))
				return false;
			if (other == r || !is_within(row_of(s, r), row_of(s, other), s->columns, s->column_words))
				continue;
			clear_bit(s->rows, other);
			changed = true;
		}
	}
	return changed;
}

/* A column within another is never needed. */
static bool drop_columns(struct wm_cover_search *s, const uint32_t *row_size)
{
	bool changed = false;
	FOR_BITS (c, s->columns, s->columns, s->column_words) {
		uint32_t r = narrowest(column_of(s, c), s->rows, s->row_words, row_size);
		if (r == s->row_words * WORD) {
			clear_bit(s->columns, c);
			continue;
		}
		FOR_BITS (other, row_of(s, r), s->columns, s->column_words) {
			if (!spend_words(s, s->row_words))
				return false;
			if (other == c || !is_within(column_of(s, c), column_of(s, other), s->rows, s->row_words))
				continue;
			clear_bit(s->columns, c);
			changed = true;
			break;
		}
	}
	return changed;
}

static enum wm_status reduce_cover(struct wm_cover_search *s, struct picks *picks, struct wm_arena *arena)
{
	uint32_t *row_size = WM_NEW(arena, uint32_t, s->row_count);
	uint32_t *column_size = WM_NEW(arena, uint32_t, s->column_count);
	if (!row_size || !column_size)
		return WM_NO_MEMORY;
	for (bool changed = true; changed && s->budget;) {
		changed = pick_essential(s, picks);
		if (!spend_words(s, mask_words(s->row_count, s->column_count)))
			break;
		count_bits_of_all(s, row_size, column_size);
		changed |= drop_rows(s, column_size);
		count_bits_of_all(s, row_size, column_size);
		changed |= drop_columns(s, row_size);
	}
	return WM_OK;
}

/* The bound: rows that share no column in play, the ones with the fewest first. */

struct bound {
	uint32_t *size; /* per row */
	uint32_t *bucket;	  /* column_count + 2: a counting sort */
	uint32_t *sorted;	  /* rows in play by size */
	uint64_t *used; /* columns */
	uint32_t narrow;	 /* a row with the fewest columns */
	bool stuck;	    /* a row has none: no cover */
};

static bool bound_init(struct bound *bound, const struct wm_cover_search *s, struct wm_arena *arena)
{
	bound->size = WM_NEW(arena, uint32_t, s->row_count);
	bound->bucket = WM_NEW(arena, uint32_t, (size_t)s->column_count + 2);
	bound->sorted = WM_NEW(arena, uint32_t, s->row_count);
	bound->used = WM_NEW(arena, uint64_t, s->column_words);
	return bound->size && bound->bucket && bound->sorted && bound->used;
}

static uint32_t sort_rows(
	struct bound *b, const struct wm_cover_search *s, const uint64_t *rows, const uint64_t *columns)
{
	uint32_t count = 0;
	memset(b->bucket, 0, ((size_t)s->column_count + 2) * sizeof *b->bucket);
	FOR_BITS (r, rows, rows, s->row_words) {
		b->size[r] = count_bits(row_of(s, r), columns, s->column_words);
		b->bucket[b->size[r] + 1]++;
		count++;
	}
	for (uint32_t i = 1; i < s->column_count + 2; i++)
		b->bucket[i] += b->bucket[i - 1];
	FOR_BITS (r, rows, rows, s->row_words)
		b->sorted[b->bucket[b->size[r]]++] = r;
	return count;
}

static uint32_t bound_below(
	struct bound *b, const struct wm_cover_search *s, const uint64_t *rows, const uint64_t *columns)
{
	uint32_t least = 0, count = sort_rows(b, s, rows, columns);
	b->narrow = b->sorted[0];
	b->stuck = b->size[b->narrow] == 0;
	memset(b->used, 0, s->column_words * sizeof *b->used);
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t *row = row_of(s, b->sorted[i]);
		if (meet(row, b->used, s->column_words))
			continue;
		for (uint32_t w = 0; w < s->column_words; w++)
			b->used[w] |= row[w] & columns[w];
		least++;
	}
	return least;
}

/* Branch and bound on one component */

struct frame {
	uint64_t *rows, *columns;
	uint32_t choice_count, next, *choice;
};

struct tree {
	struct wm_cover_search *s;
	struct bound bound;
	struct frame *frame; /* one per column picked */
	uint32_t *picked, *best, best_count, least;
	uint32_t *gain; /* per column, for ordering choices */
};

static void greedy(struct tree *t)
{
	struct wm_cover_search *s = t->s;
	uint64_t *rows = t->frame[0].rows;
	memcpy(rows, s->rows, s->row_words * sizeof *rows);
	t->best_count = 0;
	while (next_bit(rows, rows, s->row_words, 0) < s->row_words * WORD) {
		uint32_t best = 0, most = 0;
		FOR_BITS (c, s->columns, s->columns, s->column_words) {
			uint32_t gain = count_bits(column_of(s, c), rows, s->row_words);
			if (gain > most)
				most = gain, best = c;
		}
		spend_words(s, (uint64_t)s->column_count * s->row_words);
		t->best[t->best_count++] = best;
		for (uint32_t w = 0; w < s->row_words; w++)
			rows[w] &= ~column_of(s, best)[w];
	}
}

/* The columns of the narrowest row, those that cover most first. */
static void branch(struct tree *t, struct frame *f)
{
	const struct wm_cover_search *s = t->s;
	f->choice_count = f->next = 0;
	FOR_BITS (c, row_of(s, t->bound.narrow), f->columns, s->column_words) {
		t->gain[c] = count_bits(column_of(s, c), f->rows, s->row_words);
		uint32_t at = f->choice_count++;
		for (; at && t->gain[f->choice[at - 1]] < t->gain[c]; at--)
			f->choice[at] = f->choice[at - 1];
		f->choice[at] = c;
	}
}

static void enter_column(const struct wm_cover_search *s, struct frame *child, struct frame *f, uint32_t column)
{
	clear_bit(f->columns, column);
	memcpy(child->columns, f->columns, s->column_words * sizeof *f->columns);
	for (uint32_t w = 0; w < s->row_words; w++)
		child->rows[w] = f->rows[w] & ~column_of(s, column)[w];
}

/* Whether the child at `depth` is worth a look; a finished cover is noted. */
static bool promises(struct tree *t, struct frame *child, uint32_t depth)
{
	struct wm_cover_search *s = t->s;
	if (next_bit(child->rows, child->rows, s->row_words, 0) >= s->row_words * WORD) {
		if (depth < t->best_count) {
			memcpy(t->best, t->picked, depth * sizeof *t->best);
			t->best_count = depth;
		}
		return false;
	}
	if (depth + 1 >= t->best_count)
		return false;
	uint32_t least = bound_below(&t->bound, s, child->rows, child->columns);
	spend_words(s, 2 * mask_words(s->row_count, 1) * s->column_words);
	return !t->bound.stuck && depth + least < t->best_count;
}

static void search_tree(struct tree *t)
{
	struct wm_cover_search *s = t->s;
	uint32_t depth = 0;
	memcpy(t->frame[0].rows, s->rows, s->row_words * sizeof *s->rows);
	memcpy(t->frame[0].columns, s->columns, s->column_words * sizeof *s->columns);
	t->least = bound_below(&t->bound, s, s->rows, s->columns);
	branch(t, &t->frame[0]);
	while (t->least < t->best_count && s->budget) {
		struct frame *f = &t->frame[depth];
		if (f->next == f->choice_count) {
			if (!depth--)
				break;
			continue;
		}
		t->picked[depth] = f->choice[f->next++];
		enter_column(s, f + 1, f, t->picked[depth]);
		if (promises(t, f + 1, depth + 1))
			branch(t, &t->frame[++depth]);
	}
	if (s->budget)
		t->least = t->best_count;
}

static enum wm_status tree_init(struct tree *t, struct wm_cover_search *s, struct wm_arena *arena)
{
	uint32_t depth = (s->row_count < s->column_count ? s->row_count : s->column_count) + 2;
	*t = (struct tree){.s = s};
	t->frame = WM_NEW(arena, struct frame, depth);
	t->picked = WM_NEW(arena, uint32_t, depth);
	t->best = WM_NEW(arena, uint32_t, depth);
	t->gain = WM_NEW(arena, uint32_t, s->column_count);
	if (!t->frame || !t->picked || !t->best || !t->gain || !bound_init(&t->bound, s, arena))
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < depth; i++) {
		t->frame[i].rows = WM_NEW(arena, uint64_t, s->row_words);
		t->frame[i].columns = WM_NEW(arena, uint64_t, s->column_words);
		t->frame[i].choice = WM_NEW(arena, uint32_t, s->column_count);
		if (!t->frame[i].rows || !t->frame[i].columns || !t->frame[i].choice)
			return WM_NO_MEMORY;
	}
	return WM_OK;
}

/* Components: rows that share a column, directly or through others */

static uint32_t root_of(uint32_t *parent, uint32_t row)
{
	while (parent[row] != row)
		row = parent[row] = parent[parent[row]];
	return row;
}

static void join_rows(const struct wm_cover_search *s, uint32_t *parent)
{
	FOR_BITS (r, s->rows, s->rows, s->row_words)
		parent[r] = r;
	FOR_BITS (c, s->columns, s->columns, s->column_words) {
		uint32_t first = next_bit(column_of(s, c), s->rows, s->row_words, 0);
		FOR_BITS (r, column_of(s, c), s->rows, s->row_words)
			parent[root_of(parent, r)] = root_of(parent, first);
	}
}

/* The component of `root` as a search of its own, which has nothing to spend yet; `old`
 * names its columns. */
static enum wm_status extract(const struct wm_cover_search *s, uint32_t *parent, uint32_t root,
	struct wm_cover_search *part, uint32_t *old, struct wm_arena *arena)
{
	uint32_t rows = 0, columns = 0;
	uint32_t *new = WM_NEW(arena, uint32_t, s->column_count);
	if (!new)
		return WM_NO_MEMORY;
	FOR_BITS (r, s->rows, s->rows, s->row_words)
		rows += root_of(parent, r) == root;
	FOR_BITS (c, s->columns, s->columns, s->column_words) {
		uint32_t r = next_bit(column_of(s, c), s->rows, s->row_words, 0);
		if (r == s->row_words * WORD || root_of(parent, r) != root)
			continue;
		old[columns] = c;
		new[c] = columns++;
	}
	enum wm_status status = wm_cover_search_init(part, rows, columns, 0, arena);
	uint32_t row = 0;
	FOR_BITS (r, s->rows, s->rows, s->row_words) {
		if (status != WM_OK || root_of(parent, r) != root)
			continue;
		FOR_BITS (c, row_of(s, r), s->columns, s->column_words)
			wm_cover_search_add(part, row, new[c]);
		row++;
	}
	return status;
}

static enum wm_status search_part(struct wm_cover_search *s, uint32_t *parent, uint32_t root, uint64_t budget,
	struct picks *picks, uint32_t *least)
{
	struct wm_cover_search part;
	struct wm_arena arena;
	struct tree tree;
	wm_arena_init(&arena);
	uint32_t *old = WM_NEW(&arena, uint32_t, s->column_count);
	enum wm_status status = old ? extract(s, parent, root, &part, old, &arena) : WM_NO_MEMORY;
	part.budget = budget;
	if (status == WM_OK)
		status = tree_init(&tree, &part, &arena);
	if (status == WM_OK) {
		greedy(&tree);
		search_tree(&tree);
		for (uint32_t i = 0; i < tree.best_count; i++)
			picks->column[picks->count++] = old[tree.best[i]];
		*least += tree.least;
		spend_words(s, budget - part.budget);
	}
	wm_arena_release(&arena);
	return status;
}

/* Each part has its share of what the parts before it left. */
static enum wm_status search_parts(
	struct wm_cover_search *s, struct picks *picks, uint32_t *least, struct wm_arena *arena)
{
	uint32_t *parent = WM_NEW(arena, uint32_t, s->row_count);
	if (!parent)
		return WM_NO_MEMORY;
	join_rows(s, parent);
	uint32_t parts = 0;
	enum wm_status status = WM_OK;
	FOR_BITS (r, s->rows, s->rows, s->row_words)
		parts += root_of(parent, r) == r;
	FOR_BITS (r, s->rows, s->rows, s->row_words)
		if (status == WM_OK && root_of(parent, r) == r)
			status = search_part(s, parent, r, s->budget / parts--, picks, least);
	return status;
}

enum wm_status wm_cover_search_run(struct wm_cover_search *search, struct wm_cover_found *found, struct wm_arena *arena)
{
	struct picks picks = {.column = WM_NEW(arena, uint32_t, search->column_count)};
	enum wm_status status = picks.column ? reduce_cover(search, &picks, arena) : WM_NO_MEMORY;
	if (status != WM_OK)
		return status;
	uint32_t least = picks.count;
	status = search_parts(search, &picks, &least, arena);
	if (status != WM_OK)
		return status;
	*found = (struct wm_cover_found){picks.count, picks.column, least};
	return WM_OK;
}
