/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/commands.h"
#include "cmd/number_unit.h"
#include "core/preferential/linear.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/option_table.h"
#include "support/standard_output.h"
#include "view/dev/paths.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark dev number [options] GRAPH.cfg\n"
			    "\n"
			    "Numbers the paths of every function of a graph file.  Prints the number of paths,\n"
			    "the value of every edge and, with --list, every path with its id.  '-' stands for\n"
			    "standard input.\n";

/* More paths than this are listed only with --limit. */
#define LIST_DEFAULT 1000000

static void check_options(const struct wm_number_options *options)
{
	bool preferential = options->choice.scheme->interesting, crosses = options->choice.scheme->crosses;
	if (preferential && !options->interesting_path)
		wm_fail("--scheme preferential needs --interesting FILE");
	if (!preferential && options->interesting_path)
		wm_fail("--interesting can be used only with --scheme preferential");
	if (crosses && options->coding)
		wm_fail("--coding cannot be used with --scheme %s; use acyclic or preferential", options->scheme);
	if (crosses && options->after)
		wm_fail("--after cannot be used with --scheme %s, whose probes are made in one pass", options->scheme);
	if (options->coding && options->numbering == WM_NUMBER_LINEAR)
		wm_fail("--coding cannot be used with --numbering linear; it shows the published numbering");
	wm_check_inline_option(options->inline_copies, options->scheme, &options->choice);
}

static void print_lists(void)
{
	wm_print_schemes();
	puts("\npasses, in the order in which they run:");
	for (uint32_t i = 0; i < wm_pass_count; i++)
		printf("  %-18s %s\n", wm_pass_name(i), wm_pass_summary(i));
}

static const char *parse_options(struct wm_number_options *options, int argc, char **argv)
{
	static const char *const numberings[] = {
		[WM_NUMBER_PUBLISHED] = "published", [WM_NUMBER_LINEAR] = "linear", NULL};
	const struct wm_option own[] = {
		WM_TEXT("scheme", &options->scheme, "NAME", "which paths are observed (acyclic)"),
		WM_FLAG("list", &options->list, "list the paths"),
		WM_NUMBER("limit", &options->limit, "list the first N paths of a function; implies --list"),
		WM_TEXT("interesting", &options->interesting_path, "FILE",
			"for --scheme preferential: the interesting paths, one per\n"
			"line, as block names or as an acyclic id"),
		WM_CHOICE(
			"numbering", &options->numbering, "WHICH", numberings, "published or linear (linear)", WM_RARE),
		WM_FLAG("coding", &options->coding,
			"show the numbering as an arithmetic coder: the model, and every\n"
			"listed path encoded and decoded; implies --list",
			WM_RARE),
		WM_FLAG("probes", &options->probes, "print the probe program that counts the paths"),
		WM_TEXT("after", &options->after, "PASS",
			"print the probe program as it is after PASS; implies --probes", WM_RARE),
		WM_INLINE_OPTION(&options->inline_copies),
		WM_NUMBER(
			"max-paths", &options->max_paths, "cut the graph until it has at most N paths (2^63)", WM_RARE),
		WM_FLAG("json", &options->json, "print JSON (schema waymark.number/1)"),
		{0},
	};
	int first =
		wm_parse_options(&(struct wm_syntax){.usage = usage, .table = {own}, .more = print_lists}, argc, argv);
	if (argc - first != 1)
		wm_fail("expected one graph file, found %d; see waymark number --help", argc - first);
	options->list |= options->limit > 0 || options->coding;
	options->probes |= options->after != NULL;
	wm_scheme_option(options->scheme, &options->choice);
	check_options(options);
	/* With --max-paths the graph is cut, so paths are not named by sequences. */
	options->choice.sequences = options->max_paths == 0;
	return argv[first];
}

static void count_loops(struct wm_numbered *n)
{
	const struct wm_graph *graph = n->plan.graph;
	if (wm_loops_run(&n->loops, graph, &n->plan.dfs, &n->arena) != WM_OK)
		wm_no_memory();
	for (uint32_t i = 0; i < n->loops.count; i++)
		n->irreducible += n->loops.loop[i].irreducible;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		n->back_edges += n->plan.dfs.back_edge[e];
}

/* If both sums fit one register, they are packed into it.  Otherwise the probe program is that of the acyclic
 * values. */
static void place_probes(struct wm_numbered *n)
{
	struct wm_graph_probes values;
	enum wm_status status = WM_OK;
	wm_counting_plain(&n->probes.counting, &n->plan, WM_GRAPH_ARRAY_PATHS);
	n->probes.counting.set = n->set;
	if (n->one_register)
		status = wm_counting_use_packed(&n->probes.counting, &n->plan, &n->numbering, WM_PACK_LIMIT, &n->arena);
	if (n->parts)
		wm_counting_stream(&n->probes.counting, &n->plan);
	if (status != WM_OK)
		wm_bug("cannot place the probes of function '%s'", n->function->name);
	values.counting = n->probes.counting;
	struct wm_graph_placing how = {.parts = n->parts, .placement = WM_PLACE_OPTIMAL, .after = "values"};
	wm_graph_place(&values, &n->plan, &how, &n->arena);
	n->probe_count = values.program.probe_count;
	how.after = n->options->after;
	if (n->options->probes)
		wm_graph_place(&n->probes, &n->plan, &how, &n->arena);
}

