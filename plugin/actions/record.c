/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/actions/record.h"
#include "profile/base/scheme_name.h"
#include "profile/map/identity.h"
#include <stdlib.h>
#include <string.h>

/* Inline assembly refers to these variables by name, and LLVM's assembler does not read back the
 * characters that it escapes in a quoted name.  LLVM makes equal names of variables distinct. */
static void replace_escaped(char *name, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (strchr("\"\\\n", name[i]))
			name[i] = '_';
}

LLVMValueRef wm_named(struct wm_emission *e, const char *prefix, LLVMValueRef global)
{
	size_t size, length = strlen(prefix);
	const char *name = LLVMGetValueName2(e->ir, &size);
	char *full = WM_NEW(e->arena, char, length + size + 1);
	if (!full)
		return NULL;
	memcpy(full, prefix, length);
	memcpy(full + length, name, size);
	replace_escaped(full + length, size);
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
	return e->program->cells.size && !e->counting->residual;
}

static uint32_t record_flags(const struct wm_emission *e)
{
	bool array = e->counting->store == WM_COUNT_ARRAY && !e->counting->residual,
	     optimised = e->function->stage == WM_CFG_OPTIMISED;
	if (e->counting->store == WM_COUNT_STREAM)
		return (uint32_t)e->update | WM_FUNC_STREAM;
	return (uint32_t)e->update | (array ? 0 : WM_FUNC_HASH) | (has_ids(e) ? WM_FUNC_IDS : 0) |
	       (e->counting->residual ? WM_FUNC_RESIDUAL : 0) | (e->across ? WM_FUNC_UNIT : 0) |
	       (e->function->has_entries ? WM_FUNC_ENTRIES : 0) | (e->function->has_resumed ? WM_FUNC_RESUMED : 0) |
	       (optimised ? WM_FUNC_OPTIMISED : 0);
}

static LLVMValueRef constant_global(struct wm_emission *e, const char *prefix, LLVMValueRef value)
{
	LLVMValueRef global = named_variable(e, prefix, LLVMTypeOf(value));
	if (!global)
		return NULL;
	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, true);
	return global;
}

/* NULL: no memory. */
static LLVMValueRef *new_words(struct wm_emission *e, uint32_t count)
{
	return WM_NEW(e->arena, LLVMValueRef, count);
}

LLVMValueRef wm_word_table(
	struct wm_emission *e, const char *prefix, LLVMTypeRef type, const uint64_t *value, uint32_t count)
{
	LLVMValueRef *words = new_words(e, count);
	for (uint32_t i = 0; words && i < count; i++)
		words[i] = LLVMConstInt(type, value[i], false);
	return words ? constant_global(e, prefix, LLVMConstArray2(type, words, count)) : NULL;
}

static LLVMValueRef displacements(struct wm_emission *e)
{
	const struct wm_perfect *perfect = &e->counting->perfect;
	LLVMTypeRef i32 = e->emitter->i32;
	LLVMValueRef *words = new_words(e, perfect->bucket_count);
	for (uint32_t i = 0; words && i < perfect->bucket_count; i++)
		words[i] = LLVMConstInt(i32, perfect->displacement[i], false);
	return words ? constant_global(e, "__wm_displacement.", LLVMConstArray2(i32, words, perfect->bucket_count))
		     : NULL;
}

static enum wm_status create_lookup(struct wm_emission *e)
{
	const struct wm_counting *counting = e->counting;
	bool displaced = counting->store == WM_COUNT_PERFECT && counting->perfect.bucket_count;
	if (!counting->table_size)
		return WM_OK;
	e->global.table = wm_word_table(e, "__wm_totals.", e->word, counting->table, counting->table_size);
	e->global.displacement = displaced ? displacements(e) : NULL;
	return e->global.table && (!displaced || e->global.displacement) ? WM_OK : WM_NO_MEMORY;
}

static LLVMValueRef sums_table(struct wm_emission *e)
{
	const struct wm_probe_program *program = e->program;
	LLVMValueRef *words = new_words(e, program->cells.local_paths);
	uint32_t used = 0;
	for (uint32_t r = 0; words && r < program->region_count; r++)
		for (uint32_t i = 0; i < program->region[r].paths; i++)
			words[used++] = LLVMConstInt(e->word, program->region[r].sum[i], false);
	return words ? constant_global(e, "__wm_sums.", LLVMConstArray2(e->word, words, used)) : NULL;
}

