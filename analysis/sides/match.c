/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/sides/match.h"
#include "analysis/source/decision.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { OLD, NEW, SIDES, MOST_CELLS = 1 << 24 };

/* The texts of the blocks of a function, as hashes; 0: the block has none and matches nothing. */
struct texts {
	uint32_t count;
	uint64_t *whole, *decision; /* per block */
};

struct reader {
	const struct wm_story_function *function;
	struct wm_sources *sources;
	XXH3_state_t *state;
};

static void *need(void *memory)
{
	if (!memory)
		wm_no_memory();
	return memory;
}

/* ---- Texts ---------------------------------------------------------------------------------------- */

static void add_number(struct reader *reader, uint64_t number)
{
	XXH3_64bits_update(reader->state, &number, sizeof number);
}

/* Adds the line without its indentation, and the column counted from it.  False: the text is not known. */
static bool add_line(struct reader *reader, const struct wm_map_line *line)
{
	const struct wm_map_module *module = reader->function->module;
	const struct wm_source_origin origin = {reader->function->object->path, module};
	size_t length, indent = 0;
	const char *text = line->file < module->file_count ? wm_source_line(reader->sources, module->file[line->file],
								     line->line, &origin, &length)
							   : NULL;
	if (!text)
		return false;
	while (indent < length && (text[indent] == ' ' || text[indent] == '\t'))
		indent++;
	add_number(reader, length - indent);
	XXH3_64bits_update(reader->state, text + indent, length - indent);
	add_number(reader, line->column > indent ? line->column - indent : 0);
	return true;
}

static uint32_t outcomes_of(const struct wm_graph *graph, uint32_t block)
{
	return graph->first_edge[block + 1] - graph->first_edge[block];
}

static bool add_decision(struct reader *reader, uint32_t b)
{
	const struct wm_map_function *map = reader->function->map;
	const struct wm_map_block *block = &map->block[b];
	struct wm_decision decision = {0};
	if (outcomes_of(&map->graph, b) < 2 || !block->decision.line || !add_line(reader, &block->decision))
		return false;
	wm_decision_tell(&decision, reader->function, b, map->graph.first_edge[b], reader->sources);
	XXH3_64bits_update(reader->state, decision.condition, strlen(decision.condition) + 1);
	add_number(reader, block->terminator);
	add_number(reader, outcomes_of(&map->graph, b));
	add_number(reader, block->true_edge);
	for (uint32_t i = 0; i < block->case_count; i++) {
		add_number(reader, block->cases[i].edge_ordinal);
		add_number(reader, (uint64_t)block->cases[i].value);
	}
	return true;
}

/* The lines of the block; if it has none, the place to which control goes on. */
static bool add_lines(struct reader *reader, uint32_t b)
{
	const struct wm_map_block *block = &reader->function->map->block[b];
	const struct wm_map_line *place = wm_block_place(reader->function, b);
	bool known = block->line_count || (place && add_line(reader, place));
	add_number(reader, block->line_count);
	for (uint32_t i = 0; i < block->line_count; i++)
		known &= add_line(reader, &block->line[i]);
	return known;
}

static void read_block(struct reader *reader, uint32_t b, struct texts *texts)
{
	const struct wm_graph *graph = &reader->function->map->graph;
	XXH3_64bits_reset(reader->state);
	bool decides = add_decision(reader, b);
	texts->decision[b] = decides ? XXH3_64bits_digest(reader->state) : 0;
	add_number(reader, graph->end[b]);
	add_number(reader, outcomes_of(graph, b));
	bool lines = add_lines(reader, b);
	bool whole = lines && (decides || outcomes_of(graph, b) < 2);
	texts->whole[b] = whole ? XXH3_64bits_digest(reader->state) : 0;
}

static struct texts read_texts(struct reader *reader, struct wm_arena *arena)
{
	struct texts texts = {.count = reader->function->map->graph.block_count};
	texts.whole = need(WM_NEW(arena, uint64_t, texts.count));
	texts.decision = need(WM_NEW(arena, uint64_t, texts.count));
	for (uint32_t b = 0; b < texts.count; b++)
		read_block(reader, b, &texts);
	return texts;
}

