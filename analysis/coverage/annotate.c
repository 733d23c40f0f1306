/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/coverage/annotate.h"
#include "core/base/search.h"
#include "support/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How much a body says of a line without a count; of several bodies, the one that says most decides. */
enum weight {
	UNCOUNTED,
	ELSEWHERE, /* the body never ran itself, and its code was inlined elsewhere */
	NEVER,
	ABANDONED, /* abandoned paths of the body may have executed it */
};

/* A line that a body has. */
struct part {
	uint32_t file, line;
	uint8_t weight; /* enum weight */
};

/* What is collected of the functions. */
struct collecting {
	struct wm_annotated *annotated;
	bool *wanted; /* per flow */
	size_t part_count;
	struct part *part;
	size_t inlined_count;
	const char **inlined; /* names of functions of which calls were inlined, ascending */
	size_t named_count;
	uint32_t *named; /* the functions of the story, by linkage name */
};

/* ---- Files ---------------------------------------------------------------------------------- */

static int by_file_name(const void *left, const void *right)
{
	return strcmp(((const struct wm_annotated_file *)left)->name, ((const struct wm_annotated_file *)right)->name);
}

/* Marks the files that the blocks of a function, or its definition, name. */
static void mark_files(bool *used, const struct wm_story_function *body)
{
	const struct wm_map_function *map = body->map;
	uint32_t count = body->module->file_count;
	if (map->line && map->file < count)
		used[map->file] = true;
	for (uint32_t b = 0; map->block && b < map->graph.block_count; b++) {
		for (uint32_t i = 0; i < map->block[b].line_count; i++)
			if (map->block[b].line[i].file < count)
				used[map->block[b].line[i].file] |= map->block[b].line[i].line != 0;
		if (map->block[b].decision.line && map->block[b].decision.file < count)
			used[map->block[b].decision.file] = true;
	}
}

static void add_files(struct wm_annotated *annotated, const struct wm_story_function *body)
{
	bool *used = wm_xmalloc(body->module->file_count + (size_t)1);
	memset(used, 0, body->module->file_count + (size_t)1);
	mark_files(used, body);
	for (uint32_t f = 0; f < body->module->file_count; f++) {
		if (!used[f])
			continue;
		WM_XGROW(annotated->file, annotated->file_count);
		annotated->file[annotated->file_count++] = (struct wm_annotated_file){
			.name = wm_absolute_file(body->module, f), .given = body->module->file[f], .origin = body};
	}
	free(used);
}

static void collect_files(struct collecting *c)
{
	struct wm_annotated *annotated = c->annotated;
	size_t count = 0;
	for (size_t i = 0; i < annotated->flows.count; i++)
		if (c->wanted[i])
			add_files(annotated, annotated->flows.flow[i].function);
	if (annotated->file_count)
		qsort(annotated->file, annotated->file_count, sizeof *annotated->file, by_file_name);
	for (size_t i = 0; i < annotated->file_count; i++) {
		if (count && by_file_name(&annotated->file[count - 1], &annotated->file[i]) == 0)
			free(annotated->file[i].name);
		else
			annotated->file[count++] = annotated->file[i];
	}
	annotated->file_count = count;
}

struct wm_annotated_file *wm_annotated_find(const struct wm_annotated *annotated, const char *name)
{
	size_t at;
	WM_LOWER_BOUND(at, 0, annotated->file_count, strcmp(annotated->file[at].name, name) < 0);
	bool found = at < annotated->file_count && strcmp(annotated->file[at].name, name) == 0;
	return found ? &annotated->file[at] : NULL;
}

