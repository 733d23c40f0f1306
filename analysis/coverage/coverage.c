/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/coverage/coverage.h"
#include "analysis/join/story_checks.h"
#include "analysis/source/last_operand.h"
#include "core/base/search.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* ---- Files ---------------------------------------------------------------------------- */

char *wm_absolute_file(const struct wm_map_module *module, uint32_t file)
{
	const char *name = module->file[file];
	if (name[0] == '/' || !module->directory)
		return wm_xstrdup(name);
	return wm_xprintf("%s/%s", module->directory, name);
}

/* A line of a block: in which file, in which copy of the function, and how often. */
struct seen_line {
	uint32_t file; /* number of the name */
	uint32_t context, line;
	uint64_t count;
	bool maybe; /* the count is 0, and abandoned paths may have executed the line */
};

struct collecting {
	struct wm_coverage *coverage;
	size_t name_count;
	char **name; /* by number */
	uint32_t *order; /* numbers by ascending names */
	size_t line_count, own_count;
	struct seen_line *line, *own; /* of all functions, and of the one at work */
	size_t function_count, decision_count;
	struct {
		uint32_t file;
		struct wm_covered_function covered;
	} *function;
	struct seen_decision {
		uint32_t file, origin; /* origin: the block in the original function */
		struct wm_covered_decision covered;
	} *decision;
};

/* The number of a name; takes ownership of the name. */
static uint32_t intern(struct collecting *c, char *name)
{
	size_t at;
	WM_LOWER_BOUND(at, 0, c->name_count, strcmp(c->name[c->order[at]], name) < 0);
	if (at < c->name_count && strcmp(c->name[c->order[at]], name) == 0) {
		free(name);
		return c->order[at];
	}
	WM_XGROW(c->name, c->name_count);
	WM_XGROW(c->order, c->name_count);
	memmove(&c->order[at + 1], &c->order[at], (c->name_count - at) * sizeof *c->order);
	c->order[at] = (uint32_t)c->name_count;
	c->name[c->name_count] = name;
	return (uint32_t)c->name_count++;
}

/* A function at work. */
struct work {
	struct collecting *c;
	const struct wm_flow *flow;
	const struct wm_map_function *map;
	uint32_t *file; /* per file of the module: the number of its name, plus 1; 0: not asked for yet */
	struct wm_arena arena;
};

/* WM_NONE: unknown. */
static uint32_t file_number(struct work *w, uint32_t file)
{
	const struct wm_map_module *module = w->flow->function->module;
	if (file >= module->file_count)
		return WM_NONE;
	if (!w->file[file])
		w->file[file] = intern(w->c, wm_absolute_file(module, file)) + 1;
	return w->file[file] - 1;
}

/* ---- Lines ---------------------------------------------------------------------------- */

static void see_line(struct work *w, struct wm_map_line place, uint32_t context, struct wm_line_flow flow)
{
	uint32_t file = place.line ? file_number(w, place.file) : WM_NONE;
	if (file == WM_NONE)
		return;
	WM_XGROW(w->c->own, w->c->own_count);
	w->c->own[w->c->own_count++] = (struct seen_line){file, context, place.line, flow.count, flow.maybe};
}

static const struct wm_mark *marks_of(
	const struct wm_map_function *map, uint32_t block, struct wm_mark *own, uint32_t *count)
{
	const struct wm_origins *origins = wm_map_has_origins(map) ? &map->inlined->origins : NULL;
	return wm_origins_marks(origins, block, own, count);
}

/* Each mark begins a range of lines in another context. */
static void see_block(struct work *w, uint32_t block, uint32_t context)
{
	const struct wm_map_block *info = &w->map->block[block];
	struct wm_mark whole;
	uint32_t count, m = 0;
	const struct wm_mark *mark = marks_of(w->map, block, &whole, &count);
	for (uint32_t i = 0; i < info->line_count; i++) {
		while (m < count && mark[m].line <= i)
			context = mark[m++].context;
		see_line(w, info->line[i], context, wm_flow_line(w->flow, block, i));
	}
	if (count)
		context = mark[count - 1].context;
	if (info->terminator != WM_TERM_NONE)
		see_line(w, info->decision, context, wm_flow_line(w->flow, block, info->line_count));
}

static int by_place(const void *left, const void *right)
{
	const struct seen_line *a = left, *b = right;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->context > b->context) - (a->context < b->context);
}

