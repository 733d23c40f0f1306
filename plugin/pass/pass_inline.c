/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/supergraph.h"
#include "plugin/inline/inline.h"
#include "plugin/inline/inline_targets.h"
#include "plugin/llvm/inline_tags.h"
#include "plugin/pass/module_pass.h"

/* The unit as it is now: the graphs of the map change when functions are extracted again. */
static bool freeze_unit(struct wm_unit *frozen, const struct wm_unit *unit, struct wm_arena *arena)
{
	struct wm_graph *graph = WM_NEW(arena, struct wm_graph, unit->function_count);
	*frozen = (struct wm_unit){unit->function_count, WM_NEW(arena, struct wm_unit_function, unit->function_count)};
	if (!graph || !frozen->function)
		return false;
	for (uint32_t f = 0; f < unit->function_count; f++) {
		graph[f] = *unit->function[f].graph;
		frozen->function[f] = unit->function[f];
		frozen->function[f].graph = &graph[f];
	}
	return true;
}

/* Contexts name functions by their index in the map. */
static void keep_contexts(const struct wm_module_pass *p, const struct wm_inline_request *request,
	const struct wm_inline_subject *subject, struct wm_origins *origins)
{
	*origins = subject->origins;
	for (uint32_t i = 0; i < origins->context_count; i++) {
		uint32_t function = origins->context[i].function;
		origins->context[i].function = (uint32_t)(request->subject[function].function - p->map.function);
	}
}

static enum wm_status extract_again(
	struct wm_module_pass *p, struct wm_subject *s, const struct wm_inline_request *request)
{
	const struct wm_inline_subject *inlined = &request->subject[s->index];
	s->function->inlined = WM_NEW(&p->arena, struct wm_map_inlined, 1);
	if (!s->function->inlined)
		return WM_NO_MEMORY;
	if (!inlined->changed)
		return WM_OK;
	keep_contexts(p, request, inlined, &s->function->inlined->origins);
	s->anchors = (struct wm_anchors){0};
	wm_shim_drop_analyses(p->analyses, s->ir);
	wm_pass_extract(p, s);
	return s->status == WM_NO_MEMORY ? s->status : WM_OK;
}

/* The code with which paths could cross calls that were not inlined for these reasons would be of no use. */
void wm_pass_apply_reasons(const struct wm_subject *s)
{
	const uint8_t *kept = s->function->inlined ? s->function->inlined->kept : NULL;
	for (uint32_t i = 0; kept && i < s->in_unit->call_count; i++)
		s->in_unit->call[i].opaque |= kept[i] == WM_INLINE_UNMARKED || kept[i] == WM_INLINE_IDLE;
}

static enum wm_status keep_reasons(struct wm_module_pass *p, const struct wm_subject *s)
{
	uint8_t *kept = WM_NEW(&p->arena, uint8_t, s->in_unit->call_count);
	if (!kept)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < s->in_unit->call_count; i++)
		kept[i] = wm_inline_kept(s->calls.call[i]);
	s->function->inlined->kept = kept;
	wm_pass_apply_reasons(s);
	return WM_OK;
}

static enum wm_status inline_and_extract(struct wm_module_pass *p, struct wm_inline_request *request)
{
	struct wm_subject *subject = p->subject;
	size_t count = p->subject_count;
	for (size_t i = 0; i < count; i++)
		if (subject[i].in_unit)
			request->subject[subject[i].index] = (struct wm_inline_subject){.ir = subject[i].ir,
				.function = subject[i].function,
				.anchors = &subject[i].anchors,
				.calls = &subject[i].calls,
				.listed = wm_pass_is_mapped(p, subject[i].ir)};
	enum wm_status status = wm_inline_targets(request, &p->arena);
	if (status == WM_OK)
		status = wm_inline_calls(request, &p->arena);
	for (size_t i = 0; i < count && status == WM_OK; i++)
		if (subject[i].in_unit && wm_pass_is_mapped(p, subject[i].ir))
			status = extract_again(p, &subject[i], request);
	if (status == WM_OK)
		status = wm_pass_make_unit(p);
	for (size_t i = 0; i < count && status == WM_OK; i++)
		if (subject[i].in_unit && subject[i].function->inlined)
			status = keep_reasons(p, &subject[i]);
	return status;
}

enum wm_status wm_pass_inline(struct wm_module_pass *p)
{
	struct wm_inline_request request = {.options = &p->options, .analyses = p->analyses};
	request.subject = WM_NEW(&p->arena, struct wm_inline_subject, p->unit.function_count);
	if (!request.subject || !freeze_unit(&request.unit, &p->unit, &p->arena))
		return WM_NO_MEMORY;
	enum wm_status status = inline_and_extract(p, &request);
	wm_tags_remove(p->module);
	return status;
}
