/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a recording says of its processes: how long they waited for the spooler, and how they ended. */
#include "abi/stream.h"
#include "tool/wpp.h"
#include <inttypes.h>
#include <stdlib.h>

static uint64_t wait_of(uint64_t entry)
{
	bool wait = wm_stream_is_special(entry) && wm_stream_kind(entry) == WM_STREAM_WAIT;
	return wait ? wm_stream_value(entry) : 0;
}

/* In a recording of `waymark hw` an entry has no special kinds. */
uint64_t wm_wpp_waited(const struct wm_wpp_view *view)
{
	const struct wm_grammar *grammar = &view->wpp.grammar;
	uint64_t sum = 0, wait;
	for (uint32_t r = 0; r < grammar->rule_count && !view->branches; r++)
		for (size_t s = grammar->first[r]; s < grammar->first[r + 1]; s++) {
			uint32_t symbol = grammar->symbol[s];
			uint64_t once = symbol & WM_GRAMMAR_RULE ? 0 : wait_of(grammar->word[symbol]);
			if (__builtin_mul_overflow(once, view->index.frequency[r], &wait) ||
				__builtin_add_overflow(sum, wait, &sum))
				return UINT64_MAX;
		}
	return sum;
}

char *wm_wpp_wait_text(const struct wm_wpp_view *view)
{
	uint64_t waited = wm_wpp_waited(view);
	return waited ? wm_xprintf("the program waited %.3f seconds for the spooler, all threads together",
				(double)waited / 1e6)
		      : NULL;
}

static uint32_t count_endings(const struct wm_wpp_table *table, enum wm_wpp_ending ending)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < table->process_count; i++)
		count += table->process[i].ending == ending;
	return count;
}

char *wm_wpp_ending_text(const struct wm_wpp_view *view)
{
	uint32_t count = count_endings(&view->wpp.table, WM_WPP_END_OTHER);
	if (count && view->branches)
		return wm_xstrdup(
			"stopped early: the program was ended by a signal, or `waymark hw` stopped to record it "
			"before it ended");
	return count ? wm_xprintf("%u process%s did not end by exit: %s killed, called _exit or exec, or %s still "
				  "running when the recording was read",
			       count, count == 1 ? "" : "es", count == 1 ? "it was" : "they were",
			       count == 1 ? "was" : "were")
		     : NULL;
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

void wm_wpp_summary_json(const struct wm_wpp_view *view, json_t *document)
{
	const struct wm_wpp_table *table = &view->wpp.table;
	json_t *endings = wm_json_checked(json_array());
	for (uint32_t i = 0; i < table->process_count; i++)
		json_array_append_new(endings, ending_json(table->process[i].ending));
	json_object_set_new(document, "waited_microseconds", wm_json_count(wm_wpp_waited(view)));
	json_object_set_new(document, "process_ends", endings);
}
