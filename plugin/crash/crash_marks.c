/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/crash/crash_marks.h"
#include "abi/crash.h"
#include "plugin/actions/inline_cost.h"
#include "plugin/crash/faults.h"
#include "plugin/llvm/returns.h"
#include <inttypes.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

void wm_crash_call_is_free(struct wm_crash_function *c, LLVMValueRef call)
{
	wm_set_inline_cost(c->e.emitter, call, 0);
	c->only = call;
	c->own_calls++;
}

/* ---- Runs -------------------------------------------------------------------------------- */

static bool is_call_site(LLVMValueRef i)
{
	return wm_is_call(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i)) && !LLVMGetIntrinsicID(LLVMGetCalledValue(i));
}

struct wm_crash_lines wm_crash_lines_of(LLVMValueRef i)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i), outer;
	unsigned line = at ? LLVMDILocationGetLine(at) : 0;
	while (at && (outer = LLVMDILocationGetInlinedAt(at)))
		at = outer;
	return (struct wm_crash_lines){line, line, line ? LLVMDILocationGetLine(at) : 0};
}

/* Whether both instructions, which have locations, are inlined at the same place, or not inlined. */
static bool same_scope(LLVMValueRef a, LLVMValueRef b)
{
	return LLVMDILocationGetInlinedAt(LLVMInstructionGetDebugLoc(a)) ==
	       LLVMDILocationGetInlinedAt(LLVMInstructionGetDebugLoc(b));
}

/* The lines of a run that also has instruction `i`. */
static struct wm_crash_lines join_lines(const struct wm_fault_run *run, LLVMValueRef i)
{
	struct wm_crash_lines a = run->lines, b = wm_crash_lines_of(i);
	if (!a.least || !b.least || !same_scope(run->first, i))
		return (struct wm_crash_lines){0, 0, 0};
	return (struct wm_crash_lines){
		a.least < b.least ? a.least : b.least, a.greatest > b.greatest ? a.greatest : b.greatest, a.own};
}

/* A division is a run of its own: its operand and its result tie it to the marks.  So is a trap (ends_itself). */
static void find_runs_of(struct wm_crash_function *c, uint32_t block)
{
	struct wm_fault_run *open = NULL;
	for (LLVMValueRef i = LLVMGetFirstInstruction(c->request->anchors->block[block]); i;
		i = LLVMGetNextInstruction(i)) {
		if (wm_is_memory_call(i))
			c->memory[c->memory_count++] = (struct wm_fault_run){block, i, i, {0, 0, 0}};
		if (is_call_site(i) || wm_is_division(i) || wm_is_trap(i))
			open = NULL;
		if (!wm_may_fault(i))
			continue;
		if (!open)
			c->run[c->run_count++] = (struct wm_fault_run){block, i, i, wm_crash_lines_of(i)};
		open = &c->run[c->run_count - 1];
		open->last = i;
		open->lines = join_lines(open, i);
		if (wm_is_division(i))
			open = NULL;
	}
}

enum wm_status wm_crash_find_runs(struct wm_crash_function *c)
{
	size_t most = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->e.ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			most++;
	c->run = WM_NEW(c->e.arena, struct wm_fault_run, most);
	c->memory = WM_NEW(c->e.arena, struct wm_fault_run, most);
	if (!c->run || !c->memory)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < c->request->graph->block_count; b++)
		find_runs_of(c, b);
	return WM_OK;
}

/* ---- Marks --------------------------------------------------------------------------------- */

static LLVMValueRef assembly(LLVMTypeRef type, const char *text, const char *constraints)
{
	return LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), /*HasSideEffects=*/true,
		false, LLVMInlineAsmDialectATT, false);
}

enum { TEXT = 512 };

/* Appends a mark whose address is the label 771 plus `offset`.  `place`: the operand of the assembly that is the register; -1:
 * none. */
static void append_mark(const struct wm_crash_function *c, const struct wm_fault_run *run, unsigned flags, int place,
	unsigned offset, char text[TEXT])
{
	bool end = flags & WM_MARK_END;
	struct wm_crash_lines lines = end ? run->lines : (struct wm_crash_lines){0, 0, 0};
	flags |= (c->held[run->block] ? 0 : WM_MARK_LEAF) | (end ? WM_MARK_LINES : 0);
	size_t size = strlen(text);
	size += (size_t)snprintf(text + size, TEXT - size, ".quad 771b+%u, %#" PRIx64 "\n.long %u, %u\n", offset,
		c->request->key, run->block, flags);
	if (place < 0)
		snprintf(text + size, TEXT - size, ".long %u, %u, %u\n.zero %zu\n", lines.least, lines.greatest,
			lines.own, WM_MARK_PLACE - sizeof lines);
	else
		snprintf(text + size, TEXT - size, "772: .asciz \"$%d\"\n.org 772b+%d\n", place, WM_MARK_PLACE);
}

/* LLVM deletes what follows an instruction that only traps, so the mark before it is also its end. */
static bool ends_itself(const struct wm_fault_run *run, unsigned flags)
{
	return !(flags & WM_MARK_END) && wm_is_trap(run->first);
}

/* The flag ? puts the section into the group of the function, so that a copy that the linker drops takes its marks
 * along. */