static void map_edges(struct wm_numbered *n)
{
	const struct wm_dag *dag = &n->plan.dag;
	n->dag_edge = WM_NEW(&n->arena, uint32_t, n->plan.graph->edge_count);
	if (!n->dag_edge)
		wm_no_memory();
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (dag->edge[e].cfg_edge != WM_NONE)
			n->dag_edge[dag->edge[e].cfg_edge] = e;
}

static uint64_t paths_to_list(const struct wm_numbered *n)
{
	uint64_t paths = n->plan.numbering.path_count, limit = n->options->limit;
	if (!n->options->list)
		return 0;
	if (wm_plan_has_pieces(&n->plan))
		wm_fail("function '%s' has about 10^%.1f paths, too many to list; choose fewer iterations",
			n->function->name, n->plan.log10_paths);
	if (limit == 0 && paths > LIST_DEFAULT && n->preferential)
		return n->set.count;
	if (limit == 0 && paths > LIST_DEFAULT)
		wm_fail("function '%s' has %" PRIu64 " paths; list the first N of them with --limit N",
			n->function->name, paths);
	return limit && limit < paths ? limit : paths;
}

static enum wm_status number_set(struct wm_numbered *n)
{
	if (n->options->numbering == WM_NUMBER_PUBLISHED || n->options->coding)
		return wm_preferential_published(&n->numbering, &n->plan, &n->set, &n->arena);
	return wm_preferential_linear(&n->numbering, &n->plan, &n->set, &n->arena);
}

static void number_preferential(struct wm_numbered *n)
{
	wm_interesting_set(&n->options->interesting, n->function, &n->plan, &n->set, &n->arena);
	enum wm_status status = number_set(n);
	if (status == WM_TOO_MANY)
		wm_fail("function '%s' has too many interesting paths", n->function->name);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "function '%s': %s", n->function->name, wm_status_text(status));
	n->preferential = true;
	n->value = n->numbering.value;
	status = wm_pack_make(&n->pack, &n->plan, &n->numbering, WM_PACK_LIMIT, &n->arena);
	n->one_register = status == WM_OK;
}

static void divide(struct wm_numbered *n, const struct wm_unit_function *in_unit)
{
	struct wm_cfg_function *divided = WM_NEW(&n->arena, struct wm_cfg_function, 1);
	struct wm_parts *parts = WM_NEW(&n->arena, struct wm_parts, 1);
	if (!divided || !parts)
		wm_no_memory();
	wm_graph_divide(divided, parts, n->function, in_unit, &n->arena);
	n->function = divided;
	n->parts = parts;
}

static void number_function(struct wm_numbered *n, const struct wm_cfg *cfg)
{
	const struct wm_number_options *options = n->options;
	n->function = &cfg->function[n->index];
	wm_arena_init(&n->arena);
	if (options->choice.scheme->at_calls)
		divide(n, &cfg->unit.function[n->index]);
	const struct wm_cfg_function *function = n->function;
	wm_graph_plan(&n->plan, function, &options->choice, options->max_paths, &n->arena);
	n->plan.index = n->inlined ? n->index : 0;
	n->value = n->plan.numbering.value;
	if (options->interesting_path)
		number_preferential(n);
	n->coded = (struct wm_coded){function, &n->plan, n->preferential ? &n->numbering : NULL};
	n->listed = paths_to_list(n);
	if (options->coding && !n->plan.events_are_edges)
		wm_fail("--coding is for paths that take an edge once, not for those of --scheme %s; use acyclic or "
			"preferential",
			options->scheme);
	count_loops(n);
	place_probes(n);
	map_edges(n);
}

/* The document is written piece by piece, because the document of a large graph may not fit into memory. */
static void print_functions(
	const struct wm_cfg *cfg, const struct wm_inlined *inlined, const struct wm_number_options *options)
{
	if (options->json)
		puts("{\n \"schema\": \"waymark.number/1\",\n \"functions\": [");
	for (uint32_t f = 0; f < cfg->function_count; f++) {
		struct wm_numbered n = {.options = options, .inlined = inlined, .index = f};
		number_function(&n, cfg);
		if (f)
			puts(options->json ? "," : "");
		(options->json ? wm_number_print_json : wm_number_print_text)(&n);
		wm_arena_release(&n.arena);
	}
	if (options->json)
		puts("\n ]\n}");
}

int wm_cmd_number(int argc, char **argv)
{
	struct wm_number_options options = {.scheme = "acyclic", .numbering = WM_NUMBER_BY_DEFAULT};
	const char *path = parse_options(&options, argc, argv);
	struct wm_graph_file file;
	struct wm_inlined inlined;
	wm_graph_file_load(&file, path);
	if (options.inline_copies)
		wm_inlined_make(&inlined, &file, (uint32_t)options.inline_copies);
	const struct wm_cfg *cfg = options.inline_copies ? &inlined.cfg : &file.cfg;
	if (options.interesting_path)
		wm_interesting_load(&options.interesting, options.interesting_path, cfg);
	if (options.choice.scheme->crosses)
		wm_number_unit(&options, LIST_DEFAULT, &file);
	else
		print_functions(cfg, options.inline_copies ? &inlined : NULL, &options);
	wm_interesting_release(&options.interesting);
	wm_graph_file_release(&file);
	wm_finish_output();
	return 0;
}
