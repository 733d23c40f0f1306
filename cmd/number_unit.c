/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/number_unit.h"
#include "support/fail.h"
#include "view/dev/paths.h"
#include "view/dev/probes.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct numbered {
	const struct wm_number_options *options;
	uint64_t most; /* paths that are listed without a limit */
	const struct wm_cfg *cfg;
	struct wm_unit_plan plan;
	struct wm_probed *probed; /* of all functions; NULL: it was not asked for */
	uint32_t function; /* the one that is printed */
};

static const struct wm_plan *here(const struct numbered *n)
{
	return &n->plan.function[n->function];
}

static const char *block_name(const struct numbered *n, uint32_t block)
{
	return n->cfg->function[n->function].block_name[block];
}

static const char *status_text(const struct wm_plan *f)
{
	return f->cut_count ? "split" : "exact";
}

/* The DAG edge of a control-flow edge, or WM_NONE for edges from blocks that are not reached. */
static uint32_t dag_edge(const struct wm_plan *f, uint32_t cfg_edge)
{
	const struct wm_dag *dag = &f->dag;
	uint32_t block = f->graph->edge_from[cfg_edge], node = wm_plan_node(f, block);
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++)
		if (dag->edge[e].cfg_edge == cfg_edge)
			return e;
	return WM_NONE;
}

static uint64_t paths_to_list(const struct numbered *n, uint64_t paths)
{
	const struct wm_number_options *options = n->options;
	if (!options->list)
		return 0;
	if (!options->limit && paths > n->most)
		wm_fail("%" PRIu64 " paths begin in function '%s'; list the first N of them with --limit N", paths,
			n->cfg->function[n->function].name);
	return options->limit && options->limit < paths ? options->limit : paths;
}

static void write_probes(const void *closure, FILE *out)
{
	const struct numbered *n = closure;
	print_unit_program(out, n->cfg->function[n->function].block_name, &n->probed[n->function]);
}

/* ---- Text ---------------------------------------------------------------------- */

static void print_pair(struct wm_pair pair)
{
	printf("{%" PRIu64 ", %" PRIu64 "}", pair.a, pair.b);
}

static void print_edge(const struct numbered *n, uint32_t cfg_edge)
{
	const struct wm_plan *f = here(n);
	const struct wm_graph *graph = f->graph;
	uint32_t e = dag_edge(f, cfg_edge);
	const struct wm_dag_edge *edge = &f->dag.edge[e];
	printf("  %s -> %s  ", block_name(n, graph->edge_from[cfg_edge]), block_name(n, graph->edge_to[cfg_edge]));
	print_pair(f->pairs->value[e]);
	if (edge->kind == WM_EDGE_STOP) {
		printf("  %s, next path starts with ", edge->end == WM_END_CUT ? "cut" : "back edge");
		print_pair(f->pairs->value[edge->restart]);
	}
	putchar('\n');
}

static void print_call(const struct numbered *n, uint32_t site)
{
	const struct wm_call *call = &here(n)->in_unit->call[site];
	const struct wm_site *facts = &here(n)->pairs->site[site];
	printf("  %s, call %u of %s: ", block_name(n, call->block), call->position,
		n->cfg->function[n->function].callee[site]);
	if (facts->crossing != WM_CROSSED) {
		printf("stepped over, %s", wm_crossing_text(facts->crossing));
		if (wm_plan_cuts(here(n), site)) {
			fputs("; next path starts with ", stdout);
			print_pair(facts->start);
		}
		if (wm_plan_waits(here(n), site)) {
			fputs("; ending in it adds ", stdout);
			print_pair(facts->behind);
		}
		putchar('\n');
		return;
	}
	fputs("crossed, after it ", stdout);
	print_pair(facts->behind);
	if (n->plan.scheme->pieces)
		printf(", returning from below adds %" PRIu64, facts->edge_value);
	putchar('\n');
}