/* Keeps the largest count of each line of each copy of the function. */
static void keep_largest(struct collecting *c)
{
	qsort(c->own, c->own_count, sizeof *c->own, by_place);
	for (size_t i = 0; i < c->own_count; i++) {
		struct seen_line *last = c->line_count ? &c->line[c->line_count - 1] : NULL;
		if (i && by_place(&c->own[i - 1], &c->own[i]) == 0) {
			last->count = c->own[i].count > last->count ? c->own[i].count : last->count;
			last->maybe |= c->own[i].maybe;
			continue;
		}
		WM_XGROW(c->line, c->line_count);
		c->line[c->line_count++] = c->own[i];
	}
	c->own_count = 0;
}

static void add(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum) || *sum > INT64_MAX)
		wm_fail("a line was executed more than 2^63-1 times in these profiles; use fewer of them");
}

/* ---- Decisions ------------------------------------------------------------------------ */

static bool decides(const struct wm_map_function *map, uint32_t block)
{
	const struct wm_graph *graph = &map->graph;
	if (!map->block[block].decision.line || graph->first_edge[block + 1] - graph->first_edge[block] < 2)
		return false;
	switch ((enum wm_terminator)map->block[block].terminator) {
	case WM_TERM_BRANCH:
	case WM_TERM_SWITCH:
	case WM_TERM_INDIRECT:
	case WM_TERM_ASM_GOTO:
	case WM_TERM_INSTRUCTION:
		return true;
	case WM_TERM_NONE:
	case WM_TERM_INVOKE: /* Whether a call throws is no decision of the source. */
		return false;
	}
	return false;
}

/* The branch of a loop is a decision of the last operand, because the other ones have branches of their own. */
static void see_operand(const struct work *w, uint32_t block, struct wm_covered_decision *made)
{
	struct wm_last_operand operand;
	uint64_t count[2];
	if (made->outcome_count != 2 || !wm_last_operand_find(&operand, w->map, block) ||
		operand.value->place.file != w->map->block[block].decision.file ||
		!wm_last_operand_counts(&operand, w->map, block, w->flow->ran.edge, count))
		return;
	uint32_t first = w->map->graph.first_edge[block];
	uint32_t ordinal = wm_last_operand_ordinal(&operand, w->map, block, true);
	made->of_operand = true;
	made->line = operand.value->place.line;
	made->column = operand.value->place.column;
	made->reached = count[0] + count[1];
	made->outcome[0] = count[true];
	made->outcome[1] = count[false];
	made->edge[0] = first + ordinal;
	made->edge[1] = first + !ordinal;
}

/* Failures of checks are outcomes only if they ran. */
static void leave_out(struct wm_covered_decision *made)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < made->outcome_count; i++) {
		if (!made->outcome[i] && !wm_story_remains(made->function, made->edge[i]))
			continue;
		made->outcome[kept] = made->outcome[i];
		made->edge[kept] = made->edge[i];
		made->maybe[kept++] = made->maybe[i];
	}
	made->outcome_count = kept;
}

static void see_decision(struct work *w, uint32_t block)
{
	const struct wm_graph *graph = &w->map->graph;
	const struct wm_map_block *info = &w->map->block[block];
	uint32_t file = decides(w->map, block) ? file_number(w, info->decision.file) : WM_NONE;
	uint32_t first = graph->first_edge[block], marks;
	if (file == WM_NONE || wm_story_is_check_operand(w->flow->function, block))
		return;
	struct wm_mark whole;
	const struct wm_mark *mark = marks_of(w->map, block, &whole, &marks);
	struct wm_covered_decision made = {.function = w->flow->function,
		.block = block,
		.line = info->decision.line,
		.column = info->decision.column,
		.reached = w->flow->ended[block],
		.outcome_count = graph->first_edge[block + 1] - first};
	made.outcome = wm_arena_alloc(&w->c->coverage->arena, made.outcome_count, sizeof *made.outcome);
	made.edge = wm_arena_alloc(&w->c->coverage->arena, made.outcome_count, sizeof *made.edge);
	made.maybe = wm_arena_alloc(&w->c->coverage->arena, made.outcome_count, sizeof *made.maybe);
	if (!made.outcome || !made.edge || !made.maybe)
		wm_no_memory();
	uint32_t turn = info->terminator == WM_TERM_BRANCH ? info->true_edge : 0;
	for (uint32_t i = 0; i < made.outcome_count; i++) {
		made.edge[i] = first + (i ^ turn);
		made.outcome[i] = w->flow->ran.edge[made.edge[i]];
		made.maybe[i] = wm_flow_edge_maybe(w->flow, made.edge[i]);
	}
	see_operand(w, block, &made);
	leave_out(&made);
	if (made.outcome_count < 2)
		return;
	WM_XGROW(w->c->decision, w->c->decision_count);
	w->c->decision[w->c->decision_count++] =
		(struct seen_decision){file, marks ? mark[marks - 1].block : block, made};
}

