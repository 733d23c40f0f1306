/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/actions/emission.h"
#include <string.h>

static unsigned attribute_kind(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static LLVMValueRef assembly(LLVMTypeRef type, const char *text, const char *constraints)
{
	return LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), false, false,
		LLVMInlineAsmDialectATT, false);
}

void wm_emitter_init(struct wm_emitter *emitter, LLVMModuleRef module, bool promote)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	*emitter = (struct wm_emitter){.module = module, .context = context, .promote = promote};
	emitter->builder = LLVMCreateBuilderInContext(context);
	emitter->i8 = LLVMInt8TypeInContext(context);
	emitter->i32 = LLVMInt32TypeInContext(context);
	emitter->i64 = LLVMInt64TypeInContext(context);
	emitter->ptr = LLVMPointerTypeInContext(context, 0);
	LLVMTypeRef none = LLVMVoidTypeInContext(context), parameters[] = {emitter->ptr, emitter->ptr};
	emitter->increment_type = LLVMFunctionType(none, parameters, 2, false);
	static const char increment[] = "=*m,*m,~{dirflag},~{fpsr},~{flags}";
	emitter->increment[0] = assembly(emitter->increment_type, "incq $0", increment);
	emitter->increment[1] = assembly(emitter->increment_type, "incq %gs:$0", increment);
	LLVMTypeRef add_parameters[] = {emitter->ptr, emitter->i64, emitter->ptr};
	emitter->add_type = LLVMFunctionType(none, add_parameters, 3, false);
	static const char add[] = "=*m,er,*m,~{dirflag},~{fpsr},~{flags}";
	emitter->add[0] = assembly(emitter->add_type, "addq $1, $0", add);
	emitter->add[1] = assembly(emitter->add_type, "addq $1, %gs:$0", add);
}

void wm_emitter_release(struct wm_emitter *emitter)
{
	LLVMDisposeBuilder(emitter->builder);
}

LLVMValueRef wm_constant(const struct wm_emitter *emitter, uint64_t value)
{
	return LLVMConstInt(emitter->i64, value, false);
}

LLVMValueRef wm_word(const struct wm_emission *e, int64_t value)
{
	return LLVMConstInt(e->word, (uint64_t)value, true);
}

LLVMValueRef wm_load(struct wm_emission *e, LLVMTypeRef type, LLVMValueRef variable)
{
	return LLVMBuildLoad2(e->builder, type, variable, "");
}

LLVMValueRef wm_new_alloca(struct wm_emission *e, LLVMTypeRef type, const char *name)
{
	LLVMPositionBuilderBefore(e->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(e->ir)));
	return LLVMBuildAlloca(e->builder, type, name);
}

/* ---- The runtime ------------------------------------------------------------- */

/* Functions and variables of the runtime are hidden, because each object has its own copy. */
static LLVMValueRef runtime_function(struct wm_emitter *emitter, const char *name, LLVMTypeRef type)
{
	LLVMValueRef function = LLVMGetNamedFunction(emitter->module, name);
	if (function)
		return function;
	function = LLVMAddFunction(emitter->module, name, type);
	LLVMSetVisibility(function, LLVMHiddenVisibility);
	LLVMSetFunctionCallConv(function, LLVMPreserveMostCallConv);
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(emitter->context, attribute_kind("nounwind"), 0));
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(emitter->context, attribute_kind("cold"), 0));
	return function;
}

LLVMValueRef wm_call_runtime(
	struct wm_emission *e, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count)
{
	LLVMTypeRef types[5];
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(arguments[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	LLVMValueRef call =
		LLVMBuildCall2(e->builder, type, runtime_function(e->emitter, name, type), arguments, count, "");
	LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
	return call;
}

void wm_call_attribute(struct wm_emitter *emitter, LLVMValueRef call, const char *name, uint64_t value)
{
	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(emitter->context, attribute_kind(name), value));
}

/* ---- Cells -------------------------------------------------------------------- */

/* Tells LLVM that the assembly accesses only the cell.  Relative to GS it accesses another thread's copy of the cell, which no
 * other code of the module accesses either. */
static void describe_assembly(struct wm_emitter *emitter, LLVMValueRef call, unsigned last_pointer)
{
	enum { ARGUMENT_MEMORY_READ_WRITE = 3 };
	LLVMAttributeRef element =
		LLVMCreateTypeAttribute(emitter->context, attribute_kind("elementtype"), emitter->i64);
	LLVMAddCallSiteAttribute(call, 1, element);
	LLVMAddCallSiteAttribute(call, last_pointer, element);
	wm_call_attribute(emitter, call, "memory", ARGUMENT_MEMORY_READ_WRITE);
	wm_call_attribute(emitter, call, "nounwind", 0);
	wm_call_attribute(emitter, call, "willreturn", 0);
}

bool wm_is_one(LLVMValueRef amount)
{
	return LLVMIsAConstantInt(amount) && LLVMConstIntGetZExtValue(amount) == 1;
}

static void build_add(struct wm_emission *e, LLVMValueRef address, LLVMValueRef amount, bool gs)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef increment[] = {address, address}, add[] = {address, amount, address};
	if (e->update == WM_UPDATE_ATOMIC)
		LLVMBuildAtomicRMW(
			e->builder, LLVMAtomicRMWBinOpAdd, address, amount, LLVMAtomicOrderingMonotonic, false);
	else if (wm_is_one(amount))
		describe_assembly(emitter,
			LLVMBuildCall2(e->builder, emitter->increment_type, emitter->increment[gs], increment, 2, ""),
			2);
	else
		describe_assembly(
			emitter, LLVMBuildCall2(e->builder, emitter->add_type, emitter->add[gs], add, 3, ""), 3);
}

void wm_add_to_word(struct wm_emission *e, LLVMValueRef address, LLVMValueRef amount)
{
	build_add(e, address, amount, false);
}

void wm_add_to_cell(struct wm_emission *e, LLVMValueRef index, LLVMValueRef amount)
{
	LLVMValueRef address = LLVMBuildGEP2(e->builder, e->emitter->i64, e->global.cells, &index, 1, "");
	build_add(e, wm_own_address(e, address), amount, e->update == WM_UPDATE_GS);
}

void wm_increment_cell(struct wm_emission *e, LLVMValueRef index)
{
	wm_add_to_cell(e, index, wm_constant(e->emitter, 1));
}

LLVMValueRef wm_own_address(struct wm_emission *e, LLVMValueRef address)
{
	if (!e->reg.delta)
		return address;
	LLVMValueRef delta = wm_load(e, e->emitter->i64, e->reg.delta);
	return LLVMBuildGEP2(e->builder, e->emitter->i8, address, &delta, 1, "");
}
