/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/replay/recording_walk.h"
#include "abi/stream.h"
#include "support/fail.h"
#include "support/progress.h"
#include <inttypes.h>

static void open_reader(struct wm_grammar_reader *reader, const struct wm_wpp_view *view, uint64_t position)
{
	if (wm_grammar_reader_init(reader, &view->wpp.grammar, &view->index) != WM_OK)
		wm_no_memory();
	wm_grammar_reader_seek(reader, position);
}

void wm_wpp_entries(const struct wm_wpp_view *view, uint64_t from, uint64_t to, const struct wm_wpp_reading *reading)
{
	struct wm_grammar_reader reader;
	uint64_t total = view->index.words.sum[0];
	uint32_t word;
	open_reader(&reader, view, from);
	for (uint64_t at = from;
		at < to && wm_wpp_goes_on(reading->what, at, total) && wm_grammar_reader_next(&reader, &word); at++)
		reading->take(reading->closure, at, view->wpp.grammar.word[word]);
	wm_grammar_reader_release(&reader);
}

/* ---- Streams and their parents -------------------------------------------------------- */

struct walking {
	const struct wm_wpp_view *view;
	struct wm_walk walk;
	uint64_t bad; /* entries that the walk refused */
};

static void take_entry(void *closure, uint64_t position, uint64_t entry)
{
	struct walking *walking = closure;
	(void)position;
	enum wm_status status = wm_walk_take(&walking->walk, entry);
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	walking->bad += status != WM_OK;
}

static void read_entries(struct walking *walking, uint32_t stream, uint64_t count)
{
	const struct wm_wpp_reading reading = {"reading entry", walking, take_entry};
	uint64_t start = walking->view->start[stream];
	walking->bad = 0;
	wm_wpp_entries(walking->view, start, start + count, &reading);
}

/* The value of an entry at the beginning of a stream, if it is of this kind. */
static bool first_value(
	const struct wm_wpp_view *view, uint32_t stream, uint64_t index, enum wm_stream_kind kind, uint64_t *value)
{
	struct wm_grammar_reader reader;
	uint32_t word = 0;
	if (index >= view->wpp.table.stream[stream].length)
		return false;
	open_reader(&reader, view, view->start[stream] + index);
	wm_grammar_reader_next(&reader, &word);
	wm_grammar_reader_release(&reader);
	uint64_t entry = view->wpp.grammar.word[word];
	*value = wm_stream_value(entry);
	return wm_stream_is_special(entry) && wm_stream_kind(entry) == kind;
}

/* The stream of the thread that forked, which had this many entries then. */
static bool find_parent(const struct wm_wpp_view *view, uint32_t stream, uint64_t entries, uint32_t *parent)
{
	const struct wm_wpp_table *table = &view->wpp.table;
	const struct wm_wpp_stream *child = &table->stream[stream];
	uint64_t number;
	if (!first_value(view, stream, 1, WM_STREAM_PARENT, &number))
		return false;
	for (*parent = 0; *parent < table->stream_count; ++*parent) {
		const struct wm_wpp_process *process = &table->process[table->stream[*parent].process];
		if (*parent != stream && table->stream[*parent].number == number &&
			process->run_id_low == child->parent_low && process->run_id_high == child->parent_high &&
			entries <= table->stream[*parent].length)
			return true;
	}
	return false;
}

/* The most processes that are forked one from another; a file may claim any number. */
enum { MOST_PARENTS = 1000 };

/* The entries up to a fork.  A parent may be the child of another process.  False: a parent is missing. */
static bool read_parents(struct walking *walking, uint32_t stream, uint32_t depth)
{
	uint32_t parent;
	uint64_t entries;
	if (!first_value(walking->view, stream, 0, WM_STREAM_FORK, &entries))
		return true;
	if (depth >= MOST_PARENTS || !find_parent(walking->view, stream, entries, &parent))
		return false;
	bool whole = read_parents(walking, parent, depth + 1);
	read_entries(walking, parent, entries);
	return whole;
}

/* Of a stream that was read last. */
static void warn_of(const struct walking *walking, uint32_t stream)
{
	if (walking->view->warned[stream])
		return;
	walking->view->warned[stream] = true;
	if (walking->bad)
		wm_warn("stream %u has %" PRIu64 " entries of functions that the maps of the binaries do not describe; "
			"these functions are left out",
			stream, walking->bad);
	if (walking->walk.ambiguous)
		wm_warn("stream %u: %" PRIu64 " times code that is not recorded caught an exception or a jump, and the "
			"innermost of several activations was taken to go on",
			stream, walking->walk.ambiguous);
}

static bool walk_stream(struct walking *walking, uint32_t stream)
{
	struct wm_walk *walk = &walking->walk;
	wm_walk_begin(walk);
	bool whole = read_parents(walking, stream, 0);
	wm_sink_give(&walk->sink, WM_WALK_OWN);
	read_entries(walking, stream, walking->view->wpp.table.stream[stream].length);
	wm_progress_end();
	warn_of(walking, stream);
	wm_sink_give(&walk->sink, WM_WALK_END);
	return whole;
}

uint32_t wm_wpp_walk(const struct wm_wpp_view *view, const struct wm_sink *sink)
{
	const struct wm_wpp_table *table = &view->wpp.table;
	struct walking walking = {.view = view};
	struct wm_arena arena;
	uint32_t orphans = 0;
	wm_arena_init(&arena);
	if (wm_walk_init(&walking.walk, view->function, table->function_count, sink, &arena) != WM_OK)
		wm_no_memory();
	for (uint32_t s = 0; s < table->stream_count; s++)
		orphans += !walk_stream(&walking, s);
	wm_walk_release(&walking.walk);
	wm_arena_release(&arena);
	return orphans;
}