static void print_list(const struct numbered *n, uint64_t first, uint64_t count, uint64_t paths)
{
	const struct wm_path_graphs graphs = {.function = n->cfg->function, .plan = n->plan.function};
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	if (count)
		puts("\n  id  path");
	for (uint64_t id = first; id < first + count && !ferror(stdout); id++) {
		wm_graph_decode(n->plan.function, id, NULL, &trail, &arena);
		printf("  %2" PRIu64 "  ", id);
		wm_print_path(&graphs, &trail);
		putchar('\n');
	}
	if (count && count < paths)
		printf("  and %" PRIu64 " more\n", paths - count);
	wm_arena_release(&arena);
}

static void print_function(const struct numbered *n)
{
	const struct wm_plan *f = here(n);
	uint64_t first, paths = wm_plan_paths(here(n), &first);
	printf("\nfunction %s\n  status  %s\n  paths   %" PRIu64 " begin here", n->cfg->function[n->function].name,
		status_text(f), paths);
	if (paths)
		printf(", ids from %" PRIu64 " on", first);
	fputs("\n  entry   ", stdout);
	print_pair(f->pairs->entry);
	if (n->plan.scheme->pieces) {
		fputs("\n  pieces  ", stdout);
		print_pair(f->pairs->pieces);
		printf("\n  after   %" PRIu64 " ways after the exit", f->pairs->behind_exit);
		if (f->pairs->root)
			printf("; ending there adds %" PRIu64, f->pairs->exit_value);
	}
	puts(f->graph->edge_count ? "\n" : "");
	for (uint32_t e = 0; e < f->graph->edge_count && !ferror(stdout); e++)
		print_edge(n, e);
	uint32_t calls = here(n)->in_unit->call_count;
	fputs(calls && f->graph->edge_count ? "\n" : "", stdout);
	for (uint32_t i = 0; i < calls; i++)
		print_call(n, i);
	if (n->probed) {
		putchar('\n');
		write_probes(n, stdout);
	}
	print_list(n, first, paths_to_list(n, paths), paths);
}

static void print_text(struct numbered *n)
{
	const struct wm_unit_plan *plan = &n->plan;
	printf("scheme  %s\npaths   %" PRIu64 "\ncalls   %u, %u of them crossed\n", plan->scheme->name,
		plan->path_count, plan->site_count, plan->crossed);
	for (n->function = 0; n->function < plan->unit->function_count; n->function++)
		print_function(n);
}

/* ---- JSON ----------------------------------------------------------------------- */

static void print_pair_json(const char *name, struct wm_pair pair)
{
	printf("\"%s\": {\"a\": %" PRIu64 ", \"b\": %" PRIu64 "}", name, pair.a, pair.b);
}

static void print_edge_json(const struct numbered *n, uint32_t cfg_edge)
{
	const struct wm_plan *f = here(n);
	const struct wm_graph *graph = f->graph;
	uint32_t e = dag_edge(f, cfg_edge);
	const struct wm_dag_edge *edge = &f->dag.edge[e];
	printf("    {\"from\": \"%s\", \"to\": \"%s\", ", block_name(n, graph->edge_from[cfg_edge]),
		block_name(n, graph->edge_to[cfg_edge]));
	print_pair_json("value", f->pairs->value[e]);
	bool stops = edge->kind == WM_EDGE_STOP;
	printf(", \"kind\": \"%s\"", !stops ? "real" : edge->end == WM_END_CUT ? "cut" : "backedge");
	if (stops) {
		fputs(", ", stdout);
		print_pair_json("restart_value", f->pairs->value[edge->restart]);
	}
	putchar('}');
}

static void print_call_json(const struct numbered *n, uint32_t site)
{
	const struct wm_call *call = &here(n)->in_unit->call[site];
	const struct wm_site *facts = &here(n)->pairs->site[site];
	bool crossed = facts->crossing == WM_CROSSED;
	printf("    {\"block\": \"%s\", \"position\": %u, \"callee\": \"%s\", \"crossed\": %s, ",
		block_name(n, call->block), call->position, n->cfg->function[n->function].callee[site],
		crossed ? "true" : "false");
	if (crossed)
		print_pair_json("behind", facts->behind);
	else
		printf("\"reason\": \"%s\"", wm_crossing_text(facts->crossing));
	if (wm_plan_cuts(here(n), site)) {
		fputs(", ", stdout);
		print_pair_json("restart_value", facts->start);
	}
	if (wm_plan_waits(here(n), site)) {
		fputs(", ", stdout);
		print_pair_json("pending_value", facts->behind);
	}
	if (crossed && n->plan.scheme->pieces)
		printf(", \"edge_value\": %" PRIu64, facts->edge_value);
	putchar('}');
}