/* NULL: the place is not known. */
static struct wm_annotated_file *file_at(
	const struct wm_annotated *annotated, const struct wm_story_function *body, const struct wm_map_line *place)
{
	if (!place->line || place->file >= body->module->file_count)
		return NULL;
	char *name = wm_absolute_file(body->module, place->file);
	struct wm_annotated_file *file = wm_annotated_find(annotated, name);
	free(name);
	return file;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void collect_inlined(struct collecting *c)
{
	for (size_t i = 0; i < c->annotated->flows.count; i++) {
		const struct wm_story_function *body = c->annotated->flows.flow[i].function;
		const struct wm_origins *origins = wm_map_has_origins(body->map) ? &body->map->inlined->origins : NULL;
		for (uint32_t k = 1; origins && k < origins->context_count; k++) {
			WM_XGROW(c->inlined, c->inlined_count);
			c->inlined[c->inlined_count++] = wm_map_context_name(body->module, &origins->context[k]);
		}
	}
	if (c->inlined_count)
		qsort(c->inlined, c->inlined_count, sizeof *c->inlined, by_text);
}

static enum weight weight_of(const struct collecting *c, const struct wm_flow *flow)
{
	if (!flow->known)
		return UNCOUNTED;
	if (flow->function->state != WM_STORY_RAN && c->inlined_count &&
		bsearch(&flow->function->map->name, c->inlined, c->inlined_count, sizeof *c->inlined, by_text))
		return ELSEWHERE;
	return NEVER;
}

static void add_part(
	struct collecting *c, const struct wm_flow *flow, const struct wm_map_line *place, enum weight weight)
{
	const struct wm_annotated_file *file = file_at(c->annotated, flow->function, place);
	if (!file)
		return;
	WM_XGROW(c->part, c->part_count);
	c->part[c->part_count++] = (struct part){(uint32_t)(file - c->annotated->file), place->line, (uint8_t)weight};
}

static void add_parts(struct collecting *c, const struct wm_flow *flow)
{
	const struct wm_map_function *map = flow->function->map;
	enum weight weight = weight_of(c, flow);
	add_part(c, flow, &(struct wm_map_line){map->file, map->line, 0}, weight);
	for (uint32_t b = 0; map->block && b < map->graph.block_count; b++) {
		for (uint32_t i = 0; i <= map->block[b].line_count; i++) {
			bool last = i == map->block[b].line_count;
			bool maybe = weight == NEVER && wm_flow_line(flow, b, i).maybe;
			add_part(c, flow, last ? &map->block[b].decision : &map->block[b].line[i],
				maybe ? ABANDONED : weight);
		}
	}
}

static int by_line_and_weight(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (int)b->weight - (int)a->weight;
}

static void add_line(struct wm_annotated_file *file, const struct part *part, uint64_t count)
{
	static const enum wm_line_state states[] = {[UNCOUNTED] = WM_LINE_UNCOUNTED,
		[ELSEWHERE] = WM_LINE_MAYBE,
		[NEVER] = WM_LINE_NEVER,
		[ABANDONED] = WM_LINE_MAYBE};
	enum wm_line_state state = count ? WM_LINE_RAN : states[part->weight];
	WM_XGROW(file->line, file->line_count);
	file->line[file->line_count++] = (struct wm_line){part->line, state, count};
	file->sums.lines += state != WM_LINE_UNCOUNTED;
	file->sums.lines_ran += state == WM_LINE_RAN;
	file->sums.lines_unknown += state == WM_LINE_MAYBE;
}

static const struct wm_covered_file *covered_file(const struct wm_coverage *coverage, const char *name)
{
	size_t at;
	WM_LOWER_BOUND(at, 0, coverage->file_count, strcmp(coverage->file[at].name, name) < 0);
	return at < coverage->file_count && strcmp(coverage->file[at].name, name) == 0 ? &coverage->file[at] : NULL;
}

static uint64_t covered_count(const struct wm_covered_file *file, uint32_t line)
{
	size_t at = 0;
	if (!file)
		return 0;
	WM_LOWER_BOUND(at, 0, file->line_count, file->line[at].line < line);
	return at < file->line_count && file->line[at].line == line ? file->line[at].count : 0;
}

static void give_lines(struct collecting *c)
{
	for (size_t i = 0; i < c->annotated->flows.count; i++)
		if (c->wanted[i])
			add_parts(c, &c->annotated->flows.flow[i]);
	if (c->part_count)
		qsort(c->part, c->part_count, sizeof *c->part, by_line_and_weight);
	const struct wm_covered_file *covered = NULL;
	for (size_t i = 0; i < c->part_count; i++) {
		struct wm_annotated_file *file = &c->annotated->file[c->part[i].file];
		if (!i || c->part[i].file != c->part[i - 1].file)
			covered = covered_file(&c->annotated->coverage, file->name);
		if (!file->line_count || file->line[file->line_count - 1].line != c->part[i].line)
			add_line(file, &c->part[i], covered_count(covered, c->part[i].line));
	}
}

/* ---- Decisions -------------------------------------------------------------------------------- */

static void tell_decision(struct wm_line_decision *decision, struct wm_sources *sources)
{
	const struct wm_covered_decision *covered = decision->covered;
	uint32_t taken = 0, untaken = 0;
	decision->outcome = wm_xmalloc((covered->outcome_count + (size_t)1) * sizeof *decision->outcome);
	for (uint32_t i = 0; i < covered->outcome_count; i++) {
		struct wm_decision told = {0};
		if (covered->of_operand)
			wm_decision_tell_operand(&told, covered->function, covered->block, covered->edge[i], sources);
		else
			wm_decision_tell(&told, covered->function, covered->block, covered->edge[i], sources);
		memcpy(decision->outcome[i].text, told.outcome, sizeof told.outcome);
		decision->outcome[i].count = covered->outcome[i];
		decision->outcome[i].maybe = covered->maybe[i];
		taken += covered->outcome[i] != 0;
		untaken += !covered->outcome[i] && !covered->maybe[i];
		if (!decision->condition[0])
			memcpy(decision->condition, told.condition, sizeof told.condition);
	}
	decision->half = taken && untaken;
}

void wm_annotate_decisions(
	const struct wm_annotated *annotated, struct wm_annotated_file *file, struct wm_sources *sources)
{
	const struct wm_covered_file *covered = covered_file(&annotated->coverage, file->name);
	if (!covered)
		return;
	file->decision = wm_xmalloc((covered->decision_count + 1) * sizeof *file->decision);
	for (size_t i = 0; i < covered->decision_count; i++) {
		struct wm_line_decision *decision = &file->decision[file->decision_count++];
		*decision = (struct wm_line_decision){.covered = &covered->decision[i]};
		tell_decision(decision, sources);
		file->sums.decisions++;
		file->sums.reached += decision->covered->reached != 0;
		file->sums.half += decision->half;
	}
}

/* ---- Calls -------------------------------------------------------------------------------------- */

static int by_linkage_name(const void *left, const void *right, void *story)
{
	const struct wm_story_function *function = ((const struct wm_story *)story)->function;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = strcmp(function[a].map->name, function[b].map->name);
	return order ? order : (a > b) - (a < b);
}

static void collect_names(struct collecting *c)
{
	const struct wm_story *story = c->annotated->story;
	c->named = wm_xmalloc((story->function_count + 1) * sizeof *c->named);
	for (size_t i = 0; i < story->function_count; i++)
		c->named[c->named_count++] = (uint32_t)i;
	qsort_r(c->named, c->named_count, sizeof *c->named, by_linkage_name, (void *)story);
}

/* How well a function fits a name that another one calls: a local function only in its own file, and a function of the same
 * binary better than one of another. */
static int fit(const struct wm_story_function *callee, const struct wm_story_function *caller)
{
	bool same_module = strcmp(callee->module->source, caller->module->source) == 0;
	if (callee->map->local && !same_module)
		return 0;
	return 1 + 2 * (callee->program == caller->program) + same_module;
}

static const struct wm_story_function *find_callee(
	const struct collecting *c, const char *name, const struct wm_story_function *caller)
{
	const struct wm_story_function *function = c->annotated->story->function, *best = NULL;
	size_t at;
	int most = 0;
	WM_LOWER_BOUND(at, 0, c->named_count, strcmp(function[c->named[at]].map->name, name) < 0);
	for (; at < c->named_count && strcmp(function[c->named[at]].map->name, name) == 0; at++) {
		int own = fit(&function[c->named[at]], caller);
		if (own > most) {
			most = own;
			best = &function[c->named[at]];
		}
	}
	return best;
}

static struct wm_map_line call_place(const struct wm_map_function *map, uint32_t site)
{
	const struct wm_map_block *block = &map->block[map->call[site].block];
	uint32_t line = map->call_line && map->call_line[site] ? map->call_line[site] - 1 : 0;
	return line < block->line_count ? block->line[line] : (struct wm_map_line){0};
}

static void add_call(struct collecting *c, const struct wm_flow *flow, uint32_t site)
{
	const struct wm_story_function *caller = flow->function;
	const struct wm_call *call = &caller->map->call[site];
	const struct wm_map_line place = call_place(caller->map, site);
	struct wm_annotated_file *file = file_at(c->annotated, caller, &place);
	const char *callee = wm_map_callee(caller->module, call);
	if (!file)
		return;
	WM_XGROW(file->call, file->call_count);
	file->call[file->call_count++] = (struct wm_line_call){.line = place.line,
		.block = call->block,
		.caller = caller,
		.callee = callee,
		.target = callee ? find_callee(c, callee, caller) : NULL,
		.count = flow->ran.block[call->block]};
}

static int by_call_line(const void *left, const void *right)
{
	const struct wm_line_call *a = left, *b = right;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->block > b->block) - (a->block < b->block);
}