static LLVMValueRef settled_table(struct wm_emission *e)
{
	uint32_t count = e->program->cells.local_paths;
	LLVMValueRef *bytes = new_words(e, count);
	for (uint32_t i = 0; bytes && i < count; i++)
		bytes[i] = LLVMConstInt(e->emitter->i8, e->program->cells.settled[i], false);
	return bytes ? constant_global(e, "__wm_settled.", LLVMConstArray2(e->emitter->i8, bytes, count)) : NULL;
}

/* With a hash table, the ids of local paths are their sums. */
static enum wm_status create_local_tables(struct wm_emission *e)
{
	if (!e->program->region_count)
		return WM_OK;
	e->global.sums = e->counting->store == WM_COUNT_HASH ? e->global.ids : sums_table(e);
	e->global.settled = settled_table(e);
	return e->global.sums && e->global.settled ? WM_OK : WM_NO_MEMORY;
}

static void drop_unused(LLVMValueRef global)
{
	if (global && !LLVMGetFirstUse(global))
		LLVMDeleteGlobal(global);
}

void wm_drop_unused_tables(struct wm_emission *e)
{
	if (e->global.sums != e->global.ids)
		drop_unused(e->global.sums);
	drop_unused(e->global.settled);
	drop_unused(e->global.table);
	drop_unused(e->global.displacement);
}

static LLVMValueRef name_text(struct wm_emission *e)
{
	const char *name = e->function->name;
	return constant_global(e, "__wm_name.",
		LLVMConstStringInContext2(e->emitter->context, name, strlen(name), /*DontNullTerminate=*/false));
}

LLVMValueRef wm_distance(const struct wm_emitter *emitter, LLVMValueRef from, LLVMValueRef to)
{
	LLVMTypeRef i64 = emitter->i64;
	return to ? LLVMConstSub(LLVMConstPtrToInt(to, i64), LLVMConstPtrToInt(from, i64)) : LLVMConstNull(i64);
}

static LLVMValueRef constant_address(LLVMTypeRef type, LLVMValueRef base, LLVMValueRef index)
{
	return LLVMConstGEP2(type, base, &index, 1);
}

/* The content of a struct wm_func of abi/abi.h. */
struct record {
	uint64_t key, graph_hash, source;
	LLVMValueRef cells; /* global */
	uint32_t cell_count, flags;
	LLVMValueRef ids, name, head; /* globals, or NULL */
};

static LLVMTypeRef record_type(const struct wm_emitter *emitter)
{
	LLVMTypeRef i64 = emitter->i64, i32 = emitter->i32, types[] = {i64, i64, i64, i32, i32, i64, i64, i64, i64};
	return LLVMStructTypeInContext(emitter->context, types, sizeof types / sizeof *types, false);
}

static LLVMValueRef record_value(const struct wm_emitter *emitter, const struct record *record, LLVMValueRef at)
{
	LLVMTypeRef i32 = emitter->i32;
	LLVMValueRef fields[] = {wm_constant(emitter, record->key), wm_constant(emitter, record->graph_hash),
		wm_distance(emitter, at, record->cells), LLVMConstInt(i32, record->cell_count, false),
		LLVMConstInt(i32, record->flags, false), wm_distance(emitter, at, record->ids),
		wm_distance(emitter, at, record->name), wm_distance(emitter, at, record->head),
		wm_constant(emitter, record->source)};
	return LLVMConstStructInContext(emitter->context, fields, sizeof fields / sizeof *fields, false);
}

/* If paths cross calls, the link step may change the ids, which are words of the table. */
static LLVMValueRef create_ids(struct wm_emission *e)
{
	const struct wm_cells *known = &e->program->cells;
	LLVMTypeRef i64 = e->emitter->i64;
	if (!has_ids(e))
		return NULL;
	if (e->across)
		return constant_address(i64, e->unit.table, wm_constant(e->emitter, e->across->program->first_id));
	return wm_word_table(e, "__wm_ids.", i64, known->ids, known->size);
}

