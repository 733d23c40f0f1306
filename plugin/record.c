/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The variables of an instrumented function: its cells, its tables and its wm_func record (abi/abi.h). */
#include "plugin/emission.h"
#include <stdlib.h>
#include <string.h>

LLVMValueRef wm_named(struct wm_emission *e, const char *prefix, LLVMValueRef global)
{
	size_t size, length = strlen(prefix);
	const char *name = LLVMGetValueName2(e->ir, &size);
	char *full = WM_NEW(e->arena, char, length + size + 1);
	if (!full)
		return NULL;
	memcpy(full, prefix, length);
	memcpy(full + length, name, size);
	LLVMSetValueName2(global, full, length + size);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	return global;
}

static LLVMValueRef named_variable(struct wm_emission *e, const char *prefix, LLVMTypeRef type)
{
	LLVMValueRef global = wm_named(e, prefix, LLVMAddGlobal(e->emitter->module, type, ""));
	if (global)
		LLVMSetAlignment(global, 8);
	return global;
}

static bool has_ids(const struct wm_emission *e)
{
	return e->counting->size && !e->counting->residual;
}

static uint32_t record_flags(const struct wm_emission *e)
{
	bool array = e->counting->kind == WM_COUNT_ARRAY;
	return (uint32_t)e->update | (array ? 0 : WM_FUNC_HASH) | (has_ids(e) ? WM_FUNC_IDS : 0) |
	       (e->counting->residual ? WM_FUNC_RESIDUAL : 0) | (e->function->has_entries ? WM_FUNC_ENTRIES : 0) |
	       (e->function->has_resumed ? WM_FUNC_RESUMED : 0);
}

LLVMValueRef wm_constant_global(struct wm_emission *e, const char *prefix, LLVMValueRef value)
{
	LLVMValueRef global = named_variable(e, prefix, LLVMTypeOf(value));
	if (!global)
		return NULL;
	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, true);
	return global;
}

static LLVMValueRef ids_table(struct wm_emission *e)
{
	uint32_t count = e->counting->size;
	LLVMValueRef *words = WM_NEW(e->arena, LLVMValueRef, count);
	for (uint32_t i = 0; words && i < count; i++)
		words[i] = wm_constant(e->emitter, e->counting->ids[i]);
	return words ? wm_constant_global(e, "__wm_ids.", LLVMConstArray2(e->emitter->i64, words, count)) : NULL;
}

static LLVMValueRef name_text(struct wm_emission *e)
{
	const char *name = e->function->name;
	return wm_constant_global(e, "__wm_name.",
		LLVMConstStringInContext2(e->emitter->context, name, strlen(name), /*DontNullTerminate=*/false));
}

/* A difference rather than an address: it needs no relocation at run time. */
static LLVMValueRef distance(const struct wm_emitter *emitter, LLVMValueRef from, LLVMValueRef to)
{
	LLVMTypeRef i64 = emitter->i64;
	return to ? LLVMConstSub(LLVMConstPtrToInt(to, i64), LLVMConstPtrToInt(from, i64)) : LLVMConstNull(i64);
}

static LLVMValueRef constant_address(LLVMTypeRef type, LLVMValueRef base, LLVMValueRef index)
{
	return LLVMConstGEP2(type, base, &index, 1);
}

static LLVMTypeRef record_type(const struct wm_emitter *emitter)
{
	LLVMTypeRef i64 = emitter->i64, i32 = emitter->i32, types[] = {i64, i64, i64, i32, i32, i64, i64};
	return LLVMStructTypeInContext(emitter->context, types, sizeof types / sizeof *types, false);
}

static LLVMValueRef record_value(const struct wm_emitter *emitter, const struct wm_record *record, LLVMValueRef at)
{
	LLVMTypeRef i32 = emitter->i32;
	LLVMValueRef cells = constant_address(emitter->i64, record->cells, wm_constant(emitter, record->first));
	LLVMValueRef fields[] = {wm_constant(emitter, record->key), wm_constant(emitter, record->graph_hash),
		distance(emitter, at, cells), LLVMConstInt(i32, record->cell_count, false),
		LLVMConstInt(i32, record->flags, false), distance(emitter, at, record->ids),
		distance(emitter, at, record->name)};
	return LLVMConstStructInContext(emitter->context, fields, sizeof fields / sizeof *fields, false);
}

static enum wm_status create_record(struct wm_emission *e, uint32_t cells)
{
	LLVMValueRef name = e->counting->residual ? name_text(e) : NULL;
	e->ids = has_ids(e) ? ids_table(e) : NULL;
	e->record = named_variable(e, "__wm_func.", record_type(e->emitter));
	if (!e->record || (has_ids(e) && !e->ids) || (e->counting->residual && !name))
		return WM_NO_MEMORY;
	struct wm_record record = {.key = e->function->key,
		.graph_hash = e->function->graph_hash,
		.cells = e->cells,
		.cell_count = cells,
		.flags = record_flags(e),
		.ids = e->ids,
		.name = name};
	LLVMSetInitializer(e->record, record_value(e->emitter, &record, e->record));
	LLVMSetSection(e->record, WM_FUNCS_SECTION);
	return WM_OK;
}

LLVMValueRef wm_emit_records(struct wm_emitter *emitter, const char *name, const struct wm_record *record, size_t count)
{
	LLVMTypeRef type = record_type(emitter);
	LLVMValueRef *value = malloc(count * sizeof *value);
	if (!value)
		return NULL;
	LLVMValueRef records = LLVMAddGlobal(emitter->module, LLVMArrayType2(type, count), name);
	for (size_t i = 0; i < count; i++)
		value[i] = record_value(emitter, &record[i], constant_address(type, records, wm_constant(emitter, i)));
	LLVMSetInitializer(records, LLVMConstArray2(type, value, count));
	LLVMSetLinkage(records, LLVMPrivateLinkage);
	LLVMSetSection(records, WM_FUNCS_SECTION);
	LLVMSetAlignment(records, 8);
	free(value);
	return records;
}

LLVMValueRef wm_emit_cells(struct wm_emitter *emitter, const char *name, uint32_t count)
{
	LLVMTypeRef type = LLVMArrayType2(emitter->i64, count);
	LLVMValueRef cells = LLVMAddGlobal(emitter->module, type, name);
	LLVMSetLinkage(cells, LLVMPrivateLinkage);
	LLVMSetAlignment(cells, 8);
	LLVMSetInitializer(cells, LLVMConstNull(type));
	LLVMSetSection(cells, WM_CELLS_SECTION);
	return cells;
}

enum wm_status wm_create_globals(struct wm_emission *e)
{
	e->header_cells = e->function->has_entries + e->function->has_resumed;
	uint32_t cells = e->header_cells + wm_count_cells(e->counting, e->plan);
	e->cells = wm_named(e, "__wm_cells.", wm_emit_cells(e->emitter, "", cells));
	if (!e->cells)
		return WM_NO_MEMORY;
	enum wm_status status = e->counting->table ? wm_count_tables(e) : WM_OK;
	return status == WM_OK ? create_record(e, cells) : status;
}
