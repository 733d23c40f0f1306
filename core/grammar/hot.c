/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/grammar/hot.h"
#include "core/base/grow.h"
#include "core/grammar/occurrences.h"
#include "core/grammar/windows.h"
#include <stdlib.h>
#include <string.h>

#define NIL UINT32_MAX
enum { ROOT = 0, OFTEN = 1 << 16 };

/* A node of the tree of prefixes. */
struct prefix {
	uint32_t parent, word, length;
	bool open; /* it may be extended: it is not hot and may become hot */
	bool hot;
	uint64_t count; /* with overlaps; once the node is hot: without them */
	uint64_t weight;
};

struct search {
	const struct wm_hot_query *query;
	uint64_t heaviest; /* weight of a word */
	struct prefix *prefix;
	uint32_t prefix_count;
	uint32_t *slot, slots; /* a hash table of (parent, word): index of the child plus one */
	uint32_t n; /* the length of the windows that are being counted */
	/* The last n words that are adjacent, and the symbols that they come from; rings. */
	uint32_t window[WM_HOT_MOST];
	size_t symbol[WM_HOT_MOST];
	uint64_t taken; /* words since the last gap */
	uint32_t before; /* the node of the n - 1 words that end before the last word, or NIL */
	uint32_t visited; /* words of windows, modulo 2^32 */
	uint32_t whole; /* the last length whose windows were all counted */
	bool stopped;
};

/* ---- The tree ------------------------------------------------------------ */

static uint32_t *find_slot(const struct search *s, uint32_t parent, uint32_t word)
{
	uint64_t key = ((uint64_t)parent << 32 | word) * 0x9E3779B97F4A7C15ull;
	uint32_t at = (uint32_t)(key >> 32) & (s->slots - 1);
	for (; s->slot[at]; at = (at + 1) & (s->slots - 1)) {
		const struct prefix *p = &s->prefix[s->slot[at] - 1];
		if (p->parent == parent && p->word == word)
			break;
	}
	return &s->slot[at];
}

static bool grow_slots(struct search *s)
{
	uint32_t slots = 2 * s->slots, *slot = calloc(slots, sizeof *slot);
	if (!slot)
		return false;
	free(s->slot);
	s->slot = slot;
	s->slots = slots;
	for (uint32_t i = 1; i < s->prefix_count; i++)
		*find_slot(s, s->prefix[i].parent, s->prefix[i].word) = i + 1;
	return true;
}

static bool add_child(struct search *s, uint32_t parent, uint32_t word, uint64_t count)
{
	uint32_t *slot = find_slot(s, parent, word);
	if (*slot) {
		s->prefix[*slot - 1].count += count;
		return true;
	}
	if (!WM_GROW(s->prefix, s->prefix_count))
		return false;
	const struct prefix *above = &s->prefix[parent];
	s->prefix[s->prefix_count] = (struct prefix){.parent = parent,
		.word = word,
		.length = above->length + 1,
		.open = true,
		.count = count,
		.weight = above->weight + s->query->weight[word]};
	*slot = ++s->prefix_count;
	return s->prefix_count < s->slots / 2 || grow_slots(s);
}

/* ---- Counting the windows of one length ---------------------------------- */

static void forget_words(void *closure)
{
	struct search *s = closure;
	s->taken = 0;
	s->before = NIL;
}

/* The node of the last n - 1 words, or NIL. */
static uint32_t last_node(const struct search *s)
{
	uint32_t node = ROOT, length = s->n - 1;
	for (uint32_t i = 0; i < length && s->prefix[node].open; i++) {
		uint32_t child = *find_slot(s, node, s->window[(s->taken - length + i) % s->n]);
		if (!child)
			return NIL;
		node = child - 1;
	}
	return s->prefix[node].open ? node : NIL;
}

static bool goes_on(struct search *s)
{
	s->stopped |= s->query->goes_on && !s->query->goes_on(s->n, s->query->most);
	return !s->stopped;
}

/* A window is worth counting if both of its parts of n - 1 words are open. */
static enum wm_status take_word(void *closure, uint32_t word, size_t symbol, uint64_t frequency)
{
	struct search *s = closure;
	if (++s->visited % OFTEN == 0 && !goes_on(s))
		return WM_TOO_MANY;
	if (s->query->weight[word] == WM_HOT_NEVER) {
		forget_words(s);
		return WM_OK;
	}
	s->window[s->taken % s->n] = word;
	s->symbol[s->taken % s->n] = symbol;
	s->taken++;
	uint32_t parent = s->n == 1 ? ROOT : s->before, node = s->taken >= s->n - 1 ? last_node(s) : NIL;
	bool crosses = s->n == 1 || s->symbol[s->taken % s->n] != symbol;
	s->before = node;
	if (s->taken < s->n || parent == NIL || node == NIL || !crosses)
		return WM_OK;
	return add_child(s, parent, word, frequency) ? WM_OK : WM_NO_MEMORY;
}

/* ---- What is hot --------------------------------------------------------- */

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;
	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static void words_of(const struct search *s, uint32_t node, uint32_t *word)
{
	for (; node != ROOT; node = s->prefix[node].parent)
		word[s->prefix[node].length - 1] = s->prefix[node].word;
}

