/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark show: lists instrumented functions, from the maps alone. */
#include "cmd/cmd_show.h"
#include "analysis/tell/steps.h"
#include "cmd/commands.h"
#include "cmd/report_options.h"
#include "policy/check_names.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/document/json_elements.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark show [options] BINARY...\n"
			    "\n"
			    "Prints for every function the number of blocks and possible paths, the scheme, the\n"
			    "graph, and whether it is exact, split or skipped, and why.  A binary is a program,\n"
			    "a shared object, an object file or an archive.\n";

struct show_options {
	struct wm_report_options common;
	bool cfg, dot, calls;
	const char *path;
	const char *probes;
	const char *interesting;
	struct wm_show_preview across;
	char **binary;
	size_t binary_count;
	struct wm_units *units; /* per binary */
};

static const struct wm_units *units_of(
	const struct wm_story *story, const struct show_options *show, const struct wm_story_function *function)
{
	return &show->units[function->object - story->object];
}

static int by_place(const void *left, const void *right)
{
	return wm_story_by_place(left, right);
}

static void print_loops(const struct wm_story_function *function)
{
	for (size_t i = 0; i < function->loops.count; i++) {
		const struct wm_story_loop *loop = &function->loops.loop[i];
		uint32_t line = wm_block_line(function, loop->head);
		printf("%9sloop at %s %u: %u iteration%s%s%s\n", "", line ? "line" : "block", line ? line : loop->head,
			loop->k, loop->k == 1 ? "" : "s", loop->reason ? "; " : "", loop->reason ? loop->reason : "");
	}
}

/* Functions in system headers that are not instrumented are many: only those that the user asks for are listed. */
static bool is_unlisted(const struct wm_story_function *function, const struct wm_report_options *options)
{
	return wm_in_system_header(function) && !options->all && !options->filter.function &&
	       !options->filter.files.only.count;
}

static void print_unlisted(size_t count)
{
	if (count)
		printf("\n%s function%s in system headers %s not instrumented (--all names %s; "
		       "-fwaymark-system-headers instruments %s)\n",
			wm_thousands(count), wm_plural(count), count == 1 ? "is" : "are", count == 1 ? "it" : "them",
			count == 1 ? "it" : "them");
}

static void print_table(const struct wm_story *story, const struct show_options *show)
{
	const struct wm_report_options *options = &show->common;
	size_t counts[3] = {0}, refused = 0, unlisted = 0;
	printf("%-8s %7s %12s  %-10s %-9s %-6s  function\n", "status", "blocks", "paths", "scheme", "graph", "update");
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		const struct wm_map_function *map = function->map;
		const char *file = wm_story_file(function), *reason = wm_story_reason(function);
		if (!wm_filter_passes(&options->filter, function))
			continue;
		if (is_unlisted(function, options)) {
			unlisted++;
			continue;
		}
		bool skipped = map->status == WM_SKIPPED;
		printf("%-8s %7s %12s  %-10s %-9s %-6s  %s", wm_story_status(function),
			map->graph.block_count ? wm_thousands(map->graph.block_count) : "-",
			skipped || !function->possible.count ? "-" : wm_possible_text(function), map->scheme,
			wm_stage_text(map->stage), skipped ? "-" : wm_update_text(map->update), function->brief);
		if (file && map->line)
			printf("  %s:%u", wm_short_file(file), map->line);
		printf("%s%s%s\n", *reason ? "  (" : "", reason, *reason ? ")" : "");
		print_loops(function);
		if (show->calls)
			wm_show_calls(function, units_of(story, show, function));
		if (function->refusal)
			refused++;
		else
			counts[map->status]++;
	}
	printf("\n%zu exact, %zu split, %zu skipped", counts[WM_EXACT], counts[WM_SPLIT], counts[WM_SKIPPED]);
	if (refused)
		printf(", %zu refused", refused);
	putchar('\n');
	print_unlisted(unlisted);
	for (size_t i = 0; i < story->object_count; i++)
		wm_show_numbering(&story->object[i], &show->units[i]);
}

