/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/machine.h"
#include "core/probes/sequence.h"
#include "tool/graphfile.h"
#include "tool/options.h"
#include "tool/sequences.h"
#include "tool/tool.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark replay [options] GRAPH.cfg [WALK]\n"
			    "\n"
			    "Profiles a walk over the blocks of a graph: names separated by white space, one\n"
			    "activation of the first function per line.  After a block that calls a function\n"
			    "of the file, the callee's blocks follow until its exit.  A line that ends before\n"
			    "an exit abandons the paths it had begun.  Without WALK, or with '-', the walk is\n"
			    "read from standard input.\n";

struct options {
	struct wm_scheme_choice choice;
	const char *scheme; /* its text */
	int placement; /* enum wm_placement */
	bool json;
	uint64_t max_paths;
	const char *graph, *walk;
};

/* ---- Counts -------------------------------------------------------------- */

struct slot {
	uint64_t id, count; /* count 0: free */
};

struct profiled {
	const struct wm_cfg_function *function;
	struct wm_plan plan;
	struct wm_graph_probes probes;
	uint64_t entries, completed, abandoned;
	struct slot *slot;
	size_t used, capacity; /* a power of two, at most half used */
	uint32_t *callee; /* per block: index of the function it calls, or WM_NONE */
	struct wm_sequences names; /* of paths without ids: what stands for one is the index of its name */
};

static struct slot *find_slot(struct slot *slots, size_t capacity, uint64_t id)
{
	size_t at = (size_t)(id * 0x9E3779B97F4A7C15ull >> 20) & (capacity - 1);
	while (slots[at].count && slots[at].id != id)
		at = (at + 1) & (capacity - 1);
	return &slots[at];
}

static void grow(struct profiled *p)
{
	size_t capacity = p->capacity ? p->capacity * 2 : 64;
	struct slot *slots = wm_xrealloc(NULL, capacity, sizeof *slots);
	memset(slots, 0, capacity * sizeof *slots);
	for (size_t i = 0; i < p->capacity; i++)
		if (p->slot[i].count)
			*find_slot(slots, capacity, p->slot[i].id) = p->slot[i];
	free(p->slot);
	p->slot = slots;
	p->capacity = capacity;
}

static void count_id(struct profiled *p, uint64_t id, uint64_t amount)
{
	if (p->used * 2 >= p->capacity)
		grow(p);
	struct slot *slot = find_slot(p->slot, p->capacity, id);
	p->used += slot->count == 0;
	*slot = (struct slot){id, slot->count + amount};
	p->completed += amount;
}

static void count_sequence(void *closure, const uint64_t *piece, uint32_t length)
{
	struct profiled *p = closure;
	count_id(p, wm_sequences_index(&p->names, piece, length), 1);
}

/* What the runtime would be called with.  A path of one piece is named by it (abi/sequence.h). */
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
		count_id(p, id, amount);
}

static void count_cell(void *closure, uint32_t cell, uint64_t amount)
{
	struct profiled *p = closure;
	bool array = p->probes.counting.store == WM_COUNT_ARRAY;
	count_path(p, array ? cell : p->probes.program.cells.ids[cell], amount);
}

/* The table of the replay is the runtime's. */
static bool find_path(void *closure, uint64_t id, uint64_t amount)
{
	count_path(closure, id, amount);
	return true;
}