static void mark_text(
	const struct wm_crash_function *c, const struct wm_fault_run *run, unsigned flags, int place, char text[TEXT])
{
	snprintf(text, TEXT, "771: .pushsection " WM_CRASH_SECTION ",\"?\",@progbits\n");
	if (ends_itself(run, flags)) {
		append_mark(c, run, flags | WM_MARK_TRAP, place, 0, text);
		append_mark(c, run, flags | WM_MARK_TRAP | WM_MARK_END, -1, 1, text);
	} else {
		append_mark(c, run, flags, place, 0, text);
	}
	size_t size = strlen(text);
	snprintf(text + size, TEXT - size, ".popsection");
}

bool wm_crash_depends(const struct wm_crash_function *c, uint32_t block)
{
	return c->slot && !c->pending.single[block];
}

static void describe_memory(struct wm_crash_function *c, LLVMValueRef call)
{
	enum { READS_ANY_MEMORY = 1 << 4 | 1, WRITES_INACCESSIBLE_MEMORY = 3 << 2 };
	wm_call_attribute(c->e.emitter, call, "memory", READS_ANY_MEMORY | WRITES_INACCESSIBLE_MEMORY);
	wm_call_attribute(c->e.emitter, call, "nounwind", 0);
	wm_crash_call_is_free(c, call);
}

void wm_crash_memory_operand(struct wm_crash_function *c, LLVMValueRef call, unsigned argument)
{
	LLVMContextRef context = c->e.emitter->context;
	unsigned type = LLVMGetEnumAttributeKindForName("elementtype", 11),
		 nocapture = LLVMGetEnumAttributeKindForName("nocapture", 9);
	LLVMAddCallSiteAttribute(call, argument + 1, LLVMCreateTypeAttribute(context, type, c->e.emitter->i64));
	LLVMAddCallSiteAttribute(call, argument + 1, LLVMCreateEnumAttribute(context, nocapture, 0));
}

static LLVMValueRef write_mark(
	struct wm_crash_function *c, const struct wm_fault_run *run, unsigned flags, LLVMValueRef before)
{
	char text[TEXT];
	bool reads = wm_crash_depends(c, run->block);
	LLVMTypeRef type = LLVMFunctionType(c->void_type, &c->e.emitter->ptr, reads, false);
	mark_text(c, run, flags, reads && !(flags & WM_MARK_END) ? 0 : -1, text);
	LLVMPositionBuilderBefore(c->e.builder, before);
	LLVMValueRef call =
		LLVMBuildCall2(c->e.builder, type, assembly(type, text, reads ? "*m" : ""), &c->slot, reads, "");
	describe_memory(c, call);
	if (reads)
		wm_crash_memory_operand(c, call, 0);
	return call;
}

static void mark_trap(struct wm_crash_function *c, const struct wm_fault_run *run)
{
	LLVMValueRef made = write_mark(c, run, 0, run->first), *exit = &c->request->anchors->exit[run->block];
	if (*exit == run->first)
		*exit = made;
}

static bool fits_register(LLVMTypeRef type)
{
	unsigned width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
	return width == 8 || width == 16 || width == 32 || width == 64;
}

/* A mark through which a value passes. */
static LLVMValueRef mark_value(struct wm_crash_function *c, const struct wm_fault_run *run, unsigned flags,
	LLVMValueRef value, LLVMValueRef before)
{
	char text[TEXT];
	bool reads = wm_crash_depends(c, run->block), end = flags & WM_MARK_END;
	LLVMTypeRef word = LLVMTypeOf(value), types[] = {word, c->e.emitter->ptr},
		    type = LLVMFunctionType(end ? c->void_type : word, types, 1 + reads, false);
	const char *constraints = end ? reads ? "r,*m" : "r" : reads ? "=r,0,*m" : "=r,0";
	LLVMValueRef arguments[] = {value, c->slot};
	mark_text(c, run, flags, reads && !end ? 2 : -1, text);
	LLVMPositionBuilderBefore(c->e.builder, before);
	LLVMValueRef call =
		LLVMBuildCall2(c->e.builder, type, assembly(type, text, constraints), arguments, 1 + reads, "");
	describe_memory(c, call);
	if (reads)
		wm_crash_memory_operand(c, call, 1);
	return call;
}

static void mark_division(struct wm_crash_function *c, const struct wm_fault_run *run)
{
	LLVMValueRef division = run->first;
	LLVMSetOperand(division, 1, mark_value(c, run, 0, LLVMGetOperand(division, 1), division));
	mark_value(c, run, WM_MARK_END, division, LLVMGetNextInstruction(division));
}

void wm_crash_mark_runs(struct wm_crash_function *c)
{
	for (uint32_t i = 0; i < c->run_count; i++) {
		const struct wm_fault_run *run = &c->run[i];
		if (wm_is_division(run->first) && fits_register(LLVMTypeOf(run->first))) {
			mark_division(c, run);
			continue;
		}
		if (wm_is_trap(run->first)) {
			mark_trap(c, run);
			continue;
		}
		write_mark(c, run, WM_MARK_END, LLVMGetNextInstruction(run->last));
		write_mark(c, run, 0, run->first);
	}
}
