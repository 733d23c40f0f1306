/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/use/use_superblocks.h"
#include "plugin/inline/clone.h"
#include "policy/chosen_superblocks.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Traces of one function that remarks name, and blocks of a trace. */
enum { MOST_REMARKS = 20, MOST_BLOCKS = 16, LIST_SIZE = MOST_BLOCKS * 11 + 8 };

/* ---- What is asked ------------------------------------------------------------------------ */

static uint32_t *find_sizes(const struct wm_subject *s, struct wm_arena *arena)
{
	uint32_t count = s->function->graph.block_count, *size = WM_NEW(arena, uint32_t, count);
	for (uint32_t b = 0; size && b < count; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(s->anchors.block[b]); i; i = LLVMGetNextInstruction(i))
			size[b] += !LLVMIsACallInst(i) || !wm_shim_is_pseudo_call(i);
	return size;
}

/* Paths whose names are not whole are left out. */
static enum wm_status decode_paths(
	const struct wm_subject *s, const struct wm_use_request *request, struct wm_routed_path **path, size_t *count)
{
	const struct wm_use *use = &s->use;
	struct wm_arena *arena = (struct wm_arena *)&s->arena;
	struct wm_routed_path *made = WM_NEW(arena, struct wm_routed_path, use->path_count);
	enum wm_status status = made ? WM_OK : WM_NO_MEMORY;
	*count = 0;
	for (size_t i = 0; i < use->path_count && status == WM_OK; i++) {
		made[*count].count = use->path[i].count;
		status = wm_use_decode(use, request, use->path[i].id, &made[*count].path, arena);
		*count += status == WM_OK;
		status = status == WM_BAD_PATH ? WM_OK : status;
	}
	*path = made;
	return status;
}

/* Why no code of the function is copied, whatever the profile says; NULL: it may be. */
static const char *reason_against(const struct wm_module_pass *p, const struct wm_subject *s)
{
	/* LLVM is done there: nothing would remove decisions from copies. */
	if (p->options.stage != WM_CFG_SOURCE)
		return "the graph is that of optimised code";
	if (wm_shim_has(s->ir, "optsize") || wm_shim_has(s->ir, "minsize"))
		return "the function is optimised for size";
	if (s->use.path_count > WM_SUPERBLOCK_PATHS)
		return "too many paths ran";
	return wm_may_clone(s->ir)
		       ? NULL
		       : "its code cannot be copied (setjmp, computed goto, labels of assembly and the like)";
}

static bool may_form(const struct wm_module_pass *p, const struct wm_subject *s)
{
	if (s->use.state != WM_USE_RAN || !p->options.superblock_growth)
		return false;
	const char *reason = reason_against(p, s);
	char text[200];
	snprintf(text, sizeof text, "no superblocks: %s", reason ? reason : "");
	if (reason)
		wm_shim_remark(LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->ir)), true, "NoSuperblocks", text);
	return !reason;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* ---- Remarks --------------------------------------------------------------------------------- */

static void list_numbers(char *text, size_t size, const uint32_t *number, uint32_t count)
{
	size_t used = 0;
	uint32_t shown = count < MOST_BLOCKS ? count : MOST_BLOCKS;
	*text = 0;
	for (uint32_t i = 0; i < shown; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32, i ? " " : "", number[i]);
	if (shown < count)
		snprintf(text + used, size - used, " ...");
}

/* The first line of a block; 0: not known. */
static uint32_t line_of(const struct wm_subject *s, uint32_t block)
{
	const struct wm_map_block *info = &s->function->block[block];
	return info->line_count ? info->line[0].line : info->decision.line;
}

/* " (lines …)": those with which the blocks of a trace begin; "" without debug information. */
static void list_lines(char *text, size_t size, const struct wm_subject *s, const struct wm_trace *trace)
{
	uint32_t line[MOST_BLOCKS + 1], count = 0;
	for (uint32_t i = 0; i < trace->length && count <= MOST_BLOCKS; i++) {
		uint32_t next = line_of(s, trace->block[i]);
		if (next && (!count || line[count - 1] != next))
			line[count++] = next;
	}
	char list[LIST_SIZE];
	list_numbers(list, sizeof list, line, count);
	*text = 0;
	if (count)
		snprintf(text, size, " (line%s %s)", plural(count), list);
}

