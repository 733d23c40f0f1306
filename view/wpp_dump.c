/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entries of a recording, or of a range of it. */
#include "view/wpp.h"
#include <inttypes.h>

/* The stream in which a position lies. */
static uint32_t stream_at(const struct wm_wpp_view *view, uint64_t position)
{
	uint32_t low = 0, high = view->wpp.table.stream_count;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (view->start[middle] <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void print_text(const struct wm_wpp_view *view, struct wm_document *page, uint64_t position, uint64_t entry)
{
	uint32_t stream = stream_at(view, position);
	if (position == view->start[stream])
		fprintf(page->out, "stream %" PRIu64 " of process %u\n", view->wpp.table.stream[stream].number,
			view->wpp.table.stream[stream].process);
	fprintf(page->out, "%12" PRIu64 "  ", position);
	wm_wpp_tell_entry(view, page, entry, false);
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

void wm_wpp_dump(const struct wm_wpp_view *view, const struct wm_wpp_options *options)
{
	const struct wm_grammar *grammar = &view->wpp.grammar;
	struct wm_grammar_reader reader;
	struct wm_document page;
	uint32_t word;
	bool json = options->common.json;
	uint64_t length = view->index.words.sum[0];
	if (options->from && options->from >= length)
		wm_fail("--range starts at position %" PRIu64 ", and the recording has %" PRIu64
			" entries, at positions from 0",
			options->from, length);
	wm_document_begin(&page, &options->common, stdout);
	if (wm_grammar_reader_init(&reader, grammar, &view->index) != WM_OK)
		wm_bug("out of memory");
	wm_grammar_reader_seek(&reader, options->from);
	if (json)
		begin_json(view, page.out);
	bool first = true;
	for (uint64_t at = options->from; at < options->to && wm_wpp_goes_on("printing entry", at, length) &&
					  wm_grammar_reader_next(&reader, &word);
		at++) {
		if (!wm_wpp_wants(view, grammar->word[word], &options->common))
			continue;
		if (json)
			print_json(view, &page, at, grammar->word[word], first);
		else
			print_text(view, &page, at, grammar->word[word]);
		first = false;
	}
	wm_progress_end();
	if (json)
		end_json(view, page.out);
	else
		wm_document_take(&page, "", wm_wpp_stopped_text(view));
	wm_grammar_reader_release(&reader);
	wm_document_end(&page);
}