/* Whether all files of the lines of the function are those that were compiled. */
static bool has_source(const struct reader *reader)
{
	const struct wm_map_module *module = reader->function->module;
	const struct wm_map_function *map = reader->function->map;
	const struct wm_source_origin origin = {reader->function->object->path, module};
	uint32_t last = WM_NONE;
	for (uint32_t b = 0; b < map->graph.block_count; b++)
		for (uint32_t i = 0; i < map->block[b].line_count; i++) {
			uint32_t file = map->block[b].line[i].file;
			if (file == last || file >= module->file_count)
				continue;
			if (!module->file_sum ||
				!wm_source_is(reader->sources, module->file[file], &module->file_sum[file], &origin))
				return false;
			last = file;
		}
	return last != WM_NONE;
}

/* ---- The longest common subsequence ---------------------------------------------------------------- */

struct range {
	uint32_t first[SIDES], end[SIDES];
};

static void join(struct wm_match *match, uint32_t old, uint32_t new)
{
	match->block[OLD][old] = new;
	match->block[NEW][new] = old;
	match->matched++;
}

static bool equal(const uint64_t *const text[SIDES], uint32_t old, uint32_t new)
{
	return text[OLD][old] && text[OLD][old] == text[NEW][new];
}

/* Matches what is equal in a range, by dynamic programming; `length` has a cell per pair of positions. */
static void match_middle(struct wm_match *match, const uint64_t *const text[SIDES], struct range range)
{
	size_t rows = range.end[OLD] - range.first[OLD], columns = range.end[NEW] - range.first[NEW],
	       width = columns + 1;
	if (!rows || !columns || rows * columns > MOST_CELLS)
		return;
	uint32_t *length = wm_xmalloc((rows + 1) * width * sizeof *length);
	memset(length, 0, (rows + 1) * width * sizeof *length);
	for (size_t i = rows; i-- > 0;)
		for (size_t j = columns; j-- > 0;) {
			uint32_t down = length[(i + 1) * width + j], right = length[i * width + j + 1];
			bool same = equal(text, range.first[OLD] + (uint32_t)i, range.first[NEW] + (uint32_t)j);
			length[i * width + j] = same	       ? length[(i + 1) * width + j + 1] + 1
						: down > right ? down
							       : right;
		}
	for (size_t i = 0, j = 0; i < rows && j < columns;) {
		if (equal(text, range.first[OLD] + (uint32_t)i, range.first[NEW] + (uint32_t)j))
			join(match, range.first[OLD] + (uint32_t)i++, range.first[NEW] + (uint32_t)j++);
		else if (length[(i + 1) * width + j] >= length[i * width + j + 1])
			i++;
		else
			j++;
	}
	free(length);
}

static void match_range(struct wm_match *match, const uint64_t *const text[SIDES], struct range range)
{
	while (range.first[OLD] < range.end[OLD] && range.first[NEW] < range.end[NEW] &&
		equal(text, range.first[OLD], range.first[NEW]))
		join(match, range.first[OLD]++, range.first[NEW]++);
	while (range.first[OLD] < range.end[OLD] && range.first[NEW] < range.end[NEW] &&
		equal(text, range.end[OLD] - 1, range.end[NEW] - 1))
		join(match, --range.end[OLD], --range.end[NEW]);
	match_middle(match, text, range);
}

/* Matches by decisions between the blocks that are matched. */
static void match_gaps(struct wm_match *match, const uint64_t *const text[SIDES], const uint32_t count[SIDES])
{
	struct range range = {{0, 0}, {0, 0}};
	for (uint32_t old = 0; old <= count[OLD]; old++) {
		uint32_t new = old == count[OLD] ? count[NEW] : match->block[OLD][old];
		if (new == WM_NONE)
			continue;
		range.end[OLD] = old;
		range.end[NEW] = new;
		match_range(match, text, range);
		range.first[OLD] = old + 1;
		range.first[NEW] = new + 1;
	}
}

/* ---- Matches that may be wrong ----------------------------------------------------------------------- */