/* A hash is a string, because many JSON readers cannot represent integers of 64 bits. */
static void set_hash(json_t *object, const char *name, uint64_t hash)
{
	char text[20];
	snprintf(text, sizeof text, "%016" PRIx64, hash);
	json_object_set_new(object, name, json_string(text));
}

static void print_json(const struct wm_story *story, const struct show_options *show)
{
	const struct wm_report_options *options = &show->common;
	json_t *document = wm_json_document("show"), *list = json_array();
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		const struct wm_map_function *map = function->map;
		const char *file = wm_story_file(function);
		if (!wm_filter_passes(&options->filter, function))
			continue;
		json_t *object = json_object();
		json_object_set_new(object, "name", wm_json_text(map->name));
		json_object_set_new(object, "demangled", wm_json_text(function->display));
		json_object_set_new(object, "file", file ? wm_json_text(file) : json_null());
		json_object_set_new(object, "line", json_integer(map->line));
		json_object_set_new(object, "scheme", wm_json_text(map->scheme));
		json_object_set_new(object, "cfg", json_string(wm_stage_text(map->stage)));
		json_object_set_new(object, "update", json_string(wm_update_text(map->update)));
		json_object_set_new(object, "status", json_string(wm_story_status(function)));
		json_object_set_new(object, "reason", wm_json_text(wm_story_reason(function)));
		json_object_set_new(object, "blocks", json_integer(map->graph.block_count));
		json_object_set_new(object, "edges", json_integer(map->graph.edge_count));
		json_object_set_new(object, "binary", wm_json_text(function->object->path));
		set_hash(object, "key", map->key);
		set_hash(object, "graph_hash", map->graph_hash);
		if (map->status != WM_SKIPPED && function->possible.count)
			wm_json_possible(object, function);
		wm_json_loops(object, function);
		wm_show_numbering_json(object, function, units_of(story, show, function));
		if (show->calls)
			json_object_set_new(
				object, "calls", wm_show_calls_json(function, units_of(story, show, function)));
		if (show->calls && map->inlined)
			json_object_set_new(object, "inlined", wm_show_inlined_json(function));
		json_array_append_new(list, object);
	}
	json_object_set_new(document, "functions", list);
	wm_json_print(document);
}

static bool depth_first(const struct wm_story_function *function, struct wm_dfs *dfs, struct wm_arena *arena)
{
	return function->map->graph.block_count && wm_dfs_run(dfs, &function->map->graph, arena) == WM_OK;
}

/* Graph text allows letters, digits and _ . $ only. */
static void print_cfg_name(const char *name)
{
	for (; *name; name++)
		putchar(isalnum((unsigned char)*name) || strchr("_.$", *name) ? *name : '_');
}

/* Where the failures of checks are, as comments of graph text. */
static void print_failures(const struct wm_map_function *map, uint32_t block)
{
	const struct wm_graph *graph = &map->graph;
	for (uint32_t e = graph->first_edge[block]; map->failure && e < graph->first_edge[block + 1]; e++) {
		char names[WM_CHECK_NAMES_SIZE];
		if (map->failure[e])
			printf("# b%u -> b%u fails: %s\n", block, graph->edge_to[e],
				wm_check_names(map->failure[e], names));
	}
}

static void print_cfg(const struct wm_story_function *function)
{
	const struct wm_graph *graph = &function->map->graph;
	struct wm_arena arena;
	struct wm_dfs dfs;
	wm_arena_init(&arena);
	if (!depth_first(function, &dfs, &arena)) {
		printf("# function %s: skipped, %s\n", function->map->name, wm_story_reason(function));
		wm_arena_release(&arena);
		return;
	}
	if (strcmp(function->display, function->map->name) != 0)
		printf("# %s\n", function->display);
	printf("function ");
	print_cfg_name(function->map->name);
	putchar('\n');
	for (uint32_t b = 0; b < graph->block_count; b++) {
		if (dfs.position[b] == WM_NONE)
			continue;
		printf("b%u", b);
		for (uint32_t e = graph->first_edge[b]; e < graph->first_edge[b + 1]; e++)
			printf("%s b%u", e == graph->first_edge[b] ? " ->" : "", graph->edge_to[e]);
		putchar('\n');
		print_failures(function->map, b);
	}
	wm_arena_release(&arena);
}

