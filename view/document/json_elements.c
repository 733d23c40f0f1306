/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/document/json_elements.h"
#include "analysis/tell/abandoned.h"
#include "analysis/tell/steps.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

json_t *wm_json_count_if(bool known, uint64_t number)
{
	return known ? wm_json_count(number) : json_null();
}

json_t *wm_json_share_if(bool known, uint64_t part, uint64_t whole)
{
	return known ? wm_json_checked(json_real(wm_share(part, whole))) : json_null();
}

void wm_json_possible(json_t *object, const struct wm_story_function *function)
{
	if (function->possible.countable)
		json_object_set_new(object, "paths_possible", json_integer((json_int_t)function->possible.count));
	else
		json_object_set_new(object, "paths_possible_log10", json_real(function->possible.log10));
}

void wm_json_loops(json_t *object, const struct wm_story_function *function)
{
	if (!function->loops.loop)
		return;
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < function->loops.count; i++) {
		const struct wm_story_loop *loop = &function->loops.loop[i];
		json_array_append_new(list, wm_json_checked(json_pack("{s:i, s:i, s:i, s:o}", "block", (int)loop->head,
						    "line", (int)wm_block_line(function, loop->head), "k", (int)loop->k,
						    "reason", wm_json_text(loop->reason ? loop->reason : ""))));
	}
	json_object_set_new(object, "loops", list);
}

json_t *wm_json_balance(const struct wm_balance *balance)
{
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "inherited",
		wm_json_count(balance->inherited), "entries", wm_json_count(balance->entries), "restarts",
		wm_json_count(balance->restarts), "resumed", wm_json_count(balance->resumed), "completed",
		wm_json_count(balance->completed), "abandoned", wm_json_count(balance->abandoned), "unfinished",
		wm_json_count(balance->unfinished)));
}

static void add_instances(json_t *object, const struct wm_story_function *function)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < function->instances.count; i++) {
		const struct wm_story_instance *instance = &function->instances.instance[i];
		json_array_append_new(
			list, wm_json_checked(json_pack("{s:o, s:o, s:o}", "name", wm_json_text(instance->map->name),
				      "demangled", wm_json_text(instance->display), "executions",
				      wm_json_count(instance->executions))));
	}
	json_object_set_new(object, "instances", list);
}

json_t *wm_json_function(const struct wm_story_function *function)
{
	const struct wm_map_function *map = function->map;
	bool told = function->state != WM_STORY_REFUSED && function->state != WM_STORY_SKIPPED;
	json_t *object = wm_json_checked(json_pack("{s:o, s:o, s:o, s:i, s:o, s:s, s:o, s:s, s:s, s:i, s:o}", "name",
		wm_json_text(map->name), "demangled", wm_json_text(function->display), "file",
		wm_json_optional(wm_story_file(function)), "line", (int)map->line, "scheme", wm_json_text(map->scheme),
		"status", wm_story_status(function), "reason", wm_json_text(wm_story_reason(function)), "cfg",
		wm_stage_text(map->stage), "update", wm_update_text(map->update), "blocks", (int)map->graph.block_count,
		"binary", wm_json_text(function->object->path)));
	if (function->state != WM_STORY_SKIPPED && function->possible.count)
		wm_json_possible(object, function);
	wm_json_loops(object, function);
	if (map->status == WM_SPLIT && function->possible.ids)
		json_object_set_new(object, "paths_observable", json_integer((json_int_t)function->possible.ids));
	json_object_set_new(object, "paths_executed", told ? wm_json_count(function->ran_count) : json_null());
	json_object_set_new(object, "executions", told ? wm_json_count(function->executions) : json_null());
	bool entered = told && !function->residual, balanced = entered && !function->across.unbalanced;
	json_object_set_new(object, "entries", entered ? wm_json_count(function->balance.entries) : json_null());
	json_object_set_new(object, "balance", balanced ? wm_json_balance(&function->balance) : json_null());
	json_object_set_new(object, "residual", json_boolean(function->residual));
	if (function->instances.count)
		add_instances(object, function);
	return object;
}

