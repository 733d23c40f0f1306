/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/cmd_replay.h"
#include "analysis/graphfile/walk_file.h"
#include "analysis/tally/tally.h"
#include "cmd/commands.h"
#include "core/walk/segments.h"
#include "support/fail.h"
#include "support/option_table.h"
#include "support/standard_output.h"
#include "view/dev/paths.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark dev replay [options] GRAPH.cfg [WALK]\n"
			    "\n"
			    "Counts the paths of a walk over the blocks of a graph.  A walk consists of block\n"
			    "names separated by white space, with one activation of the first function per\n"
			    "line.  After a block that calls a function of the file, the blocks of the callee\n"
			    "follow, up to its exit block.  If a line ends before an exit block, its open paths\n"
			    "are abandoned.  Without WALK, or with '-', the walk is read from standard input.\n";

/* Paths of single functions, or across calls those of the unit. */
struct replay {
	const struct wm_cfg *cfg; /* of `inlined`, if calls are inlined */
	struct wm_inlined inlined;
	struct wm_inlined_walk inlined_walk;
	const char *scheme;
	uint32_t segments; /* depth; 0: segments are not printed */
	bool json;
	bool crosses; /* then: */
	struct wm_unit_plan plan;
	struct wm_id_counts counts; /* of all functions */
	struct wm_tally_unit unit;
	struct wm_tallies tallies; /* of this one */
};

static void plan_functions(struct replay *r, const struct wm_replay_options *options, struct wm_arena *arena)
{
	wm_tally_unit_init(&r->unit, r->cfg->function_count, NULL, NULL, arena);
	for (uint32_t f = 0; f < r->cfg->function_count; f++) {
		struct wm_tally *tally = &r->unit.tally[f];
		tally->name = r->cfg->function[f].name;
		wm_graph_plan(&tally->plan, &r->cfg->function[f], &options->choice, options->max_paths, arena);
		tally->plan.index = f;
		wm_tally_place(&r->unit, f, (enum wm_placement)options->placement, arena);
	}
}

static void plan_unit(struct replay *r, const struct wm_replay_options *options, struct wm_graph_file *file)
{
	struct wm_probed *probed;
	wm_unit_graph_plan(&r->plan, file, options->choice.scheme, options->max_paths);
	wm_unit_graph_place(&r->plan, (enum wm_placement)options->placement, &probed, &file->arena);
	wm_tally_unit_init(&r->unit, r->cfg->function_count, &r->plan, probed, &file->arena);
}

static void *open_paths(const struct wm_replay_options *options, struct wm_graph_file *file, struct wm_sink *sink)
{
	struct replay *r = WM_NEW(&file->arena, struct replay, 1);
	if (!r)
		wm_no_memory();
	*r = (struct replay){.cfg = &file->cfg,
		.scheme = options->scheme,
		.segments = (uint32_t)options->segments,
		.json = options->json,
		.crosses = options->choice.scheme->crosses,
		.tallies = {.unit = &r->unit, .unit_count = 1}};
	if (options->inline_copies) {
		wm_inlined_make(&r->inlined, file, (uint32_t)options->inline_copies);
		r->cfg = &r->inlined.cfg;
	}
	if (r->crosses)
		plan_unit(r, options, file);
	else
		plan_functions(r, options, &file->arena);
	*sink = wm_tallies_sink(&r->tallies);
	if (options->inline_copies)
		*sink = wm_inlined_sink(&r->inlined_walk, &r->inlined, sink);
	return r;
}

static void release(void *replay)
{
	struct replay *r = replay;
	wm_id_counts_release(&r->counts);
	wm_tallies_release(&r->tallies);
	free(r->inlined_walk.activation);
}

/* ---- Paths --------------------------------------------------------------- */

/* The counts of a function; across calls, those of all functions. */
struct counted {
	const struct replay *replay;
	uint32_t function;
	struct wm_id_counts *counts;
};

static const struct wm_plan *plan_of(const struct counted *c)
{
	return c->replay->unit.probed[c->function].plan;
}

static struct counted counted_of(struct replay *r, uint32_t function)
{
	struct wm_id_counts *own = &r->unit.tally[function].sums[WM_OWN].ids;
	return (struct counted){r, function, r->crosses ? &r->counts : own};
}

static bool has_name(const struct counted *c)
{
	return wm_plan_has_pieces(plan_of(c));
}

static const struct wm_sequence_name *name_of(const struct counted *c, uint64_t id)
{
	return &c->replay->unit.tally[c->function].names.name[id];
}

