/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/machine.h"
#include "core/probes/sequence.h"
#include "tool/graphfile.h"
#include "tool/idcounts.h"
#include "tool/inlined.h"
#include "tool/replay_unit.h"
#include "tool/sequences.h"
#include "tool/tool.h"
#include "tool/walk.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark replay [options] GRAPH.cfg [WALK]\n"
			    "\n"
			    "Counts the paths of a walk over the blocks of a graph.  A walk consists of block\n"
			    "names separated by white space, with one activation of the first function per\n"
			    "line.  After a block that calls a function of the file, the blocks of the callee\n"
			    "follow, up to its exit block.  If a line ends before an exit block, its open paths\n"
			    "are abandoned.  Without WALK, or with '-', the walk is read from standard input.\n";

struct options {
	struct wm_scheme_choice choice;
	const struct wm_unit_scheme *unit; /* NULL: functions are profiled by themselves, as `choice` says */
	const char *scheme; /* its text */
	int placement; /* enum wm_placement */
	bool json;
	uint64_t max_paths, inline_copies, segments;
	const char *graph, *walk;
};

/* ---- Counts -------------------------------------------------------------- */

struct profiled {
	const struct wm_cfg_function *function;
	const struct wm_inlined *inlined; /* NULL: calls are not inlined */
	uint32_t index;
	struct wm_plan plan;
	struct wm_graph_probes probes;
	uint64_t entries, abandoned;
	struct wm_id_counts counts;
	struct wm_sequences names; /* of paths without ids; the index of a name takes the place of the id */
};

static void count_sequence(void *closure, const uint64_t *piece, uint32_t length)
{
	struct profiled *p = closure;
	wm_id_counts_add(&p->counts, wm_sequences_index(&p->names, piece, length), 1);
}

/* Counts a path as the runtime would.  The name of a path of one piece is that piece (abi/sequence.h). */
static void count_path(void *closure, uint64_t id, uint64_t amount)
{
	struct profiled *p = closure;
	uint64_t piece = id - WM_ALONE_BIT;
	if ((p->plan.sequences ? piece : id) >= p->plan.numbering.path_count)
		wm_bug("the probes of function '%s' counted path %" PRIu64 ", which does not exist", p->function->name,
			id);
	if (p->plan.sequences)
		count_sequence(p, &piece, 1);
	else
		wm_id_counts_add(&p->counts, id, amount);
}

static void count_cell(void *closure, uint32_t cell, uint64_t amount)
{
	struct profiled *p = closure;
	bool array = p->probes.counting.store == WM_COUNT_ARRAY;
	count_path(p, array ? cell : p->probes.program.cells.ids[cell], amount);
}

/* Takes the place of the hash table of the runtime. */
static bool find_path(void *closure, uint64_t id, uint64_t amount)
{
	count_path(closure, id, amount);
	return true;
}

/* ---- The walk ------------------------------------------------------------ */

struct replay {
	struct wm_graph_file file;
	struct wm_inlined inlined;
	uint64_t inline_copies; /* 0: calls are not inlined */
	uint32_t segments; /* depth; 0: segments are not printed */
	struct profiled *profiled; /* per function */
	const char *scheme;
	struct wm_machine *frame;
	size_t depth;
};

static struct wm_machine *top(const struct replay *r)
{
	return &r->frame[r->depth - 1];
}

static struct profiled *top_function(const struct replay *r)
{
	return top(r)->counters.closure;
}

static void push(struct replay *r, uint32_t function)
{
	WM_XGROW(r->frame, r->depth);
	struct profiled *p = &r->profiled[function];
	struct wm_machine *machine = &r->frame[r->depth++];
	*machine = (struct wm_machine){.plan = &p->plan,
		.program = &p->probes.program,
		.counting = &p->probes.counting,
		.counters = {.closure = p, .cell = count_cell, .find = find_path, .call = count_path}};
	if (p->probes.program.saved_count)
		machine->saved = wm_xrealloc(NULL, p->probes.program.saved_count, sizeof(uint64_t));
	if (!p->plan.sequences)
		return;
	machine->sequence = wm_xrealloc(NULL, 1, sizeof *machine->sequence);
	*machine->sequence = (struct wm_sequence){.count = count_sequence, .closure = p};
	machine->sequence->pieces =
		wm_xmalloc(sizeof(struct wm_pieces) + wm_sequence_room(&p->plan) * sizeof(uint64_t));
}