static enum wm_status judge(struct search *s, uint32_t node)
{
	const struct wm_hot_query *query = s->query;
	struct prefix *p = &s->prefix[node];
	uint32_t word[WM_HOT_MOST];
	uint64_t count = p->count;
	p->open = times(count, p->weight + (query->most - p->length) * s->heaviest) >= query->threshold;
	if (p->length < query->least || times(count, p->weight) < query->threshold)
		return WM_OK;
	words_of(s, node, word);
	if (wm_occurrences_overlap(word, p->length) &&
		wm_occurrences_count(query->grammar, word, p->length, &count) != WM_OK)
		return WM_NO_MEMORY;
	p->hot = times(count, p->weight) >= query->threshold;
	if (p->hot) {
		p->open = false;
		p->count = count;
	}
	return WM_OK;
}

static enum wm_status extend(struct search *s, bool *any_open)
{
	const struct wm_windows windows = {.closure = s, .take = take_word, .gap = forget_words};
	uint32_t first = s->prefix_count;
	enum wm_status status = wm_windows_visit(s->query->grammar, s->query->index, s->n, &windows);
	*any_open = false;
	if (s->stopped) { /* what was counted of this length is not whole */
		s->prefix_count = first;
		return WM_OK;
	}
	s->whole = s->n;
	for (uint32_t i = first; i < s->prefix_count && status == WM_OK; i++) {
		status = judge(s, i);
		*any_open |= s->prefix[i].open;
	}
	return status;
}

/* ---- The result ---------------------------------------------------------- */

static int compare_sequences(const void *a, const void *b)
{
	const struct wm_hot_sequence *x = a, *y = b;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	for (uint32_t i = 0; i < x->length; i++)
		if (x->word[i] != y->word[i])
			return x->word[i] < y->word[i] ? -1 : 1;
	return 0;
}

static enum wm_status collect_sequences(const struct search *s, struct wm_hot *hot, struct wm_arena *arena)
{
	size_t count = 0;
	for (uint32_t i = 0; i < s->prefix_count; i++)
		count += s->prefix[i].hot;
	hot->sequence = WM_NEW(arena, struct wm_hot_sequence, count);
	for (uint32_t i = 0; i < s->prefix_count && hot->sequence; i++) {
		const struct prefix *p = &s->prefix[i];
		if (!p->hot)
			continue;
		uint32_t *word = WM_NEW(arena, uint32_t, p->length);
		if (!word)
			return WM_NO_MEMORY;
		words_of(s, i, word);
		hot->sequence[hot->count++] = (struct wm_hot_sequence){p->length, word, p->count, p->count * p->weight};
	}
	if (!hot->sequence)
		return WM_NO_MEMORY;
	qsort(hot->sequence, hot->count, sizeof *hot->sequence, compare_sequences);
	return WM_OK;
}

enum wm_status wm_hot_total(const struct wm_hot_query *query, uint64_t *total)
{
	const struct wm_grammar *grammar = query->grammar;
	struct wm_measure measure;
	uint64_t *weight = malloc((grammar->word_count + 1) * sizeof *weight);
	if (!weight)
		return WM_NO_MEMORY;
	for (uint32_t w = 0; w < grammar->word_count; w++)
		weight[w] = query->weight[w] == WM_HOT_NEVER ? 0 : query->weight[w];
	enum wm_status status = wm_measure_make(&measure, grammar, weight);
	free(weight);
	if (status != WM_OK)
		return status;
	*total = measure.sum[0];
	wm_measure_release(&measure);
	return WM_OK;
}

static enum wm_status search_sequences(struct search *s, struct wm_hot *hot, struct wm_arena *arena)
{
	enum wm_status status = WM_OK;
	bool any_open = true;
	if (!s->slot || !WM_GROW(s->prefix, 0))
		return WM_NO_MEMORY;
	s->prefix[s->prefix_count++] = (struct prefix){.parent = NIL, .open = true};
	for (s->n = 1; s->n <= s->query->most && any_open && status == WM_OK && goes_on(s); s->n++)
		status = extend(s, &any_open);
	hot->searched = s->stopped ? s->whole : s->query->most;
	return status == WM_OK ? collect_sequences(s, hot, arena) : status;
}

enum wm_status wm_hot_find(struct wm_hot *hot, const struct wm_hot_query *query, struct wm_arena *arena)
{
	struct wm_hot found = {0};
	struct search s = {.query = query, .slots = 1024, .slot = calloc(1024, sizeof(uint32_t)), .before = NIL};
	enum wm_status status = wm_hot_total(query, &found.total);
	for (uint32_t i = 0; i < query->grammar->word_count; i++)
		if (query->weight[i] != WM_HOT_NEVER && query->weight[i] > s.heaviest)
			s.heaviest = query->weight[i];
	if (status == WM_OK)
		status = search_sequences(&s, &found, arena);
	free(s.prefix);
	free(s.slot);
	if (status == WM_OK)
		*hot = found;
	return status;
}
