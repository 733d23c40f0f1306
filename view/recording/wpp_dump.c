/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entries of a recording, or of a range of it. */
#include "analysis/replay/recording_walk.h"
#include "core/base/search.h"
#include "support/fail.h"
#include "support/progress.h"
#include "view/document/json_elements.h"
#include "view/recording/wpp_view.h"
#include <inttypes.h>

/* The stream in which a position lies. */
static uint32_t stream_at(const struct wm_wpp_view *view, uint64_t position)
{
	uint32_t next;
	WM_LOWER_BOUND(next, 1, view->wpp.table.stream_count, view->start[next] <= position);
	return next - 1;
}

static void print_text(const struct wm_wpp_view *view, struct wm_document *page, uint64_t position, uint64_t entry)
{
	uint32_t stream = stream_at(view, position);
	if (position == view->start[stream])
		fprintf(page->out, "stream %" PRIu64 " of process %u\n", view->wpp.table.stream[stream].number,
			view->wpp.table.stream[stream].process);
	char prefix[32];
	snprintf(prefix, sizeof prefix, "%12" PRIu64 "  ", position);
	wm_wpp_tell_entry(view, page, prefix, entry, false);
}

/* Printed at once: a recording may be larger than memory. */
static void print_json(
	const struct wm_wpp_view *view, struct wm_document *page, uint64_t position, uint64_t entry, bool first)
{
	json_t *object = wm_wpp_entry_json(view, entry, &page->steps);
	json_object_set_new(object, "position", wm_json_count(position));
	fputs(first ? "\n  " : ",\n  ", page->out);
	wm_json_dump(object, page->out, JSON_COMPACT | JSON_SORT_KEYS);
}

/* The members of an object without its braces. */
static void print_members(json_t *object, FILE *out)
{
	wm_json_dump(object, out, JSON_COMPACT | JSON_SORT_KEYS | JSON_EMBED);
}

/* The beginning of the document, up to the list of entries. */
static void begin_json(const struct wm_wpp_view *view, FILE *out)
{
	putc('{', out);
	print_members(wm_wpp_document(view), out);
	fputs(",\n \"dump\": [", out);
}

static void end_json(const struct wm_wpp_view *view, FILE *out)
{
	json_t *last = wm_json_checked(json_object());
	wm_json_stopped(last, wm_wpp_stops(view));
	fputs("\n ],\n ", out);
	print_members(last, out);
	fputs("\n}\n", out);
}

struct dump {
	const struct wm_wpp_view *view;
	const struct wm_report_options *options;
	struct wm_document page;
	bool begun;
};

static void print_entry(void *closure, uint64_t position, uint64_t entry)
{
	struct dump *dump = closure;
	if (!wm_wpp_wants(dump->view, entry, dump->options))
		return;
	if (dump->options->json)
		print_json(dump->view, &dump->page, position, entry, !dump->begun);
	else
		print_text(dump->view, &dump->page, position, entry);
	dump->begun = true;
}

void wm_wpp_dump(const struct wm_wpp_view *view, const struct wm_wpp_options *options)
{
	struct dump dump = {.view = view, .options = &options->common};
	uint64_t length = view->index.words.sum[0];
	if (options->from && options->from >= length)
		wm_fail("--range starts at position %" PRIu64 ", and the recording has %" PRIu64
			" entries, at positions from 0",
			options->from, length);
	wm_document_begin(&dump.page, &options->common, stdout);
	if (options->common.json)
		begin_json(view, dump.page.out);
	wm_wpp_entries(
		view, options->from, options->to, &(struct wm_wpp_reading){"printing entry", &dump, print_entry});
	wm_progress_end();
	if (options->common.json)
		end_json(view, dump.page.out);
	else
		wm_document_take(&dump.page, "", wm_wpp_stopped_text(view));
	wm_document_end(&dump.page);
}