static void print_dot_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
}

/* "12-14, 20": the lines of a block, with consecutive lines as a range. */
static void print_dot_lines(const struct wm_map_block *block)
{
	uint32_t last = 0, shown = 0;
	for (uint32_t i = 0; i < block->line_count; i++) {
		uint32_t line = block->line[i].line, end = line;
		if (!line || line == last)
			continue;
		while (i + 1 < block->line_count && block->line[i + 1].line - end <= 1)
			end = block->line[++i].line;
		if (shown++ == 6) {
			printf(", ...");
			return;
		}
		printf("%s%u", shown > 1 ? ", " : "\\nline ", line);
		if (end > line)
			printf("-%u", end);
		last = end;
	}
}

static void print_dot_block(
	const struct wm_story_function *function, const struct wm_dfs *dfs, size_t number, uint32_t b)
{
	const struct wm_graph *graph = &function->map->graph;
	static const char *const shapes[] = {[WM_END_RETURN] = ", peripheries=2",
		[WM_END_NORETURN] = ", style=\"rounded,filled\", fillcolor=mistyrose",
		[WM_END_UNWIND] = ", style=\"rounded,filled\", fillcolor=lightyellow"};
	uint8_t end = graph->end[b];
	printf("    f%zu_b%u [label=\"%u", number, b, b);
	print_dot_lines(&function->map->block[b]);
	printf("\"%s];\n", end <= WM_END_UNWIND && shapes[end] ? shapes[end] : "");
	for (uint32_t e = graph->first_edge[b]; e < graph->first_edge[b + 1]; e++) {
		char outcome[WM_OUTCOME_MAX];
		wm_outcome_text(function, b, e, outcome);
		printf("    f%zu_b%u -> f%zu_b%u [label=\"", number, b, number, graph->edge_to[e]);
		print_dot_text(outcome);
		printf("\"%s];\n", dfs->back_edge[e] ? ", style=dashed, constraint=false" : "");
	}
}

static void print_dot(const struct wm_story_function *function, size_t number)
{
	struct wm_arena arena;
	struct wm_dfs dfs;
	wm_arena_init(&arena);
	if (depth_first(function, &dfs, &arena)) {
		printf("  subgraph cluster_%zu {\n    label=\"", number);
		print_dot_text(function->display);
		printf("\";\n");
		for (uint32_t b = 0; b < function->map->graph.block_count; b++)
			if (dfs.position[b] != WM_NONE)
				print_dot_block(function, &dfs, number, b);
		printf("  }\n");
	}
	wm_arena_release(&arena);
}

static void print_graphs(const struct wm_story *story, const struct show_options *options)
{
	if (options->dot)
		printf("digraph waymark {\n  fontname=\"sans-serif\";\n  node [shape=box, style=rounded, "
		       "fontname=\"sans-serif\", fontsize=10];\n"
		       "  edge [fontname=\"sans-serif\", fontsize=9];\n");
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		if (!wm_filter_passes(&options->common.filter, function))
			continue;
		if (options->dot)
			print_dot(function, i);
		else
			print_cfg(function);
	}
	if (options->dot)
		printf("}\n");
}

