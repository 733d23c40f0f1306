/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/replay.h"
#include "analysis/graphfile/walk.h"
#include "analysis/recording/tally.h"
#include "core/walk/segments.h"
#include "support/standard_output.h"
#include "support/tool.h"
#include "view/paths.h"
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

/* ---- Single functions ----------------------------------------------------- */

struct profiled {
	const struct wm_cfg_function *function;
	uint32_t index;
	struct wm_tally *tally;
};

struct replay {
	const struct wm_cfg *cfg; /* of `inlined`, if calls are inlined */
	struct wm_inlined inlined;
	struct wm_inlined_walk inlined_walk;
	const char *scheme;
	uint32_t segments; /* depth; 0: segments are not printed */
	bool json;
	struct profiled *profiled; /* per function */
	struct wm_tally_unit unit;
	struct wm_tallies tallies;
};

static void plan_functions(struct replay *r, const struct wm_replay_options *options, struct wm_arena *arena)
{
	r->profiled = WM_NEW(arena, struct profiled, r->cfg->function_count);
	if (!r->profiled)
		wm_bug("out of memory");
	for (uint32_t f = 0; f < r->cfg->function_count; f++) {
		struct profiled *p = &r->profiled[f];
		*p = (struct profiled){.function = &r->cfg->function[f], .index = f, .tally = &r->unit.tally[f]};
		p->tally->name = p->function->name;
		wm_graph_plan(&p->tally->plan, p->function, &options->choice, options->max_paths, arena);
		wm_tally_place(&r->unit, f, (enum wm_placement)options->placement, arena);
	}
}

static void *open_functions(const struct wm_replay_options *options, struct wm_graph_file *file, struct wm_sink *sink)
{
	struct replay *r = WM_NEW(&file->arena, struct replay, 1);
	if (!r)
		wm_bug("out of memory");
	*r = (struct replay){.cfg = &file->cfg,
		.scheme = options->scheme,
		.segments = (uint32_t)options->segments,
		.json = options->json,
		.tallies = {.unit = &r->unit, .unit_count = 1}};
	if (options->inline_copies) {
		wm_inlined_make(&r->inlined, file, (uint32_t)options->inline_copies);
		r->cfg = &r->inlined.cfg;
	}
	wm_tally_unit_init(&r->unit, r->cfg->function_count, NULL, NULL, &file->arena);
	*sink = wm_tallies_sink(&r->tallies);
	if (options->inline_copies)
		*sink = wm_inlined_sink(&r->inlined_walk, &r->inlined, sink);
	plan_functions(r, options, &file->arena);
	return r;
}

static void release(void *replay)
{
	struct replay *r = replay;
	wm_tallies_release(&r->tallies);
	free(r->inlined_walk.activation);
}

/* ---- Printing ------------------------------------------------------------ */

/* Initialises the arena. */
static void decode(const struct profiled *p, uint64_t id, struct wm_trail *trail, struct wm_arena *arena)
{
	const struct wm_trail_owner owner = {p->index, p->tally->plan.graph, &p->tally->plan};
	wm_arena_init(arena);
	wm_graph_decode(&owner, id, p->tally->plan.sequences ? &p->tally->names.name[id] : NULL, trail, arena);
}

static struct wm_path_graphs graphs_of(const struct replay *r, const struct profiled *p)
{
	return (struct wm_path_graphs){.function = r->cfg->function,
		.plan = &p->tally->plan,
		.inlined = r->inlined.original ? &r->inlined : NULL};
}

/* The ids of the pieces with dots between them. */
static void print_name(const struct wm_sequence_name *name)
{
	for (uint32_t i = 0; i < name->length; i++)
		printf("%s%" PRIu64, i ? "." : "", name->piece[i]);
}

static void print_counted(const struct replay *r, const struct profiled *p, const struct wm_id_count *slot)
{
	const struct wm_path_graphs graphs = graphs_of(r, p);
	struct wm_arena arena;
	struct wm_trail trail;
	decode(p, slot->id, &trail, &arena);
	double share = 100 * (double)slot->count / (double)p->tally->sums[WM_OWN].ids.total;
	printf("  %12" PRIu64 "  %5.1f %%  ", slot->count, share);
	if (p->tally->plan.sequences)
		print_name(&p->tally->names.name[slot->id]);
	else
		printf("%8" PRIu64, slot->id);
	fputs("  ", stdout);
	wm_print_path(&graphs, &trail);
	putchar('\n');
	wm_arena_release(&arena);
}

static void print_paths(const struct replay *r, const struct profiled *p)
{
	printf("  %12s  %7s  %8s  path\n", "count", "share", "id");
	for (size_t i = 0; i < p->tally->sums[WM_OWN].ids.used; i++)
		print_counted(r, p, &p->tally->sums[WM_OWN].ids.slot[i]);
}

/* The segments on all counted paths. */
static void find_segments(const struct replay *r, struct wm_projection *segments)
{
	for (uint32_t f = 0; f < r->cfg->function_count; f++) {
		const struct profiled *p = &r->profiled[f];
		for (size_t i = 0; i < p->tally->sums[WM_OWN].ids.used; i++) {
			struct wm_arena arena;
			struct wm_trail trail;
			decode(p, p->tally->sums[WM_OWN].ids.slot[i].id, &trail, &arena);
			wm_inlined_add_segments(
				&r->inlined, &trail, r->segments, p->tally->sums[WM_OWN].ids.slot[i].count, segments);
			wm_arena_release(&arena);
		}
	}
	wm_projection_finish(segments);
}