static void pop(struct replay *r)
{
	struct wm_machine *machine = &r->frame[--r->depth];
	free(machine->saved);
	if (machine->sequence)
		free(machine->sequence->pieces);
	free(machine->sequence);
}

static void enter(void *closure, uint32_t function)
{
	push(closure, function);
	top_function(closure)->entries++;
	wm_machine_enter(top(closure));
}

static void step(void *closure, uint32_t block)
{
	if (wm_machine_step(top(closure), block) != WM_OK)
		wm_bug("the walk took an edge that does not exist");
}

/* Calls have no effect, because a path belongs to one activation. */
static void pass_call(void *closure)
{
	(void)closure;
}

static void leave(void *closure)
{
	if (wm_machine_exit(top(closure)) != WM_OK)
		wm_bug("the walk left a function in a block that is no exit");
	pop(closure);
}

static void abandon(void *closure)
{
	top_function(closure)->abandoned++;
	pop(closure);
}

static void take_walk(struct replay *r, const char *path)
{
	const struct wm_walk_events events = {.closure = r,
		.enter = enter,
		.step = step,
		.call = pass_call,
		.go_on = pass_call,
		.leave = leave,
		.abandon = abandon};
	if (r->inline_copies)
		wm_inlined_walk(&r->inlined, path, &events);
	else
		wm_walk_take(&r->file.cfg, path, &events);
}

/* ---- Setting up ---------------------------------------------------------- */

static void prepare(struct replay *r, const struct options *options)
{
	uint32_t count = r->file.cfg.function_count;
	if (options->inline_copies)
		wm_inlined_make(&r->inlined, &r->file, (uint32_t)options->inline_copies);
	const struct wm_cfg *cfg = options->inline_copies ? &r->inlined.cfg : &r->file.cfg;
	r->profiled = wm_xrealloc(NULL, count, sizeof *r->profiled);
	for (uint32_t f = 0; f < count; f++) {
		struct profiled *p = &r->profiled[f];
		*p = (struct profiled){.function = &cfg->function[f],
			.inlined = options->inline_copies ? &r->inlined : NULL,
			.index = f};
		wm_graph_plan(&p->plan, p->function, &options->choice, options->max_paths, &r->file.arena);
		wm_counting_plain(&p->probes.counting, &p->plan, WM_GRAPH_ARRAY_PATHS);
		wm_graph_place(&p->probes, &p->plan,
			&(struct wm_graph_placing){
				.placement = (enum wm_placement)options->placement, .abandons = true},
			&r->file.arena);
	}
}

static void release(struct replay *r)
{
	for (uint32_t f = 0; f < r->file.cfg.function_count; f++) {
		wm_sequences_release(&r->profiled[f].names);
		wm_id_counts_release(&r->profiled[f].counts);
	}
	free(r->profiled);
	free(r->frame);
	wm_graph_file_release(&r->file);
}

/* ---- Printing ------------------------------------------------------------ */

static void decode(const struct profiled *p, uint64_t id, struct wm_block_path *path, struct wm_arena *arena)
{
	const struct wm_sequence_name *name = p->plan.sequences ? &p->names.name[id] : NULL;
	enum wm_status status = name ? wm_sequence_decode(&p->plan, name->piece, name->length, path, arena)
				     : wm_plan_decode(&p->plan, id, path, arena);
	if (status != WM_OK)
		wm_bug("path %" PRIu64 " of function '%s' cannot be decoded", id, p->function->name);
}

/* The ids of the pieces with dots between them. */
static void print_name(const struct wm_sequence_name *name)
{
	for (uint32_t i = 0; i < name->length; i++)
		printf("%s%" PRIu64, i ? "." : "", name->piece[i]);
}

static void print_counted(const struct profiled *p, const struct wm_id_count *slot)
{
	struct wm_arena arena;
	struct wm_block_path path;
	wm_arena_init(&arena);
	wm_path_alloc(&path, &p->plan, &arena);
	decode(p, slot->id, &path, &arena);
	double share = 100 * (double)slot->count / (double)p->counts.total;
	printf("  %12" PRIu64 "  %5.1f %%  ", slot->count, share);
	if (p->plan.sequences)
		print_name(&p->names.name[slot->id]);
	else
		printf("%8" PRIu64, slot->id);
	fputs("  ", stdout);
	if (p->inlined)
		wm_inlined_print_path(p->inlined, p->index, &p->plan, &path);
	else
		wm_print_path(p->function, &p->plan, &path);
	putchar('\n');
	wm_arena_release(&arena);
}

