/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/story.h"
#include "core/scheme/kiter.h"
#include "support/fail.h"
#include "view/dev/number.h"
#include "view/dev/paths.h"
#include "view/dev/probes.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The width of the column of edges; longer names of edges exceed the column. */
#define WIDEST_EDGE 48
/* The memory of so many paths is released together: a new arena costs more than a path, and a list of all paths may not fit
 * into memory. */
#define PATHS_AT_ONCE 256

/* The id of the next path to list: interesting paths in the order of their preferential ids, then the others. */
static uint64_t next_listed(const struct wm_numbered *n, uint64_t *rest)
{
	if (!n->preferential)
		return n->position;
	if (n->position < n->set.count)
		return n->set.id[n->numbering.by_id[n->position]];
	while (wm_path_set_find(&n->set, *rest) != WM_NONE)
		++*rest;
	return (*rest)++;
}

/* Calls `print` for each path to list. */
static void for_each_path(
	struct wm_numbered *n, void (*print)(const struct wm_numbered *, uint64_t, const struct wm_trail *))
{
	struct wm_trail trail;
	struct wm_arena arena;
	uint64_t rest = 0;
	wm_arena_init(&arena);
	for (n->position = 0; n->position < n->listed && !ferror(stdout); n->position++) {
		uint64_t id = next_listed(n, &rest);
		wm_graph_decode(&n->plan, id, NULL, &trail, &arena);
		print(n, id, &trail);
		if (n->position % PATHS_AT_ONCE == 0)
			wm_arena_release(&arena);
	}
	wm_arena_release(&arena);
}

static struct wm_path_graphs graphs_of(const struct wm_numbered *n)
{
	return (struct wm_path_graphs){.function = n->inlined ? n->inlined->cfg.function : n->function,
		.plan = &n->plan,
		.inlined = n->inlined};
}

/* The sum of the preferential values of a path, and the interesting path with that id. */
static int64_t preferential_id(const struct wm_numbered *n, uint64_t id, uint32_t *owner)
{
	struct wm_numbering sums = {.value = n->numbering.value};
	struct wm_arena arena;
	struct wm_path path = {0};
	uint64_t sum;
	wm_arena_init(&arena);
	if (wm_dag_decode(&n->plan.dag, &n->plan.numbering, id, &path, &arena) != WM_OK ||
		wm_dag_encode(&n->plan.dag, &sums, &path, &sum) != WM_OK)
		wm_bug("path %" PRIu64 " of function '%s' cannot be decoded", id, n->function->name);
	wm_arena_release(&arena);
	*owner = wm_preferential_find(&n->numbering, sum);
	return (int64_t)sum;
}

static const char *method_text(const struct wm_numbered *n)
{
	static const char *const methods[] = {[WM_METHOD_PUBLISHED] = "published",
		[WM_METHOD_ACYCLIC] = "acyclic",
		[WM_METHOD_LINEAR] = "linear",
		[WM_METHOD_GIVEN] = "given"};
	return methods[n->numbering.method];
}

/* With a preferential numbering, only interesting paths have a code. */
static bool has_code(const struct wm_numbered *n)
{
	return n->options->coding && (!n->preferential || n->position < n->set.count);
}

/* ---- Edges: a graph may have millions of them, and printf would take longer than the analysis -- */

static int put_text(const char *text)
{
	size_t length = strlen(text);
	fwrite_unlocked(text, 1, length, stdout);
	return (int)length;
}

/* Prints the number right-aligned in `width` columns. */
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