static const char *reason_text(enum wm_superblock_evidence evidence)
{
	switch (evidence) {
	case WM_EVIDENCE_DECIDED:
		return "on this way the last decision has one outcome";
	case WM_EVIDENCE_ITERATED:
	case WM_EVIDENCE_DETERMINED:
		return "on this way the last decision had nearly always one outcome, and others on other ways";
	case WM_EVIDENCE_HOT:
	case WM_EVIDENCE_ALL:
		return "the path is frequent";
	}
	return "";
}

static void remark_trace(const struct wm_subject *s, const struct wm_formed_trace *formed)
{
	char blocks[LIST_SIZE], lines[LIST_SIZE + 16], text[800];
	list_numbers(blocks, sizeof blocks, formed->trace.block, formed->trace.length);
	list_lines(lines, sizeof lines, s, &formed->trace);
	snprintf(text, sizeof text,
		"superblock: copied the blocks behind the first of %s%s, which ran %" PRIu64
		" time%s one after another (%" PRIu64 " with this outcome): %s",
		blocks, lines, formed->count, plural(formed->count), formed->taken, reason_text(formed->evidence));
	wm_shim_remark(s->anchors.terminator[formed->trace.block[formed->trace.length - 1]], false, "Superblock", text);
}

/* Before blocks are copied, while the anchors are those of the original. */
static void remark(const struct wm_subject *s, const struct wm_formation *formation)
{
	char text[300];
	LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->ir));
	for (uint32_t i = 0; i < formation->trace_count && i < MOST_REMARKS; i++)
		remark_trace(s, &formation->trace[i]);
	if (formation->trace_count) {
		snprintf(text, sizeof text,
			"%" PRIu32 " superblock%s: the function grows from %" PRIu64 " to %" PRIu64 " instructions",
			formation->trace_count, plural(formation->trace_count), formation->original_size,
			formation->size);
		wm_shim_remark(at, false, "Superblocks", text);
	}
	if (formation->refused_count) {
		snprintf(text, sizeof text,
			"%" PRIu32
			" superblock%s not formed: the function would grow by more than -fwaymark-superblocks "
			"allows, or a loop would get several entries",
			formation->refused_count, formation->refused_count == 1 ? " is" : "s are");
		wm_shim_remark(at, true, "NoSuperblocks", text);
	}
}

/* ---- Formation --------------------------------------------------------------------------------- */

static enum wm_status choose(const struct wm_module_pass *p, struct wm_subject *s, const struct wm_use_request *request,
	struct wm_formation *formation)
{
	struct wm_routed_path *path;
	struct wm_superblock_request wanted = {.graph = &s->function->graph,
		.facts = &s->function->facts,
		.executions = p->executions,
		.size = find_sizes(s, &s->arena),
		.growth = p->options.superblock_growth,
		.small = p->options.superblock_small,
		.evidence = p->options.test.evidence};
	enum wm_status status = wanted.size ? decode_paths(s, request, &path, &wanted.path_count) : WM_NO_MEMORY;
	if (status != WM_OK)
		return status;
	wanted.path = path;
	return wm_superblocks_form(formation, &wanted, &s->arena);
}

static enum wm_status form(struct wm_subject *s, const struct wm_formation *formation)
{
	struct wm_use_shape *shape = WM_NEW(&s->arena, struct wm_use_shape, 1);
	struct wm_graph *graph = WM_NEW(&s->arena, struct wm_graph, 1);
	struct wm_dfs dfs;
	enum wm_status status = shape && graph ? wm_dfs_run(&dfs, &formation->shape.graph, &s->arena) : WM_NO_MEMORY;
	if (status == WM_OK)
		status = wm_clone_shape(s->ir, &formation->shape, &dfs, &s->anchors, &shape->anchors, &s->arena);
	if (status != WM_OK)
		return status;
	*graph = formation->shape.graph;
	shape->graph = graph;
	shape->ran = (struct wm_executions){
		.entries = s->use.ran.entries, .block = formation->routing.block, .edge = formation->routing.edge};
	s->shape = shape;
	return WM_OK;
}

enum wm_status wm_use_superblocks(
	const struct wm_module_pass *p, struct wm_subject *s, const struct wm_use_request *request)
{
	struct wm_formation formation = {0};
	enum wm_status status = may_form(p, s) ? choose(p, s, request, &formation) : WM_UNKNOWN;
	if (status != WM_OK && status != WM_UNKNOWN)
		return status;
	remark(s, &formation);
	return status == WM_OK ? form(s, &formation) : WM_OK;
}