static void parse(struct show_options *options, int argc, char **argv)
{
	struct wm_report_options *common = &options->common;
	const struct wm_option own[] = {
		WM_TEXT("function", &common->filter.function, "NAME",
			"print only functions with this name, or a glob such as 'parse_*'"),
		WM_TEXT("path", &options->path, "FUNCTION:ID",
			"print the source lines and decisions of one path, whether it was\n"
			"executed or not; the options about sources and colours apply to it"),
		WM_TEXT("interesting", &options->interesting, "FILE",
			"print how densely the paths of this profile can be numbered: delta of\n"
			"the acyclic, the published and Waymark's numbering",
			WM_RARE),
		WM_TEXT("probes", &options->probes, "FUNCTION",
			"print the probe program of a function, placed with estimated weights", WM_RARE),
		WM_FLAG("all", &common->all, "list functions in system headers that are not instrumented, too"),
		WM_FLAG("calls", &options->calls, "list the call sites of every function too"),
		WM_TEXT("scheme", &options->across.scheme, "SCHEME",
			"with --calls: which calls of the whole program this scheme of\n"
			"paths across calls would cross, and why not the others",
			WM_RARE),
		WM_TEXT("weights", &options->across.weights, "PROFILE",
			"with --scheme: cross the calls that ran most often first; without\n"
			"it, frequencies are estimated",
			WM_RARE),
		WM_TEXT("profile", &options->across.profile, "PROFILE",
			"with --scheme: how many of the calls that ran are crossed", WM_RARE),
		WM_FLAG("cfg", &options->cfg, "print graphs as graph text, for `waymark number`"),
		WM_FLAG("dot", &options->dot, "print graphs for Graphviz, with source lines"),
		WM_FLAG("json", &common->json, "print JSON (schema waymark.show/1)"),
		{0},
	};
	int first = wm_report_parse(common, usage, own, argc, argv);
	options->binary = argv + first;
	options->binary_count = (size_t)(argc - first);
	if (options->probes)
		common->filter.function = options->probes;
	if (!options->binary_count)
		wm_fail("no binary was given, as in `waymark show ./app`");
	if (options->cfg + options->dot + options->common.json > 1)
		wm_fail("only one of --cfg, --dot and --json can be given");
	if (options->calls &&
		(options->cfg || options->dot || options->path || options->probes || options->interesting))
		wm_fail("--calls cannot be combined with --cfg, --dot, --path, --probes or --interesting");
	if (options->across.scheme ? !options->calls : options->across.weights || options->across.profile)
		wm_fail("--scheme needs --calls, and --weights and --profile need --scheme, as in `waymark show "
			"--calls "
			"--scheme piecewise ./app`");
	options->across.common = common;
	if (options->interesting && (options->cfg || options->dot || options->path))
		wm_fail("--interesting cannot be combined with --cfg, --dot or --path");
	if (options->probes && (options->cfg || options->dot || options->path || options->common.json))
		wm_fail("--probes cannot be combined with --cfg, --dot, --path or --json");
	if (options->path && (options->cfg || options->dot || options->common.filter.function))
		wm_fail("--path cannot be combined with --cfg, --dot or --function");
}

static void show_maps(const struct show_options *options, struct wm_object *objects, size_t object_count)
{
	struct wm_story story;
	wm_story_build_bare(&story, objects, object_count);
	wm_report_need_wanted(&story, &options->common);
	qsort(story.function, story.function_count, sizeof *story.function, by_place);
	if (options->path)
		wm_show_path(&story, options->path, &options->common);
	else if (options->probes)
		wm_show_probes(&story, &options->common);
	else if (options->across.scheme)
		wm_show_preview(&story, &options->across);
	else if (options->cfg || options->dot)
		print_graphs(&story, options);
	else if (options->common.json)
		print_json(&story, options);
	else
		print_table(&story, options);
	wm_story_release(&story);
}

int wm_cmd_show(int argc, char **argv)
{
	struct show_options options = {0};
	struct wm_arena arena;
	parse(&options, argc, argv);
	wm_arena_init(&arena);
	struct wm_object *objects = wm_xmalloc(options.binary_count * sizeof *objects);
	size_t object_count =
		wm_objects_need(objects, options.binary, options.binary_count, options.common.debug_dir, &arena);
	options.units = wm_xmalloc(options.binary_count * sizeof *options.units);
	for (size_t i = 0; i < object_count; i++)
		wm_units_read(&options.units[i], &objects[i], &arena);
	wm_report_scope(&options.common, true, objects, object_count);
	if (options.interesting)
		wm_show_interesting((char *)options.interesting, objects, object_count, &options.common);
	else
		show_maps(&options, objects, object_count);
	for (size_t i = 0; i < object_count; i++)
		wm_object_release(&objects[i]);
	wm_scope_release(&options.common.scope);
	free(options.units);
	free(objects);
	wm_arena_release(&arena);
	return 0;
}
