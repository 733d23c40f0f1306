/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all forms of a document share. */
#include "view/document/document.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void wm_document_begin(struct wm_document *document, const struct wm_report_options *options, FILE *out)
{
	*document = (struct wm_document){.options = options,
		.sources = {.directories = &options->source_dirs, .off = options->no_source, .confined = options->html},
		.bold = "",
		.dim = "",
		.good = "",
		.bad = "",
		.plain = ""};
	document->steps.sources = &document->sources;
	if (options->html)
		wm_document_html_begin(document);
	else if (options->markdown)
		wm_document_markdown_begin(document, out);
	else
		wm_document_text_begin(document, out);
}

void wm_document_end(struct wm_document *document)
{
	document->form->end(document);
	wm_steps_release(&document->steps);
	wm_sources_release(&document->sources);
}

void wm_document_take(struct wm_document *document, const char *prefix, char *sentence)
{
	if (sentence)
		document->form->sentence(document, prefix, sentence);
	free(sentence);
}

static char *printed(const char *format, va_list arguments)
{
	char *text;
	if (vasprintf(&text, format, arguments) < 0)
		wm_no_memory();
	return text;
}

void wm_document_say(struct wm_document *document, const char *prefix, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *sentence = printed(format, arguments);
	va_end(arguments);
	wm_document_take(document, prefix, sentence);
}

void wm_document_list(struct wm_document *document, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *line = printed(format, arguments);
	va_end(arguments);
	document->form->listed(document, line);
	free(line);
}

void wm_document_figure(struct wm_document *document, const char *before, const char *number, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *words = printed(format, arguments);
	va_end(arguments);
	document->form->figure(document, before, number, words);
	free(words);
}

void wm_document_notes(struct wm_document *document, char *const *note, size_t count)
{
	for (size_t i = 0; i < count; i++)
		document->form->sentence(document, "note: ", note[i]);
}

size_t wm_document_limit(const struct wm_document *document, size_t in_text, size_t in_pages)
{
	if (document->form->whole)
		return in_pages;
	return document->options->all ? SIZE_MAX : in_text;
}

size_t wm_document_most_paths(const struct wm_document *document)
{
	return wm_document_limit(document, document->options->paths, WM_HTML_DETAILED);
}

bool wm_document_takes(struct wm_document *document, bool matters, bool all)
{
	const struct wm_report_options *options = document->options;
	if (document->form->whole)
		return true;
	bool room = all || options->all || document->told < options->functions;
	document->untold += matters && !room;
	return matters && room;
}

void wm_document_path(struct wm_document *document, const struct wm_story_function *function,
	const struct wm_story_path *path, uint64_t whole, bool open)
{
	wm_steps_tell(&document->steps, function, path->id, &document->ends);
	document->form->path(document, path, whole, open);
}

void wm_document_path_as(struct wm_document *document, const struct wm_story_function *function, uint64_t id,
	double share, const char *words, bool open)
{
	wm_steps_tell(&document->steps, function, id, &document->ends);
	document->form->path_as(document, id, share, words, open);
}

void wm_document_path_possible(struct wm_document *document, const char *prefix,
	const struct wm_story_function *function, uint64_t id, const char *words, bool open)
{
	char *contradiction = wm_story_contradiction_text(function, id);
	wm_steps_tell(&document->steps, function, id, &document->ends);
	document->form->path_possible(document, prefix, id, words, contradiction, open);
	free(contradiction);
}

void wm_document_path_end(struct wm_document *document, const struct wm_story_function *function, uint32_t highlighted)
{
	wm_document_rows(document, function, highlighted);
	document->form->path_end(document);
}

void wm_document_number(struct wm_document *document, uint64_t number, bool known)
{
	document->form->cell(document, (double)number, known ? wm_thousands(number) : "");
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void label_of(const struct wm_source_step *step, char *text, size_t size)
{
	const char *home = wm_story_file(step->function);
	if (!step->line && step->address)
		snprintf(text, size, "%#" PRIx64, step->address);
	else if (!step->line)
		snprintf(text, size, "block %u", step->block);
	else if (step->file && (!home || strcmp(step->file, home) != 0))
		snprintf(text, size, "%s:%u", wm_short_file(step->file), step->line);
	else
		snprintf(text, size, "%u", step->line);
}

void wm_document_rows(struct wm_document *document, const struct wm_story_function *function, uint32_t highlighted)
{
	const struct wm_steps *steps = &document->steps;
	struct wm_row *rows;
	size_t count = wm_steps_rows(steps, &rows);
	count = wm_rows_tidy(steps, rows, count, &document->sources, function);
	struct wm_document_row *shown = wm_xmalloc((count + 1) * sizeof *shown);
	for (size_t i = 0; i < count; i++) {
		struct wm_document_row *row = &shown[i];
		row->row = rows[i];
		row->step = &steps->step[rows[i].first];
		label_of(row->step, row->label, sizeof row->label);
		wm_row_outcome(steps, &rows[i], row->outcome, sizeof row->outcome);
		row->text = wm_step_source(&document->sources, row->step, function, &row->length);
		row->highlighted = wm_row_decides(steps, &rows[i], highlighted);
	}
	document->form->rows(document, shown, count);
	free(shown);
	free(rows);
}

/* ---- Words --------------------------------------------------------------------------------- */

const char *wm_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

const char *wm_start_words(enum wm_start start)
{
	static const char *const words[] = {[WM_START_ENTRY] = "entry",
		[WM_START_LOOP] = "loop head",
		[WM_START_CUT] = "cut",
		[WM_START_CALL] = "call"};
	return words[start];
}

const char *wm_place_text(const struct wm_story_function *function, char *text, size_t size)
{
	const char *file = wm_story_file(function);
	text[0] = 0;
	if (file && function->map->line)
		snprintf(text, size, "%s:%u", wm_short_file(file), function->map->line);
	else if (file)
		snprintf(text, size, "%s", wm_short_file(file));
	if (function->records.elsewhere) {
		size_t used = strlen(text);
		snprintf(text + used, size - used, "%sin %s", used ? " " : "", function->object->path);
	}
	return text;
}

void wm_document_left_out(struct wm_document *document, const struct wm_story *story)
{
	struct wm_unscoped left = {0};
	wm_unscoped_add(&left, &document->options->filter, story);
	char *text = wm_unscoped_text(&left);
	if (text)
		document->form->left_out(document, text);
}

/* ---- Reports of functions ----------------------------------------------------------------------- */

void wm_function_report_write(const struct wm_function_report *report, const void *totals, const struct wm_story *story,
	const struct wm_report_options *options, FILE *out)
{
	struct wm_document d;
	struct wm_document_title title = report->title;
	title.story = story;
	wm_document_begin(&d, options, out);
	d.form->title(&d, &title);
	report->say_totals(&d, totals);
	wm_document_notes(&d, story->note, story->note_count);
	d.form->refused(&d, story->refused, story->refused_count);
	wm_document_left_out(&d, story);
	if (d.form->table(&d, &report->table)) {
		for (size_t i = 0; i < story->function_count; i++)
			if (wm_filter_passes(&options->filter, &story->function[i]))
				report->tell_row(&d, &story->function[i], i);
		d.form->table_end(&d);
	}
	report->say_left_out(&d, story);
	report->tell_functions(&d, story);
	wm_document_end(&d);
}
