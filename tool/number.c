/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/graphfile.h"
#include "tool/tool.h"
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark number [options] GRAPH.cfg\n"
			    "\n"
			    "Numbers the paths of every function of a graph file: how many there are, the\n"
			    "value of every edge, and with --list every path by its id.  '-' reads the graph\n"
			    "from standard input.\n"
			    "\n"
			    "  --scheme NAME      which paths are observed (acyclic)\n"
			    "  --list             list the paths\n"
			    "  --limit N          list the first N paths of a function; implies --list\n"
			    "  --max-paths N      cut the graph until it has at most N paths (2^63)\n"
			    "  --json             print JSON (schema waymark.number/1)\n"
			    "  --help             print this text\n"
			    "\n"
			    "schemes:\n";

/* Longer ones stick out of their column. */
#define WIDEST_EDGE 48
/* Listing more than this needs to be asked for by number. */
#define LIST_DEFAULT 1000000

struct options {
	const struct wm_scheme *scheme;
	bool list, json;
	uint64_t limit, max_paths; /* limit 0: LIST_DEFAULT, and an error above */
};

/* One function, ready to print. */
struct numbered {
	const struct wm_cfg_function *function;
	const struct options *options;
	struct wm_arena arena;
	struct wm_plan plan;
	struct wm_loops loops;
	struct wm_probe_program program;
	uint32_t back_edges, irreducible;
	uint32_t *dag_edge; /* per CFG edge */
	uint64_t listed;
};

static void print_usage(void)
{
	fputs(usage, stdout);
	for (const struct wm_scheme *const *s = wm_schemes; *s; s++)
		printf("  %-18s %s\n", (*s)->name, (*s)->summary);
}

static const char *parse_options(struct options *options, int argc, char **argv)
{
	enum { SCHEME = 256, LIST, LIMIT, MAX_PATHS, JSON, HELP };
	static const struct option known[] = {
		{"scheme", required_argument, NULL, SCHEME},
		{"list", no_argument, NULL, LIST},
		{"limit", required_argument, NULL, LIMIT},
		{"max-paths", required_argument, NULL, MAX_PATHS},
		{"json", no_argument, NULL, JSON},
		{"help", no_argument, NULL, HELP},
		{0},
	};
	opterr = 0;
	for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
		switch (option) {
		case SCHEME:
			options->scheme = wm_scheme_option(optarg);
			break;
		case LIMIT:
			options->limit = wm_count_option("--limit", optarg); /* fall through */
		case LIST:
			options->list = true;
			break;
		case MAX_PATHS:
			options->max_paths = wm_count_option("--max-paths", optarg);
			break;
		case JSON:
			options->json = true;
			break;
		case HELP:
			print_usage();
			return NULL;
		default:
			wm_bad_option(argv);
		}
	}
	if (argc - optind != 1)
		wm_fail("expected one graph file, found %d; see waymark number --help", argc - optind);
	return argv[optind];
}

static void count_loops(struct numbered *n)
{
	const struct wm_graph *graph = n->plan.graph;
	if (wm_loops_run(&n->loops, graph, &n->plan.dfs, &n->arena) != WM_OK)
		wm_bug("out of memory");
	for (uint32_t i = 0; i < n->loops.count; i++)
		n->irreducible += n->loops.loop[i].irreducible;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		n->back_edges += n->plan.dfs.back_edge[e];
}

static void place(struct numbered *n)
{
	struct wm_weights weights;
	if (wm_weights_from_loops(&weights, n->plan.graph, &n->plan.dfs, &n->loops, &n->arena) != WM_OK ||
		wm_place(&n->plan, WM_PLACE_OPTIMAL, &weights, &n->program, &n->arena) != WM_OK)
		wm_bug("cannot place the probes of function '%s'", n->function->name);
}

static void map_edges(struct numbered *n)
{
	const struct wm_dag *dag = &n->plan.dag;
	n->dag_edge = WM_NEW(&n->arena, uint32_t, n->plan.graph->edge_count);
	if (!n->dag_edge)
		wm_bug("out of memory");
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (dag->edge[e].cfg_edge != WM_NONE)
			n->dag_edge[dag->edge[e].cfg_edge] = e;
}

static uint64_t paths_to_list(const struct numbered *n)
{
	uint64_t paths = n->plan.numbering.path_count, limit = n->options->limit;
	if (!n->options->list)
		return 0;
	if (limit == 0 && paths > LIST_DEFAULT)
		wm_fail("function '%s' has %" PRIu64 " paths; list the first N of them with --limit N",
			n->function->name, paths);
	return limit && limit < paths ? limit : paths;
}