/* ---- Functions and sums --------------------------------------------------------------------------- */

static int by_definition(const void *left, const void *right, void *story)
{
	const struct wm_story_function *function = ((const struct wm_story *)story)->function;
	uint32_t a = function[*(const uint32_t *)left].map->line, b = function[*(const uint32_t *)right].map->line;
	return (a > b) - (a < b);
}

static void add_sums(struct wm_file_sums *sums, const struct wm_flow *flow)
{
	const struct wm_story_function *function = flow->function;
	for (uint32_t b = 0; b < function->map->graph.block_count; b++)
		sums->blocks_ran += flow->ran.block[b] != 0;
	sums->blocks += function->map->graph.block_count;
	sums->functions++;
	sums->functions_ran += function->state == WM_STORY_RAN;
	sums->paths_ran += function->ran_count;
	sums->executions += function->executions;
	sums->paths_possible +=
		function->possible.countable ? (double)function->possible.count : pow(10, function->possible.log10);
}

static void add_function(struct collecting *c, uint32_t index)
{
	const struct wm_flow *flow = &c->annotated->flows.flow[index];
	const struct wm_map_function *map = flow->function->map;
	struct wm_annotated_file *file =
		file_at(c->annotated, flow->function, &(struct wm_map_line){map->file, map->line, 0});
	if (!file)
		return;
	WM_XGROW(file->function, file->function_count);
	file->function[file->function_count++] = index;
	if (flow->known)
		add_sums(&file->sums, flow);
}