/* The length of each name is computed once per block: computing it per edge would cause many cache misses. */
static int widest_edge(struct wm_numbered *n)
{
	int widest = 4;
	const struct wm_graph *graph = n->plan.graph;
	uint8_t *length = WM_NEW(&n->arena, uint8_t, graph->block_count);
	if (!length)
		wm_no_memory();
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

static void print_preferential(const struct wm_numbered *n)
{
	const struct wm_preferential *p = &n->numbering;
	printf("  set     %u interesting path%s, ids below %" PRIu64 " (%s)\n", n->set.count, plural(n->set.count),
		p->span, method_text(n));
	printf("  delta   %.6g; of the acyclic ids %.6g\n  gamma   %.6g\n", p->delta, p->acyclic_delta, p->gamma);
	if (n->one_register)
		printf("  sums    in one register of %u bits, the acyclic one in the low %u\n", n->pack.width,
			n->pack.acyclic_bits);
	else
		puts("  sums    in two registers");
}

/* Prints how many iterations of each loop a path may have, and why it cannot have more. */
static void print_loops(const struct wm_numbered *n)
{
	const struct wm_iterations *iterations = n->plan.iterations;
	for (uint32_t i = 0; iterations && i < iterations->loops.count; i++) {
		uint32_t head = iterations->loops.loop[i].head;
		enum wm_loop_mode mode = (enum wm_loop_mode)iterations->mode[i];
		printf("\n          at %s: ", n->function->block_name[head]);
		if (mode == WM_LOOP_ITERATED)
			printf("%u iterations%s", iterations->iterated[iterations->of[head]].k,
				iterations->iterated[iterations->of[head]].k == n->plan.most_iterations
					? "; more would be too many paths"
					: "");
		else
			printf("acyclic: %s", wm_loop_mode_text(mode));
	}
	for (uint32_t i = 0; n->plan.scheme->contexts && i < n->loops.count; i++)
		if (n->loops.loop[i].irreducible)
			printf("\n          at %s: no context, it is irreducible",
				n->function->block_name[n->loops.loop[i].head]);
}

static void print_summary(const struct wm_numbered *n)
{
	const struct wm_plan *plan = &n->plan;
	const struct wm_graph *graph = plan->graph;
	printf("function %s\n", n->function->name);
	printf("  scheme  %s, %s\n", n->options->scheme, plan->cut_count ? "split" : "exact");
	if (wm_plan_has_pieces(plan))
		printf("  paths   about 10^%.1f: sequences of %" PRIu64 " acyclic pieces, which the values number",
			plan->log10_paths, plan->numbering.path_count);
	else
		printf("  paths   %" PRIu64, plan->numbering.path_count);
	if (plan->cut_count)
		printf("; without %u cut edge%s about 10^%.1f", plan->cut_count, plural(plan->cut_count),
			plan->log10_paths);
	putchar('\n');
	if (n->preferential)
		print_preferential(n);
	printf("  blocks  %u\n", graph->block_count);
	printf("  edges   %u, %u back edge%s\n", graph->edge_count, n->back_edges, plural(n->back_edges));
	printf("  loops   %u", n->loops.count);
	if (n->irreducible)
		printf(", %u irreducible", n->irreducible);
	print_loops(n);
	printf("\n  probes  %u\n", n->probe_count);
}

/* The number of iterations that a path may have in the loop that contains the source of the edge. */
static uint32_t versions_of(const struct wm_numbered *n, uint32_t e)
{
	const struct wm_iterations *iterations = n->plan.iterations;
	uint32_t loop =
		iterations && !wm_plan_has_pieces(&n->plan) ? iterations->of[n->plan.graph->edge_from[e]] : WM_NONE;
	return loop == WM_NONE ? 1 : iterations->iterated[loop].k;
}

static int64_t version_value(
	const struct wm_numbered *n, uint32_t e, uint32_t number, bool restarted, int64_t otherwise)
{
	const struct wm_iterations *iterations = n->plan.iterations;
	if (!iterations || wm_plan_has_pieces(&n->plan))
		return otherwise;
	struct wm_version version = {iterations->of[n->plan.graph->edge_from[e]], number, restarted};
	uint32_t found = wm_version_edge(&n->plan, version, e);
	return found == WM_NONE ? otherwise : n->value[found];
}

/* Prints the values in the iterations after the first. */
static void put_versions(const struct wm_numbered *n, uint32_t e)
{
	for (uint32_t i = 2; i <= versions_of(n, e); i++) {
		put_text("/");
		put_number(version_value(n, e, i, false, 0), 0);
	}
}

static void print_edge(const struct wm_numbered *n, uint32_t e, int width, int value_width)
{
	const struct wm_graph *graph = n->plan.graph;
	const struct wm_dag_edge *edge = &n->plan.dag.edge[n->dag_edge[e]];
	const int64_t *acyclic = n->plan.numbering.value;
	put_text("  ");
	int used = put_text(n->function->block_name[graph->edge_from[e]]);
	used += put_text(" -> ");
	used += put_text(n->function->block_name[graph->edge_to[e]]);
	put_number(version_value(n, e, 1, false, n->value[n->dag_edge[e]]),
		(used < width ? width - used : 0) + 2 + value_width);
	put_versions(n, e);
	if (n->preferential)
		put_number(acyclic[n->dag_edge[e]], 2 + value_width);
	if (edge->kind == WM_EDGE_STOP) {
		put_text(edge->end == WM_END_CUT ? "  cut" : edge->end == WM_END_CALL ? "  call" : "  back edge");
		put_text(", next path starts with ");
		put_number(n->value[edge->restart], 0);
	}
	if (edge->kind == WM_EDGE_STOP && n->preferential) {
		put_text(" and ");
		put_number(acyclic[edge->restart], 0);
	}
	put_text("\n");
}

static void print_edges(struct wm_numbered *n)
{
	int width = widest_edge(n), value_width = digits(n->plan.numbering.path_count);
	value_width = n->preferential && value_width < 7 ? 7 : value_width < 5 ? 5 : value_width;
	if (n->plan.graph->edge_count)
		printf("\n  %-*s  %*s%s%*s\n", width, "edge", value_width, "value", n->preferential ? "  " : "",
			n->preferential ? value_width : 0, n->preferential ? "acyclic" : "");
	for (uint32_t e = 0; e < n->plan.graph->edge_count && !ferror(stdout); e++)
		print_edge(n, e, width, value_width);
}

static int id_width(const struct wm_numbered *n)
{
	int width = digits(n->listed - 1);
	return n->preferential ? 10 : width < 2 ? 2 : width;
}

static void print_listed(const struct wm_numbered *n, uint64_t id, const struct wm_trail *trail)
{
	const struct wm_path_graphs graphs = graphs_of(n);
	uint32_t owner = WM_NONE;
	if (n->preferential)
		printf("  %*" PRId64, id_width(n), preferential_id(n, id, &owner));
	printf("  %*" PRIu64 "  ", id_width(n), id);
	wm_print_path(&graphs, trail);
	if (n->preferential && n->position >= n->set.count)
		fputs("  not interesting", stdout);
	if (n->preferential && n->position >= n->set.count && owner != WM_NONE)
		printf(", alias of %" PRIu64, n->set.id[owner]);
	putchar('\n');
	if (has_code(n))
		wm_print_coding(&n->coded, id);
}

void wm_number_print_text(struct wm_numbered *n)
{
	print_summary(n);
	print_edges(n);
	if (n->options->probes) {
		putchar('\n');
		print_probe_program(stdout, n->function->block_name, n->plan.graph, &n->probes.program);
	}
	if (n->options->coding)
		wm_print_model(&n->coded);
	if (!n->listed)
		return;
	if (n->preferential)
		printf("\n  %*s  %*s  path\n", id_width(n), "id", id_width(n), "acyclic id");
	else
		printf("\n  %*s  path\n", id_width(n), "id");
	for_each_path(n, print_listed);
	if (n->listed < n->plan.numbering.path_count)
		printf("  and %" PRIu64 " more\n", n->plan.numbering.path_count - n->listed);
}

/* ---- JSON ---------------------------------------------------------------- */

static void print_preferential_json(const struct wm_numbered *n)
{
	const struct wm_preferential *p = &n->numbering;
	printf("   \"interesting\": %u,\n   \"numbering\": \"%s\",\n   \"span\": %" PRIu64 ",\n", n->set.count,
		method_text(n), p->span);
	printf("   \"delta\": %.9g,\n   \"gamma\": %.9g,\n   \"acyclic_delta\": %.9g,\n", p->delta, p->gamma,
		p->acyclic_delta);
	printf("   \"registers\": %d,\n", n->one_register ? 1 : 2);
	if (n->one_register)
		printf("   \"register_bits\": %u,\n   \"shift\": %u,\n", n->pack.width, n->pack.shift);
}

static void print_loops_json(const struct wm_numbered *n)
{
	const struct wm_iterations *iterations = n->plan.iterations;
	fputs("   \"iterations\": [", stdout);
	for (uint32_t i = 0; i < iterations->loops.count; i++) {
		uint32_t head = iterations->loops.loop[i].head;
		enum wm_loop_mode mode = (enum wm_loop_mode)iterations->mode[i];
		printf("%s\n    {\"head\": \"%s\", \"k\": %u", i ? "," : "", n->function->block_name[head],
			mode == WM_LOOP_ITERATED ? iterations->iterated[iterations->of[head]].k : 1);
		if (mode != WM_LOOP_ITERATED)
			printf(", \"reason\": \"%s\"", wm_loop_mode_text(mode));
		putchar('}');
	}
	puts("\n   ],");
}

static void print_summary_json(const struct wm_numbered *n)
{
	const struct wm_plan *plan = &n->plan;
	printf("   \"name\": \"%s\",\n   \"scheme\": \"%s\",\n", n->function->name, n->options->scheme);
	printf("   \"status\": \"%s\",\n   \"%s\": %" PRIu64 ",\n", plan->cut_count ? "split" : "exact",
		wm_plan_has_pieces(plan) ? "pieces" : "paths", plan->numbering.path_count);
	if (plan->cut_count || wm_plan_has_pieces(plan))
		printf("   \"paths_possible_log10\": %.6f,\n", plan->log10_paths);
	if (n->preferential)
		print_preferential_json(n);
	printf("   \"blocks\": %u,\n   \"loops\": %u,\n   \"irreducible_loops\": %u,\n", plan->graph->block_count,
		n->loops.count, n->irreducible);
	printf("   \"back_edges\": %u,\n   \"cut_edges\": %u,\n   \"probes\": %u,\n", n->back_edges, plan->cut_count,
		n->probe_count);
	if (n->plan.iterations)
		print_loops_json(n);
}

static void put_field(const char *name, int64_t number)
{
	put_text(name);
	put_number(number, 0);
}

/* Prints the values of the edge in all versions of its block; null: that version does not have the edge. */
static void print_version_values(
	const struct wm_numbered *n, uint32_t e, const char *name, uint32_t count, bool restarted)
{
	put_text(name);
	for (uint32_t i = 1; i <= count; i++) {
		int64_t value = version_value(n, e, i, restarted, INT64_MIN);
		put_text(i > 1 ? ", " : "");
		if (value == INT64_MIN)
			put_text("null");
		else
			put_number(value, 0);
	}
	put_text("]");
}

static void print_values_json(const struct wm_numbered *n, uint32_t e)
{
	uint32_t k = versions_of(n, e);
	if (!n->plan.iterations || wm_plan_has_pieces(&n->plan))
		return;
	print_version_values(n, e, ", \"values\": [", k, false);
	if (k > 1)
		print_version_values(n, e, ", \"restarted_values\": [", k - 1, true);
}

static void print_edge_json(const struct wm_numbered *n, uint32_t e)
{
	const struct wm_graph *graph = n->plan.graph;
	const struct wm_dag_edge *edge = &n->plan.dag.edge[n->dag_edge[e]];
	const int64_t *acyclic = n->plan.numbering.value;
	put_text("    {\"from\": \"");
	put_text(n->function->block_name[graph->edge_from[e]]);
	put_text("\", \"to\": \"");
	put_text(n->function->block_name[graph->edge_to[e]]);
	put_field("\", \"value\": ", version_value(n, e, 1, false, n->value[n->dag_edge[e]]));
	print_values_json(n, e);
	if (n->preferential)
		put_field(", \"acyclic_value\": ", acyclic[n->dag_edge[e]]);
	if (edge->kind != WM_EDGE_STOP) {
		put_text(", \"kind\": \"real\"}");
		return;
	}
	put_text(", \"kind\": \"");
	put_text(wm_end_text(edge->end));
	put_text("\"");
	put_field(", \"restart_value\": ", n->value[edge->restart]);
	if (n->preferential)
		put_field(", \"acyclic_restart_value\": ", acyclic[edge->restart]);
	put_text("}");
}

static void print_listed_json(const struct wm_numbered *n, uint64_t id, const struct wm_trail *trail)
{
	const struct wm_path_graphs graphs = graphs_of(n);
	uint32_t owner = WM_NONE;
	if (n->preferential)
		printf("    {\"id\": %" PRId64 ", \"acyclic_id\": %" PRIu64 ", \"interesting\": %s, ",
			preferential_id(n, id, &owner), id, n->position < n->set.count ? "true" : "false");
	else
		printf("    {\"id\": %" PRIu64 ", ", id);
	if (n->preferential && n->position >= n->set.count && owner != WM_NONE)
		printf("\"alias_of\": %" PRIu64 ", ", n->set.id[owner]);
	wm_print_path_json(&graphs, trail);
	if (has_code(n)) {
		fputs(",\n     ", stdout);
		wm_print_coding_json(&n->coded, id);
	}
	fputs(n->position + 1 < n->listed ? "},\n" : "}\n", stdout);
}

static void write_probes(const void *closure, FILE *out)
{
	const struct wm_numbered *n = closure;
	print_probe_program(out, n->function->block_name, n->plan.graph, &n->probes.program);
}

void wm_number_print_json(struct wm_numbered *n)
{
	uint32_t edges = n->plan.graph->edge_count;
	puts("  {");
	print_summary_json(n);
	puts("   \"edges\": [");
	for (uint32_t e = 0; e < edges && !ferror(stdout); e++) {
		print_edge_json(n, e);
		put_text(e + 1 < edges ? ",\n" : "\n");
	}
	fputs("   ]", stdout);
	if (n->options->coding) {
		puts(",");
		wm_print_model_json(&n->coded);
	}
	if (n->options->list) {
		puts(",\n   \"list\": [");
		for_each_path(n, print_listed_json);
		fputs("   ]", stdout);
	}
	if (n->options->probes)
		print_program_json(write_probes, n);
	fputs("\n  }", stdout);
}