static void print_paths(const struct profiled *p)
{
	printf("  %12s  %7s  %8s  path\n", "count", "share", "id");
	for (size_t i = 0; i < p->counts.used; i++)
		print_counted(p, &p->counts.slot[i]);
}

/* The segments on all counted paths. */
static void find_segments(const struct replay *r, struct wm_segment_counts *counts)
{
	for (uint32_t f = 0; f < r->file.cfg.function_count; f++) {
		const struct profiled *p = &r->profiled[f];
		for (size_t i = 0; i < p->counts.used; i++) {
			struct wm_arena arena;
			struct wm_block_path path;
			wm_arena_init(&arena);
			wm_path_alloc(&path, &p->plan, &arena);
			decode(p, p->counts.slot[i].id, &path, &arena);
			wm_inlined_add_segments(&r->inlined, f, &path, r->segments, p->counts.slot[i].count, counts);
			wm_arena_release(&arena);
		}
	}
	wm_segment_counts_finish(counts);
}

static void print_segments(const struct replay *r)
{
	struct wm_segment_counts counts = {0};
	find_segments(r, &counts);
	printf("\nsegments of depth %u\n", r->segments);
	for (size_t i = 0; i < counts.count; i++)
		printf("%2s%12" PRIu64 "  %s\n", counts.segment[i].at_least ? ">=" : "", counts.segment[i].count,
			counts.segment[i].text);
	wm_segment_counts_release(&counts);
}

static void print_segments_json(const struct replay *r)
{
	struct wm_segment_counts counts = {0};
	find_segments(r, &counts);
	fputs(",\n \"segments\": [", stdout);
	for (size_t i = 0; i < counts.count; i++) {
		printf("%s\n  {\"count\": %" PRIu64 ", \"exact\": %s, \"path\": [\"", i ? "," : "",
			counts.segment[i].count, counts.segment[i].at_least ? "false" : "true");
		for (const char *c = counts.segment[i].text; *c; c++)
			fputs(*c == ' ' ? "\", \"" : (char[]){*c, 0}, stdout);
		fputs("\"]}", stdout);
	}
	fputs("\n ]", stdout);
	wm_segment_counts_release(&counts);
}

static void print_text(struct replay *r)
{
	for (uint32_t f = 0; f < r->file.cfg.function_count; f++) {
		struct profiled *p = &r->profiled[f];
		wm_id_counts_sort(&p->counts, wm_by_count);
		printf("%sfunction %s\n", f ? "\n" : "", p->function->name);
		printf("  entries %" PRIu64 ", completed paths %" PRIu64 ", abandoned %" PRIu64 "\n", p->entries,
			p->counts.total, p->abandoned);
		if (p->plan.sequences)
			printf("  %zu of about 10^%.1f paths taken (%s, exact; ids are those of acyclic pieces)\n",
				p->counts.used, p->plan.log10_paths, r->scheme);
		else
			printf("  %zu of %" PRIu64 " paths taken (%s, %s)\n", p->counts.used,
				p->plan.numbering.path_count, r->scheme, p->plan.cut_count ? "split" : "exact");
		if (p->counts.used)
			print_paths(p);
	}
	if (r->segments)
		print_segments(r);
}

