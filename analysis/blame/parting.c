/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/blame/blame.h"
#include "analysis/source/decision.h"
#include "analysis/tell/edge_words.h"
#include "analysis/tell/nearest_paths.h"
#include "analysis/tell/trails.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* The last decision on the common beginning that the two paths take differently. */
static void find_decision(struct wm_parting *parting, const struct wm_story_function *function, uint64_t id)
{
	const struct wm_story_function *const *body = wm_story_bodies(&function);
	struct wm_arena arena;
	struct wm_trail own, other;
	wm_arena_init(&arena);
	wm_story_decode(function, id, &own, &arena);
	wm_story_decode(function, parting->nearest, &other, &arena);
	for (uint32_t at = wm_trail_common(&own, &other); at-- > 0;) {
		const struct wm_trail_step *step = &own.step[at];
		if (step->edge == other.step[at].edge || step->edge == WM_NONE || other.step[at].edge == WM_NONE)
			continue;
		parting->function = body[step->function];
		parting->block = step->block;
		parting->edge = step->edge;
		parting->nearest_edge = other.step[at].edge;
		parting->position = at;
		break;
	}
	wm_arena_release(&arena);
}

struct wm_parting wm_parting_find(
	const struct wm_story_function *function, uint64_t id, const uint64_t *other, size_t count)
{
	struct wm_parting parting = {.position = WM_NONE};
	if (!count || wm_plan_has_pieces(wm_story_plan(function)))
		return parting;
	parting.known = true;
	struct wm_nearest query = {.id = id};
	wm_story_find_nearest(function, other, count, &query, 1);
	parting.nearest = query.nearest;
	find_decision(&parting, function, id);
	return parting;
}

char *wm_blame_parting_text(
	const struct wm_parting *parting, const struct wm_story_function *function, struct wm_sources *sources)
{
	const struct wm_story_function *in = parting->function;
	char words[WM_CONDITION_MAX + WM_OUTCOME_MAX];
	struct wm_decision own, other;
	if (!parting->known)
		return NULL;
	if (!in)
		return wm_xprintf(
			"the nearest path of passed runs (%s, in %zu of them) begins or ends at another place",
			wm_path_label(parting->nearest), parting->runs);
	char *here = wm_edge_text(in, parting->edge, sources);
	wm_decision_tell(&own, in, parting->block, parting->edge, sources);
	wm_decision_tell(&other, in, parting->block, parting->nearest_edge, sources);
	if (strcmp(own.condition, other.condition) == 0)
		other.condition[0] = 0;
	char *text = wm_xprintf("%s%s%s, where the nearest path of passed runs (%s, in %zu of them) %s%s",
		in == function ? "" : in->brief, in == function ? "" : ", ", here, wm_path_label(parting->nearest),
		parting->runs, wm_decision_verb(&other), wm_decision_text(&other, words));
	free(here);
	return text;
}