json_t *wm_json_lines(const struct wm_steps *steps)
{
	json_t *lines = wm_json_checked(json_array());
	const struct wm_source_step *last = NULL;
	for (size_t i = 0; i < steps->count; i++) {
		const struct wm_source_step *step = &steps->step[i];
		if (!step->line || (last && last->line == step->line && last->file == step->file))
			continue;
		last = step;
		char *text = wm_xprintf("%s:%u", step->file ? step->file : "?", step->line);
		json_array_append_new(lines, wm_json_text(text));
		free(text);
	}
	return lines;
}

void wm_json_condition(json_t *object, const struct wm_decision *decision)
{
	if (decision->condition[0])
		json_object_set_new(object, "condition", wm_json_text(decision->condition));
}

json_t *wm_json_decisions(const struct wm_steps *steps)
{
	json_t *decisions = wm_json_checked(json_array());
	for (size_t i = 0; i < steps->count; i++) {
		const struct wm_source_step *step = &steps->step[i];
		if (!step->decision.outcome[0])
			continue;
		json_t *decision = wm_json_checked(json_pack("{s:i, s:o, s:i, s:i, s:o}", "block", (int)step->block,
			"file", wm_json_optional(step->file), "line", (int)step->line, "column", (int)step->column,
			"outcome", wm_json_text(step->decision.outcome)));
		wm_json_condition(decision, &step->decision);
		if (wm_story_crosses_calls(step->function))
			json_object_set_new(decision, "function", wm_json_text(step->function->map->name));
		json_array_append_new(decisions, decision);
	}
	return decisions;
}

json_t *wm_json_blocks(const struct wm_trail *trail)
{
	json_t *list = wm_json_checked(json_array());
	for (uint32_t i = 0; i < trail->count; i++)
		if (trail->step[i].kind == WM_TRAIL_BLOCK)
			json_array_append_new(list, json_integer(trail->step[i].block));
	return list;
}

json_t *wm_json_trail(const struct wm_story_function *function, const struct wm_trail *trail, struct wm_steps *steps)
{
	wm_steps_build(steps, &function, trail);
	return wm_json_checked(json_pack("{s:o, s:o, s:s, s:s, s:o}", "blocks", wm_json_blocks(trail), "lines",
		wm_json_lines(steps), "start", wm_start_text(trail->start), "end", wm_end_text(trail->end), "decisions",
		wm_json_decisions(steps)));
}

static json_t *block_text(
	const struct wm_story_function *const *body, const struct wm_trail_frame *frame, uint32_t block)
{
	char *text = wm_story_block_name(body, frame, block);
	json_t *value = wm_json_text(text);
	free(text);
	return value;
}

/* FUNCTION:BLOCK, "(" or ")". */
static json_t *step_text(
	const struct wm_story_function *const *body, const struct wm_trail *trail, const struct wm_trail_step *step)
{
	if (step->kind != WM_TRAIL_BLOCK)
		return wm_json_text(step->kind == WM_TRAIL_CALL ? "(" : ")");
	const struct wm_trail_frame own = {.function = step->function};
	return block_text(body, trail->frame ? &trail->frame[step->frame] : &own, step->block);
}

static json_t *step_list(
	const struct wm_story_function *const *body, const struct wm_trail *trail, uint32_t first, uint32_t end)
{
	json_t *list = wm_json_checked(json_array());
	for (uint32_t i = first; i < end; i++)
		json_array_append_new(list, step_text(body, trail, &trail->step[i]));
	return list;
}

