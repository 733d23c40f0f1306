/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/recording/convert.h"
#include "abi/stream.h"
#include "profile/collect.h"
#include "support/tool.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Streams and their parents -------------------------------------------------------- */

static void read_entries(
	const struct wm_wpp_view *view, const struct wm_wpp_listener *listener, uint32_t stream, uint64_t count)
{
	struct wm_grammar_reader reader;
	uint64_t bad = 0, total = view->index.words.sum[0];
	uint32_t word;
	if (wm_grammar_reader_init(&reader, &view->wpp.grammar, &view->index) != WM_OK)
		wm_bug("out of memory");
	wm_grammar_reader_seek(&reader, view->start[stream]);
	for (uint64_t i = 0; i < count && wm_wpp_goes_on("reading entry", view->start[stream] + i, total) &&
			     wm_grammar_reader_next(&reader, &word);
		i++) {
		enum wm_status status = listener->take(listener->closure, view->wpp.grammar.word[word]);
		if (status == WM_NO_MEMORY)
			wm_bug("out of memory");
		bad += status != WM_OK;
	}
	if (bad)
		wm_warn("stream %u has %" PRIu64 " entries of functions that the maps of the binaries do not describe; "
			"these functions are left out",
			stream, bad);
	wm_grammar_reader_release(&reader);
}

/* The value of an entry at the beginning of a stream, if it is of this kind. */
static bool first_value(
	const struct wm_wpp_view *view, uint32_t stream, uint64_t index, enum wm_stream_kind kind, uint64_t *value)
{
	struct wm_grammar_reader reader;
	uint32_t word = 0;
	if (index >= view->wpp.table.stream[stream].length)
		return false;
	if (wm_grammar_reader_init(&reader, &view->wpp.grammar, &view->index) != WM_OK)
		wm_bug("out of memory");
	wm_grammar_reader_seek(&reader, view->start[stream] + index);
	wm_grammar_reader_next(&reader, &word);
	wm_grammar_reader_release(&reader);
	uint64_t entry = view->wpp.grammar.word[word];
	*value = wm_stream_value(entry);
	return wm_stream_is_special(entry) && wm_stream_kind(entry) == kind;
}

static bool is_forked(const struct wm_wpp_view *view, uint32_t stream)
{
	uint64_t entries;
	return first_value(view, stream, 0, WM_STREAM_FORK, &entries);
}

/* The stream of the thread that forked, and how many entries it had then. */
static bool find_parent(const struct wm_wpp_view *view, uint32_t stream, uint32_t *parent, uint64_t *entries)
{
	const struct wm_wpp_table *table = &view->wpp.table;
	const struct wm_wpp_stream *child = &table->stream[stream];
	uint64_t number;
	if (!first_value(view, stream, 0, WM_STREAM_FORK, entries) ||
		!first_value(view, stream, 1, WM_STREAM_PARENT, &number))
		return false;
	for (*parent = 0; *parent < table->stream_count; ++*parent) {
		const struct wm_wpp_process *process = &table->process[table->stream[*parent].process];
		if (*parent != stream && table->stream[*parent].number == number &&
			process->run_id_low == child->parent_low && process->run_id_high == child->parent_high &&
			*entries <= table->stream[*parent].length)
			return true;
	}
	return false;
}

/* The most processes that are forked one from another; a file may claim any number. */
enum { MOST_PARENTS = 1000 };

/* The entries up to a fork.  A parent may be the child of another process.  False: a parent is missing. */
static bool read_parents(
	const struct wm_wpp_view *view, const struct wm_wpp_listener *listener, uint32_t stream, uint32_t depth)
{
	uint32_t parent;
	uint64_t entries;
	if (!is_forked(view, stream))
		return true;
	if (depth >= MOST_PARENTS || !find_parent(view, stream, &parent, &entries))
		return false;
	bool whole = read_parents(view, listener, parent, depth + 1);
	read_entries(view, listener, parent, entries);
	return whole;
}

bool wm_wpp_read_stream(const struct wm_wpp_view *view, uint32_t stream, const struct wm_wpp_listener *listener)
{
	bool whole = read_parents(view, listener, stream, 0);
	listener->inherit(listener->closure);
	read_entries(view, listener, stream, view->wpp.table.stream[stream].length);
	wm_progress_end();
	return whole;
}

/* ---- The walk of a stream ------------------------------------------------------------ */

struct walking {
	struct wm_walk walk;
	const struct wm_wpp_visitor *visitor;
};

static enum wm_status walk_on(void *closure, uint64_t entry)
{
	struct walking *walking = closure;
	return wm_walk_take(&walking->walk, entry);
}

static void inherit(void *closure)
{
	const struct walking *walking = closure;
	walking->visitor->inherit(walking->visitor->closure);
}

void wm_wpp_convert_stream(
	const struct wm_wpp_view *view, uint32_t stream, const struct wm_wpp_visitor *visitor, struct wm_arena *arena)
{
	struct walking walking = {{.take = visitor->take, .closure = visitor->closure}, visitor};
	const struct wm_wpp_listener listener = {&walking, walk_on, inherit};
	if (wm_walk_init(&walking.walk, view->function, view->wpp.table.function_count, arena) != WM_OK)
		wm_bug("out of memory");
	wm_wpp_read_stream(view, stream, &listener);
	if (walking.walk.ambiguous)
		wm_warn("stream %u: %" PRIu64 " times code that is not recorded caught an exception or a jump, and the "
			"innermost of several activations was taken to go on",
			stream, walking.walk.ambiguous);
	wm_walk_release(&walking.walk);
}

/* ---- The profile ---------------------------------------------------------------------- */

void wm_wpp_convert_object(struct wm_profile *into, struct wm_profile_object *from)
{
	struct wm_profile one;
	wm_profile_init(&one);
	struct wm_profile_object *object = wm_profile_append_object(&one, from->build_id, from->build_id_size);
	if (!object || !wm_object_sort(from))
		wm_bug("out of memory");
	*object = *from;
	*from = (struct wm_profile_object){0};
	if (wm_profile_merge(into, &one))
		wm_bug("out of memory");
	wm_profile_release(&one);
}

void wm_wpp_convert_write(struct wm_profile *profile, uint64_t runs, const char *path)
{
	uint8_t *data;
	size_t size;
	profile->runs = runs;
	if (wm_indexed_write(profile, &data, &size))
		wm_bug("out of memory");
	wm_write_file(path, data, size);
	free(data);
	wm_profile_release(profile);
}