static enum wm_status create_record(struct wm_emission *e, uint32_t cells)
{
	LLVMValueRef name = e->counting->residual ? name_text(e) : NULL;
	e->global.ids = create_ids(e);
	e->global.record = named_variable(e, "__wm_func.", record_type(e->emitter));
	if (!e->global.record || (has_ids(e) && !e->global.ids) || (e->counting->residual && !name))
		return WM_NO_MEMORY;
	struct record record = {.key = e->function->key,
		.graph_hash = e->across ? e->across->graph_hash : e->function->graph_hash,
		.source = e->across ? e->across->source : wm_map_source(e->function),
		.cells = e->global.cells,
		.cell_count = cells,
		.flags = record_flags(e) | wm_scheme_name(e->function->scheme) << WM_FUNC_SCHEME_SHIFT,
		.ids = e->global.ids,
		.name = name,
		.head = e->global.head};
	LLVMSetInitializer(e->global.record, record_value(e->emitter, &record, e->global.record));
	LLVMSetSection(e->global.record, WM_FUNCS_SECTION);
	return WM_OK;
}

static LLVMValueRef zeros(struct wm_emitter *emitter, const char *name, uint64_t count, const char *section)
{
	LLVMTypeRef type = LLVMArrayType2(emitter->i64, count);
	LLVMValueRef words = LLVMAddGlobal(emitter->module, type, name);
	LLVMSetLinkage(words, LLVMPrivateLinkage);
	LLVMSetAlignment(words, 8);
	LLVMSetInitializer(words, LLVMConstNull(type));
	LLVMSetSection(words, section);
	return words;
}

static LLVMValueRef emit_cells(struct wm_emitter *emitter, const char *name, uint32_t count)
{
	return zeros(emitter, name, count, count > WM_MOST_SMALL_CELLS ? WM_LARGE_CELLS_SECTION : WM_CELLS_SECTION);
}

static uint32_t store_cells(const struct wm_emission *e)
{
	if (e->counting->store == WM_COUNT_ARRAY)
		return (uint32_t)e->plan->numbering.path_count;
	return e->counting->residual ? 0 : e->program->cells.size;
}

static LLVMValueRef create_head(struct wm_emission *e)
{
	return wm_named(e, "__wm_head.", zeros(e->emitter, "", sizeof(struct wm_hash_head) / 8, WM_HEADS_SECTION));
}

/* The runtime fills it in. */
static LLVMValueRef create_index(struct wm_emission *e)
{
	LLVMValueRef index = named_variable(e, "__wm_index.", e->emitter->i64);
	if (!index)
		return NULL;
	LLVMSetInitializer(index, wm_constant(e->emitter, 0));
	LLVMSetExternallyInitialized(index, true);
	return index;
}

enum wm_status wm_create_globals(struct wm_emission *e)
{
	bool streams = e->counting->store == WM_COUNT_STREAM;
	e->header_cells = streams ? 0 : e->function->has_entries + e->function->has_resumed;
	uint32_t cells = e->header_cells + store_cells(e);
	e->global.cells = wm_named(e, "__wm_cells.", emit_cells(e->emitter, "", cells));
	bool hashed = record_flags(e) & WM_FUNC_HASH;
	e->global.head = hashed ? create_head(e) : streams ? create_index(e) : NULL;
	if (!e->global.cells || ((hashed || streams) && !e->global.head))
		return WM_NO_MEMORY;
	enum wm_status status = create_lookup(e);
	if (status == WM_OK)
		status = create_record(e, cells);
	return status == WM_OK ? create_local_tables(e) : status;
}

LLVMValueRef wm_runtime_reference(const struct wm_emitter *emitter, const char *name)
{
	LLVMValueRef symbol = LLVMAddGlobal(emitter->module, emitter->i8, name);
	LLVMSetVisibility(symbol, LLVMHiddenVisibility);
	LLVMValueRef reference = LLVMAddGlobal(emitter->module, emitter->i64, "__wm_runtime_reference");
	LLVMSetLinkage(reference, LLVMPrivateLinkage);
	LLVMSetInitializer(reference, wm_distance(emitter, reference, symbol));
	return reference;
}
