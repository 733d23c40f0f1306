/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The calls of a recording in the order of time, for speedscope (https://www.speedscope.app) and for viewers of Chrome's trace
 * events (chrome://tracing, Perfetto).  The clock of each thread counts the basic blocks that it executed: a recording knows
 * the order of what a thread did, and not how long it took.
 */
#include "analysis/replay/recording_walk.h"
#include "support/fail.h"
#include "support/json.h"
#include "support/xalloc.h"
#include "view/export/export.h"
#include <inttypes.h>
#include <stdlib.h>

struct trace_event {
	uint32_t thread, function;
	const char *name; /* of the function, as a JSON string */
	uint64_t at;
	bool first; /* of its thread */
};

/* One of the two formats. */
struct trace_form {
	void (*begin)(FILE *out, uint32_t thread, const char *name); /* a thread */
	/* An activation. */
	void (*open)(FILE *out, const struct trace_event *event);
	void (*close)(FILE *out, const struct trace_event *event);
	void (*end)(FILE *out, uint64_t at);
};

struct trace {
	const struct wm_wpp_view *view;
	const struct trace_form *form;
	FILE *out;
	char **name; /* per function of the recording: as a JSON string */
	uint32_t thread; /* number of the walk, from 1 */
	bool own;
	uint64_t clock;
	size_t depth;
	uint32_t *frame; /* the functions of the open activations */
	bool began; /* the thread has an event */
};

static void give(struct trace *t, void (*event)(FILE *, const struct trace_event *), uint32_t function)
{
	if (!t->own)
		return;
	event(t->out, &(struct trace_event){t->thread, function, t->name[function], t->clock, !t->began});
	t->began = true;
}

static void open_frame(struct trace *t, uint32_t function)
{
	WM_XGROW(t->frame, t->depth);
	t->frame[t->depth++] = function;
	give(t, t->form->open, function);
}

static void close_frame(struct trace *t)
{
	t->depth--;
	give(t, t->form->close, t->frame[t->depth]);
}

/* A forked child begins with the activations that its parent had open. */
static void begin_own(struct trace *t)
{
	char name[32];
	snprintf(name, sizeof name, "thread %" PRIu32, t->thread);
	t->own = true;
	t->began = false;
	t->clock = 0;
	t->form->begin(t->out, t->thread, name);
	for (size_t i = 0; i < t->depth; i++)
		give(t, t->form->open, t->frame[i]);
}

static void end_walk(struct trace *t)
{
	while (t->depth)
		close_frame(t);
	t->form->end(t->out, t->clock);
	t->own = false;
}

static void take(void *closure, const struct wm_walk_event *event)
{
	struct trace *t = closure;
	switch (event->kind) {
	case WM_WALK_BEGIN:
		t->thread++;
		break;
	case WM_WALK_OWN:
		begin_own(t);
		break;
	case WM_WALK_END:
		end_walk(t);
		break;
	case WM_WALK_ENTER:
	case WM_WALK_ADOPT:
		open_frame(t, event->function);
		break;
	case WM_WALK_BLOCK:
		t->clock += t->own;
		break;
	case WM_WALK_LEAVE:
	case WM_WALK_ABANDON:
		close_frame(t);
		break;
	case WM_WALK_CALL:
	case WM_WALK_BEHIND:
	case WM_WALK_CAUGHT:
	case WM_WALK_AGAIN:
	case WM_WALK_STUCK:
	case WM_WALK_SUBPATH:
	case WM_WALK_SPECIAL:
		break;
	}
}

/* A JSON string; heap. */
static char *json_name(const char *text)
{
	json_t *value = wm_json_text(text);
	char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	json_decref(value);
	if (!dumped)
		wm_no_memory();
	return dumped;
}

static void write_walks(const struct wm_wpp_view *view, const struct trace_form *form, FILE *out)
{
	struct trace t = {.view = view, .form = form, .out = out};
	uint32_t count = view->wpp.table.function_count;
	t.name = wm_xrealloc(NULL, count + (size_t)1, sizeof *t.name);
	for (uint32_t i = 0; i < count; i++) {
		char *name = wm_wpp_function_name(view, i);
		t.name[i] = json_name(name);
		free(name);
	}
	wm_wpp_walk(view, &(struct wm_sink){&t, take});
	for (uint32_t i = 0; i < count; i++)
		free(t.name[i]);
	free(t.name);
	free(t.frame);
}

/* ---- speedscope ----------------------------------------------------------------------- */

static void print_frame(const struct wm_wpp_view *view, uint32_t function, FILE *out)
{
	const struct wm_story_function *told = view->told[function];
	char *name = wm_wpp_function_name(view, function);
	json_t *frame = wm_json_checked(json_pack("{s:o}", "name", wm_json_text(name)));
	if (told && told->map->file < told->module->file_count) {
		char *file = wm_absolute_file(told->module, told->map->file);
		json_object_set_new(frame, "file", wm_json_text(file));
		json_object_set_new(frame, "line", json_integer(told->map->line));
		free(file);
	}
	fputs(function ? ",\n" : "\n", out);
	wm_json_dump(frame, out, JSON_COMPACT | JSON_ENSURE_ASCII);
	free(name);
}

/* The end of the profile stands behind its events, so that they need not be kept. */
static void speedscope_begin(FILE *out, uint32_t thread, const char *name)
{
	fprintf(out, "%s\n{\"type\":\"evented\",\"name\":\"%s\",\"unit\":\"none\",\"startValue\":0,\"events\":[",
		thread > 1 ? "," : "", name);
}

static void speedscope_event(FILE *out, char type, const struct trace_event *event)
{
	fprintf(out, "%s\n{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}", event->first ? "" : ",", type,
		event->function, event->at);
}

static void speedscope_open(FILE *out, const struct trace_event *event)
{
	speedscope_event(out, 'O', event);
}

static void speedscope_close(FILE *out, const struct trace_event *event)
{
	speedscope_event(out, 'C', event);
}

static void speedscope_end(FILE *out, uint64_t at)
{
	fprintf(out, "],\"endValue\":%" PRIu64 "}", at);
}

void wm_export_speedscope(const struct wm_export *export, FILE *out)
{
	static const struct trace_form form = {speedscope_begin, speedscope_open, speedscope_close, speedscope_end};
	const struct wm_wpp_view *view = export->recording;
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"waymark " WM_VERSION "\",\"name\":\"recording\",\n\"shared\":{\"frames\":[",
		out);
	for (uint32_t i = 0; i < view->wpp.table.function_count; i++)
		print_frame(view, i, out);
	fputs("]},\n\"profiles\":[", out);
	write_walks(view, &form, out);
	fputs("]}\n", out);
}

/* ---- Chrome --------------------------------------------------------------------------- */

/* Every event but the first follows a comma, and the first is that of the process. */
static void chrome_begin(FILE *out, uint32_t thread, const char *name)
{
	fprintf(out,
		",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%" PRIu32 ",\"args\":{\"name\":\"%s\"}}",
		thread, name);
}

static void chrome_event(FILE *out, char phase, const struct trace_event *event)
{
	fprintf(out, ",\n{\"name\":%s,\"cat\":\"call\",\"ph\":\"%c\",\"ts\":%" PRIu64 ",\"pid\":1,\"tid\":%" PRIu32 "}",
		event->name, phase, event->at, event->thread);
}

static void chrome_open(FILE *out, const struct trace_event *event)
{
	chrome_event(out, 'B', event);
}

static void chrome_close(FILE *out, const struct trace_event *event)
{
	chrome_event(out, 'E', event);
}

static void chrome_end(FILE *out, uint64_t at)
{
	(void)out, (void)at;
}

void wm_export_chrome(const struct wm_export *export, FILE *out)
{
	static const struct trace_form form = {chrome_begin, chrome_open, chrome_close, chrome_end};
	fputs("{\"otherData\":{\"creator\":\"waymark " WM_VERSION
	      "\",\"clock\":\"1 us is one executed basic block\"},\n\"traceEvents\":[\n"
	      "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"recording\"}}",
		out);
	write_walks(export->recording, &form, out);
	fputs("]}\n", out);
}