/* ---- Functions ------------------------------------------------------------------------ */

static void see_function(struct work *w)
{
	uint32_t file = w->map->line ? file_number(w, w->map->file) : WM_NONE;
	if (file == WM_NONE)
		return;
	WM_XGROW(w->c->function, w->c->function_count);
	w->c->function[w->c->function_count].file = file;
	w->c->function[w->c->function_count++].covered =
		(struct wm_covered_function){w->flow->function, w->map->line, w->flow->ran.entries};
}

static void collect(struct collecting *c, const struct wm_flow *flow)
{
	struct work w = {.c = c, .flow = flow, .map = flow->function->map};
	wm_arena_init(&w.arena);
	w.file = wm_arena_alloc(&w.arena, flow->function->module->file_count, sizeof *w.file);
	if (!w.file)
		wm_no_memory();
	const bool *reached = wm_flow_reached(w.map, &w.arena);
	const uint32_t *context = wm_flow_contexts(w.map, &w.arena);
	for (uint32_t b = 0; b < w.map->graph.block_count; b++)
		if (reached[b]) {
			see_block(&w, b, context[b]);
			see_decision(&w, b);
		}
	see_line(&w, (struct wm_map_line){w.map->file, w.map->line, 0}, 0,
		(struct wm_line_flow){.count = w.flow->ran.entries});
	see_function(&w);
	keep_largest(c);
	wm_arena_release(&w.arena);
}

static void count_doubts(struct wm_coverage *coverage, const struct wm_flow *flow)
{
	if (!flow->known && !coverage->unknown_count++)
		coverage->unknown = flow->function;
	if (flow->known && !flow->exact && !coverage->inexact_count++)
		coverage->inexact = flow->function;
}

/* ---- Per file ------------------------------------------------------------------------- */

static void *need(struct wm_coverage *coverage, size_t count, size_t size)
{
	void *memory = wm_arena_alloc(&coverage->arena, count, size);
	if (!memory)
		wm_no_memory();
	return memory;
}

static void give_lines(struct collecting *c, struct wm_covered_file *of_number)
{
	qsort(c->line, c->line_count, sizeof *c->line, by_place);
	for (size_t i = 0, end; i < c->line_count; i = end) {
		struct wm_covered_file *file = &of_number[c->line[i].file];
		for (end = i; end < c->line_count && c->line[end].file == c->line[i].file; end++)
			;
		file->line = need(c->coverage, end - i, sizeof *file->line);
		for (size_t k = i; k < end; k++) {
			if (k == i || c->line[k].line != c->line[k - 1].line)
				file->line[file->line_count++].line = c->line[k].line;
			else
				c->line[k].maybe |= c->line[k - 1].maybe;
			struct wm_covered_line *line = &file->line[file->line_count - 1];
			bool last = k + 1 == end || c->line[k + 1].line != c->line[k].line;
			add(&line->count, c->line[k].count);
			if (last && !line->count && c->line[k].maybe) {
				file->line_count--;
				c->coverage->maybe_lines++;
			}
		}
	}
}

static int by_function(const void *left, const void *right)
{
	const struct wm_covered_function *a = left, *b = right;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return strcmp(a->function->map->name, b->function->map->name);
}

static void give_functions(struct collecting *c, struct wm_covered_file *of_number)
{
	for (size_t i = 0; i < c->function_count; i++)
		of_number[c->function[i].file].function_count++;
	for (size_t n = 0; n < c->name_count; n++) {
		of_number[n].covered_function =
			need(c->coverage, of_number[n].function_count, sizeof *of_number[n].covered_function);
		of_number[n].function_count = 0;
	}
	for (size_t i = 0; i < c->function_count; i++) {
		struct wm_covered_file *file = &of_number[c->function[i].file];
		file->covered_function[file->function_count++] = c->function[i].covered;
	}
	for (size_t n = 0; n < c->name_count; n++) {
		struct wm_covered_function *list = of_number[n].covered_function;
		size_t kept = 0, count = of_number[n].function_count;
		qsort(list, count, sizeof *list, by_function);
		for (size_t i = 0; i < count; i++) {
			if (!i || by_function(&list[kept - 1], &list[i]) != 0)
				list[kept++] = list[i];
			else
				add(&list[kept - 1].entries, list[i].entries);
		}
		of_number[n].function_count = kept;
	}
}

