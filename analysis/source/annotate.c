/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/source/annotate.h"
#include "core/base/search.h"
#include "support/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *file_name(const struct wm_story_function *body, uint32_t file)
{
	return file < body->module->file_count ? body->module->file[file] : NULL;
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* A file that some code is in, and a function that has the code. */
struct mention {
	const char *name;
	const struct wm_story_function *function;
};

struct mentions {
	size_t count;
	struct mention *mention;
};

static void mention(struct mentions *list, const struct wm_story_function *body, const struct wm_map_line *place)
{
	const char *name = place->line ? file_name(body, place->file) : NULL;
	if (!name || (list->count && list->mention[list->count - 1].name == name))
		return;
	WM_XGROW(list->mention, list->count);
	list->mention[list->count++] = (struct mention){name, body};
}

static void mention_body(struct mentions *list, const struct wm_story_function *body)
{
	const struct wm_map_function *map = body->map;
	const struct wm_map_line definition = {map->file, map->line, 0};
	mention(list, body, &definition);
	for (uint32_t b = 0; map->block && b < map->graph.block_count; b++) {
		for (uint32_t i = 0; i < map->block[b].line_count; i++)
			mention(list, body, &map->block[b].line[i]);
		mention(list, body, &map->block[b].decision);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct mention *)a)->name, ((const struct mention *)b)->name);
}

static void collect_files(struct wm_annotated *annotated, const bool *wanted)
{
	struct mentions list = {0};
	for (size_t i = 0; i < annotated->flows.count; i++)
		if (wanted[i])
			mention_body(&list, annotated->flows.flow[i].body);
	if (list.count)
		qsort(list.mention, list.count, sizeof *list.mention, by_name);
	annotated->file = wm_xmalloc((list.count + 1) * sizeof *annotated->file);
	for (size_t i = 0; i < list.count; i++)
		if (!i || strcmp(list.mention[i].name, list.mention[i - 1].name) != 0)
			annotated->file[annotated->file_count++] = (struct wm_annotated_file){
				.name = list.mention[i].name, .origin = list.mention[i].function};
	free(list.mention);
}

/* NULL: the place is not known. */
static struct wm_annotated_file *find_file(
	struct wm_annotated *annotated, const struct wm_story_function *body, const struct wm_map_line *place)
{
	const char *name = place->line ? file_name(body, place->file) : NULL;
	size_t at;
	if (!name)
		return NULL;
	WM_LOWER_BOUND(at, 0, annotated->file_count, strcmp(annotated->file[at].name, name) < 0);
	return &annotated->file[at];
}

/* ---- Lines ---------------------------------------------------------------------------------- */

/* A line that a block of one flow has. */
struct part {
	struct wm_annotated_file *file;
	struct wm_line line;
};

struct parts {
	size_t count;
	struct part *part;
};

/* Whether all that the function did is told of the functions into which it was inlined. */
static bool is_elsewhere(const struct wm_flow *flow)
{
	return flow->inlined && flow->function->state != WM_STORY_RAN;
}

static struct wm_line line_of(const struct wm_flow *flow, uint32_t line, uint32_t block)
{
	uint64_t count = flow->known ? flow->block[block] : 0;
	if (!flow->known)
		return (struct wm_line){line, WM_LINE_UNCOUNTED, 0, 0};
	if (count)
		return (struct wm_line){line, WM_LINE_RAN, 4, count};
	if (is_elsewhere(flow))
		return (struct wm_line){line, WM_LINE_MAYBE, 1, 0};
	return flow->partial ? (struct wm_line){line, WM_LINE_MAYBE, 3, 0} : (struct wm_line){line, WM_LINE_NEVER, 2, 0};
}

static void add_part(struct parts *parts, struct wm_annotated *annotated, const struct wm_flow *flow,
	const struct wm_map_line *place, uint32_t block)
{
	struct wm_annotated_file *file = find_file(annotated, flow->body, place);
	if (!file)
		return;
	WM_XGROW(parts->part, parts->count);
	parts->part[parts->count++] = (struct part){file, line_of(flow, place->line, block)};
}

static int by_file_and_line(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->line.line > b->line.line) - (a->line.line < b->line.line);
}

static void outweigh(struct wm_line *line, const struct wm_line *other)
{
	if (other->weight > line->weight) {
		line->state = other->state;
		line->weight = other->weight;
	}
}

/* Appends the lines of one flow: per line, the block that ran most often. */
static void add_lines(struct parts *all, struct parts *own)
{
	if (own->count)
		qsort(own->part, own->count, sizeof *own->part, by_file_and_line);
	size_t first = all->count;
	for (size_t i = 0; i < own->count; i++) {
		const struct part *part = &own->part[i];
		struct part *last = all->count > first ? &all->part[all->count - 1] : NULL;
		if (!last || by_file_and_line(last, part) != 0) {
			WM_XGROW(all->part, all->count);
			all->part[all->count++] = *part;
			continue;
		}
		outweigh(&last->line, &part->line);
		if (part->line.count > last->line.count)
			last->line.count = part->line.count;
	}
	own->count = 0;
}

