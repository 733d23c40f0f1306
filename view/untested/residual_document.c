/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Untested paths.  Text: a table of functions, then the hottest untested paths of each.  HTML: an index of functions, and a
 * page for each function with untested paths.
 */
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/untested/residual_view.h"
#include "view/untested/sightings_view.h"
#include <stdlib.h>

/* ---- What is untested ---------------------------------------------------------------------- */

/* What the numbers of the headline leave out. */
static void tell_left_out(struct wm_document *d, const struct wm_untested *u)
{
	if (u->refused_count)
		wm_document_figure(d, "; ", wm_thousands(u->refused_count), "function%s could not be compared",
			wm_plural(u->refused_count));
}

static void tell_share(struct wm_document *d, const char *before, uint64_t part, uint64_t whole, const char *words)
{
	char text[32];
	snprintf(text, sizeof text, "%.2f%%", wm_share(part, whole));
	d->form->figure(d, before, text, words);
}

static void tell_shares(struct wm_document *d, const struct wm_untested *u)
{
	wm_document_figure(d, "", wm_thousands(u->untested_paths), "of %s path%s that ran in the field %s never tested",
		wm_thousands(u->paths), wm_plural(u->paths), u->untested_paths == 1 ? "was" : "were");
	tell_share(d, ": ", u->untested_paths, u->paths, "of the paths");
	tell_share(d, ", ", u->untested_executions, u->executions, "of their executions");
	tell_left_out(d, u);
	wm_document_figure(d, "\n", wm_thousands(u->functions_with_paths), "of %zu function%s %s untested paths",
		u->function_count, wm_plural(u->function_count), u->functions_with_paths == 1 ? "has" : "have");
}

static void tell_residue(struct wm_document *d, const struct wm_untested *u)
{
	wm_document_figure(d, "", wm_thousands(u->untested_paths), "untested path%s ran in the field",
		wm_plural(u->untested_paths));
	wm_document_figure(d, ", ", wm_thousands(u->untested_executions),
		"time%s; the number of tested paths is not known", wm_plural(u->untested_executions));
	tell_left_out(d, u);
	wm_document_figure(d, "\n", wm_thousands(u->functions_with_paths), "function%s %s untested paths",
		wm_plural(u->functions_with_paths), u->functions_with_paths == 1 ? "has" : "have");
}

static void tell_summary(struct wm_document *d, const struct wm_untested *u)
{
	if (!u->residual && !u->paths && u->refused_count) {
		char *rest = wm_xprintf(": %zu function%s refused, see below", u->refused_count,
			u->refused_count == 1 ? " is" : "s are");
		d->form->headline(d, "", "no path of the field could be compared", rest);
		free(rest);
		return;
	}
	(u->residual ? tell_residue : tell_shares)(d, u);
	if (u->tests)
		wm_document_figure(d, ", ", wm_thousands(u->functions_with_edges), "%s untested edges (%s)",
			u->functions_with_edges == 1 ? "has" : "have", wm_thousands(u->untested_edges));
	d->form->figures_end(d);
	if (!u->tests)
		wm_document_say(d, "", "edges are not compared without --tested");
	if (u->hidden_paths && u->tests)
		wm_document_say(d, "",
			"%s of the untested paths (%.2f%%) %s without an untested edge: edge coverage cannot see %s",
			wm_thousands(u->hidden_paths), wm_share(u->hidden_paths, u->untested_paths),
			u->hidden_paths == 1 ? "is in a function" : "are in functions",
			u->hidden_paths == 1 ? "it" : "them");
}

/* ---- The table ----------------------------------------------------------------------------- */

static void tell_tested(struct wm_document *d, const struct wm_untested_function *f)
{
	static const char *const words[] = {[WM_TESTED] = "tested",
		[WM_TESTED_ENTERED] = "only entered",
		[WM_TESTED_NEVER] = "no test runs it",
		[WM_TESTED_UNKNOWN] = "not known"};
	const char *text = f->tested == WM_TESTED && f->path_count ? "in part" : words[f->tested];
	d->form->cell_tag(d, f->tested != WM_TESTED ? WM_TAG_BAD : f->path_count ? WM_TAG_POOR : WM_TAG_GOOD, text, "");
}

static void tell_row(struct wm_document *d, const struct wm_untested *u, size_t number)
{
	const struct wm_untested_function *f = &u->function[number];
	bool known = !f->field->residual;
	if (!d->form->row(d, f->path_count))
		return;
	d->form->cell_share(d, wm_share(f->executions, f->field->executions), known ? NULL : "");
	wm_document_number(d, f->executions, true);
	d->form->cell_of(d, f->path_count, known ? wm_thousands(f->field->ran_count) : NULL,
		known ? (double)f->field->ran_count : 0);
	wm_document_number(d, f->edge_count, u->tests);
	tell_tested(d, f);
	d->form->cell_function(d, f->field, number, f->path_count);
	d->form->row_end(d);
}

static void tell_table(struct wm_document *d, const struct wm_untested *u, size_t limit)
{
	static const struct wm_column columns[] = {{"Untested", false, 8, NULL}, {"Executions", true, 14, NULL},
		{"Untested paths", true, -16, "Paths ran"}, {"Edges", true, 8, NULL}, {"Tests", false, 0, NULL},
		{"Function", false, -10, NULL}};
	const struct wm_table table = {
		columns, sizeof columns / sizeof *columns, "also those whose paths are all tested", limit, 1, false};
	if (!d->form->table(d, &table))
		return;
	for (size_t i = 0; i < u->function_count; i++)
		tell_row(d, u, i);
	d->form->table_end(d);
}

