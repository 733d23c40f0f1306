/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A profile in the format of Callgrind, for callgrind_annotate and KCachegrind.  The event is the execution of a basic block,
 * which costs 1 at its first line.  A call has a record if its cost is known.
 */
#include "analysis/coverage/costs.h"
#include "support/printable.h"
#include "view/export/export.h"
#include <inttypes.h>
#include <stdlib.h>

/* A name ends at the end of its line. */
static void print_name(FILE *out, const char *key, const char *name)
{
	char *line = wm_one_line(name);
	fprintf(out, "%s=%s\n", key, line);
	free(line);
}

static void print_file(FILE *out, const char *key, const struct wm_story_function *function, uint32_t file)
{
	if (file >= function->module->file_count) {
		fprintf(out, "%s=???\n", key);
		return;
	}
	char *name = wm_absolute_file(function->module, file);
	print_name(out, key, name);
	free(name);
}

/* Around what is in another file than its function. */
static void enter_file(FILE *out, const struct wm_story_function *function, const struct wm_map_line *line)
{
	if (line && line->file != function->map->file)
		print_file(out, "fi", function, line->file);
}

static void leave_file(FILE *out, const struct wm_story_function *function, const struct wm_map_line *line)
{
	if (line && line->file != function->map->file)
		print_file(out, "fe", function, function->map->file);
}

static void print_place(FILE *out, const struct wm_story_function *function, const struct wm_cost_place *place)
{
	enter_file(out, function, place->line);
	fprintf(out, "%" PRIu32 " %" PRIu64 "\n", place->line ? place->line->line : 0, place->blocks);
	leave_file(out, function, place->line);
}

static void print_call(FILE *out, const struct wm_cost_call *call)
{
	const struct wm_map_line *place = wm_call_place(call->caller, call->site);
	enter_file(out, call->caller, place);
	print_name(out, "cob", call->callee->object->path);
	print_file(out, "cfi", call->callee, call->callee->map->file);
	print_name(out, "cfn", call->callee->display);
	fprintf(out, "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32 " %" PRIu64 "\n", call->count, call->callee->map->line,
		place ? place->line : 0, call->blocks);
	leave_file(out, call->caller, place);
}

static void print_node(FILE *out, const struct wm_costs *costs, uint32_t node, size_t *place)
{
	const struct wm_story_function *function = costs->node[node].function;
	fputc('\n', out);
	print_name(out, "ob", function->object->path);
	print_file(out, "fl", function, function->map->file);
	print_name(out, "fn", function->display);
	for (; *place < costs->place_count && costs->place[*place].node == node; ++*place)
		print_place(out, function, &costs->place[*place]);
}

/* The calls of a function follow its first node. */
static void print_calls(FILE *out, const struct wm_costs *costs)
{
	const struct wm_story_function *caller = NULL;
	for (size_t i = 0; i < costs->call_count; i++) {
		const struct wm_cost_call *call = &costs->call[i];
		if (!call->known)
			continue;
		if (call->caller != caller) {
			caller = call->caller;
			fputc('\n', out);
			print_name(out, "ob", caller->object->path);
			print_file(out, "fl", caller, caller->map->file);
			print_name(out, "fn", caller->display);
		}
		print_call(out, call);
	}
}

void wm_export_callgrind(const struct wm_export *export, FILE *out)
{
	size_t place = 0;
	fputs("# callgrind format\nversion: 1\ncreator: waymark " WM_VERSION
	      "\npositions: line\nevent: Blocks : executed basic blocks\nevents: Blocks\n",
		out);
	fprintf(out, "summary: %" PRIu64 "\n", export->costs->blocks);
	for (uint32_t n = 0; n < export->costs->node_count; n++)
		print_node(out, export->costs, n, &place);
	print_calls(out, export->costs);
	fprintf(out, "\ntotals: %" PRIu64 "\n", export->costs->blocks);
}
