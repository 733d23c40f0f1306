/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/hw/source_paths.h"
#include "core/base/grow.h"
#include "core/paths/fragments.h"
#include "elf/elf_object.h"
#include "profile/base/scheme_name.h"
#include "profile/collect.h"
#include "profile/map/identity.h"
#include "profile/map/marks.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <md5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	HIDDEN_MAX = 4, /* blocks without marks between two blocks with marks */
	UNKNOWN_MAX = 3, /* places in one sequence at which two ways are tried; elsewhere it is the first way */
};

/* A function of the map. */
struct body {
	const struct wm_map_function *function;
	struct wm_plan plan;
	bool planned, refused;
	bool *marked; /* per block: the binary has a mark of it */
	struct wm_fragment *fragment; /* heap; their blocks are in the arena of the reader */
	size_t fragment_count;
};

struct symbol {
	uint64_t name, address; /* the beginning of the MD5 of the name */
};

struct reader {
	const struct wm_hw_story *story;
	const struct wm_code *code;
	struct wm_object object;
	struct wm_block_marks marks;
	struct symbol *symbol; /* ascending names */
	size_t symbol_count;
	struct body *body; /* ascending keys */
	size_t body_count;
	/* The marks along a path, and the address to which its last branch leads; 0: not known. */
	struct wm_block_mark *seen;
	size_t seen_count;
	uint64_t target;
	uint32_t *block; /* a sequence with the blocks between its marks */
	size_t block_count;
	struct wm_hw_source_summary *summary;
	struct wm_arena arena;
};

/* ---- What the binary says -------------------------------------------------------------------------- */