static void print_list_json(const struct numbered *n, uint64_t first, uint64_t count)
{
	const struct wm_path_graphs graphs = {.function = n->cfg->function, .plan = n->plan.function};
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	fputs(",\n   \"list\": [", stdout);
	for (uint64_t id = first; id < first + count && !ferror(stdout); id++) {
		wm_graph_decode(n->plan.function, id, NULL, &trail, &arena);
		printf("%s\n    {\"id\": %" PRIu64 ", ", id > first ? "," : "", id);
		wm_print_path_json(&graphs, &trail);
		putchar('}');
	}
	fputs("\n   ]", stdout);
	wm_arena_release(&arena);
}

static void print_summary_json(const struct numbered *n, uint64_t paths)
{
	const struct wm_plan *f = here(n);
	printf("   \"name\": \"%s\",\n   \"scheme\": \"%s\",\n   \"status\": \"%s\",\n   \"paths\": %" PRIu64 ",\n   ",
		n->cfg->function[n->function].name, n->plan.scheme->name, status_text(f), paths);
	print_pair_json("entry", f->pairs->entry);
	if (n->plan.scheme->pieces) {
		fputs(",\n   ", stdout);
		print_pair_json("pieces", f->pairs->pieces);
		printf(",\n   \"behind_exit\": %" PRIu64 ",\n   \"exit_value\": %" PRIu64, f->pairs->behind_exit,
			f->pairs->exit_value);
	}
}

static void print_rows_json(
	const struct numbered *n, const char *name, uint32_t count, void (*print)(const struct numbered *, uint32_t))
{
	printf(",\n   \"%s\": [", name);
	for (uint32_t i = 0; i < count && !ferror(stdout); i++) {
		puts(i ? "," : "");
		print(n, i);
	}
	fputs("\n   ]", stdout);
}

static void print_function_json(const struct numbered *n)
{
	uint64_t first, paths = wm_plan_paths(here(n), &first);
	puts("  {");
	print_summary_json(n, paths);
	print_rows_json(n, "edges", here(n)->graph->edge_count, print_edge_json);
	print_rows_json(n, "calls", here(n)->in_unit->call_count, print_call_json);
	if (n->options->list)
		print_list_json(n, first, paths_to_list(n, paths));
	if (n->probed)
		print_program_json(write_probes, n);
	fputs("\n  }", stdout);
}

static void print_json(struct numbered *n)
{
	const struct wm_unit_plan *plan = &n->plan;
	printf("{\n \"schema\": \"waymark.number/1\",\n \"scheme\": \"%s\",\n \"paths\": %" PRIu64 ",\n",
		plan->scheme->name, plan->path_count);
	printf(" \"call_sites\": %u,\n \"crossed\": %u,\n \"functions\": [\n", plan->site_count, plan->crossed);
	for (n->function = 0; n->function < plan->unit->function_count; n->function++) {
		fputs(n->function ? ",\n" : "", stdout);
		print_function_json(n);
	}
	puts("\n ]\n}");
}

void wm_number_unit(const struct wm_number_options *options, uint64_t most, struct wm_graph_file *file)
{
	struct numbered n = {.options = options, .most = most, .cfg = &file->cfg};
	wm_unit_graph_plan(&n.plan, file, options->choice.scheme, options->max_paths);
	if (options->probes)
		wm_unit_graph_place(&n.plan, WM_PLACE_OPTIMAL, &n.probed, &file->arena);
	(options->json ? print_json : print_text)(&n);
}