static void give_functions(struct collecting *c)
{
	const struct wm_flows *flows = &c->annotated->flows;
	for (size_t i = 0; i < flows->count; i++) {
		if (!c->wanted[i])
			continue;
		if (i < flows->function_count)
			add_function(c, (uint32_t)i);
		for (uint32_t s = 0; flows->flow[i].known && s < flows->flow[i].function->map->call_count; s++)
			add_call(c, &flows->flow[i], s);
	}
}

static void finish_file(struct collecting *c, struct wm_annotated_file *file)
{
	if (file->call_count)
		qsort(file->call, file->call_count, sizeof *file->call, by_call_line);
	if (file->function_count)
		qsort_r(file->function, file->function_count, sizeof *file->function, by_definition,
			(void *)c->annotated->story);
}

void wm_annotate(struct wm_annotated *annotated, const struct wm_story *story, const struct wm_function_filter *filter)
{
	struct collecting c = {.annotated = annotated};
	*annotated = (struct wm_annotated){.story = story};
	wm_flows_build(&annotated->flows, story);
	wm_coverage_build(&annotated->coverage, &annotated->flows, filter);
	c.wanted = wm_xmalloc(annotated->flows.count + 1);
	for (size_t i = 0; i < annotated->flows.count; i++)
		c.wanted[i] = wm_filter_passes(filter, annotated->flows.flow[i].function) &&
			      !wm_in_system_header(annotated->flows.flow[i].function);
	collect_files(&c);
	collect_inlined(&c);
	collect_names(&c);
	give_lines(&c);
	give_functions(&c);
	for (size_t i = 0; i < annotated->file_count; i++)
		finish_file(&c, &annotated->file[i]);
	free(c.named);
	free(c.inlined);
	free(c.part);
	free(c.wanted);
}

void wm_annotated_release(struct wm_annotated *annotated)
{
	for (size_t i = 0; i < annotated->file_count; i++) {
		struct wm_annotated_file *file = &annotated->file[i];
		for (size_t d = 0; d < file->decision_count; d++)
			free(file->decision[d].outcome);
		free(file->name);
		free(file->line);
		free(file->decision);
		free(file->call);
		free(file->function);
	}
	free(annotated->file);
	wm_coverage_release(&annotated->coverage);
	wm_flows_release(&annotated->flows);
}

const struct wm_line *wm_annotated_line(const struct wm_annotated_file *file, uint32_t line)
{
	size_t at;
	WM_LOWER_BOUND(at, 0, file->line_count, file->line[at].line < line);
	return at < file->line_count && file->line[at].line == line ? &file->line[at] : NULL;
}

const char *wm_annotated_text(
	struct wm_sources *sources, const struct wm_annotated_file *file, uint32_t line, size_t *length)
{
	const struct wm_source_origin origin = {file->origin->object->path, file->origin->module};
	return wm_source_line(sources, file->given, line, &origin, length);
}

void wm_file_sums_add(struct wm_file_sums *into, const struct wm_file_sums *from)
{
	into->lines += from->lines;
	into->lines_ran += from->lines_ran;
	into->lines_unknown += from->lines_unknown;
	into->blocks += from->blocks;
	into->blocks_ran += from->blocks_ran;
	into->decisions += from->decisions;
	into->reached += from->reached;
	into->half += from->half;
	into->functions += from->functions;
	into->functions_ran += from->functions_ran;
	into->paths_ran += from->paths_ran;
	into->paths_possible += from->paths_possible;
	into->executions += from->executions;
}

const char *wm_line_state_text(enum wm_line_state state)
{
	static const char *const texts[] = {[WM_LINE_RAN] = "ran",
		[WM_LINE_NEVER] = "never",
		[WM_LINE_MAYBE] = "maybe",
		[WM_LINE_UNCOUNTED] = "uncounted"};
	return texts[state];
}
