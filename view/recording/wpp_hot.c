/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Minimal hot sequences of subpaths (Larus 1999), and what is known of a recording as a whole.  A page also has pictures. */
#include "abi/stream.h"
#include "support/fail.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/xalloc.h"
#include "view/document/json_elements.h"
#include "view/recording/wpp_view.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void tell_subpath(struct wm_document *d, const char *prefix, const struct wm_wpp_subpath *subpath, bool rows)
{
	const struct wm_story_function *function = subpath->function;
	char place[512], *way = wm_wpp_way(subpath);
	wm_place_text(function, place, sizeof place);
	char *words = wm_xprintf("%s  id %" PRIu64 ", %s", place, subpath->id, way);
	d->form->line(d, prefix, function->brief, words);
	free(words);
	free(way);
	wm_steps_build(&d->steps, &function, &subpath->trail);
	if (rows)
		wm_document_rows(d, function, WM_NONE);
}

void wm_wpp_tell_entry(
	const struct wm_wpp_view *view, struct wm_document *d, const char *prefix, uint64_t entry, bool rows)
{
	struct wm_arena arena;
	struct wm_wpp_subpath subpath;
	if (view->branches) {
		wm_wpp_branches_tell(view->branches, d, prefix, entry, rows);
		return;
	}
	wm_arena_init(&arena);
	if (wm_wpp_subpath(view, entry, &subpath, &arena)) {
		tell_subpath(d, prefix, &subpath, rows);
	} else {
		char *text = wm_wpp_special_text(entry);
		d->form->line(d, prefix, "", text);
		free(text);
	}
	wm_arena_release(&arena);
}

json_t *wm_wpp_entry_json(const struct wm_wpp_view *view, uint64_t entry, struct wm_steps *steps)
{
	struct wm_arena arena;
	struct wm_wpp_subpath subpath;
	json_t *object;
	if (view->branches)
		return wm_wpp_branches_json(view->branches, entry, steps);
	wm_arena_init(&arena);
	if (wm_wpp_subpath(view, entry, &subpath, &arena)) {
		object = wm_json_trail(subpath.function, &subpath.trail, steps);
		json_object_set_new(object, "function", wm_json_text(subpath.function->map->name));
		json_object_set_new(object, "id", wm_json_count(subpath.id));
		if (subpath.trail.step[0].site != WM_NONE)
			json_object_set_new(object, "start", json_string("call"));
	} else {
		char *text = wm_wpp_special_text(entry);
		object = wm_json_checked(json_pack("{s:o}", "special", wm_json_text(text)));
		free(text);
	}
	wm_arena_release(&arena);
	return object;
}

static json_t *ending_json(enum wm_wpp_ending ending)
{
	switch (ending) {
	case WM_WPP_END_EXIT:
		return wm_json_text("exit");
	case WM_WPP_END_OTHER:
		return wm_json_text("other");
	case WM_WPP_END_UNKNOWN:
	case WM_WPP_ENDINGS:
		break;
	}
	return json_null();
}

json_t *wm_wpp_document(const struct wm_wpp_view *view)
{
	const struct wm_wpp_table *table = &view->wpp.table;
	const struct wm_grammar *grammar = &view->wpp.grammar;
	json_t *document = wm_json_document("wpp"), *streams = wm_json_checked(json_array());
	json_t *endings = wm_json_checked(json_array());
	for (uint32_t s = 0; s < table->stream_count; s++)
		json_array_append_new(streams,
			wm_json_checked(json_pack("{s:i, s:o, s:o, s:o}", "process", (int)table->stream[s].process,
				"number", wm_json_count(table->stream[s].number), "first",
				wm_json_count(view->start[s]), "entries", wm_json_count(table->stream[s].length))));
	json_object_set_new(document, "entries", wm_json_count(view->index.words.sum[0]));
	json_object_set_new(document, "distinct", wm_json_count(grammar->word_count));
	json_object_set_new(document, "rules", wm_json_count(grammar->rule_count));
	json_object_set_new(document, "symbols", wm_json_count(grammar->first[grammar->rule_count]));
	json_object_set_new(document, "streams", streams);
	for (uint32_t i = 0; i < table->process_count; i++)
		json_array_append_new(endings, ending_json(table->process[i].ending));
	json_object_set_new(document, "waited_microseconds", wm_json_count(wm_wpp_waited(view)));
	json_object_set_new(document, "process_ends", endings);
	return document;
}

