/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a recording says of its processes: how long they waited for the spooler, how they ended, and why the recording
 * ended before them. */
#include "analysis/replay/summary.h"
#include "abi/stream.h"
#include "support/interrupt.h"
#include "support/xalloc.h"
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

/* ---- What stopped early ---------------------------------------------------------------- */

static bool is_stop(const struct wm_wpp_view *view, uint32_t word)
{
	uint64_t entry = view->wpp.grammar.word[word];
	return !view->branches && wm_stream_is_special(entry) && wm_stream_kind(entry) == WM_STREAM_STOP;
}

struct wm_stops wm_wpp_stops(const struct wm_wpp_view *view)
{
	struct wm_stops stops = {0};
	for (uint32_t w = 0; w < view->wpp.grammar.word_count; w++)
		if (is_stop(view, w))
			wm_stops_add(&stops, wm_xprintf("the recording ends before the program did, because %s",
						     wm_wpp_stop_text(wm_stream_value(view->wpp.grammar.word[w]))));
	if (wm_interrupt_stopped())
		wm_stops_add(&stops, wm_xstrdup("waymark was interrupted"));
	return stops;
}

char *wm_wpp_stopped_text(const struct wm_wpp_view *view)
{
	struct wm_stops stops = wm_wpp_stops(view);
	if (stops.count)
		wm_stops_add(&stops, wm_xstrdup("what came after is not in the answer"));
	return wm_stops_text(&stops);
}

bool wm_wpp_stopped(const struct wm_wpp_view *view)
{
	struct wm_stops stops = wm_wpp_stops(view);
	bool stopped = stops.count;
	wm_stops_release(&stops);
	return stopped;
}
