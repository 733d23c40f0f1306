/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A build that is profiled by `waymark hw` (-fwaymark-marks).  Nothing is instrumented: every block of the graph gets a mark
 * (profile/map/marks.h), and the module gets its map.
 */
#include "plugin/pass/module_pass.h"
#include <string.h>

#define MARKS "llvm.pseudo_probe_desc" /* LLVM writes the section if the module has this list of functions */
#define MARK "llvm.pseudoprobe"

static LLVMValueRef number(LLVMContextRef context, unsigned bits, uint64_t value)
{
	return LLVMConstInt(LLVMIntTypeInContext(context, bits), value, false);
}

static void list_function(struct wm_module_pass *p, const struct wm_subject *s)
{
	LLVMContextRef context = LLVMGetModuleContext(p->module);
	LLVMValueRef field[] = {number(context, 64, s->function->key), number(context, 64, s->function->graph_hash),
		LLVMMDStringInContext(context, s->function->name, (unsigned)strlen(s->function->name))};
	LLVMAddNamedMetadataOperand(p->module, MARKS, LLVMMDNodeInContext(context, field, 3));
}

static void mark(struct wm_module_pass *p, struct wm_subject *s)
{
	LLVMContextRef context = LLVMGetModuleContext(p->module);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMValueRef callee =
		LLVMGetIntrinsicDeclaration(p->module, LLVMLookupIntrinsicID(MARK, strlen(MARK)), NULL, 0);
	s->function->graph_hash = wm_map_graph_hash(&s->function->graph, s->function->scheme);
	list_function(p, s);
	for (uint32_t b = 0; b < s->function->graph.block_count; b++) {
		LLVMValueRef argument[] = {number(context, 64, s->function->key), number(context, 64, (uint64_t)b + 1),
			number(context, 32, 0), number(context, 64, UINT64_MAX)};
		LLVMPositionBuilderBefore(builder, wm_shim_first_insertion(s->anchors.block[b]));
		LLVMSetCurrentDebugLocation2(builder, NULL);
		LLVMBuildCall2(builder, LLVMGlobalGetValueType(callee), callee, argument, 4, "");
	}
	LLVMDisposeBuilder(builder);
}

static const struct wm_pass_step steps[] = {
	{"list", "list functions; those whose graph can be taken become subjects", .all = wm_pass_list},
	{"code", "sum up what each function does", .each = wm_pass_sum_code},
	{"extract", "IR to graph and anchors", .each = wm_pass_extract},
	{"sources", "say from which files functions are", .all = wm_pass_find_sources},
	{"mark", "mark the blocks", .each = mark},
	{"refuse", "list functions that could not be marked", .all = wm_pass_list_refused, .finishes = true},
	{"map", "write the map of the module", .all = wm_pass_write_map, .finishes = true},
};

void wm_pass_mark(struct wm_module_pass *p)
{
	wm_pass_run_steps(p, steps, sizeof steps / sizeof *steps);
}