/* Calls `take` for each path that was counted. */
static void for_each_path(const struct counted *c,
	void (*take)(void *closure, const struct counted *, const struct wm_id_count *, const struct wm_trail *),
	void *closure)
{
	struct wm_trail trail;
	for (size_t i = 0; i < c->counts->used; i++) {
		const struct wm_id_count *slot = &c->counts->slot[i];
		struct wm_arena arena;
		wm_arena_init(&arena);
		wm_graph_decode(plan_of(c), slot->id, has_name(c) ? name_of(c, slot->id) : NULL, &trail, &arena);
		take(closure, c, slot, &trail);
		wm_arena_release(&arena);
	}
}

static struct wm_path_graphs graphs_of(const struct counted *c)
{
	const struct replay *r = c->replay;
	return (struct wm_path_graphs){
		.function = r->cfg->function, .plan = plan_of(c), .inlined = r->inlined.original ? &r->inlined : NULL};
}

/* The ids of the pieces with dots between them. */
static void print_name(const struct wm_sequence_name *name)
{
	for (uint32_t i = 0; i < name->length; i++)
		printf("%s%" PRIu64, i ? "." : "", name->piece[i]);
}

static void print_counted(
	void *unused, const struct counted *c, const struct wm_id_count *slot, const struct wm_trail *trail)
{
	(void)unused;
	const struct wm_path_graphs graphs = graphs_of(c);
	double share = 100 * (double)slot->count / (double)c->counts->total;
	printf("  %12" PRIu64 "  %5.1f %%  ", slot->count, share);
	if (has_name(c))
		print_name(name_of(c, slot->id));
	else
		printf("%8" PRIu64, slot->id);
	fputs("  ", stdout);
	wm_print_path(&graphs, trail);
	putchar('\n');
}

static void print_paths(const struct counted *c)
{
	if (c->counts->used)
		printf("%s  %12s  %7s  %8s  path\n", c->replay->crosses ? "\n" : "", "count", "share", "id");
	for_each_path(c, print_counted, NULL);
}

/* ---- Segments ------------------------------------------------------------ */

static void add_segments(
	void *segments, const struct counted *c, const struct wm_id_count *slot, const struct wm_trail *trail)
{
	wm_inlined_add_segments(&c->replay->inlined, trail, c->replay->segments, slot->count, segments);
}

/* The segments on all counted paths. */
static void find_segments(struct replay *r, struct wm_projection *segments)
{
	for (uint32_t f = 0; f < r->cfg->function_count; f++) {
		const struct counted c = counted_of(r, f);
		for_each_path(&c, add_segments, segments);
	}
	wm_projection_finish(segments);
}

static void print_segments(struct replay *r)
{
	struct wm_projection found = {0};
	find_segments(r, &found);
	printf("\nsegments of depth %u\n", r->segments);
	for (size_t i = 0; i < found.count; i++)
		printf("%2s%12" PRIu64 "  %s\n", found.segment[i].at_least ? ">=" : "", found.segment[i].count,
			found.segment[i].text);
	wm_projection_release(&found);
}

static void print_segments_json(struct replay *r)
{
	struct wm_projection found = {0};
	find_segments(r, &found);
	fputs(",\n \"segments\": [", stdout);
	for (size_t i = 0; i < found.count; i++) {
		printf("%s\n  {\"count\": %" PRIu64 ", \"exact\": %s, \"path\": [\"", i ? "," : "",
			found.segment[i].count, found.segment[i].at_least ? "false" : "true");
		for (const char *c = found.segment[i].text; *c; c++)
			fputs(*c == ' ' ? "\", \"" : (char[]){*c, 0}, stdout);
		fputs("\"]}", stdout);
	}
	fputs("\n ]", stdout);
	wm_projection_release(&found);
}

/* ---- Text ---------------------------------------------------------------- */

static uint64_t entries_of(const struct replay *r, uint32_t function)
{
	const struct wm_tally_sums *sums = &r->unit.tally[function].sums[WM_OWN];
	return sums->entries + (r->crosses ? sums->crossed : 0);
}

static uint64_t abandoned_of(const struct replay *r)
{
	uint64_t abandoned = 0;
	for (uint32_t f = 0; f < r->cfg->function_count; f++)
		abandoned += r->unit.tally[f].abandoned;
	return abandoned;
}

