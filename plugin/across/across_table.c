/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/across/across_table.h"
#include "plugin/actions/record.h"
#include <llvm-c/Comdat.h>

enum wm_status wm_table_create(struct wm_emission *e)
{
	const struct wm_across_function *f = e->across;
	e->unit.table = wm_word_table(e, "__wm_unit.", e->emitter->i64, f->word, f->program->word_count);
	if (!e->unit.table)
		return WM_NO_MEMORY;
	/* The optimiser must not read the words, which the link step may change. */
	LLVMSetExternallyInitialized(e->unit.table, true);
	return WM_OK;
}

static LLVMValueRef create_link(struct wm_emission *e, uint64_t flags)
{
	struct wm_emitter *emitter = e->emitter;
	const struct wm_across_function *f = e->across;
	LLVMTypeRef i64 = emitter->i64, types[] = {i64, i64, i64, i64, i64};
	_Static_assert(sizeof(struct wm_link) == sizeof(uint64_t) * (sizeof types / sizeof *types), "five words");
	LLVMTypeRef type = LLVMStructTypeInContext(emitter->context, types, sizeof types / sizeof *types, false);
	LLVMValueRef link = wm_named(e, "__wm_link.", LLVMAddGlobal(emitter->module, type, ""));
	if (!link)
		return NULL;
	LLVMValueRef fields[] = {wm_constant(emitter, e->function->key), wm_constant(emitter, f->layout),
		wm_distance(emitter, link, e->unit.table), wm_distance(emitter, link, e->global.record),
		wm_constant(emitter, flags)};
	LLVMSetInitializer(
		link, LLVMConstStructInContext(emitter->context, fields, sizeof fields / sizeof *fields, false));
	LLVMSetGlobalConstant(link, true);
	LLVMSetExternallyInitialized(link, true);
	LLVMSetAlignment(link, 8);
	LLVMSetSection(link, WM_LINKS_SECTION);
	return link;
}

/* Of several copies of an inline function, the linker keeps one, and with it the link record in its comdat. */
enum wm_status wm_table_create_links(struct wm_emission *e)
{
	LLVMComdatRef comdat = LLVMGetComdat(e->ir);
	uint64_t flags = e->across->link_flags;
	e->unit.link[0] = create_link(e, flags);
	e->unit.link[1] = comdat ? create_link(e, flags | WM_LINK_COPY) : NULL;
	if (!e->unit.link[0] || (comdat && !e->unit.link[1]))
		return WM_NO_MEMORY;
	if (comdat)
		LLVMSetComdat(e->unit.link[0], comdat);
	return WM_OK;
}
