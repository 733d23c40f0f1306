/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark show --path: prints one path of a function, whether it was executed or not. */
#include "analysis/tell/trails.h"
#include "cmd/cmd_show.h"
#include "cmd/report_options.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/document/json_elements.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct asked {
	char *name;
	uint64_t id;
	size_t count;
	struct wm_story_function **function; /* that have the path */
};

/* The function in which a path of the function, or of its unit, begins; NULL: there is no path with this id. */
static const struct wm_story_function *beginning(const struct wm_story_function *function, uint64_t id)
{
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	bool known = wm_story_find_trail(function, id, &trail, &arena) == WM_OK;
	uint32_t first = known ? trail.step[0].function : 0;
	wm_arena_release(&arena);
	return !known				  ? NULL
	       : wm_story_crosses_calls(function) ? wm_story_unit_of(function)->function[first]
						  : function;
}

static bool has_path(struct wm_story_function *function, uint64_t id)
{
	return wm_story_number(function) && !wm_plan_has_pieces(wm_story_plan(function)) &&
	       beginning(function, id) == function;
}

static void refuse_across(const struct wm_story_function *function, uint64_t id)
{
	const struct wm_story_function *other = beginning(function, id);
	if (other)
		wm_fail("path %" PRIu64 " begins in function %s, not in %s; use `waymark show --path %s:%" PRIu64 "`",
			id, other->display, function->display, other->map->name, id);
	wm_fail("the paths of %s cross calls and have ids from 0 to %" PRIu64
		", together with those of the other functions; "
		"there is no path %" PRIu64,
		function->display, wm_plan_ids(wm_story_plan(function)) - 1, id);
}

static void refuse_path(const struct asked *asked, const struct wm_story_function *last)
{
	if (!last)
		wm_fail("no function is called '%s' here; `waymark show` lists the names", asked->name);
	if (last->state == WM_STORY_SKIPPED)
		wm_fail("function %s is not instrumented: %s", last->display, wm_story_reason(last));
	if (last->refusal)
		wm_fail("function %s: %s", last->display, last->refusal);
	if (wm_story_crosses_calls(last))
		refuse_across(last, asked->id);
	if (wm_plan_has_pieces(wm_story_plan(last)))
		wm_fail("function %s has too many paths for ids, so only a profile contains its paths; use `waymark "
			"tests --path`",
			last->display);
	wm_story_no_path(last, asked->id);
}

static void find_path(struct asked *asked, struct wm_story *story)
{
	const struct wm_story_function *last = NULL;
	asked->function = wm_xmalloc((story->function_count + 1) * sizeof(struct wm_story_function *));
	for (size_t i = 0; i < story->function_count; i++) {
		struct wm_story_function *function = &story->function[i];
		if (!wm_story_name_matches(function, asked->name))
			continue;
		last = function;
		if (has_path(function, asked->id))
			asked->function[asked->count++] = function;
	}
	if (!asked->count)
		refuse_path(asked, last);
}

static void print_text(const struct asked *asked, const struct wm_report_options *options)
{
	struct wm_document page;
	wm_document_begin(&page, options, stdout);
	for (size_t i = 0; i < asked->count; i++) {
		const struct wm_story_function *function = asked->function[i];
		char place[512];
		wm_place_text(function, place, sizeof place);
		printf("%s%s%s%s%s%s\n", i ? "\n" : "", page.bold, function->display, page.plain, *place ? "  " : "",
			place);
		wm_document_path_possible(&page, "  ", function, asked->id, "", true);
		wm_document_rows(&page, function, WM_NONE);
	}
	wm_document_end(&page);
}

static json_t *path_object(const struct wm_story_function *function, uint64_t id, struct wm_steps *steps)
{
	struct wm_path_ends ends;
	wm_steps_tell(steps, function, id, &ends);
	const struct wm_story_path path = {.id = id, .start = ends.start, .end = ends.end};
	json_t *object = wm_json_path(function, &path);
	wm_json_expand(object, function, id, steps);
	json_object_del(object, "count");
	char *contradiction = wm_story_contradiction_text(function, id);
	json_object_set_new(object, "likely_infeasible", wm_json_optional(contradiction));
	free(contradiction);
	return object;
}

static void print_json(const struct asked *asked)
{
	struct wm_steps steps = {0};
	json_t *document = wm_json_document("show"), *list = wm_json_checked(json_array());
	for (size_t i = 0; i < asked->count; i++) {
		const struct wm_story_function *function = asked->function[i];
		json_t *object = wm_json_checked(
			json_pack("{s:o, s:o, s:o, s:i, s:[o]}", "name", wm_json_text(function->map->name), "demangled",
				wm_json_text(function->display), "file", wm_json_optional(wm_story_file(function)),
				"line", (int)function->map->line, "paths", path_object(function, asked->id, &steps)));
		json_array_append_new(list, object);
	}
	json_object_set_new(document, "functions", list);
	wm_steps_release(&steps);
	wm_json_print(document);
}

void wm_show_path(struct wm_story *story, const char *path, const struct wm_report_options *options)
{
	size_t length;
	struct asked asked = {.id = wm_named_number("--path", "FUNCTION:ID, as in parse:12", path, &length)};
	asked.name = wm_xprintf("%.*s", (int)length, path);
	find_path(&asked, story);
	if (options->json)
		print_json(&asked);
	else
		print_text(&asked, options);
	free(asked.function);
	free(asked.name);
}