static const char *status_of(const struct replay *r, uint32_t function)
{
	const struct wm_plan *plan = r->unit.probed[function].plan;
	return plan->cut_count ? "split" : "exact";
}

static void print_function(struct replay *r, uint32_t function)
{
	const struct wm_tally *tally = &r->unit.tally[function];
	const struct counted c = counted_of(r, function);
	printf("%sfunction %s\n", function ? "\n" : "", r->cfg->function[function].name);
	printf("  entries %" PRIu64 ", completed paths %" PRIu64 ", abandoned %" PRIu64 "\n", entries_of(r, function),
		c.counts->total, tally->abandoned);
	if (wm_plan_has_pieces(&tally->plan))
		printf("  %zu of about 10^%.1f paths taken (%s, exact; ids are those of acyclic pieces)\n",
			c.counts->used, tally->plan.log10_paths, r->scheme);
	else
		printf("  %zu of %" PRIu64 " paths taken (%s, %s)\n", c.counts->used, tally->plan.numbering.path_count,
			r->scheme, status_of(r, function));
	print_paths(&c);
}

static void print_unit(struct replay *r)
{
	const struct counted all = counted_of(r, 0);
	printf("completed paths %" PRIu64 ", abandoned %" PRIu64 "\n", r->counts.total, abandoned_of(r));
	printf("%zu of %" PRIu64 " paths taken (%s; %u of %u call sites crossed)\n", r->counts.used, r->plan.path_count,
		r->plan.scheme->name, r->plan.crossed, r->plan.site_count);
	for (uint32_t f = 0; f < r->cfg->function_count; f++)
		printf("function %s: entries %" PRIu64 "\n", r->cfg->function[f].name, entries_of(r, f));
	print_paths(&all);
}

static void print_text(struct replay *r)
{
	if (r->crosses)
		print_unit(r);
	for (uint32_t f = 0; !r->crosses && f < r->cfg->function_count; f++)
		print_function(r, f);
	if (r->segments)
		print_segments(r);
}

/* ---- JSON ---------------------------------------------------------------- */

static void print_counted_json(
	void *first, const struct counted *c, const struct wm_id_count *slot, const struct wm_trail *trail)
{
	const struct wm_path_graphs graphs = graphs_of(c);
	printf("%s\n  {\"function\": \"%s\", \"id\": ", *(bool *)first ? "" : ",",
		c->replay->cfg->function[c->replay->crosses ? trail->step[0].function : c->function].name);
	*(bool *)first = false;
	if (has_name(c)) {
		putchar('"');
		print_name(name_of(c, slot->id));
		putchar('"');
	} else {
		printf("%" PRIu64, slot->id);
	}
	printf(", \"count\": %" PRIu64 ", ", slot->count);
	wm_print_path_json(&graphs, trail);
	putchar('}');
}

static void print_possible_json(const struct replay *r, uint32_t function)
{
	const struct wm_plan *plan = r->unit.probed[function].plan;
	uint64_t first;
	if (wm_plan_has_pieces(plan))
		printf("\"paths_possible_log10\": %.6f", plan->log10_paths);
	else
		printf("\"paths_possible\": %" PRIu64, wm_plan_paths(plan, &first));
}

static void print_function_json(const struct replay *r, uint32_t function)
{
	const struct wm_tally *tally = &r->unit.tally[function];
	printf("%s\n  {\"name\": \"%s\", \"status\": \"%s\", ", function ? "," : "", r->cfg->function[function].name,
		status_of(r, function));
	print_possible_json(r, function);
	printf(", \"entries\": %" PRIu64, entries_of(r, function));
	if (!r->crosses)
		printf(", \"completed\": %" PRIu64 ", \"abandoned\": %" PRIu64, tally->sums[WM_OWN].ids.total,
			tally->abandoned);
	putchar('}');
}

static void print_json(struct replay *r)
{
	bool first = true;
	printf("{\n \"schema\": \"waymark.replay/1\",\n \"scheme\": \"%s\",\n",
		r->crosses ? r->plan.scheme->name : r->scheme);
	if (r->crosses)
		printf(" \"paths_possible\": %" PRIu64 ",\n \"completed\": %" PRIu64 ",\n \"abandoned\": %" PRIu64
		       ",\n",
			r->plan.path_count, r->counts.total, abandoned_of(r));
	fputs(" \"functions\": [", stdout);
	for (uint32_t f = 0; f < r->cfg->function_count; f++)
		print_function_json(r, f);
	printf("\n ],\n \"paths\": [");
	for (uint32_t f = 0; f < (r->crosses ? 1 : r->cfg->function_count); f++) {
		const struct counted c = counted_of(r, f);
		for_each_path(&c, print_counted_json, &first);
	}
	fputs("\n ]", stdout);
	if (r->segments)
		print_segments_json(r);
	puts("\n}");
}