/* ---- Functions ----------------------------------------------------------------------------- */

static void tell_counts(struct wm_document *d, const struct wm_untested_function *f)
{
	if (f->field->residual)
		wm_document_say(d, "  ", "%s untested path%s, %s execution%s", wm_thousands(f->path_count),
			wm_plural(f->path_count), wm_thousands(f->executions), wm_plural(f->executions));
	else
		wm_document_say(d, "  ", "%s of %s path%s that ran %s untested: %s of %s execution%s (%.2f%%)",
			wm_thousands(f->path_count), wm_thousands(f->field->ran_count), wm_plural(f->field->ran_count),
			f->path_count == 1 ? "is" : "are", wm_thousands(f->executions),
			wm_thousands(f->field->executions), wm_plural(f->field->executions),
			wm_share(f->executions, f->field->executions));
	if (*wm_tested_text(f->tested))
		d->form->warning(d, "  ", wm_tested_text(f->tested));
	if (f->tested == WM_TESTED && f->hidden_count == f->path_count)
		wm_document_say(d, "  ", "no untested edge: edge coverage cannot see %s",
			f->path_count == 1 ? "this path" : "these paths");
}

/* Tells the untested edges, which edge coverage would find too. */
static void tell_edges(struct wm_document *d, const struct wm_untested_function *f)
{
	enum { SHOWN = 8 };
	size_t most = wm_document_limit(d, SHOWN, SIZE_MAX);
	if (f->tested == WM_TESTED && f->edge_count)
		wm_document_take(d, "  ", wm_untested_edges_text(f, most, &d->sources));
}

/* Says where the path parts from the nearest tested path. */
static void tell_news(struct wm_document *d, const struct wm_untested_function *f, const struct wm_untested_path *path)
{
	if (!path->nearest)
		return;
	char *news = wm_untested_news(f, path, &d->sources);
	d->form->parting(d, path->edge_tested, news);
	free(news);
}

/* The name of the path for --triage. */
static void tell_triage_id(struct wm_document *d, const struct wm_untested_path *path)
{
	char id[WM_TRIAGE_ID_SIZE];
	wm_triage_id_print(id, path->triage_id);
	d->form->remark(d, "triage id", id);
}

static void tell_function(struct wm_document *d, const struct wm_untested *u, size_t number)
{
	const struct wm_untested_function *f = &u->function[number];
	size_t most = wm_document_most_paths(d);
	uint64_t rest = 0;
	d->form->function(d, f->field, number);
	tell_counts(d, f);
	tell_edges(d, f);
	d->form->heading(d, "Untested paths, hottest first");
	for (size_t i = 0; i < f->path_count; i++) {
		const struct wm_untested_path *path = &f->path[i];
		if (i >= most) {
			rest += path->path->count;
			continue;
		}
		wm_document_path(d, f->field, path->path, wm_untested_whole(f), i < WM_HTML_OPEN);
		if (u->triaging)
			tell_triage_id(d, path);
		if (u->sightings)
			wm_sightings_tell(d, u->sightings, f->field, path->path->id);
		tell_news(d, f, path);
		wm_document_path_end(d, f->field, path->position);
	}
	if (f->path_count > most)
		d->form->more(d, "residual", "untested path", f->path_count - most, rest, wm_untested_whole(f));
}

/* ---- The report ---------------------------------------------------------------------------- */

static void write_sightings(struct wm_document *d, void *closure)
{
	const struct wm_untested *u = closure;
	if (u->sightings)
		wm_sightings_tables(d, u);
}

static void tell(struct wm_document *d, const struct wm_untested *u)
{
	const struct wm_report_options *options = d->options;
	const struct wm_document_title title = {
		"Waymark: untested paths", "What ran in the field and was never tested", NULL, u->field};
	size_t limit = options->all ? SIZE_MAX : options->functions;
	d->form->title(d, &title);
	tell_summary(d, u);
	wm_document_notes(d, u->note, u->note_count);
	d->form->refused(d, u->refused, u->refused_count);
	d->form->markup(d, write_sightings, (void *)u);
	tell_table(d, u, limit);
	for (size_t i = 0; i < u->functions_with_paths; i++)
		if (wm_document_takes(d, options->paths || options->all, false))
			tell_function(d, u, i);
	if (u->functions_with_paths > limit)
		wm_document_list(d, "\n%s more function%s %s untested paths (--functions N or --all shows them)",
			wm_thousands(u->functions_with_paths - limit), wm_plural(u->functions_with_paths - limit),
			u->functions_with_paths - limit == 1 ? "has" : "have");
}

void wm_untested_print(const struct wm_untested *u, const struct wm_report_options *options)
{
	struct wm_document d;
	if (wm_report_wants_document(options)) {
		wm_document_begin(&d, options, stdout);
		tell(&d, u);
		wm_document_end(&d);
	}
	if (options->json)
		wm_untested_json(u, options, stdout);
	wm_report_warn_refused(u->refused_count, options);
}
