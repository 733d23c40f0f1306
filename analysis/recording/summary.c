/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a recording says of its processes: how long they waited for the spooler, how they ended, and why the recording
 * ended before them. */
#include "analysis/recording/summary.h"
#include "abi/stream.h"
#include "support/interrupt.h"
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

/* Gives each reason; `name` is heap. */
static void each_stop(const struct wm_wpp_view *view, void *closure, void (*take)(void *closure, char *name))
{
	for (uint32_t w = 0; w < view->wpp.grammar.word_count; w++)
		if (is_stop(view, w))
			take(closure, wm_xprintf("the recording ends before the program did, because %s",
					      wm_wpp_stop_text(wm_stream_value(view->wpp.grammar.word[w]))));
	if (wm_interrupt_stopped())
		take(closure, wm_xstrdup("waymark was interrupted"));
}

static void take_text(void *closure, char *name)
{
	char **text = closure;
	char *longer = wm_xprintf("%s%s%s", *text ? *text : "stopped early", *text ? "; " : ": ", name);
	free(*text);
	free(name);
	*text = longer;
}

char *wm_wpp_stopped_text(const struct wm_wpp_view *view)
{
	char *text = NULL;
	each_stop(view, &text, take_text);
	if (text)
		take_text(&text, wm_xstrdup("what came after is not in the answer"));
	return text;
}

bool wm_wpp_stopped(const struct wm_wpp_view *view)
{
	char *text = wm_wpp_stopped_text(view);
	free(text);
	return text;
}

static void take_json(void *closure, char *name)
{
	json_array_append_new(closure, wm_json_text(name));
	free(name);
}

void wm_wpp_stopped_json(const struct wm_wpp_view *view, json_t *document)
{
	json_t *reasons = wm_json_checked(json_array());
	each_stop(view, reasons, take_json);
	json_object_set_new(document, "stopped_early", json_boolean(json_array_size(reasons)));
	if (json_array_size(reasons))
		json_object_set(document, "stopped_because", reasons);
	json_decref(reasons);
}

void wm_wpp_print_sentence(FILE *out, char *sentence)
{
	if (sentence)
		fprintf(out, "%s\n", sentence);
	free(sentence);
}

/* ---- JSON -------------------------------------------------------------------------------- */

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
