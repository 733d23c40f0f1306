/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/graphfile/walk_file.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct word {
	const char *text;
	size_t length;
	uint32_t line, column;
};

struct frame {
	uint32_t function, block;
	bool entered; /* false: the function was called, and its entry block has not been read yet */
	uint32_t call; /* the index of the next call site of the current block; any larger number: there is none */
};

struct walk {
	const struct wm_cfg *cfg;
	const struct wm_sink *sink;
	const char *path;
	struct frame *frame;
	size_t depth;
};

static _Noreturn void fail_at(const struct walk *w, const struct word *word, const char *message)
{
	wm_fail("%s:%u:%u: %s", w->path, word->line, word->column, message);
}

/* Gives an event of the activation on top. */
static void tell_event(const struct walk *w, enum wm_walk_kind kind, uint32_t block, uint32_t call)
{
	const struct frame *frame = &w->frame[w->depth - 1];
	const struct wm_walk_event event = {.kind = kind,
		.function = frame->function,
		.block = block,
		.call = call,
		.end = kind == WM_WALK_LEAVE ? WM_END_RETURN : WM_END_NONE,
		.depth = (uint32_t)(w->depth - 1)};
	w->sink->take(w->sink->closure, &event);
}

static void push_frame(struct walk *w, uint32_t function)
{
	WM_XGROW(w->frame, w->depth);
	w->frame[w->depth++] = (struct frame){.function = function};
}

static void enter_block(const struct walk *w, struct frame *frame, const struct word *word, uint32_t block)
{
	const struct wm_cfg_function *function = &w->cfg->function[frame->function];
	if (block != 0)
		fail_at(w, word,
			wm_xprintf("expected '%s', the entry of function '%s', found '%.*s'", function->block_name[0],
				function->name, (int)word->length, word->text));
	frame->entered = true;
	tell_event(w, WM_WALK_ENTER, WM_NONE, WM_NONE);
}

static void check_step(const struct walk *w, const struct frame *frame, const struct word *word, uint32_t block)
{
	const struct wm_cfg_function *function = &w->cfg->function[frame->function];
	if (block == WM_NONE)
		fail_at(w, word,
			wm_xprintf("function '%s' has no block '%.*s'", function->name, (int)word->length, word->text));
	if (wm_graph_find_edge(&function->graph, frame->block, block) == WM_NONE)
		fail_at(w, word,
			wm_xprintf("block '%s' of function '%s' has no successor '%.*s'",
				function->block_name[frame->block], function->name, (int)word->length, word->text));
}

/* Executes the calls of the current block up to the next one whose callee is in the file.  Returns that callee, or
 * WM_NONE. */
static uint32_t next_callee(const struct walk *w, struct frame *frame)
{
	const struct wm_unit_function *function = &w->cfg->unit.function[frame->function];
	for (; frame->call < function->call_count && function->call[frame->call].block == frame->block; frame->call++) {
		tell_event(w, WM_WALK_CALL, frame->block, frame->call);
		if (function->call[frame->call].callee != WM_NONE)
			return function->call[frame->call].callee;
		tell_event(w, WM_WALK_BEHIND, frame->block, frame->call);
	}
	return WM_NONE;
}

/* Executes the steps that correspond to no word of the walk: the next call, or the return of every activation that is
 * in an exit block and has made all its calls. */
static void go_on(struct walk *w)
{
	while (w->depth) {
		struct frame *frame = &w->frame[w->depth - 1];
		uint32_t callee = next_callee(w, frame);
		if (callee != WM_NONE) {
			push_frame(w, callee);
			return;
		}
		if (w->cfg->function[frame->function].graph.end[frame->block] == WM_END_NONE)
			return;
		tell_event(w, WM_WALK_LEAVE, WM_NONE, WM_NONE);
		if (--w->depth == 0)
			return;
		frame--;
		tell_event(w, WM_WALK_BEHIND, frame->block, frame->call++);
	}
}

static void take_word(struct walk *w, const struct word *word)
{
	if (w->depth == 0)
		fail_at(w, word,
			wm_xprintf("function '%s' has returned before '%.*s'; start a new line for its next activation",
				w->cfg->function[0].name, (int)word->length, word->text));
	struct frame *frame = &w->frame[w->depth - 1];
	uint32_t block = wm_cfg_find_block(&w->cfg->function[frame->function], word->text, word->length);
	if (frame->entered)
		check_step(w, frame, word, block);
	else
		enter_block(w, frame, word, block);
	tell_event(w, WM_WALK_BLOCK, block, WM_NONE);
	frame->block = block;
	frame->call = wm_unit_first_call(&w->cfg->unit.function[frame->function], block);
	go_on(w);
}

static void begin_line(struct walk *w)
{
	wm_sink_give(w->sink, WM_WALK_BEGIN);
	wm_sink_give(w->sink, WM_WALK_OWN);
	push_frame(w, 0);
}

static void end_line(struct walk *w)
{
	for (; w->depth; w->depth--)
		if (w->frame[w->depth - 1].entered)
			tell_event(w, WM_WALK_ABANDON, WM_NONE, WM_NONE);
	wm_sink_give(w->sink, WM_WALK_END);
}

static bool ends_word(char c)
{
	return c && strchr(" \t\r\f\v#", c);
}

static void take_line(struct walk *w, const char *at, const char *end, uint32_t line)
{
	bool begun = false;
	for (const char *start = at; at < end && *at != '#';) {
		struct word word = {.text = at, .line = line, .column = (uint32_t)(at - start) + 1};
		while (at < end && !ends_word(*at))
			at++;
		word.length = (size_t)(at - word.text);
		if (!word.length) {
			at++;
			continue;
		}
		if (!begun)
			begin_line(w);
		begun = true;
		take_word(w, &word);
	}
	if (begun)
		end_line(w);
}

void wm_walk_file_take(const struct wm_cfg *cfg, const char *path, const struct wm_sink *sink)
{
	struct walk w = {.cfg = cfg, .sink = sink, .path = strcmp(path, "-") == 0 ? "<stdin>" : path};
	struct wm_buffer text;
	if (!wm_buffer_read(&text, path))
		wm_fail("cannot read %s: %s", w.path, strerror(errno));
	const char *at = (const char *)text.data, *end = at + text.size;
	for (uint32_t line = 1; at < end; line++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		take_line(&w, at, stop, line);
		at = stop < end ? stop + 1 : end;
	}
	wm_buffer_release(&text);
	free(w.frame);
}