/* The callers to which the path returns although it does not have their calls. */
static json_t *return_list(const struct wm_story_function *const *body, const struct wm_trail *trail)
{
	json_t *list = wm_json_checked(json_array());
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		const struct wm_trail_frame own = {.function = step->function};
		if (step->lone)
			json_array_append_new(
				list, wm_json_checked(json_pack("{s:i, s:o, s:i}", "index", (int)i, "block",
					      block_text(body, &own, step->block), "position",
					      (int)body[step->function]->map->call[step->site].position)));
	}
	return list;
}

/* The calls that are open where a trail of original functions begins. */
static json_t *open_calls(const struct wm_story_function *const *body, const struct wm_trail *original)
{
	json_t *list = wm_json_checked(json_array());
	const struct wm_trail_frame *frame = &original->frame[original->first];
	for (; frame->parent != WM_NONE; frame = &original->frame[frame->parent]) {
		json_array_insert_new(list, 0, wm_json_text("("));
		json_array_insert_new(list, 0, block_text(body, &original->frame[frame->parent], frame->block));
	}
	return list;
}

/* "path", "context": the calls that are open where the path begins, and "returns", where the path goes through calls.  The
 * calls that it crosses, and those that were inlined, are calls of the same kind. */
static void add_path(
	json_t *object, const struct wm_story_function *function, const struct wm_trail *trail, struct wm_arena *arena)
{
	const struct wm_story_function *const *body = wm_story_bodies(&function);
	const struct wm_story_unit *unit = wm_story_unit_of(function);
	struct wm_trail original;
	if (wm_story_is_inlined(body, trail)) {
		wm_story_original(body, trail, &original, arena);
		json_object_set_new(object, "context", open_calls(body, &original));
		json_object_set_new(object, "path", step_list(body, &original, 0, original.count));
		return;
	}
	if (unit && !unit->binary->scheme->pieces)
		json_object_set_new(object, "context", step_list(body, trail, 0, trail->fresh));
	if (unit)
		json_object_set_new(object, "path", step_list(body, trail, trail->fresh, trail->count));
	if (unit && unit->binary->scheme->pieces)
		json_object_set_new(object, "returns", return_list(body, trail));
}

/* The indices at which iterations begin, or of loop heads in a later iteration, and `fresh`. */
static void add_parts(json_t *object, const struct wm_plan *plan, const struct wm_trail *trail)
{
	bool contexts = plan->scheme && plan->scheme->contexts;
	if (!plan->iterations && !contexts)
		return;
	json_t *list = wm_json_checked(json_array());
	for (uint32_t i = 0; i < trail->count; i++)
		if (trail->step[i].again)
			json_array_append_new(list, json_integer(i));
	json_object_set_new(object, contexts ? "again" : "iterations", list);
	json_object_set_new(object, "fresh", json_integer(trail->fresh));
}

/* "blocks", and "to": where the edge leads with which the path ends. */
static void add_blocks(json_t *object, const struct wm_story_function *const *body, const struct wm_trail *trail)
{
	const struct wm_trail_step *last = &trail->step[trail->last];
	json_object_set_new(object, "blocks", wm_json_blocks(trail));
	if (last->edge != WM_NONE)
		json_object_set_new(object, "to", json_integer(body[last->function]->map->graph.edge_to[last->edge]));
}

static json_t *path_with(json_t *object, const struct wm_story_function *function, const struct wm_story_path *path)
{
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_story_decode(function, path->id, &trail, &arena);
	add_blocks(object, wm_story_bodies(&function), &trail);
	add_parts(object, wm_story_plan(function), &trail);
	add_path(object, function, &trail, &arena);
	wm_arena_release(&arena);
	return object;
}

/* "callee" and "line" of the call in which it stands; null if they are not known. */
static void add_call(
	json_t *object, const struct wm_story_function *function, const struct wm_story_unfinished *unfinished)
{
	uint32_t call = wm_story_site_call(unfinished->site),
		 lines = call == WM_NONE ? 0 : wm_call_line(function->map, call);
	const struct wm_map_block *block = &function->map->block[unfinished->block];
	const char *callee = call == WM_NONE ? NULL : wm_map_callee(function->module, &function->map->call[call]);
	json_object_set_new(object, "callee", wm_json_optional(callee));
	json_object_set_new(object, "line", lines ? json_integer(block->line[lines - 1].line) : json_null());
}