static void add_flow_lines(struct parts *all, struct parts *own, struct wm_annotated *annotated, const struct wm_flow *flow)
{
	const struct wm_map_function *map = flow->body->map;
	for (uint32_t b = 0; map->block && b < map->graph.block_count; b++) {
		for (uint32_t i = 0; i < map->block[b].line_count; i++)
			add_part(own, annotated, flow, &map->block[b].line[i], b);
		add_part(own, annotated, flow, &map->block[b].decision, b);
	}
	add_lines(all, own);
}

static void take_line(struct wm_annotated_file *file, const struct wm_line *line)
{
	struct wm_line *last = file->line_count ? &file->line[file->line_count - 1] : NULL;
	if (!last || last->line != line->line) {
		WM_XGROW(file->line, file->line_count);
		file->line[file->line_count++] = *line;
		return;
	}
	outweigh(last, line);
	/* No count is above 2^63, and a sum that is cannot be real. */
	if (__builtin_add_overflow(last->count, line->count, &last->count))
		last->count = UINT64_MAX;
}

static void collect_lines(struct wm_annotated *annotated, const bool *wanted)
{
	struct parts all = {0}, own = {0};
	for (size_t i = 0; i < annotated->flows.count; i++)
		if (wanted[i])
			add_flow_lines(&all, &own, annotated, &annotated->flows.flow[i]);
	if (all.count)
		qsort(all.part, all.count, sizeof *all.part, by_file_and_line);
	for (size_t i = 0; i < all.count; i++)
		take_line(all.part[i].file, &all.part[i].line);
	free(all.part);
	free(own.part);
}

/* ---- Decisions -------------------------------------------------------------------------------- */

/* Where a decision is shown: at its own position, or at the last line of its block. */
static struct wm_map_line decision_place(const struct wm_map_block *block)
{
	if (block->decision.line || !block->line_count)
		return block->decision;
	return (struct wm_map_line){block->line[block->line_count - 1].file, block->line[block->line_count - 1].line, 0};
}

static void tell_outcomes(struct wm_line_decision *decision, const struct wm_flow *flow, struct wm_sources *sources)
{
	const struct wm_graph *graph = &flow->body->map->graph;
	for (uint32_t e = graph->first_edge[decision->block]; e < graph->first_edge[decision->block + 1]; e++) {
		struct wm_decision told = {0};
		wm_decision_tell(&told, flow->body, decision->block, e, sources);
		WM_XGROW(decision->outcome, decision->outcome_count);
		struct wm_outcome *outcome = &decision->outcome[decision->outcome_count++];
		*outcome = (struct wm_outcome){.edge = e, .count = flow->edge[e]};
		memcpy(outcome->text, told.outcome, sizeof outcome->text);
		if (!decision->condition[0])
			memcpy(decision->condition, told.condition, sizeof decision->condition);
	}
}

/* Whether some outcome has words, and a call threw if it is one that may. */
static bool is_told(const struct wm_line_decision *decision, const struct wm_map_block *block)
{
	bool worded = false;
	for (uint32_t i = 0; i < decision->outcome_count; i++)
		worded |= decision->outcome[i].text[0] != 0;
	return worded && (block->terminator != WM_TERM_INVOKE ||
				 decision->outcome[decision->outcome_count - 1].count);
}

static void add_decision(
	struct wm_annotated *annotated, uint32_t flow_index, uint32_t block, struct wm_sources *sources)
{
	const struct wm_flow *flow = &annotated->flows.flow[flow_index];
	const struct wm_map_block *info = &flow->body->map->block[block];
	const struct wm_map_line place = decision_place(info);
	struct wm_annotated_file *file = find_file(annotated, flow->body, &place);
	const struct wm_graph *graph = &flow->body->map->graph;
	if (!file || info->terminator == WM_TERM_NONE || graph->first_edge[block + 1] - graph->first_edge[block] < 2)
		return;
	struct wm_line_decision decision = {
		.line = place.line, .column = place.column, .flow = flow_index, .block = block, .whole = !flow->function->residual && !flow->partial};
	tell_outcomes(&decision, flow, sources);
	if (!is_told(&decision, info)) {
		free(decision.outcome);
		return;
	}
	WM_XGROW(file->decision, file->decision_count);
	file->decision[file->decision_count++] = decision;
}

static int by_flow(const void *left, const void *right)
{
	const struct wm_line_decision *a = left, *b = right;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	if (a->flow != b->flow)
		return a->flow < b->flow ? -1 : 1;
	return (a->block > b->block) - (a->block < b->block);
}

