/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What both forms of a document share. */
#include "view/document/document.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void wm_document_begin(struct wm_document *document, const struct wm_report_options *options, FILE *out)
{
	*document = (struct wm_document){.options = options,
		.html = options->html,
		.sources = {.directories = &options->source_dirs, .off = options->no_source, .confined = options->html},
		.bold = "",
		.dim = "",
		.good = "",
		.bad = "",
		.plain = ""};
	document->steps.sources = &document->sources;
	if (document->html)
		wm_document_html_begin(document);
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

void wm_document_say(struct wm_document *document, const char *prefix, const char *format, ...)
{
	char *sentence;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&sentence, format, arguments) < 0)
		wm_bug("out of memory");
	va_end(arguments);
	wm_document_take(document, prefix, sentence);
}

void wm_document_notes(struct wm_document *document, char *const *note, size_t count)
{
	for (size_t i = 0; i < count; i++)
		document->form->sentence(document, "note: ", note[i]);
}

size_t wm_document_most_paths(const struct wm_document *document)
{
	if (document->html)
		return WM_HTML_DETAILED;
	return document->options->all ? SIZE_MAX : document->options->paths;
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

void wm_document_path_end(struct wm_document *document, const struct wm_story_function *function, uint32_t highlighted)
{
	wm_document_rows(document, function, highlighted);
	if (document->form->path_end)
		document->form->path_end(document);
}

void wm_document_more(struct wm_document *document, const char *command, const char *what, size_t count,
	uint64_t executions, uint64_t whole)
{
	if (document->html)
		fprintf(document->out,
			"<p class=\"soft\">%s more %ss ran; <code>waymark %s --json</code> lists them all.</p>\n",
			wm_thousands(count), what, command);
	else
		fprintf(document->out, "\n  %6.2f%% %13s  in %s more %s%s (--paths N shows more)\n",
			wm_share(executions, whole), wm_thousands(executions), wm_thousands(count), what,
			wm_plural(count));
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

const char *wm_document_power(const struct wm_document *document, double log10)
{
	static char text[64];
	snprintf(text, sizeof text, document->html ? "10<sup>%.1f</sup>" : "10^%.1f", log10);
	return text;
}

/* ---- Reports of functions ----------------------------------------------------------------------- */

static void write_index(struct wm_document *d, const struct wm_function_report *report, const void *totals,
	const struct wm_story *story)
{
	wm_html_page(d, "index.html", report->title);
	fprintf(d->out, "<h1>%s</h1>", report->heading);
	wm_html_objects(d, story);
	report->say_totals(d, totals);
	d->form->refused(d, story->refused, story->refused_count);
	wm_html_table_begin(d, report->columns, report->column_count, report->others);
	for (size_t i = 0; i < story->function_count; i++)
		if (wm_report_lists(&story->function[i], d->options))
			report->write_row(d, &story->function[i], i);
	wm_html_table_end(d);
	report->say_left_out(d, story);
}

void wm_function_report_write(const struct wm_function_report *report, const void *totals, const struct wm_story *story,
	const struct wm_report_options *options, FILE *out)
{
	struct wm_document d;
	wm_document_begin(&d, options, out);
	if (d.html) {
		write_index(&d, report, totals, story);
		report->tell_functions(&d, story);
	} else {
		report->say_totals(&d, totals);
		wm_document_notes(&d, story->note, story->note_count);
		report->tell_functions(&d, story);
		report->say_left_out(&d, story);
		d.form->refused(&d, story->refused, story->refused_count);
	}
	wm_document_end(&d);
}