json_t *wm_json_path(const struct wm_story_function *function, const struct wm_story_path *path)
{
	const struct wm_story_unfinished *unfinished = wm_story_unfinished(function, path->id);
	json_t *object = path_with(wm_json_checked(json_pack("{s:o, s:o, s:s, s:s}", "id",
					   wm_json_count_if(!(path->id & WM_STORY_UNFINISHED), path->id), "count",
					   wm_json_count(path->count), "start", wm_start_text(path->start), "end",
					   wm_end_text(path->end))),
		function, path);
	if (unfinished)
		add_call(object, function, unfinished);
	return object;
}

json_t *wm_json_unfinished(const struct wm_story_function *function, const struct wm_story_unfinished *unfinished)
{
	json_t *object = path_with(
		wm_json_checked(json_pack("{s:o, s:s, s:s}", "count", wm_json_count(unfinished->path.count), "start",
			wm_start_text(unfinished->path.start), "end", wm_end_text(unfinished->path.end))),
		function, &unfinished->path);
	add_call(object, function, unfinished);
	return object;
}

void wm_json_expand(json_t *object, const struct wm_story_function *function, uint64_t id, struct wm_steps *steps)
{
	struct wm_path_ends ends;
	wm_steps_tell(steps, function, id, &ends);
	json_object_set_new(object, "lines", wm_json_lines(steps));
	json_object_set_new(object, "decisions", wm_json_decisions(steps));
}

/* The steps of a block that is left on an edge; WM_NONE: without what it decides. */
static void tell_block(struct wm_steps *steps, const struct wm_story_function *function, uint32_t block, uint32_t edge)
{
	struct wm_trail_step step = {.kind = WM_TRAIL_BLOCK, .block = block, .site = WM_NONE, .edge = edge};
	wm_steps_clear(steps);
	wm_steps_append(steps, function, &(struct wm_trail){.count = 1, .step = &step, .cut = WM_NONE}, 0, WM_WAY_ON);
}

/* The outcome of a decision before the block `to`, with the condition of which it is told. */
static json_t *outcome_object(const json_t *told, uint32_t to)
{
	json_t *object =
		wm_json_checked(json_pack("{s:i, s:O}", "to", (int)to, "outcome", json_object_get(told, "outcome")));
	json_t *condition = json_object_get(told, "condition");
	if (condition)
		json_object_set(object, "condition", condition);
	return object;
}

/* What a path says of a decision without its outcome, and "outcomes": the outcome for each block that follows.  Null: the
 * block decides nothing. */
static json_t *decision_object(const struct wm_story_function *function, uint32_t block, struct wm_steps *steps)
{
	const struct wm_graph *graph = &function->map->graph;
	json_t *decision = NULL, *outcomes = wm_json_checked(json_array());
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++) {
		tell_block(steps, function, block, e);
		json_t *told = wm_json_decisions(steps), *first = json_array_get(told, 0);
		if (first)
			json_array_append_new(outcomes, outcome_object(first, graph->edge_to[e]));
		if (first && !decision)
			decision = json_incref(first);
		json_decref(told);
	}
	if (!decision) {
		json_decref(outcomes);
		return json_null();
	}
	json_object_del(decision, "block");
	json_object_del(decision, "function");
	json_object_del(decision, "outcome");
	json_object_del(decision, "condition");
	json_object_set_new(decision, "outcomes", outcomes);
	return decision;
}