static void number(struct numbered *n, const struct wm_cfg_function *function, const struct options *options)
{
	*n = (struct numbered){.function = function, .options = options};
	wm_arena_init(&n->arena);
	wm_graph_plan(&n->plan, function, options->scheme, options->max_paths, &n->arena);
	n->listed = paths_to_list(n);
	count_loops(n);
	place(n);
	map_edges(n);
}

/* Calls `print` for each path to list. */
static void for_each_path(
	struct numbered *n, void (*print)(const struct numbered *, uint64_t, const struct wm_block_path *))
{
	struct wm_block_path path = {.block = WM_NEW(&n->arena, uint32_t, n->plan.dag.node_count)};
	if (!path.block)
		wm_bug("out of memory");
	for (uint64_t id = 0; id < n->listed && !ferror(stdout); id++) {
		if (wm_plan_decode(&n->plan, id, &path, &n->arena) != WM_OK)
			wm_bug("path %" PRIu64 " of function '%s' cannot be decoded", id, n->function->name);
		print(n, id, &path);
	}
}

/* ---- Edges, of which a graph may have millions: printf takes longer than the analysis -- */

static int put(const char *text)
{
	size_t length = strlen(text);
	fwrite_unlocked(text, 1, length, stdout);
	return (int)length;
}

/* Flush right in `width` columns. */
static void put_number(int64_t number, int width)
{
	char text[WIDEST_EDGE + 64];
	char *end = text + sizeof text, *at = end;
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (number < 0)
		*--at = '-';
	while (at > text && end - at < width)
		*--at = ' ';
	fwrite_unlocked(at, 1, (size_t)(end - at), stdout);
}

/* ---- Text ---------------------------------------------------------------- */

/* Lengths are measured once per block: names of successors are all over the memory. */
static int widest_edge(struct numbered *n)
{
	int widest = 4;
	const struct wm_graph *graph = n->plan.graph;
	uint8_t *length = WM_NEW(&n->arena, uint8_t, graph->block_count);
	if (!length)
		wm_bug("out of memory");
	for (uint32_t b = 0; b < graph->block_count; b++)
		length[b] = (uint8_t)strnlen(n->function->block_name[b], WIDEST_EDGE);
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		int width = length[graph->edge_from[e]] + 4 + length[graph->edge_to[e]];
		widest = width > widest ? width : widest;
	}
	return widest < WIDEST_EDGE ? widest : WIDEST_EDGE;
}