static int by_rank(const void *left, const void *right)
{
	const struct wm_line_decision *a = left, *b = right;
	if (a->line == b->line && a->column == b->column && a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return by_flow(left, right);
}

/* A body has several decisions at one place if a macro makes them, or if a call was inlined several times, which is one
 * decision. */
static void rank_decisions(const struct wm_annotated *annotated, struct wm_annotated_file *file)
{
	for (size_t i = 1; i < file->decision_count; i++) {
		struct wm_line_decision *last = &file->decision[i - 1], *own = &file->decision[i];
		bool inlined = wm_map_has_origins(annotated->flows.flow[own->flow].body->map);
		if (own->line == last->line && own->column == last->column && own->flow == last->flow && !inlined)
			own->rank = last->rank + 1;
	}
}

static bool same_words(const struct wm_line_decision *a, const struct wm_line_decision *b)
{
	if (a->line != b->line || a->column != b->column || a->rank != b->rank ||
		a->outcome_count != b->outcome_count || strcmp(a->condition, b->condition) != 0)
		return false;
	for (uint32_t i = 0; i < a->outcome_count; i++)
		if (strcmp(a->outcome[i].text, b->outcome[i].text) != 0)
			return false;
	return true;
}

/* No count is above 2^63, and a sum that is cannot be real. */
static void add_to(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

static void absorb(struct wm_line_decision *into, struct wm_line_decision *from)
{
	for (uint32_t i = 0; i < into->outcome_count; i++)
		add_to(&into->outcome[i].count, from->outcome[i].count);
	into->whole &= from->whole;
	free(from->outcome);
}

static void judge(struct wm_line_decision *decision)
{
	uint32_t taken = 0;
	for (uint32_t i = 0; i < decision->outcome_count; i++) {
		taken += decision->outcome[i].count != 0;
		add_to(&decision->count, decision->outcome[i].count);
	}
	decision->half = taken && taken < decision->outcome_count && decision->whole;
}

static void finish_decisions(const struct wm_annotated *annotated, struct wm_annotated_file *file)
{
	size_t count = 0;
	if (!file->decision_count)
		return;
	qsort(file->decision, file->decision_count, sizeof *file->decision, by_flow);
	rank_decisions(annotated, file);
	qsort(file->decision, file->decision_count, sizeof *file->decision, by_rank);
	for (size_t i = 0; i < file->decision_count; i++)
		if (count && same_words(&file->decision[count - 1], &file->decision[i]))
			absorb(&file->decision[count - 1], &file->decision[i]);
		else
			file->decision[count++] = file->decision[i];
	file->decision_count = count;
	for (size_t i = 0; i < count; i++) {
		judge(&file->decision[i]);
		file->sums.decisions++;
		file->sums.reached += file->decision[i].count != 0;
		file->sums.half += file->decision[i].half;
	}
}

/* ---- Calls -------------------------------------------------------------------------------------- */

struct named {
	const char *name;
	uint32_t flow;
};

static int by_linkage_name(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(a->name, b->name);
	return order ? order : (a->flow > b->flow) - (a->flow < b->flow);
}

struct names {
	size_t count;
	struct named *named;
};

static void collect_names(struct names *names, const struct wm_annotated *annotated)
{
	names->named = wm_xmalloc((annotated->flows.count + 1) * sizeof *names->named);
	for (size_t i = 0; i < annotated->flows.count; i++)
		if (annotated->flows.flow[i].first)
			names->named[names->count++] =
				(struct named){annotated->flows.flow[i].function->map->name, (uint32_t)i};
	qsort(names->named, names->count, sizeof *names->named, by_linkage_name);
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

static uint32_t find_callee(
	const struct names *names, const struct wm_annotated *annotated, const char *name, const struct wm_flow *caller)
{
	size_t at;
	uint32_t best = WM_NONE;
	int most = 0;
	WM_LOWER_BOUND(at, 0, names->count, strcmp(names->named[at].name, name) < 0);
	for (; at < names->count && strcmp(names->named[at].name, name) == 0; at++) {
		int own = fit(annotated->flows.flow[names->named[at].flow].function, caller->body);
		if (own > most) {
			most = own;
			best = names->named[at].flow;
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

static void add_call(struct wm_annotated *annotated, const struct names *names, uint32_t flow_index, uint32_t site)
{
	const struct wm_flow *flow = &annotated->flows.flow[flow_index];
	const struct wm_call *call = &flow->body->map->call[site];
	const struct wm_map_line place = call_place(flow->body->map, site);
	struct wm_annotated_file *file = find_file(annotated, flow->body, &place);
	const char *callee = wm_map_callee(flow->body->module, call);
	if (!file)
		return;
	WM_XGROW(file->call, file->call_count);
	file->call[file->call_count++] = (struct wm_line_call){.line = place.line,
		.flow = flow_index,
		.block = call->block,
		.callee = callee,
		.target = callee ? find_callee(names, annotated, callee, flow) : WM_NONE,
		.count = flow->block[call->block]};
}

static int by_call_line(const void *left, const void *right)
{
	const struct wm_line_call *a = left, *b = right;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->flow != b->flow)
		return a->flow < b->flow ? -1 : 1;
	return (a->block > b->block) - (a->block < b->block);
}

/* ---- Functions and sums --------------------------------------------------------------------------- */

static int by_line(const void *left, const void *right, void *flows)
{
	const struct wm_flow *flow = flows;
	const struct wm_map_function *a = flow[*(const uint32_t *)left].body->map, *b = flow[*(const uint32_t *)right].body->map;
	return (a->line > b->line) - (a->line < b->line);
}

static void add_function(struct wm_annotated *annotated, uint32_t index)
{
	const struct wm_flow *flow = &annotated->flows.flow[index];
	const struct wm_map_line definition = {flow->body->map->file, flow->body->map->line, 0};
	struct wm_annotated_file *file = find_file(annotated, flow->body, &definition);
	if (!file || !flow->first)
		return;
	WM_XGROW(file->function, file->function_count);
	file->function[file->function_count++] = index;
	if (!flow->known)
		return;
	for (uint32_t b = 0; b < flow->body->map->graph.block_count; b++)
		file->sums.blocks_ran += flow->block[b] != 0;
	file->sums.blocks += flow->body->map->graph.block_count;
	file->sums.functions++;
	file->sums.functions_ran += flow->function->state == WM_STORY_RAN;
	file->sums.paths_ran += flow->function->ran_count;
	file->sums.executions += flow->function->executions;
	file->sums.paths_possible += flow->function->possible.countable ? (double)flow->function->possible.count
									: pow(10, flow->function->possible.log10);
}

static void finish_file(struct wm_annotated *annotated, struct wm_annotated_file *file)
{
	finish_decisions(annotated, file);
	if (file->call_count)
		qsort(file->call, file->call_count, sizeof *file->call, by_call_line);
	if (file->function_count)
		qsort_r(file->function, file->function_count, sizeof *file->function, by_line, annotated->flows.flow);
	for (size_t i = 0; i < file->line_count; i++) {
		file->sums.lines += file->line[i].state != WM_LINE_UNCOUNTED;
		file->sums.lines_ran += file->line[i].state == WM_LINE_RAN;
	}
}

static void annotate_flow(
	struct wm_annotated *annotated, const struct names *names, uint32_t index, struct wm_sources *sources)
{
	const struct wm_flow *flow = &annotated->flows.flow[index];
	add_function(annotated, index);
	if (!flow->known)
		return;
	for (uint32_t b = 0; b < flow->body->map->graph.block_count && !is_elsewhere(flow); b++)
		add_decision(annotated, index, b, sources);
	for (uint32_t c = 0; c < flow->body->map->call_count; c++)
		add_call(annotated, names, index, c);
}

void wm_annotate(struct wm_annotated *annotated, const struct wm_story *story, const struct wm_function_filter *filter,
	struct wm_sources *sources)
{
	struct names names = {0};
	*annotated = (struct wm_annotated){.story = story};
	wm_flows_build(&annotated->flows, story);
	bool *wanted = wm_xmalloc(annotated->flows.count + 1);
	for (size_t i = 0; i < annotated->flows.count; i++)
		wanted[i] = wm_filter_passes(filter, annotated->flows.flow[i].body);
	collect_files(annotated, wanted);
	collect_lines(annotated, wanted);
	collect_names(&names, annotated);
	for (size_t i = 0; i < annotated->flows.count; i++)
		if (wanted[i])
			annotate_flow(annotated, &names, (uint32_t)i, sources);
	for (size_t i = 0; i < annotated->file_count; i++)
		finish_file(annotated, &annotated->file[i]);
	free(names.named);
	free(wanted);
}

void wm_annotated_release(struct wm_annotated *annotated)
{
	for (size_t i = 0; i < annotated->file_count; i++) {
		struct wm_annotated_file *file = &annotated->file[i];
		for (size_t d = 0; d < file->decision_count; d++)
			free(file->decision[d].outcome);
		free(file->line);
		free(file->decision);
		free(file->call);
		free(file->function);
	}
	free(annotated->file);
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
	const struct wm_source_origin origin = {file->origin->object->path, file->origin->module->directory};
	return wm_source_line(sources, file->name, line, &origin, length);
}

void wm_file_sums_add(struct wm_file_sums *into, const struct wm_file_sums *from)
{
	into->lines += from->lines;
	into->lines_ran += from->lines_ran;
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