static int compare_symbols(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void take_symbol(void *closure, const char *name, uint64_t address)
{
	struct reader *r = closure;
	uint8_t sum[MD5_DIGEST_LENGTH];
	MD5_CTX context;
	struct symbol symbol = {0, address};
	MD5Init(&context);
	MD5Update(&context, (const uint8_t *)name, strlen(name));
	MD5Final(sum, &context);
	for (size_t i = 0; i < 8; i++)
		symbol.name |= (uint64_t)sum[i] << 8 * i;
	if (!WM_GROW(r->symbol, r->symbol_count))
		wm_no_memory();
	r->symbol[r->symbol_count++] = symbol;
}

/* Two local functions may have one name: then their addresses are not known. */
static bool find_symbol(void *closure, uint64_t name, uint64_t *address)
{
	const struct reader *r = closure;
	struct symbol wanted = {name, 0};
	const struct symbol *found =
		r->symbol_count ? bsearch(&wanted, r->symbol, r->symbol_count, sizeof wanted, compare_symbols) : NULL;
	if (!found || (found > r->symbol && found[-1].name == name && found[-1].address != found->address) ||
		(found + 1 < r->symbol + r->symbol_count && found[1].name == name &&
			found[1].address != found->address))
		return false;
	*address = found->address;
	return true;
}

static int compare_bodies(const void *left, const void *right)
{
	uint64_t a = ((const struct body *)left)->function->key, b = ((const struct body *)right)->function->key;
	return a < b ? -1 : a > b;
}

static void list_bodies(struct reader *r)
{
	const struct wm_map *map = &r->object.map;
	size_t count = 0;
	for (size_t m = 0; m < map->module_count; m++)
		count += map->module[m].function_count;
	r->body = wm_xrealloc(NULL, count + 1, sizeof *r->body);
	for (size_t m = 0; m < map->module_count; m++)
		for (uint32_t f = 0; f < map->module[m].function_count; f++)
			if (map->module[m].function[f].graph.block_count)
				r->body[r->body_count++] = (struct body){.function = &map->module[m].function[f]};
	qsort(r->body, r->body_count, sizeof *r->body, compare_bodies);
}

static struct body *find_body(struct reader *r, uint64_t key)
{
	struct wm_map_function function = {.key = key};
	struct body wanted = {.function = &function};
	return r->body_count ? bsearch(&wanted, r->body, r->body_count, sizeof wanted, compare_bodies) : NULL;
}

static void note_marked(struct reader *r)
{
	for (size_t i = 0; i < r->marks.count; i++) {
		struct body *body = find_body(r, r->marks.mark[i].key);
		uint32_t blocks = body ? body->function->graph.block_count : 0;
		if (body && !body->marked && !(body->marked = WM_NEW(&r->arena, bool, blocks)))
			wm_no_memory();
		if (r->marks.mark[i].block < blocks)
			body->marked[r->marks.mark[i].block] = true;
	}
}

static bool open_reader(struct reader *r)
{
	wm_arena_init(&r->arena);
	enum wm_object_status status = wm_object_open(&r->object, r->code->path, r->story->view->debug_dir, &r->arena);
	if (status != WM_OBJECT_OK && status != WM_OBJECT_DAMAGED)
		return false;
	struct wm_buffer section = wm_object_section(&r->object, WM_MARKS_SECTION);
	wm_code_functions(r->code, take_symbol, r);
	if (r->symbol_count)
		qsort(r->symbol, r->symbol_count, sizeof *r->symbol, compare_symbols);
	enum wm_status read =
		wm_marks_read(&r->marks, section.data, section.size, &(struct wm_mark_names){find_symbol, r});
	wm_buffer_release(&section);
	if (read == WM_NO_MEMORY)
		wm_no_memory();
	if (read != WM_OK)
		wm_warn("the section %s of %s is damaged: its paths are left out", WM_MARKS_SECTION, r->code->path);
	list_bodies(r);
	note_marked(r);
	return r->marks.count;
}

static void close_reader(struct reader *r)
{
	for (size_t i = 0; i < r->body_count; i++)
		free(r->body[i].fragment);
	free(r->body);
	free(r->symbol);
	free(r->seen);
	free(r->block);
	wm_marks_release(&r->marks);
	wm_object_release(&r->object);
	wm_arena_release(&r->arena);
}

static bool is_planned(struct reader *r, struct body *body)
{
	if (!body->planned && !body->refused) {
		enum wm_status status =
			wm_plan_make(&body->plan, &body->function->graph, &wm_scheme_acyclic, 0, &r->arena);
		body->planned = status == WM_OK;
		body->refused = !body->planned;
	}
	return body->planned && body->marked;
}

/* ---- From a path of machine code to sequences of blocks ---------------------------------------------- */

static void see(struct reader *r, uint64_t address)
{
	size_t count;
	const struct wm_block_mark *mark = wm_marks_at(&r->marks, address, &count);
	for (size_t i = 0; i < count; i++) {
		if (!WM_GROW(r->seen, r->seen_count))
			wm_no_memory();
		r->seen[r->seen_count++] = mark[i];
	}
}

static void visit(void *closure, const struct wm_hw_visit *visit)
{
	struct reader *r = closure;
	const struct wm_hw_insn *insn = visit->insn;
	see(r, insn->address);
	r->target =
		insn->branch == WM_HW_JUMP || (insn->branch == WM_HW_CONDITIONAL && visit->taken) ? insn->target : 0;
}

static bool is_exit(const struct body *body, uint32_t block)
{
	const struct wm_graph *graph = &body->function->graph;
	return graph->first_edge[block] == graph->first_edge[block + 1];
}

/* The ways from one block to another over blocks that were not seen between them. */
struct ways {
	uint32_t count; /* at most 2 */
	uint32_t length[2], block[2][HIDDEN_MAX];
};

static void find_ways_over(struct ways *ways, const struct body *body, uint32_t from, uint32_t to, bool marked)
{
	const struct wm_graph *graph = &body->function->graph;
	uint32_t at[HIDDEN_MAX + 1] = {from}, edge[HIDDEN_MAX + 1] = {graph->first_edge[from]}, depth = 0;
	ways->count = 0;
	for (;;) {
		if (edge[depth] == graph->first_edge[at[depth] + 1]) {
			if (!depth--)
				return;
			continue;
		}
		uint32_t next = graph->edge_to[edge[depth]++];
		if (next == to) {
			ways->length[ways->count] = depth;
			memcpy(ways->block[ways->count], at + 1, depth * sizeof *at);
			if (++ways->count == 2)
				return;
		} else if ((marked || !body->marked[next]) && depth < HIDDEN_MAX) {
			at[++depth] = next;
			edge[depth] = graph->first_edge[next];
		}
	}
}

/* A mark may also be missing in one copy of a block only. */
static void find_ways(struct ways *ways, const struct body *body, uint32_t from, uint32_t to)
{
	find_ways_over(ways, body, from, to, false);
	if (!ways->count && !is_exit(body, from) && to)
		find_ways_over(ways, body, from, to, true);
}

static void put_block(struct reader *r, uint32_t block)
{
	if (!WM_GROW(r->block, r->block_count))
		wm_no_memory();
	r->block[r->block_count++] = block;
}

static void put_fragment(struct reader *r, struct body *body, const struct wm_fragment *fragment)
{
	uint32_t *block = WM_NEW(&r->arena, uint32_t, fragment->length);
	if (!block || !WM_GROW(body->fragment, body->fragment_count))
		wm_no_memory();
	memcpy(block, fragment->block, fragment->length * sizeof *block);
	body->fragment[body->fragment_count] = *fragment;
	body->fragment[body->fragment_count++].block = block;
}

/* How a sequence of blocks ends: inside a path, with the end of one, or with an edge on which paths stop. */
enum end { INSIDE, ENDS, STOPS };

/* Divides r->block, whose neighbours are joined by edges, where paths stop. */
static void divide(struct reader *r, struct body *body, bool begins, enum end end, uint64_t count)
{
	size_t from = 0;
	const struct wm_graph *graph = &body->function->graph;
	for (size_t i = 1; i < r->block_count; i++) {
		uint32_t edge = wm_graph_find_edge(graph, r->block[i - 1], r->block[i]);
		if (!wm_plan_stops(&body->plan, edge))
			continue;
		put_fragment(
			r, body, &(struct wm_fragment){r->block + from, (uint32_t)(i + 1 - from), count, begins, true});
		from = i;
		begins = true;
	}
	/* The block after an edge on which paths stop belongs to the next path of the machine code. */
	if (end != STOPS)
		put_fragment(r, body,
			&(struct wm_fragment){
				r->block + from, (uint32_t)(r->block_count - from), count, begins, end == ENDS});
}

/* The block of the function that is executed after the path, if the target of its last branch tells; WM_NONE: not known. */
static uint32_t block_after(const struct reader *r, const struct body *body)
{
	size_t count;
	const struct wm_block_mark *mark = wm_marks_at(&r->marks, r->target, &count);
	for (size_t i = 0; r->target && i < count; i++)
		if (mark[i].key == body->function->key)
			return mark[i].block;
	return WM_NONE;
}

static void put_way(struct reader *r, const struct ways *ways, uint32_t bits, uint32_t *unknown)
{
	uint32_t way = ways->count == 2 && *unknown < UNKNOWN_MAX ? bits >> (*unknown)++ & 1 : 0;
	for (uint32_t k = 0; ways->count && k < ways->length[way]; k++)
		put_block(r, ways->block[way][k]);
}

/* The way from the last block of a path of machine code to the first one of the path after it, which has that block unless paths
 * stop before it. */
static enum end go_on(struct reader *r, const struct body *body, uint32_t bits, uint32_t *unknown)
{
	const struct wm_graph *graph = &body->function->graph;
	struct ways ways = {0};
	uint32_t last = r->block[r->block_count - 1], next = is_exit(body, last) ? WM_NONE : block_after(r, body);
	if (next != WM_NONE)
		find_ways(&ways, body, last, next);
	if (!ways.count)
		return is_exit(body, last) ? ENDS : INSIDE;
	put_way(r, &ways, bits, unknown);
	if (!wm_plan_stops(&body->plan, wm_graph_find_edge(graph, r->block[r->block_count - 1], next)))
		return INSIDE;
	put_block(r, next);
	return STOPS;
}

/* One of the 2^unknown variants of a sequence; `bits` says which ways it takes.  Returns how many places are unknown. */
static uint32_t put_variant(
	struct reader *r, struct body *body, const uint32_t *block, size_t count, uint32_t bits, uint64_t executions)
{
	uint32_t unknown = 0;
	bool begins = !block[0] || body->plan.dfs.is_head[block[0]];
	r->block_count = 0;
	put_block(r, block[0]);
	for (size_t i = 1; i < count; i++) {
		struct ways ways;
		find_ways(&ways, body, block[i - 1], block[i]);
		if (!ways.count) { /* another activation, or code that was moved */
			if (executions)
				divide(r, body, begins, is_exit(body, block[i - 1]) ? ENDS : INSIDE, executions);
			r->block_count = 0;
			begins = !block[i];
		}
		put_way(r, &ways, bits, &unknown);
		put_block(r, block[i]);
	}
	enum end end = go_on(r, body, bits, &unknown);
	if (executions)
		divide(r, body, begins, end, executions);
	return unknown;
}

static void put_sequence(struct reader *r, struct body *body, const uint32_t *block, size_t count, uint64_t executions)
{
	uint32_t unknown = put_variant(r, body, block, count, 0, 0);
	uint64_t share = executions >> unknown;
	for (uint32_t bits = 1; bits < 1u << unknown; bits++)
		put_variant(r, body, block, count, bits, share);
	put_variant(r, body, block, count, 0, executions - share * ((1u << unknown) - 1));
	if (unknown)
		r->summary->halved += executions;
}

/* The blocks of one function after the other.  A mark that is repeated where code was copied is one execution if no edge leads from
 * the block to itself. */
static void put_path(struct reader *r, uint64_t executions)
{
	uint32_t *block = wm_xrealloc(NULL, r->seen_count + 1, sizeof *block);
	for (size_t i = 0; i < r->seen_count; i++) {
		uint64_t key = r->seen[i].key;
		struct body *body = key ? find_body(r, key) : NULL;
		size_t count = 0;
		for (size_t k = i; body && k < r->seen_count; k++) {
			if (r->seen[k].key != key)
				continue;
			r->seen[k].key = 0;
			if (r->seen[k].block < body->function->graph.block_count)
				block[count++] = r->seen[k].block;
		}
		if (count && is_planned(r, body))
			put_sequence(r, body, block, count, executions);
	}
	free(block);
}

static void read_paths(struct reader *r, size_t object)
{
	for (size_t i = 0; i < r->story->path_count; i++) {
		const struct wm_hw_story_path *path = &r->story->path[i];
		if (path->object != object || !path->count[WM_HW_FREQUENCY])
			continue;
		r->seen_count = 0;
		r->target = 0;
		wm_hw_walk(r->code, &path->path, &r->story->control, visit, r);
		put_path(r, path->count[WM_HW_FREQUENCY]);
	}
}

/* ---- From fragments to paths -------------------------------------------------------------------------- */

static int compare_fragments(const void *left, const void *right)
{
	const struct wm_fragment *a = left, *b = right;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	int order = memcmp(a->block, b->block, a->length * sizeof *a->block);
	return order ? order : (a->begins * 2 + a->ends) - (b->begins * 2 + b->ends);
}

static void add_equal_fragments(struct body *body)
{
	size_t kept = 0;
	uint32_t doubt = 0;
	qsort(body->fragment, body->fragment_count, sizeof *body->fragment, compare_fragments);
	for (size_t i = 0; i < body->fragment_count; i++) {
		if (kept && !compare_fragments(&body->fragment[kept - 1], &body->fragment[i]))
			body->fragment[kept - 1].count =
				wm_add_saturating(body->fragment[kept - 1].count, body->fragment[i].count, &doubt);
		else
			body->fragment[kept++] = body->fragment[i];
	}
	body->fragment_count = kept;
}

static void append_function(struct reader *r, struct wm_profile_object *object, struct body *body)
{
	struct wm_joined joined;
	struct wm_profile_function function = {.key = body->function->key,
		.graph_hash = wm_map_graph_hash(&body->function->graph, wm_scheme_acyclic.name),
		.source = wm_source_pack(body->function->own_source, body->function->own_code),
		.flags = WM_FUNC_PARTIAL,
		.scheme = wm_scheme_name(wm_scheme_acyclic.name)};
	add_equal_fragments(body);
	enum wm_status status =
		wm_fragments_join(&joined, &body->plan, body->fragment, body->fragment_count, &r->arena);
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	if (status != WM_OK || !joined.count) {
		r->summary->left_out++;
		return;
	}
	for (size_t i = 0; i < joined.count; i++)
		if (!wm_function_append(&function, joined.path[i].id, joined.path[i].count, 0))
			wm_no_memory();
	object->function = wm_xrealloc(object->function, object->function_count + 1, sizeof *object->function);
	object->function[object->function_count++] = function;
	object->function_capacity = object->function_count;
	r->summary->functions++;
	r->summary->paths += joined.count;
	r->summary->executions += joined.executions;
	r->summary->chosen += joined.chosen;
	r->summary->assumed += joined.assumed;
}

static void append_object(struct reader *r, struct wm_profile *result)
{
	struct wm_profile_object *object =
		wm_profile_append_object(result, r->object.build_id, r->object.build_id_size);
	if (!object)
		wm_no_memory();
	object->runs = 1;
	snprintf(object->program, sizeof object->program, "%s", r->object.program);
	for (size_t i = 0; i < r->body_count; i++) {
		r->summary->left_out += r->body[i].refused;
		if (r->body[i].fragment_count)
			append_function(r, object, &r->body[i]);
	}
	if (!wm_object_sort(object))
		wm_no_memory();
}

void wm_hw_source_paths(
	struct wm_profile *result, const struct wm_hw_story *story, struct wm_hw_source_summary *summary)
{
	*summary = (struct wm_hw_source_summary){0};
	wm_profile_init(result);
	result->runs = 1;
	for (size_t i = 0; i < story->object_count; i++) {
		struct reader r = {.story = story, .code = &story->object[i].code, .summary = summary};
		if (!r.code->file)
			continue;
		if (open_reader(&r)) {
			read_paths(&r, i);
			append_object(&r, result);
		}
		close_reader(&r);
	}
	if (!result->object_count)
		wm_fail("the profile has no path of a binary with marks; compile and link the program with `waymark cc "
			"-fwaymark-marks`, and profile it with `waymark hw -o`");
}