static void print_segments(const struct replay *r)
{
	struct wm_projection found = {0};
	find_segments(r, &found);
	printf("\nsegments of depth %u\n", r->segments);
	for (size_t i = 0; i < found.count; i++)
		printf("%2s%12" PRIu64 "  %s\n", found.segment[i].at_least ? ">=" : "", found.segment[i].count,
			found.segment[i].text);
	wm_projection_release(&found);
}

static void print_segments_json(const struct replay *r)
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

static void print_text(struct replay *r)
{
	for (uint32_t f = 0; f < r->cfg->function_count; f++) {
		struct profiled *p = &r->profiled[f];
		wm_id_counts_sort(&p->tally->sums[WM_OWN].ids, wm_by_count);
		printf("%sfunction %s\n", f ? "\n" : "", p->function->name);
		printf("  entries %" PRIu64 ", completed paths %" PRIu64 ", abandoned %" PRIu64 "\n",
			p->tally->sums[WM_OWN].entries, p->tally->sums[WM_OWN].ids.total, p->tally->abandoned);
		if (p->tally->plan.sequences)
			printf("  %zu of about 10^%.1f paths taken (%s, exact; ids are those of acyclic pieces)\n",
				p->tally->sums[WM_OWN].ids.used, p->tally->plan.log10_paths, r->scheme);
		else
			printf("  %zu of %" PRIu64 " paths taken (%s, %s)\n", p->tally->sums[WM_OWN].ids.used,
				p->tally->plan.numbering.path_count, r->scheme,
				p->tally->plan.cut_count ? "split" : "exact");
		if (p->tally->sums[WM_OWN].ids.used)
			print_paths(r, p);
	}
	if (r->segments)
		print_segments(r);
}

static void print_counted_json(
	const struct replay *r, const struct profiled *p, const struct wm_id_count *slot, bool first)
{
	const struct wm_path_graphs graphs = graphs_of(r, p);
	struct wm_arena arena;
	struct wm_trail trail;
	decode(p, slot->id, &trail, &arena);
	printf("%s\n  {\"function\": \"%s\", \"id\": ", first ? "" : ",", p->function->name);
	if (p->tally->plan.sequences) {
		putchar('"');
		print_name(&p->tally->names.name[slot->id]);
		putchar('"');
	} else {
		printf("%" PRIu64, slot->id);
	}
	printf(", \"count\": %" PRIu64 ", ", slot->count);
	wm_print_path_json(&graphs, &trail);
	putchar('}');
	wm_arena_release(&arena);
}

static void print_possible_json(const struct wm_plan *plan)
{
	if (plan->sequences)
		printf("\"paths_possible_log10\": %.6f", plan->log10_paths);
	else
		printf("\"paths_possible\": %" PRIu64, plan->numbering.path_count);
}

static void print_json(struct replay *r)
{
	bool first = true;
	printf("{\n \"schema\": \"waymark.replay/1\",\n \"scheme\": \"%s\",\n \"functions\": [", r->scheme);
	for (uint32_t f = 0; f < r->cfg->function_count; f++) {
		struct profiled *p = &r->profiled[f];
		wm_id_counts_sort(&p->tally->sums[WM_OWN].ids, wm_by_id);
		printf("%s\n  {\"name\": \"%s\", \"status\": \"%s\", ", f ? "," : "", p->function->name,
			p->tally->plan.cut_count ? "split" : "exact");
		print_possible_json(&p->tally->plan);
		printf(", \"entries\": %" PRIu64 ", \"completed\": %" PRIu64 ", \"abandoned\": %" PRIu64 "}",
			p->tally->sums[WM_OWN].entries, p->tally->sums[WM_OWN].ids.total, p->tally->abandoned);
	}
	printf("\n ],\n \"paths\": [");
	for (uint32_t f = 0; f < r->cfg->function_count; f++)
		for (size_t i = 0; i < r->profiled[f].tally->sums[WM_OWN].ids.used; i++, first = false)
			print_counted_json(r, &r->profiled[f], &r->profiled[f].tally->sums[WM_OWN].ids.slot[i], first);
	fputs("\n ]", stdout);
	if (r->segments)
		print_segments_json(r);
	puts("\n}");
}

static void print_replay(void *replay)
{
	struct replay *r = replay;
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
	if (options->segments && (strcmp(options->scheme, "acyclic") != 0 || options->max_paths))
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
	static const struct wm_replay_kind functions = {open_functions, print_replay, release};
	struct wm_replay_options options = {.scheme = "acyclic", .placement = WM_PLACE_OPTIMAL};
	struct wm_graph_file file;
	struct wm_sink sink;
	parse_options(&options, argc, argv);
	const struct wm_replay_kind *kind = options.segments && !options.inline_copies ? &wm_replay_segments
					    : options.choice.scheme->crosses	       ? &wm_replay_unit
										       : &functions;
	wm_graph_file_load(&file, options.graph);
	void *replay = kind->open(&options, &file, &sink);
	wm_walk_file_take(&file.cfg, options.walk, &sink);
	kind->print(replay);
	kind->release(replay);
	wm_graph_file_release(&file);
	wm_finish_output();
	return 0;
}
