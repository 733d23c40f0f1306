/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * wm_dag_number orders ids as the edges of paths are ordered, so an ascending list of ids is a prefix tree: the ids
 * that share the prefix which ends at node v with sum b are those in [b, b + node_paths[v]).
 *
 * Distances are computed for SLICE ids at a time, whose nodes are stored as bits.  The bits of all ids might not fit
 * in memory, and the bits of a slice stay in the cache.
 */
#include "core/paths/nearest.h"
#include "core/base/search.h"

enum { SLICE = 1024, WORD = 64 };

struct search {
	const struct wm_dag *dag;
	const struct wm_numbering *numbering;
	const uint64_t *set;
	size_t set_count, words;
	struct range {
		size_t first, end;
	} *range; /* per query: the ids that share the longest prefix */
	uint64_t *slice; /* SLICE rows of `words` */
	uint64_t *row;   /* the query's */
	struct wm_path path;
};

static size_t lower_bound(const uint64_t *set, struct range in, uint64_t id)
{
	size_t i;
	WM_LOWER_BOUND(i, in.first, in.end, set[i] < id);
	return i;
}

static enum wm_status find_prefix(struct search *s, struct wm_nearest *query, struct range *range)
{
	struct range in = {0, s->set_count};
	uint64_t base = 0;
	enum wm_status status = wm_dag_decode(s->dag, s->numbering, query->id, &s->path, NULL);
	if (status != WM_OK)
		return status;
	query->common = 0;
	for (uint32_t i = 0; i < s->path.length; i++) {
		uint32_t edge = s->path.edge[i];
		base += (uint64_t)s->numbering->value[edge];
		struct range next = {.first = lower_bound(s->set, in, base)};
		next.end = lower_bound(s->set, in, base + s->numbering->node_paths[s->dag->edge[edge].to]);
		if (next.first == next.end)
			break;
		in = next;
		query->common++;
	}
	query->distance = UINT32_MAX;
	*range = in;
	return WM_OK;
}

static enum wm_status mark_edges(struct search *s, uint64_t id, uint64_t *row)
{
	enum wm_status status = wm_dag_decode(s->dag, s->numbering, id, &s->path, NULL);
	if (status != WM_OK)
		return status;
	for (size_t w = 0; w < s->words; w++)
		row[w] = 0;
	for (uint32_t i = 0; i < s->path.length; i++) {
		uint32_t node = s->dag->edge[s->path.edge[i]].to;
		row[node / WORD] |= UINT64_C(1) << node % WORD;
	}
	return WM_OK;
}

static uint32_t distance(const uint64_t *a, const uint64_t *b, size_t words)
{
	uint32_t sum = 0;
	for (size_t w = 0; w < words; w++)
		sum += (uint32_t)__builtin_popcountll(a[w] ^ b[w]);
	return sum;
}

static void compare_rows(struct search *s, struct wm_nearest *query, struct range in, size_t slice_first)
{
	for (size_t i = in.first; i < in.end; i++) {
		uint32_t far = distance(s->slice + (i - slice_first) * s->words, s->row, s->words);
		if (far < query->distance) {
			query->distance = far;
			query->nearest = s->set[i];
		}
	}
}

static enum wm_status search_slice(struct search *s, struct range slice, struct wm_nearest *query, size_t query_count)
{
	enum wm_status status = WM_OK;
	bool marked = false;
	for (size_t q = 0; q < query_count && status == WM_OK; q++) {
		struct range in = s->range[q];
		in.first = in.first > slice.first ? in.first : slice.first;
		in.end = in.end < slice.end ? in.end : slice.end;
		if (in.first >= in.end)
			continue;
		for (size_t i = slice.first; !marked && i < slice.end && status == WM_OK; i++)
			status = mark_edges(s, s->set[i], s->slice + (i - slice.first) * s->words);
		marked = true;
		if (status == WM_OK)
			status = mark_edges(s, query[q].id, s->row);
		if (status == WM_OK)
			compare_rows(s, &query[q], in, slice.first);
	}
	return status;
}

enum wm_status wm_nearest_find(const struct wm_plan *plan, const uint64_t *set, size_t set_count,
	struct wm_nearest *query, size_t query_count, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	size_t slices = set_count < SLICE ? set_count : SLICE;
	struct search s = {.dag = dag, .numbering = &plan->numbering, .set = set, .set_count = set_count};
	s.words = ((size_t)dag->node_count + WORD - 1) / WORD;
	s.range = WM_NEW(arena, struct range, query_count);
	s.slice = WM_NEW(arena, uint64_t, slices *s.words);
	s.row = WM_NEW(arena, uint64_t, s.words);
	s.path.edge = WM_NEW(arena, uint32_t, dag->node_count);
	if (!s.range || !s.slice || !s.row || !s.path.edge)
		return WM_NO_MEMORY;
	enum wm_status status = WM_OK;
	for (size_t q = 0; q < query_count && status == WM_OK; q++)
		status = find_prefix(&s, &query[q], &s.range[q]);
	for (size_t first = 0; first < set_count && status == WM_OK; first += SLICE) {
		struct range slice = {first, first + SLICE < set_count ? first + SLICE : set_count};
		status = search_slice(&s, slice, query, query_count);
	}
	return status;
}