void wm_json_print_blocks(const struct wm_story_function *function, struct wm_steps *steps, FILE *out)
{
	fputs(",\"block\":[", out);
	for (uint32_t b = 0; function->state == WM_STORY_RAN && b < function->map->graph.block_count; b++) {
		tell_block(steps, function, b, WM_NONE);
		json_t *lines = wm_json_lines(steps);
		fputs(b ? ",\n  " : "\n  ", out);
		wm_json_dump(wm_json_checked(json_pack(
				     "{s:o, s:o}", "lines", lines, "decision", decision_object(function, b, steps))),
			out, JSON_COMPACT);
	}
	fputc(']', out);
}

void wm_json_sighting(json_t *object, const struct wm_story_function *function, const struct wm_story_path *path)
{
	if (!function->residual)
		return;
	bool known = path->first_seen && path->first_seen <= INT64_MAX && path->pid <= INT64_MAX;
	json_object_set_new(object, "first_seen", known ? wm_json_count(path->first_seen) : json_null());
	json_object_set_new(object, "pid", known ? wm_json_count(path->pid) : json_null());
}

json_t *wm_json_objects(const struct wm_story *story)
{
	json_t *objects = wm_json_checked(json_array());
	for (size_t i = 0; i < story->object_count; i++) {
		const struct wm_object *object = &story->object[i];
		char id[2 * WM_BUILD_ID_MAX + 1];
		wm_build_id_text(object->build_id, object->build_id_size, id);
		bool counted = wm_profile_find_object(story->profile, object->build_id, object->build_id_size);
		json_array_append_new(objects,
			wm_json_checked(json_pack("{s:o, s:o, s:s, s:b}", "path", wm_json_text(object->path), "program",
				wm_json_text(object->program), "build_id", id, "in_profile", counted)));
	}
	return objects;
}

void wm_json_scope(json_t *document, const struct wm_function_filter *filter, const struct wm_story *story)
{
	struct wm_unscoped left = {0};
	wm_unscoped_add(&left, filter, story);
	bool all = !filter->scope || filter->scope->mode == WM_SCOPE_ALL;
	json_object_set_new(document, "scope",
		wm_json_checked(json_pack("{s:s, s:o, s:{s:o, s:o, s:o, s:o, s:o, s:o, s:o}}", "mode",
			all ? "all" : "project", "root",
			wm_json_optional(filter->scope ? wm_scope_directory(filter->scope) : NULL), "left_out",
			"functions", wm_json_count(left.count), "system_headers",
			wm_json_count(left.of[WM_SCOPE_SYSTEM]), "other_directories",
			wm_json_count(left.of[WM_SCOPE_OUTSIDE]), "third_party",
			wm_json_count(left.of[WM_SCOPE_THIRD_PARTY]), "tests", wm_json_count(left.of[WM_SCOPE_TEST]),
			"excluded", wm_json_count(left.of[WM_SCOPE_EXCLUDED]), "ignored",
			wm_json_count(left.of[WM_SCOPE_IGNORED]))));
}

json_t *wm_json_refused(const struct wm_story_refusal *list, size_t count)
{
	json_t *refused = wm_json_checked(json_array());
	for (size_t i = 0; i < count; i++)
		json_array_append_new(refused,
			wm_json_checked(json_pack("{s:o, s:o, s:o}", "name", wm_json_text(list[i].name), "reason",
				wm_json_text(list[i].reason), "binary", wm_json_optional(list[i].binary))));
	return refused;
}

json_t *wm_json_notes(char *const *list, size_t count)
{
	json_t *notes = wm_json_checked(json_array());
	for (size_t i = 0; i < count; i++)
		json_array_append_new(notes, wm_json_text(list[i]));
	return notes;
}

void wm_json_stopped(json_t *document, struct wm_stops stops)
{
	json_object_set_new(document, "stopped_early", json_boolean(stops.count));
	if (stops.count)
		json_object_set_new(document, "stopped_because", wm_json_notes(stops.reason, stops.count));
	wm_stops_release(&stops);
}