static int by_decision(const void *left, const void *right)
{
	const struct seen_decision *a = left, *b = right;
	const uint32_t key[][2] = {{a->file, b->file}, {a->covered.line, b->covered.line},
		{a->covered.column, b->covered.column}, {a->origin, b->origin},
		{a->covered.outcome_count, b->covered.outcome_count}};
	for (size_t i = 0; i < sizeof key / sizeof *key; i++)
		if (key[i][0] != key[i][1])
			return key[i][0] < key[i][1] ? -1 : 1;
	return 0;
}

static void add_decision(struct wm_covered_decision *to, const struct wm_covered_decision *from)
{
	add(&to->reached, from->reached);
	for (uint32_t i = 0; i < to->outcome_count; i++) {
		add(&to->outcome[i], from->outcome[i]);
		to->maybe[i] = !to->outcome[i] && (to->maybe[i] || from->maybe[i]);
	}
}

static void give_decisions(struct collecting *c, struct wm_covered_file *of_number)
{
	qsort(c->decision, c->decision_count, sizeof *c->decision, by_decision);
	for (size_t i = 0, end; i < c->decision_count; i = end) {
		struct wm_covered_file *file = &of_number[c->decision[i].file];
		for (end = i; end < c->decision_count && c->decision[end].file == c->decision[i].file; end++)
			;
		file->decision = need(c->coverage, end - i, sizeof *file->decision);
		for (size_t k = i; k < end; k++) {
			if (k > i && by_decision(&c->decision[k - 1], &c->decision[k]) == 0)
				add_decision(&file->decision[file->decision_count - 1], &c->decision[k].covered);
			else
				file->decision[file->decision_count++] = c->decision[k].covered;
		}
		for (size_t d = 0; d < file->decision_count; d++)
			for (uint32_t k = 0; k < file->decision[d].outcome_count; k++)
				c->coverage->maybe_outcomes += file->decision[d].maybe[k];
	}
}

static void give_files(struct collecting *c)
{
	struct wm_coverage *coverage = c->coverage;
	struct wm_covered_file *of_number = need(coverage, c->name_count, sizeof *of_number);
	coverage->file = need(coverage, c->name_count, sizeof *coverage->file);
	give_lines(c, of_number);
	give_functions(c, of_number);
	give_decisions(c, of_number);
	for (size_t i = 0; i < c->name_count; i++) {
		struct wm_covered_file *file = &of_number[c->order[i]];
		size_t size = strlen(c->name[c->order[i]]) + 1;
		if (!file->line_count)
			continue;
		file->name = memcpy(need(coverage, size, 1), c->name[c->order[i]], size);
		coverage->file[coverage->file_count++] = *file;
	}
}

static void collecting_release(struct collecting *c)
{
	for (size_t i = 0; i < c->name_count; i++)
		free(c->name[i]);
	free(c->name);
	free(c->order);
	free(c->line);
	free(c->own);
	free(c->function);
	free(c->decision);
}

void wm_coverage_build(
	struct wm_coverage *coverage, const struct wm_flows *flows, const struct wm_function_filter *filter)
{
	struct collecting c = {.coverage = coverage};
	*coverage = (struct wm_coverage){0};
	wm_arena_init(&coverage->arena);
	for (size_t i = 0; i < flows->count; i++) {
		const struct wm_flow *flow = &flows->flow[i];
		if (!wm_filter_passes(filter, flow->function) || wm_in_system_header(flow->function))
			continue;
		if (i < flows->function_count)
			count_doubts(coverage, flow);
		if (flow->known)
			collect(&c, flow);
	}
	give_files(&c);
	collecting_release(&c);
}

void wm_coverage_release(struct wm_coverage *coverage)
{
	wm_arena_release(&coverage->arena);
	*coverage = (struct wm_coverage){0};
}

/* ---- Sums ----------------------------------------------------------------------------- */

struct wm_covered wm_covered_lines(const struct wm_covered_file *file)
{
	struct wm_covered sum = {.all = file->line_count};
	for (size_t i = 0; i < file->line_count; i++)
		sum.hit += file->line[i].count != 0;
	return sum;
}

struct wm_covered wm_covered_functions(const struct wm_covered_file *file)
{
	struct wm_covered sum = {.all = file->function_count};
	for (size_t i = 0; i < file->function_count; i++)
		sum.hit += file->covered_function[i].entries != 0;
	return sum;
}

struct wm_covered wm_covered_outcomes(const struct wm_covered_file *file)
{
	struct wm_covered sum = {0};
	for (size_t i = 0; i < file->decision_count; i++)
		for (uint32_t k = 0; k < file->decision[i].outcome_count; k++) {
			sum.all += !file->decision[i].maybe[k];
			sum.hit += file->decision[i].outcome[k] != 0;
		}
	return sum;
}