static bool goes_on(uint32_t length, uint32_t most)
{
	wm_progress("searching sequences of length", length, most);
	return !wm_interrupted();
}

static void find_hot(const struct wm_wpp_view *view, const struct wm_wpp_options *options, struct wm_hot *hot,
	struct wm_arena *arena)
{
	uint64_t *weight = wm_wpp_weights(view);
	struct wm_hot_query query = {.grammar = &view->wpp.grammar,
		.index = &view->index,
		.weight = weight,
		.least = (uint32_t)options->least,
		.most = (uint32_t)options->most,
		.goes_on = goes_on};
	enum wm_status status = wm_hot_total(&query, &hot->total);
	query.threshold = (uint64_t)ceil(options->share * (double)hot->total);
	query.threshold += !query.threshold;
	if (status == WM_OK)
		status = wm_hot_find(hot, &query, arena);
	if (status == WM_TOO_MANY)
		wm_fail("the recording executes more than 2^63 blocks, which is too many to be added up");
	if (status != WM_OK)
		wm_no_memory();
	wm_progress_end();
	free(weight);
}

bool wm_wpp_wants(const struct wm_wpp_view *view, uint64_t entry, const struct wm_report_options *options)
{
	uint32_t f = wm_wpp_function(view, entry);
	return !wm_filter_has_files(&options->filter) ||
	       (!wm_stream_is_special(entry) && f < view->wpp.table.function_count && view->told[f] &&
		       wm_filter_passes(&options->filter, view->told[f]));
}

/* Leaves the sequences that go through a function that the user wants. */
static void filter(const struct wm_wpp_view *view, const struct wm_report_options *options, struct wm_hot *hot)
{
	size_t kept = 0;
	for (size_t i = 0; i < hot->count; i++) {
		bool wanted = false;
		for (uint32_t w = 0; w < hot->sequence[i].length; w++)
			wanted |= wm_wpp_wants(view, view->wpp.grammar.word[hot->sequence[i].word[w]], options);
		if (wanted)
			hot->sequence[kept++] = hot->sequence[i];
	}
	hot->count = kept;
}

static void tell_sequence(struct wm_document *d, const struct wm_wpp_view *view, const struct wm_hot *hot, size_t i)
{
	const struct wm_hot_sequence *s = &hot->sequence[i];
	char *words = wm_xprintf("%" PRIu32 " entr%s of %s blocks", s->length, s->length == 1 ? "y" : "ies",
		wm_thousands(s->cost / s->count));
	d->form->item(d, &(struct wm_item){.percent = wm_share(s->cost, hot->total),
				 .count = wm_thousands(s->count),
				 .words = words,
				 .open = i < WM_HTML_OPEN});
	free(words);
	for (uint32_t w = 0; w < s->length; w++)
		wm_wpp_tell_entry(view, d, "  ", view->wpp.grammar.word[s->word[w]], true);
	d->form->item_end(d);
}

static void tell_summary(struct wm_document *d, const struct wm_wpp_view *view)
{
	const struct wm_wpp_table *table = &view->wpp.table;
	const struct wm_grammar *grammar = &view->wpp.grammar;
	wm_document_figure(d, "", wm_thousands(view->index.words.sum[0]), "entries of %u thread%s of %u process%s",
		table->stream_count, wm_plural(table->stream_count), table->process_count,
		table->process_count == 1 ? "" : "es");
	d->form->figure(d, ", ", wm_thousands(grammar->word_count), "of them different");
	d->form->figure(d, "\ngrammar: ", wm_thousands(grammar->rule_count), "rules");
	d->form->figure(d, ", ", wm_thousands(grammar->first[grammar->rule_count]), "symbols");
	d->form->figures_end(d);
}