static void print_counted_json(const struct profiled *p, const struct wm_id_count *slot, bool first)
{
	struct wm_arena arena;
	struct wm_block_path path;
	wm_arena_init(&arena);
	wm_path_alloc(&path, &p->plan, &arena);
	decode(p, slot->id, &path, &arena);
	printf("%s\n  {\"function\": \"%s\", \"id\": ", first ? "" : ",", p->function->name);
	if (p->plan.sequences) {
		putchar('"');
		print_name(&p->names.name[slot->id]);
		putchar('"');
	} else {
		printf("%" PRIu64, slot->id);
	}
	printf(", \"count\": %" PRIu64 ", ", slot->count);
	if (p->inlined)
		wm_inlined_print_path_json(p->inlined, p->index, &path);
	else
		wm_print_path_json(p->function, &p->plan, &path);
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
	for (uint32_t f = 0; f < r->file.cfg.function_count; f++) {
		struct profiled *p = &r->profiled[f];
		wm_id_counts_sort(&p->counts, wm_by_id);
		printf("%s\n  {\"name\": \"%s\", \"status\": \"%s\", ", f ? "," : "", p->function->name,
			p->plan.cut_count ? "split" : "exact");
		print_possible_json(&p->plan);
		printf(", \"entries\": %" PRIu64 ", \"completed\": %" PRIu64 ", \"abandoned\": %" PRIu64 "}",
			p->entries, p->counts.total, p->abandoned);
	}
	printf("\n ],\n \"paths\": [");
	for (uint32_t f = 0; f < r->file.cfg.function_count; f++)
		for (size_t i = 0; i < r->profiled[f].counts.used; i++, first = false)
			print_counted_json(&r->profiled[f], &r->profiled[f].counts.slot[i], first);
	fputs("\n ]", stdout);
	if (r->segments)
		print_segments_json(r);
	puts("\n}");
}

static void parse_options(struct options *options, int argc, char **argv)
{
	static const char *const placements[] = {[WM_PLACE_NAIVE] = "naive", [WM_PLACE_OPTIMAL] = "optimal", NULL};
	const struct wm_option own[] = {
		WM_TEXT("scheme", &options->scheme, "NAME", "which paths are observed (acyclic)"),
		WM_CHOICE("placement", &options->placement, "WHICH", placements,
			"use the optimal or the naive placement of probes (optimal)"),
		WM_INLINE_OPTION(&options->inline_copies),
		WM_NUMBER("segments", &options->segments,
			"print the interprocedural path segments of depth N on the paths;\n"
			"needs --inline"),
		WM_NUMBER("max-paths", &options->max_paths, "cut the graph until it has at most N paths (2^63)"),
		WM_FLAG("json", &options->json, "print JSON (schema waymark.replay/1)"),
		{0},
	};
	int first = wm_parse_options(
		&(struct wm_syntax){.usage = usage, .table = {own}, .more = wm_print_schemes}, argc, argv);
	if (argc - first < 1 || argc - first > 2)
		wm_fail("expected a graph file and at most one walk, found %d files; see waymark replay --help",
			argc - first);
	wm_scheme_option(options->scheme, &options->choice, &options->unit);
	wm_check_inline_option(options->inline_copies, options->scheme, &options->choice, options->unit);
	if (options->segments && !options->inline_copies)
		wm_fail("--segments needs --inline: without it, no path goes through a call");
	if (options->segments > WM_MAX_COPIES)
		wm_fail("--segments: the depth is at most %u", WM_MAX_COPIES);
	/* With --max-paths the graph is cut, so paths are not named by sequences. */
	options->choice.sequences = options->max_paths == 0;
	options->graph = argv[first];
	options->walk = argc - first == 2 ? argv[first + 1] : "-";
	if (strcmp(options->graph, "-") == 0 && strcmp(options->walk, "-") == 0)
		wm_fail("graph and walk cannot both come from standard input; name a file for one of them");
}

static void replay_functions(const struct options *options)
{
	struct replay replay = {.scheme = options->scheme,
		.inline_copies = options->inline_copies,
		.segments = (uint32_t)options->segments};
	wm_graph_file_load(&replay.file, options->graph);
	prepare(&replay, options);
	take_walk(&replay, options->walk);
	if (options->json)
		print_json(&replay);
	else
		print_text(&replay);
	release(&replay);
}

static void replay_unit(const struct options *options)
{
	struct wm_graph_file file;
	struct wm_replay_unit wanted = {.scheme = options->unit,
		.placement = (enum wm_placement)options->placement,
		.max_paths = options->max_paths,
		.walk = options->walk,
		.json = options->json};
	wm_graph_file_load(&file, options->graph);
	wm_replay_unit(&wanted, &file);
	wm_graph_file_release(&file);
}

int wm_cmd_replay(int argc, char **argv)
{
	struct options options = {.scheme = "acyclic", .placement = WM_PLACE_OPTIMAL};
	parse_options(&options, argc, argv);
	(options.unit ? replay_unit : replay_functions)(&options);
	wm_finish_output();
	return 0;
}