/* Across calls, a path is counted in the function in which it ends; ids are those of the unit. */
static void add_up(struct replay *r)
{
	for (uint32_t f = 0; f < r->cfg->function_count; f++) {
		const struct wm_id_counts *own = &r->unit.tally[f].sums[WM_OWN].ids;
		for (size_t i = 0; i < own->used; i++)
			wm_id_counts_add(&r->counts, own->slot[i].id, own->slot[i].count);
	}
}

static void print_replay(void *replay)
{
	struct replay *r = replay;
	for (uint32_t f = 0; f < r->cfg->function_count; f++)
		wm_id_counts_sort(&r->unit.tally[f].sums[WM_OWN].ids, r->json || r->crosses ? wm_by_id : wm_by_count);
	if (r->crosses) {
		add_up(r);
		wm_id_counts_sort(&r->counts, r->json ? wm_by_id : wm_by_count);
	}
	(r->json ? print_json : print_text)(r);
}

/* ---- The command ---------------------------------------------------------- */

static void parse_options(struct wm_replay_options *options, int argc, char **argv)
{
	static const char *const placements[] = {[WM_PLACE_NAIVE] = "naive", [WM_PLACE_OPTIMAL] = "optimal", NULL};
	const struct wm_option own[] = {
		WM_TEXT("scheme", &options->scheme, "NAME", "which paths are observed (acyclic)"),
		WM_CHOICE("placement", &options->placement, "WHICH", placements,
			"use the optimal or the naive placement of probes (optimal)", WM_RARE),
		WM_NUMBER(
			"max-paths", &options->max_paths, "cut the graph until it has at most N paths (2^63)", WM_RARE),
		WM_INLINE_OPTION(&options->inline_copies),
		WM_NUMBER("segments", &options->segments,
			"print the path segments that span at most N calls instead of paths;\n"
			"with --inline, also the paths"),
		WM_FLAG("json", &options->json, "print JSON (schema waymark.replay/1)"),
		{0},
	};
	int first = wm_parse_options(
		&(struct wm_syntax){.usage = usage, .table = {own}, .more = wm_print_schemes}, argc, argv);
	if (argc - first < 1 || argc - first > 2)
		wm_fail("expected a graph file and at most one walk, found %d files; see waymark replay --help",
			argc - first);
	wm_scheme_option(options->scheme, &options->choice);
	if (options->choice.scheme->at_calls)
		wm_fail("--scheme %s is for recordings (waymark cc -fwaymark-wpp) and waymark number", options->scheme);
	wm_check_inline_option(options->inline_copies, options->scheme, &options->choice);
	if (options->segments > WM_SEGMENT_MOST_CALLS)
		wm_fail("--segments must be from 1 to %u", WM_SEGMENT_MOST_CALLS);
	if (options->segments && (!wm_scheme_is_plain(options->choice.scheme) || options->max_paths))
		wm_fail("--segments excludes --scheme and --max-paths");
	/* With --max-paths the graph is cut, so paths are not named by sequences. */
	options->choice.sequences = options->max_paths == 0;
	options->graph = argv[first];
	options->walk = argc - first == 2 ? argv[first + 1] : "-";
	if (strcmp(options->graph, "-") == 0 && strcmp(options->walk, "-") == 0)
		wm_fail("graph and walk cannot both come from standard input; name a file for one of them");
}

int wm_cmd_replay(int argc, char **argv)
{
	static const struct wm_replay_kind paths = {open_paths, print_replay, release};
	struct wm_replay_options options = {.scheme = "acyclic", .placement = WM_PLACE_OPTIMAL};
	struct wm_graph_file file;
	struct wm_sink sink;
	parse_options(&options, argc, argv);
	const struct wm_replay_kind *kind = options.segments && !options.inline_copies ? &wm_replay_segments : &paths;
	wm_graph_file_load(&file, options.graph);
	void *replay = kind->open(&options, &file, &sink);
	wm_walk_file_take(&file.cfg, options.walk, &sink);
	kind->print(replay);
	kind->release(replay);
	wm_graph_file_release(&file);
	wm_finish_output();
	return 0;
}