static int digits(uint64_t number)
{
	int count = 1;
	while (number /= 10)
		count++;
	return count;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void print_summary(const struct numbered *n)
{
	const struct wm_plan *plan = &n->plan;
	const struct wm_graph *graph = plan->graph;
	printf("function %s\n", n->function->name);
	printf("  scheme  %s, %s\n", plan->scheme->name, plan->cut_count ? "split" : "exact");
	printf("  paths   %" PRIu64, plan->numbering.path_count);
	if (plan->cut_count)
		printf("; without %u cut edge%s about 10^%.1f", plan->cut_count, plural(plan->cut_count),
			plan->log10_paths);
	printf("\n  blocks  %u\n", graph->block_count);
	printf("  edges   %u, %u back edge%s\n", graph->edge_count, n->back_edges, plural(n->back_edges));
	printf("  loops   %u", n->loops.count);
	if (n->irreducible)
		printf(", %u irreducible", n->irreducible);
	printf("\n  probes  %u\n", n->program.probe_count);
}

static void print_edge(const struct numbered *n, uint32_t e, int width, int value_width)
{
	const struct wm_graph *graph = n->plan.graph;
	const struct wm_dag_edge *edge = &n->plan.dag.edge[n->dag_edge[e]];
	put("  ");
	int used = put(n->function->block_name[graph->edge_from[e]]);
	used += put(" -> ");
	used += put(n->function->block_name[graph->edge_to[e]]);
	put_number(n->plan.numbering.value[n->dag_edge[e]], (used < width ? width - used : 0) + 2 + value_width);
	if (edge->kind == WM_EDGE_STOP) {
		put(edge->end == WM_END_CUT ? "  cut" : "  back edge");
		put(", next path starts with ");
		put_number(n->plan.numbering.value[edge->restart], 0);
	}
	put("\n");
}

static void print_edges(struct numbered *n)
{
	int width = widest_edge(n), value_width = digits(n->plan.numbering.path_count);
	value_width = value_width < 5 ? 5 : value_width;
	if (n->plan.graph->edge_count)
		printf("\n  %-*s  %*s\n", width, "edge", value_width, "value");
	for (uint32_t e = 0; e < n->plan.graph->edge_count && !ferror(stdout); e++)
		print_edge(n, e, width, value_width);
}

static void print_listed(const struct numbered *n, uint64_t id, const struct wm_block_path *path)
{
	printf("  %*" PRIu64 "  ", digits(n->listed - 1) < 2 ? 2 : digits(n->listed - 1), id);
	wm_print_path(n->function, path);
	putchar('\n');
}

static void print_text(struct numbered *n)
{
	print_summary(n);
	print_edges(n);
	if (!n->listed)
		return;
	printf("\n  %*s  path\n", digits(n->listed - 1) < 2 ? 2 : digits(n->listed - 1), "id");
	for_each_path(n, print_listed);
	if (n->listed < n->plan.numbering.path_count)
		printf("  and %" PRIu64 " more\n", n->plan.numbering.path_count - n->listed);
}

/* ---- JSON ---------------------------------------------------------------- */

static void print_summary_json(const struct numbered *n)
{
	const struct wm_plan *plan = &n->plan;
	printf("   \"name\": \"%s\",\n   \"scheme\": \"%s\",\n", n->function->name, plan->scheme->name);
	printf("   \"status\": \"%s\",\n   \"paths\": %" PRIu64 ",\n", plan->cut_count ? "split" : "exact",
		plan->numbering.path_count);
	if (plan->cut_count)
		printf("   \"paths_possible_log10\": %.6f,\n", plan->log10_paths);
	printf("   \"blocks\": %u,\n   \"loops\": %u,\n   \"irreducible_loops\": %u,\n", plan->graph->block_count,
		n->loops.count, n->irreducible);
	printf("   \"back_edges\": %u,\n   \"cut_edges\": %u,\n   \"probes\": %u,\n", n->back_edges, plan->cut_count,
		n->program.probe_count);
}

static void print_edge_json(const struct numbered *n, uint32_t e)
{
	const struct wm_graph *graph = n->plan.graph;
	const struct wm_dag_edge *edge = &n->plan.dag.edge[n->dag_edge[e]];
	put("    {\"from\": \"");
	put(n->function->block_name[graph->edge_from[e]]);
	put("\", \"to\": \"");
	put(n->function->block_name[graph->edge_to[e]]);
	put("\", \"value\": ");
	put_number(n->plan.numbering.value[n->dag_edge[e]], 0);
	if (edge->kind != WM_EDGE_STOP) {
		put(", \"kind\": \"real\"}");
		return;
	}
	put(edge->end == WM_END_CUT ? ", \"kind\": \"cut\"" : ", \"kind\": \"backedge\"");
	put(", \"restart_value\": ");
	put_number(n->plan.numbering.value[edge->restart], 0);
	put("}");
}

static void print_listed_json(const struct numbered *n, uint64_t id, const struct wm_block_path *path)
{
	printf("    {\"id\": %" PRIu64 ", ", id);
	wm_print_path_json(n->function, path);
	fputs(id + 1 < n->listed ? "},\n" : "}\n", stdout);
}

static void print_json(struct numbered *n)
{
	uint32_t edges = n->plan.graph->edge_count;
	puts("  {");
	print_summary_json(n);
	puts("   \"edges\": [");
	for (uint32_t e = 0; e < edges && !ferror(stdout); e++) {
		print_edge_json(n, e);
		put(e + 1 < edges ? ",\n" : "\n");
	}
	fputs("   ]", stdout);
	if (n->options->list) {
		puts(",\n   \"list\": [");
		for_each_path(n, print_listed_json);
		fputs("   ]", stdout);
	}
	fputs("\n  }", stdout);
}

/* Written piece by piece: as one document in memory, a large graph would not fit. */
static void print_functions(const struct wm_graph_file *file, const struct options *options)
{
	if (options->json)
		puts("{\n \"schema\": \"waymark.number/1\",\n \"functions\": [");
	for (uint32_t f = 0; f < file->cfg.function_count; f++) {
		struct numbered n;
		number(&n, &file->cfg.function[f], options);
		if (f)
			puts(options->json ? "," : "");
		(options->json ? print_json : print_text)(&n);
		wm_arena_release(&n.arena);
	}
	if (options->json)
		puts("\n ]\n}");
}

int wm_cmd_number(int argc, char **argv)
{
	struct options options = {.scheme = &wm_scheme_acyclic};
	const char *path = parse_options(&options, argc, argv);
	if (path) {
		struct wm_graph_file file;
		wm_graph_file_load(&file, path);
		print_functions(&file, &options);
		wm_graph_file_release(&file);
	}
	wm_finish_output();
	return 0;
}