static void tell_search(struct wm_document *d, const struct wm_wpp_options *options, const struct wm_hot *hot)
{
	if (hot->searched < options->most)
		wm_document_say(d, "", "sequences of more than %" PRIu32 " entr%s were not searched", hot->searched,
			hot->searched == 1 ? "y" : "ies");
	wm_document_say(d, "",
		"%zu minimal hot sequence%s of %" PRIu64 " to %" PRIu64
		" entries with at least %g %% of %s executed blocks",
		hot->count, wm_plural(hot->count), options->least, options->most, 100 * options->share,
		wm_thousands(hot->total));
}

static void write_pictures(struct wm_document *d, void *closure)
{
	wm_wpp_pictures(closure, d->out);
}

static void print_document(
	const struct wm_wpp_view *view, const struct wm_wpp_options *options, const struct wm_hot *hot)
{
	static const struct wm_document_title title = {"Waymark: whole program path", "What the program did, and when",
		"From left to right, time in executed blocks; from top to bottom, the functions that executed most. "
		"The "
		"higher a bar, the more of that time. Buttons, keys (+, -, arrows, 0) and the wheel zoom.",
		NULL};
	struct wm_document d;
	wm_document_begin(&d, &options->common, stdout);
	size_t most = wm_document_most_paths(&d);
	d.form->title(&d, &title);
	tell_summary(&d, view);
	wm_document_take(&d, "", wm_wpp_wait_text(view));
	wm_document_take(&d, "", wm_wpp_ending_text(view));
	wm_document_take(&d, "", wm_wpp_stopped_text(view));
	d.form->markup(&d, write_pictures, (void *)view);
	d.form->heading(&d, "Minimal hot sequences");
	tell_search(&d, options, hot);
	for (size_t i = 0; i < hot->count && i < most; i++)
		tell_sequence(&d, view, hot, i);
	if (hot->count > most)
		wm_document_say(
			&d, "\n", "%s more; --paths N prints more, --json all", wm_thousands(hot->count - most));
	wm_document_end(&d);
}

static void print_json(const struct wm_wpp_view *view, const struct wm_hot *hot)
{
	json_t *document = wm_wpp_document(view), *list = wm_json_checked(json_array());
	struct wm_steps steps = {0};
	for (size_t i = 0; i < hot->count; i++) {
		const struct wm_hot_sequence *s = &hot->sequence[i];
		json_t *sequence = wm_json_checked(json_array());
		for (uint32_t w = 0; w < s->length; w++)
			json_array_append_new(
				sequence, wm_wpp_entry_json(view, view->wpp.grammar.word[s->word[w]], &steps));
		json_array_append_new(list,
			wm_json_checked(json_pack("{s:o, s:o, s:f, s:o}", "count", wm_json_count(s->count), "cost",
				wm_json_count(s->cost), "share", wm_share(s->cost, hot->total), "sequence", sequence)));
	}
	wm_json_stopped(document, wm_wpp_stops(view));
	json_object_set_new(document, "cost", wm_json_count(hot->total));
	json_object_set_new(document, "hot", list);
	wm_steps_release(&steps);
	wm_json_print(document);
}

void wm_wpp_hot(const struct wm_wpp_view *view, const struct wm_wpp_options *options)
{
	struct wm_arena arena;
	struct wm_hot hot;
	wm_arena_init(&arena);
	find_hot(view, options, &hot, &arena); /* first: the notes say whether it was interrupted */
	filter(view, &options->common, &hot);
	if (options->common.json)
		print_json(view, &hot);
	else
		print_document(view, options, &hot);
	wm_arena_release(&arena);
}