static int by_text(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* Whether each block of a side has a text that no other block of it has. */
static bool *find_unique(const uint64_t *text, uint32_t count, struct wm_arena *arena)
{
	bool *unique = need(WM_NEW(arena, bool, count));
	uint64_t *sorted = need(WM_NEW(arena, uint64_t, count));
	memcpy(sorted, text, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, by_text);
	for (uint32_t b = 0; b < count; b++) {
		uint64_t *found = bsearch(&text[b], sorted, count, sizeof *sorted, by_text);
		unique[b] = (found == sorted || found[-1] != text[b]) &&
			    (found == sorted + count - 1 || found[1] != text[b]);
	}
	return unique;
}

static bool is_beside(const struct wm_match *match, const bool *sure, uint32_t old, int step)
{
	uint32_t new = match->block[OLD][old];
	if (step < 0 && (!old || !new))
		return false;
	return sure[old + (uint32_t)step] && match->block[OLD][old + (uint32_t)step] == new + (uint32_t)step;
}

/* Takes back matches of blocks with a text that is not unique, unless a neighbour is matched with the neighbour. */
static void keep_sure(
	struct wm_match *match, const struct texts texts[SIDES], const uint32_t count[SIDES], struct wm_arena *arena)
{
	bool *unique[SIDES], *sure = need(WM_NEW(arena, bool, (size_t)count[OLD] + 1));
	for (int s = 0; s < SIDES; s++)
		unique[s] = find_unique(texts[s].whole, count[s], arena);
	for (uint32_t b = 0; b < count[OLD]; b++) {
		uint32_t new = match->block[OLD][b];
		sure[b] = new != WM_NONE &&unique[OLD][b] && unique[NEW][new];
	}
	for (uint32_t b = 0; b < count[OLD]; b++)
		sure[b] |= match->block[OLD][b] != WM_NONE && is_beside(match, sure, b, -1);
	for (uint32_t b = count[OLD]; b-- > 0;)
		sure[b] |= match->block[OLD][b] != WM_NONE && b + 1 < count[OLD] && is_beside(match, sure, b, 1);
	for (uint32_t b = 0; b < count[OLD]; b++)
		if (match->block[OLD][b] != WM_NONE && !sure[b]) {
			match->block[NEW][match->block[OLD][b]] = WM_NONE;
			match->block[OLD][b] = WM_NONE;
			match->matched--;
		}
}

/* ---- Both functions ------------------------------------------------------------------------------------ */

static void match_init(struct wm_match *match, const uint32_t count[SIDES], struct wm_arena *arena)
{
	*match = (struct wm_match){0};
	for (int s = 0; s < SIDES; s++) {
		match->block[s] = need(WM_NEW(arena, uint32_t, count[s]));
		for (uint32_t b = 0; b < count[s]; b++)
			match->block[s][b] = WM_NONE;
	}
}

void wm_match_same(struct wm_match *match, const struct wm_story_function *function, struct wm_arena *arena)
{
	const uint32_t count[SIDES] = {function->map->graph.block_count, function->map->graph.block_count};
	match_init(match, count, arena);
	for (uint32_t b = 0; b < count[OLD]; b++)
		join(match, b, b);
}

void wm_match_blocks(struct wm_match *match, const struct wm_story_function *const function[2],
	struct wm_sources *const sources[2], struct wm_arena *arena)
{
	struct texts texts[SIDES];
	uint32_t count[SIDES];
	XXH3_state_t *state = need(XXH3_createState());
	for (int s = 0; s < SIDES; s++)
		count[s] = function[s]->map->graph.block_count;
	match_init(match, count, arena);
	for (int s = 0; s < SIDES; s++) {
		struct reader reader = {function[s], sources[s], state};
		match->blind[s] = !function[s]->map->block || !has_source(&reader);
		if (!match->blind[s])
			texts[s] = read_texts(&reader, arena);
	}
	XXH3_freeState(state);
	if (match->blind[OLD] || match->blind[NEW])
		return;
	match_range(match, (const uint64_t *const[]){texts[OLD].whole, texts[NEW].whole},
		(struct range){{0, 0}, {count[OLD], count[NEW]}});
	keep_sure(match, texts, count, arena);
	match_gaps(match, (const uint64_t *const[]){texts[OLD].decision, texts[NEW].decision}, count);
}