static int by_id(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static int by_count(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return by_id(a, b);
}

/* Moves the counts to the front, in order; no path may be counted after it. */
static void sort_counts(struct profiled *p, int (*order)(const void *, const void *))
{
	size_t used = 0;
	for (size_t i = 0; i < p->capacity; i++)
		if (p->slot[i].count)
			p->slot[used++] = p->slot[i];
	if (used)
		qsort(p->slot, used, sizeof *p->slot, order);
}

/* ---- The walk ------------------------------------------------------------ */

struct word {
	const char *text;
	size_t length;
	uint32_t line, column;
};

struct frame {
	uint32_t function;
	bool entered; /* false: called, its entry block has not come yet */
	struct wm_machine machine;
};

struct replay {
	struct wm_graph_file file;
	struct profiled *profiled; /* per function */
	const char *walk, *scheme;
	struct frame *frame;
	size_t depth;
};

static _Noreturn void fail_at(const struct replay *r, const struct word *word, const char *message)
{
	wm_fail("%s:%u:%u: %s", r->walk, word->line, word->column, message);
}

static void push(struct replay *r, uint32_t function)
{
	WM_XGROW(r->frame, r->depth);
	struct profiled *p = &r->profiled[function];
	r->frame[r->depth++] = (struct frame){
		.function = function,
		.machine = {.plan = &p->plan,
			.program = &p->probes.program,
			.counting = &p->probes.counting,
			.counters = {.closure = p, .cell = count_cell, .find = find_path, .call = count_path}},
	};
	struct wm_machine *machine = &r->frame[r->depth - 1].machine;
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
	struct wm_machine *machine = &r->frame[--r->depth].machine;
	free(machine->saved);
	if (machine->sequence)
		free(machine->sequence->pieces);
	free(machine->sequence);
}

static void enter(struct replay *r, struct frame *frame, const struct word *word, uint32_t block)
{
	struct profiled *p = &r->profiled[frame->function];
	if (block != 0)
		fail_at(r, word,
			wm_xprintf("expected '%s', the entry of function '%s', found '%.*s'",
				p->function->block_name[0], p->function->name, (int)word->length, word->text));
	p->entries++;
	frame->entered = true;
	wm_machine_enter(&frame->machine);
}

static void step(struct replay *r, struct frame *frame, const struct word *word, uint32_t block)
{
	const struct wm_cfg_function *function = r->profiled[frame->function].function;
	if (block == WM_NONE)
		fail_at(r, word,
			wm_xprintf("function '%s' has no block '%.*s'", function->name, (int)word->length, word->text));
	const char *from = function->block_name[frame->machine.block];
	if (wm_machine_step(&frame->machine, block) != WM_OK)
		fail_at(r, word,
			wm_xprintf("block '%s' of function '%s' has no successor '%.*s'", from, function->name,
				(int)word->length, word->text));
}

/* Leaves every frame that stands at an exit: a return may be the last thing its caller did. */
static void leave_exits(struct replay *r)
{
	while (r->depth && wm_machine_leave(&r->frame[r->depth - 1].machine) == WM_OK)
		pop(r);
}

static void take_word(struct replay *r, const struct word *word)
{
	if (r->depth == 0)
		fail_at(r, word,
			wm_xprintf("function '%s' has returned before '%.*s'; start a new line for its next activation",
				r->profiled[0].function->name, (int)word->length, word->text));
	struct frame *frame = &r->frame[r->depth - 1];
	const struct profiled *p = &r->profiled[frame->function];
	uint32_t block = wm_cfg_find_block(p->function, word->text, word->length);
	if (frame->entered)
		step(r, frame, word, block);
	else
		enter(r, frame, word, block);
	if (p->callee[block] != WM_NONE)
		push(r, p->callee[block]);
	else
		leave_exits(r);
}

static void end_line(struct replay *r)
{
	for (; r->depth; pop(r))
		if (r->frame[r->depth - 1].entered)
			r->profiled[r->frame[r->depth - 1].function].abandoned++;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool ends_word(char c)
{
	return is_blank(c) || c == '\n' || c == '#';
}

static void take_line(struct replay *r, const char *at, const char *end, uint32_t line)
{
	bool begun = false;
	for (const char *start = at; at < end && *at != '#';) {
		if (is_blank(*at)) {
			at++;
			continue;
		}
		struct word word = {.text = at, .line = line, .column = (uint32_t)(at - start) + 1};
		while (at < end && !ends_word(*at))
			at++;
		word.length = (size_t)(at - word.text);
		if (!begun)
			push(r, 0);
		begun = true;
		take_word(r, &word);
	}
	end_line(r);
}

static void take_walk(struct replay *r, const char *path)
{
	struct wm_buffer text;
	r->walk = strcmp(path, "-") == 0 ? "<stdin>" : path;
	if (!wm_buffer_read(&text, path))
		wm_fail("cannot read %s: %s", r->walk, strerror(errno));
	const char *at = (const char *)text.data, *end = at + text.size;
	for (uint32_t line = 1; at < end; line++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		take_line(r, at, stop, line);
		at = stop < end ? stop + 1 : end;
	}
	wm_buffer_release(&text);
}

/* ---- Setting up ---------------------------------------------------------- */

struct named {
	const char *name;
	uint32_t index;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static void resolve_callees(struct replay *r)
{
	uint32_t count = r->file.cfg.function_count;
	struct named *names = wm_xrealloc(NULL, count, sizeof *names);
	for (uint32_t f = 0; f < count; f++)
		names[f] = (struct named){r->file.cfg.function[f].name, f};
	qsort(names, count, sizeof *names, by_name);
	for (uint32_t f = 0; f < count; f++) {
		const struct wm_cfg_function *function = &r->file.cfg.function[f];
		r->profiled[f].callee = wm_xrealloc(NULL, function->graph.block_count, sizeof(uint32_t));
		for (uint32_t b = 0; b < function->graph.block_count; b++) {
			struct named key = {.name = function->callee[b]};
			const struct named *found =
				key.name ? bsearch(&key, names, count, sizeof *names, by_name) : NULL;
			r->profiled[f].callee[b] = found ? found->index : WM_NONE;
		}
	}
	free(names);
}

static void prepare(struct replay *r, const struct options *options)
{
	uint32_t count = r->file.cfg.function_count;
	r->profiled = wm_xrealloc(NULL, count, sizeof *r->profiled);
	for (uint32_t f = 0; f < count; f++) {
		struct profiled *p = &r->profiled[f];
		*p = (struct profiled){.function = &r->file.cfg.function[f]};
		wm_graph_plan(&p->plan, p->function, &options->choice, options->max_paths, &r->file.arena);
		wm_counting_plain(&p->probes.counting, &p->plan, WM_GRAPH_ARRAY_PATHS);
		wm_graph_place(&p->probes, &p->plan,
			&(struct wm_graph_placing){
				.placement = (enum wm_placement)options->placement, .abandons = true},
			&r->file.arena);
	}
	resolve_callees(r);
}

static void release(struct replay *r)
{
	for (uint32_t f = 0; f < r->file.cfg.function_count; f++) {
		wm_sequences_release(&r->profiled[f].names);
		free(r->profiled[f].slot);
		free(r->profiled[f].callee);
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

static void print_counted(const struct profiled *p, const struct slot *slot)
{
	struct wm_arena arena;
	struct wm_block_path path;
	wm_arena_init(&arena);
	wm_path_alloc(&path, &p->plan, &arena);
	decode(p, slot->id, &path, &arena);
	double share = 100 * (double)slot->count / (double)p->completed;
	printf("  %12" PRIu64 "  %5.1f %%  ", slot->count, share);
	if (p->plan.sequences)
		print_name(&p->names.name[slot->id]);
	else
		printf("%8" PRIu64, slot->id);
	fputs("  ", stdout);
	wm_print_path(p->function, &p->plan, &path);
	putchar('\n');
	wm_arena_release(&arena);
}

static void print_paths(const struct profiled *p)
{
	printf("  %12s  %7s  %8s  path\n", "count", "share", "id");
	for (size_t i = 0; i < p->used; i++)
		print_counted(p, &p->slot[i]);
}

static void print_text(struct replay *r)
{
	for (uint32_t f = 0; f < r->file.cfg.function_count; f++) {
		struct profiled *p = &r->profiled[f];
		sort_counts(p, by_count);
		printf("%sfunction %s\n", f ? "\n" : "", p->function->name);
		printf("  entries %" PRIu64 ", completed paths %" PRIu64 ", abandoned %" PRIu64 "\n", p->entries,
			p->completed, p->abandoned);
		if (p->plan.sequences)
			printf("  %zu of about 10^%.1f paths taken (%s, exact; ids are those of acyclic pieces)\n",
				p->used, p->plan.log10_paths, r->scheme);
		else
			printf("  %zu of %" PRIu64 " paths taken (%s, %s)\n", p->used, p->plan.numbering.path_count,
				r->scheme, p->plan.cut_count ? "split" : "exact");
		if (p->used)
			print_paths(p);
	}
}

static void print_counted_json(const struct profiled *p, const struct slot *slot, bool first)
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
		sort_counts(p, by_id);
		printf("%s\n  {\"name\": \"%s\", \"status\": \"%s\", ", f ? "," : "", p->function->name,
			p->plan.cut_count ? "split" : "exact");
		print_possible_json(&p->plan);
		printf(", \"entries\": %" PRIu64 ", \"completed\": %" PRIu64 ", \"abandoned\": %" PRIu64 "}",
			p->entries, p->completed, p->abandoned);
	}
	printf("\n ],\n \"paths\": [");
	for (uint32_t f = 0; f < r->file.cfg.function_count; f++)
		for (size_t i = 0; i < r->profiled[f].used; i++, first = false)
			print_counted_json(&r->profiled[f], &r->profiled[f].slot[i], first);
	puts("\n ]\n}");
}

static void parse_options(struct options *options, int argc, char **argv)
{
	static const char *const placements[] = {[WM_PLACE_NAIVE] = "naive", [WM_PLACE_OPTIMAL] = "optimal", NULL};
	const struct wm_option own[] = {
		WM_TEXT("scheme", &options->scheme, "NAME", "which paths are observed (acyclic)"),
		WM_CHOICE("placement", &options->placement, "WHICH", placements,
			"run the optimal or the naive probes (optimal)"),
		WM_NUMBER("max-paths", &options->max_paths, "cut the graph until it has at most N paths (2^63)"),
		WM_FLAG("json", &options->json, "print JSON (schema waymark.replay/1)"),
		{0},
	};
	int first = wm_parse_options(
		&(struct wm_syntax){.usage = usage, .table = {own}, .more = wm_print_schemes}, argc, argv);
	if (argc - first < 1 || argc - first > 2)
		wm_fail("expected a graph file and at most one walk, found %d files; see waymark replay --help",
			argc - first);
	options->choice = wm_scheme_option(options->scheme);
	/* Who sets a limit wants the graph cut. */
	options->choice.sequences = options->max_paths == 0;
	options->graph = argv[first];
	options->walk = argc - first == 2 ? argv[first + 1] : "-";
	if (strcmp(options->graph, "-") == 0 && strcmp(options->walk, "-") == 0)
		wm_fail("graph and walk cannot both come from standard input; name a file for one of them");
}

int wm_cmd_replay(int argc, char **argv)
{
	struct options options = {.scheme = "acyclic", .placement = WM_PLACE_OPTIMAL};
	struct replay replay = {0};
	parse_options(&options, argc, argv);
	replay.scheme = options.scheme;
	wm_graph_file_load(&replay.file, options.graph);
	prepare(&replay, &options);
	take_walk(&replay, options.walk);
	if (options.json)
		print_json(&replay);
	else
		print_text(&replay);
	release(&replay);
	wm_finish_output();
	return 0;
}
