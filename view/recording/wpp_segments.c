/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Interprocedural path segments of a recording (thesis07, section 3.4.2), with counts and source lines. */
#include "analysis/segments/recording_segments.h"
#include "analysis/segments/segment_names.h"
#include "analysis/segments/set.h"
#include "support/xalloc.h"
#include "view/document/json_elements.h"
#include "view/recording/segments_view.h"
#include "view/recording/wpp_view.h"
#include <inttypes.h>
#include <stdlib.h>

/* Leaves the segments that go through a function that the user wants. */
static void filter(
	const struct wm_wpp_view *view, const struct wm_report_options *options, struct wm_segment_counts *counts)
{
	size_t kept = 0;
	for (size_t i = 0; i < counts->counts.used; i++) {
		const struct wm_sequence_name *segment = &counts->names.name[counts->counts.slot[i].id];
		bool wanted = false;
		for (uint32_t p = 0; p < segment->length; p++)
			wanted |= segment->piece[p] != WM_SEGMENT_CALL && segment->piece[p] != WM_SEGMENT_RETURN &&
				  wm_wpp_wants(view, segment->piece[p], options);
		if (wanted)
			counts->counts.slot[kept++] = counts->counts.slot[i];
	}
	counts->counts.used = kept;
}

static void print_segment(const struct wm_wpp_view *view, struct wm_document *page,
	const struct wm_sequence_name *segment, uint64_t count)
{
	int depth = 1;
	fprintf(page->out, "\n%s%s times%s\n", page->bold, wm_thousands(count), page->plain);
	for (uint32_t i = 0; i < segment->length; i++) {
		uint64_t item = segment->piece[i];
		if (item == WM_SEGMENT_CALL) {
			depth++;
		} else if (item == WM_SEGMENT_RETURN) {
			depth--;
		} else {
			char *prefix = wm_xprintf("%*s", 2 * depth, "");
			wm_wpp_tell_entry(view, page, prefix, item, true);
			free(prefix);
		}
	}
}

static void print_text(
	const struct wm_wpp_view *view, const struct wm_wpp_options *options, const struct wm_segment_counts *counts)
{
	struct wm_document page;
	wm_document_begin(&page, &options->common, stdout);
	fprintf(page.out, "%s segments of at most %" PRIu64 " call%s, %zu of them different\n",
		wm_thousands(counts->counts.total), options->segments, wm_plural(options->segments),
		counts->counts.used);
	wm_document_take(&page, "", wm_wpp_orphans_text(counts));
	wm_document_take(&page, "", wm_wpp_stopped_text(view));
	for (size_t i = 0; i < counts->counts.used && i < options->common.paths; i++)
		print_segment(
			view, &page, &counts->names.name[counts->counts.slot[i].id], counts->counts.slot[i].count);
	if (counts->counts.used > options->common.paths)
		fprintf(page.out, "\n%s more; --paths N prints more\n",
			wm_thousands(counts->counts.used - options->common.paths));
	wm_document_end(&page);
}

struct path_list {
	const struct wm_wpp_view *view;
	const struct wm_segment_names *names;
	json_t *path;
};

static void add_text(void *closure, const char *text)
{
	struct path_list *list = closure;
	json_array_append_new(list->path, wm_json_text(text));
}

static void add_block(void *closure, uint32_t function, uint32_t block)
{
	struct path_list *list = closure;
	char *text = wm_xprintf("%s:%u", wm_segment_text(list->names, list->view->told[function]->map), block);
	add_text(closure, text);
	free(text);
}

static json_t *segment_json(const struct wm_wpp_view *view, const struct wm_segment_names *names,
	const struct wm_sequence_name *segment, uint64_t count, struct wm_steps *steps)
{
	struct path_list list = {view, names, wm_json_checked(json_array())};
	const struct wm_segment_teller teller = {&list, add_text, add_block};
	json_t *subpaths = wm_json_checked(json_array());
	wm_segment_tell(segment, view->function, &teller);
	for (uint32_t i = 0; i < segment->length; i++)
		if (segment->piece[i] != WM_SEGMENT_CALL && segment->piece[i] != WM_SEGMENT_RETURN)
			json_array_append_new(subpaths, wm_wpp_entry_json(view, segment->piece[i], steps));
	return wm_json_checked(
		json_pack("{s:o, s:o, s:o}", "count", wm_json_count(count), "path", list.path, "subpaths", subpaths));
}

static void print_json(
	const struct wm_wpp_view *view, const struct wm_wpp_options *options, const struct wm_segment_counts *counts)
{
	json_t *document = wm_wpp_document(view), *list = wm_json_checked(json_array());
	struct wm_steps steps = {0};
	struct wm_segment_names names;
	wm_segment_names_init(&names, &view->story, false);
	for (size_t i = 0; i < counts->counts.used; i++) {
		const struct wm_id_count *slot = &counts->counts.slot[i];
		json_array_append_new(
			list, segment_json(view, &names, &counts->names.name[slot->id], slot->count, &steps));
	}
	wm_json_stopped(document, wm_wpp_stops(view));
	json_object_set_new(document, "orphans", wm_json_count(counts->orphans));
	json_object_set_new(document, "most_calls", wm_json_count(options->segments));
	json_object_set_new(document, "segments", list);
	wm_segment_names_release(&names);
	wm_steps_release(&steps);
	wm_json_print(document);
}

static void print_html(const struct wm_wpp_view *view, const struct wm_wpp_options *options)
{
	struct wm_segment_set set = {0};
	wm_segment_set_take_view(&set, view, (uint32_t)options->segments);
	wm_segment_set_finish(&set);
	char *head = wm_xprintf("%s different segments of at most %" PRIu64 " call%s\n%s",
		wm_thousands(set.segments.count), options->segments, wm_plural(options->segments), set.lacks);
	wm_segments_html(&set, head, &options->common);
	wm_segment_set_release(&set);
}

void wm_wpp_segments(const struct wm_wpp_view *view, const struct wm_wpp_options *options)
{
	struct wm_segment_counts counts = {0};
	if (options->common.html) {
		print_html(view, options);
		return;
	}
	wm_wpp_find_segments(view, (uint32_t)options->segments, &counts);
	wm_id_counts_sort(&counts.counts, wm_by_count);
	filter(view, &options->common, &counts);
	(options->common.json ? print_json : print_text)(view, options, &counts);
	wm_segment_counts_release(&counts);
}
