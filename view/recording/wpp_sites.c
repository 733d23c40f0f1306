/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The executed call sites of a recording, with the functions that they called: also the targets of indirect calls, which a
 * profile does not have. */
#include "analysis/counts/idcounts.h"
#include "analysis/counts/sequences.h"
#include "analysis/replay/recording_walk.h"
#include "view/document/json_elements.h"
#include "view/document/sites.h"
#include "view/recording/wpp_view.h"
#include <string.h>

struct counter {
	const struct wm_wpp_view *view;
	struct wm_sequences names; /* caller, call site and callee */
	struct wm_id_counts counts;
	bool own; /* events of this process, not of the one that forked it */
	uint32_t caller, call; /* the call that was made by the last event; WM_NONE: none was */
};

static const struct wm_call *call_of(const struct counter *c, uint32_t caller, uint32_t call)
{
	return &c->view->function[caller].parts->function->call[call];
}

/* A function that the callee of a direct call calls back is not called by the call site. */
static bool calls(const struct counter *c, uint32_t callee)
{
	const struct wm_story_function *caller = c->view->told[c->caller];
	if (!caller || !c->view->told[callee])
		return false;
	const char *named = wm_map_callee(caller->module, call_of(c, c->caller, c->call));
	return !named || !strcmp(named, c->view->told[callee]->map->name);
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct counter *c = closure;
	if (event->kind == WM_WALK_SUBPATH)
		return;
	if (event->kind == WM_WALK_BEGIN || event->kind == WM_WALK_OWN)
		c->own = event->kind == WM_WALK_OWN;
	if (event->kind == WM_WALK_ENTER && c->own && c->caller != WM_NONE && calls(c, event->function)) {
		uint64_t name[] = {c->caller, c->call, event->function};
		wm_id_counts_add(&c->counts, wm_sequences_index(&c->names, name, 3), 1);
	}
	bool called = event->kind == WM_WALK_CALL || (event->kind == WM_WALK_STUCK && event->call != WM_NONE);
	c->caller = called ? event->function : WM_NONE;
	c->call = called ? event->call : WM_NONE;
}

void wm_wpp_sites(const struct wm_wpp_view *view, const struct wm_wpp_options *options)
{
	struct counter c = {.view = view};
	struct wm_sites sites = {0};
	wm_wpp_walk(view, &(struct wm_sink){&c, take_event});
	wm_id_counts_sort(&c.counts, wm_by_count);
	for (size_t i = 0; i < c.counts.used; i++) {
		const uint64_t *name = c.names.name[c.counts.slot[i].id].piece;
		uint32_t caller = (uint32_t)name[0];
		wm_sites_add(&sites, (struct wm_called_site){view->told[caller], call_of(&c, caller, (uint32_t)name[1]),
					     view->told[name[2]]->map->name, c.counts.slot[i].count});
	}
	json_t *document = options->common.json ? wm_json_document("wpp") : NULL;
	if (document)
		wm_json_stopped(document, wm_wpp_stops(view));
	wm_sites_print(&sites, &(struct wm_site_limits){1, 100}, document);
	wm_sites_release(&sites);
	wm_sequences_release(&c.names);
	wm_id_counts_release(&c.counts);
}
