/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Untested paths.  Text: a table of functions, then the hottest untested paths of each.  HTML: an index of functions, and a
 * page for each function with untested paths.
 */
#include "view/document/document.h"
#include "view/untested/residual_view.h"
#include "view/untested/sightings_view.h"
#include <stdlib.h>

/* ---- What is untested ---------------------------------------------------------------------- */

/* What the numbers of the headline leave out. */
static void end_headline(struct wm_document *d, const struct wm_untested *u)
{
	if (u->refused_count)
		fprintf(d->out, "; %zu function%s could not be compared", u->refused_count,
			wm_plural(u->refused_count));
	fputc('\n', d->out);
}

static void print_shares(struct wm_document *d, const struct wm_untested *u)
{
	if (!u->paths && u->refused_count) {
		fprintf(d->out, "%sno path of the field could be compared%s: %zu function%s refused, see below\n",
			d->bold, d->plain, u->refused_count, u->refused_count == 1 ? " is" : "s are");
		return;
	}
	fprintf(d->out,
		"%s%s of %s path%s that ran in the field %s never tested%s: %.2f%% of the paths, %.2f%% of their "
		"executions",
		d->bold, wm_thousands(u->untested_paths), wm_thousands(u->paths), wm_plural(u->paths),
		u->untested_paths == 1 ? "was" : "were", d->plain, wm_share(u->untested_paths, u->paths),
		wm_share(u->untested_executions, u->executions));
	end_headline(d, u);
	fprintf(d->out, "%zu of %zu function%s %s untested paths, ", u->functions_with_paths, u->function_count,
		wm_plural(u->function_count), u->functions_with_paths == 1 ? "has" : "have");
}

static void print_residue(struct wm_document *d, const struct wm_untested *u)
{
	fprintf(d->out, "%s%s untested path%s ran in the field%s, %s time%s; the number of tested paths is not known",
		d->bold, wm_thousands(u->untested_paths), wm_plural(u->untested_paths), d->plain,
		wm_thousands(u->untested_executions), wm_plural(u->untested_executions));
	end_headline(d, u);
	fprintf(d->out, "%zu function%s %s untested paths, ", u->functions_with_paths,
		wm_plural(u->functions_with_paths), u->functions_with_paths == 1 ? "has" : "have");
}

static void print_summary(struct wm_document *d, const struct wm_untested *u)
{
	if (u->residual)
		print_residue(d, u);
	else
		print_shares(d, u);
	if (!u->residual && !u->paths && u->refused_count)
		;
	else if (u->tests)
		fprintf(d->out, "%zu %s untested edges (%s)\n", u->functions_with_edges,
			u->functions_with_edges == 1 ? "has" : "have", wm_thousands(u->untested_edges));
	else
		fputs("edges are not compared without --tested\n", d->out);
	if (u->hidden_paths && u->tests)
		fprintf(d->out,
			"%s of the untested paths (%.2f%%) %s without an untested edge: edge coverage cannot see %s\n",
			wm_thousands(u->hidden_paths), wm_share(u->hidden_paths, u->untested_paths),
			u->hidden_paths == 1 ? "is in a function" : "are in functions",
			u->hidden_paths == 1 ? "it" : "them");
}

static void write_share(struct wm_document *d, uint64_t part, uint64_t whole, const char *what)
{
	char text[32];
	snprintf(text, sizeof text, "%.2f%%", wm_share(part, whole));
	wm_html_card(d, text, "%s", what);
}

static void write_residue(struct wm_document *d, const struct wm_untested *u)
{
	wm_html_card(d, wm_thousands(u->untested_paths), "untested paths ran; the number of tested paths is not known");
	wm_html_card(d, wm_thousands(u->untested_executions), "executions of them");
	wm_html_card(d, wm_thousands(u->functions_with_paths),
		u->functions_with_paths == 1 ? "function has untested paths" : "functions have untested paths");
}

static void write_shares(struct wm_document *d, const struct wm_untested *u)
{
	wm_html_card(d, wm_thousands(u->untested_paths), "of %s path%s that ran were never tested",
		wm_thousands(u->paths), wm_plural(u->paths));
	write_share(d, u->untested_paths, u->paths, "of the paths");
	write_share(d, u->untested_executions, u->executions, "of path executions");
	wm_html_card(d, wm_thousands(u->functions_with_paths), "of %s function%s have untested paths",
		wm_thousands(u->function_count), wm_plural(u->function_count));
}

static void write_summary(struct wm_document *d, const struct wm_untested *u)
{
	wm_html_page(d, "index.html", "Waymark: untested paths");
	fputs("<h1>What ran in the field and was never tested</h1>", d->out);
	wm_html_objects(d, u->field);
	fputs("<div class=\"cards\">", d->out);
	(u->residual ? write_residue : write_shares)(d, u);
	if (u->tests) {
		wm_html_card(d, wm_thousands(u->untested_edges), "untested edge%s, in %s function%s",
			wm_plural(u->untested_edges), wm_thousands(u->functions_with_edges),
			wm_plural(u->functions_with_edges));
		wm_html_card(d, wm_thousands(u->hidden_paths), "untested paths that edge coverage cannot see");
	}
	fputs("</div>\n", d->out);
}

/* ---- The table ----------------------------------------------------------------------------- */

static void print_table(struct wm_document *d, const struct wm_untested *u, size_t limit)
{
	fprintf(d->out, "\n%suntested    executions  untested paths   edges  function%s\n", d->dim, d->plain);
	for (size_t i = 0; i < u->functions_with_paths && i < limit; i++) {
		const struct wm_untested_function *f = &u->function[i];
		char paths[64], share[16] = "-", edges[24] = "-", place[512];
		snprintf(paths, sizeof paths, f->field->residual ? "%s" : "%s of %s", wm_thousands(f->path_count),
			wm_thousands(f->field->ran_count));
		if (!f->field->residual)
			snprintf(share, sizeof share, "%.2f%%", wm_share(f->executions, f->field->executions));
		if (u->tests)
			snprintf(edges, sizeof edges, "%zu", f->edge_count);
		wm_place_text(f->field, place, sizeof place);
		fprintf(d->out, "%8s %13s  %-14s  %6s  %s%s%s%s%s%s%s\n", share, wm_thousands(f->executions), paths,
			edges, d->bold, f->field->brief, d->plain, *place ? "  " : "", d->dim, place, d->plain);
	}
}

static void write_tested(struct wm_document *d, const struct wm_untested_function *f)
{
	static const char *const words[] = {[WM_TESTED] = "tested",
		[WM_TESTED_ENTERED] = "only entered",
		[WM_TESTED_NEVER] = "no test runs it",
		[WM_TESTED_UNKNOWN] = "not known"};
	const char *text = f->tested == WM_TESTED && f->path_count ? "in part" : words[f->tested];
	const char *style = f->tested != WM_TESTED ? "tag bad" : f->path_count ? "tag false" : "tag true";
	fprintf(d->out, "<td><span class=\"%s\">%s</span></td>", style, text);
}

static void write_row(struct wm_document *d, const struct wm_untested *u, size_t number)
{
	const struct wm_untested_function *f = &u->function[number];
	double share = wm_share(f->executions, f->field->executions);
	fprintf(d->out, "<tr%s>", f->path_count ? " data-ran=\"1\"" : "");
	wm_html_number(d, f->executions, true);
	fprintf(d->out, "<td data-key=\"%.9f\">", share);
	if (!f->field->residual)
		wm_html_share(d, share);
	fputs("</td>", d->out);
	wm_html_number(d, f->path_count, true);
	wm_html_number(d, f->field->ran_count, !f->field->residual);
	wm_html_number(d, f->edge_count, u->tests);
	write_tested(d, f);
	wm_html_name(d, f->field, number, f->path_count);
	fputs("</tr>\n", d->out);
}

static void write_table(struct wm_document *d, const struct wm_untested *u)
{
	static const struct wm_html_column columns[] = {{"Untested executions", true}, {"Of its executions", false},
		{"Untested paths", true}, {"Paths ran", true}, {"Untested edges", true}, {"Tests", false},
		{"Function", false}};
	wm_html_table_begin(d, columns, sizeof columns / sizeof *columns, "also those whose paths are all tested");
	for (size_t i = 0; i < u->function_count; i++)
		write_row(d, u, i);
	wm_html_table_end(d);
}

/* ---- Functions ----------------------------------------------------------------------------- */

static void print_counts(struct wm_document *d, const struct wm_untested_function *f)
{
	if (f->field->residual)
		fprintf(d->out, "  %s untested path%s, %s execution%s\n", wm_thousands(f->path_count),
			wm_plural(f->path_count), wm_thousands(f->executions), wm_plural(f->executions));
	else
		fprintf(d->out, "  %s of %s path%s that ran %s untested: %s of %s execution%s (%.2f%%)\n",
			wm_thousands(f->path_count), wm_thousands(f->field->ran_count), wm_plural(f->field->ran_count),
			f->path_count == 1 ? "is" : "are", wm_thousands(f->executions),
			wm_thousands(f->field->executions), wm_plural(f->field->executions),
			wm_share(f->executions, f->field->executions));
	if (*wm_tested_text(f->tested))
		fprintf(d->out, "  %s%s%s\n", d->bad, wm_tested_text(f->tested), d->plain);
	if (f->tested == WM_TESTED && f->hidden_count == f->path_count)
		fprintf(d->out, "  no untested edge: edge coverage cannot see %s\n",
			f->path_count == 1 ? "this path" : "these paths");
}

static void write_counts(struct wm_document *d, const struct wm_untested_function *f)
{
	fputs("<div class=\"cards\">", d->out);
	wm_html_card(d, wm_thousands(f->path_count),
		f->field->residual ? "untested paths ran" : "of %s paths that ran are untested",
		wm_thousands(f->field->ran_count));
	wm_html_card(d, wm_thousands(f->executions),
		f->field->residual ? "executions of them" : "of %s executions are untested",
		wm_thousands(f->field->executions));
	if (f->tested != WM_TESTED_UNKNOWN) {
		wm_html_card(d, wm_thousands(f->tests ? f->tests->ran_count : 0), "paths are tested");
		wm_html_card(d, wm_thousands(f->edge_count), "untested edges");
	}
	fputs("</div>\n", d->out);
	if (*wm_tested_text(f->tested))
		fprintf(d->out, "<p class=\"note refused\">%s</p>\n", wm_tested_text(f->tested));
	else if (f->tested == WM_TESTED && f->hidden_count == f->path_count)
		fputs("<p class=\"note\">No edge is untested: edge coverage cannot see these paths.</p>\n", d->out);
}

/* Tells the untested edges, which edge coverage would find too. */
static void tell_edges(struct wm_document *d, const struct wm_untested_function *f)
{
	enum { SHOWN = 8 };
	size_t most = d->html || d->options->all ? SIZE_MAX : SHOWN;
	if (f->tested == WM_TESTED && f->edge_count)
		wm_document_take(d, "  ", wm_untested_edges_text(f, most, &d->sources));
}

/* Says where the path parts from the nearest tested path. */
static void tell_news(struct wm_document *d, const struct wm_untested_function *f, const struct wm_untested_path *path)
{
	if (!path->nearest)
		return;
	char *news = wm_untested_news(f, path, &d->sources);
	if (d->html)
		wm_html_print(d->out, "<p class=\"new\"><span class=\"tag %s\">%s</span> %s</p>\n",
			path->edge_tested ? "case" : "bad", path->edge_tested ? "new path" : "new edge", news);
	else
		fprintf(d->out, "      %snew: %s%s\n", d->bad, news, d->plain);
	free(news);
}

/* The name of the path for --triage. */
static void tell_triage_id(struct wm_document *d, const struct wm_untested_path *path)
{
	char id[WM_TRIAGE_ID_SIZE];
	wm_triage_id_print(id, path->triage_id);
	fprintf(d->out, d->html ? "<p class=\"soft\">triage id <code>%s</code></p>\n" : "      triage id %s\n", id);
}

static void tell_function(struct wm_document *d, const struct wm_untested *u, size_t number)
{
	const struct wm_untested_function *f = &u->function[number];
	size_t most = wm_document_most_paths(d);
	uint64_t rest = 0;
	d->form->function(d, f->field, number);
	(d->html ? write_counts : print_counts)(d, f);
	tell_edges(d, f);
	if (d->html)
		fputs("<h2>Untested paths, hottest first</h2>\n", d->out);
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
		wm_document_more(d, "residual", "untested path", f->path_count - most, rest, wm_untested_whole(f));
}

/* ---- The report ---------------------------------------------------------------------------- */

static void print_text(struct wm_document *d, const struct wm_untested *u)
{
	const struct wm_report_options *options = d->options;
	size_t limit = options->all ? SIZE_MAX : options->functions;
	print_summary(d, u);
	wm_document_notes(d, u->note, u->note_count);
	if (u->functions_with_paths && limit)
		print_table(d, u, limit);
	for (size_t i = 0; i < u->functions_with_paths && i < limit && (options->paths || options->all); i++)
		tell_function(d, u, i);
	if (u->functions_with_paths > limit)
		fprintf(d->out, "\n%s more function%s %s untested paths (--functions N or --all shows them)\n",
			wm_thousands(u->functions_with_paths - limit), wm_plural(u->functions_with_paths - limit),
			u->functions_with_paths - limit == 1 ? "has" : "have");
	d->form->refused(d, u->refused, u->refused_count);
}

static void write_pages(struct wm_document *d, const struct wm_untested *u)
{
	write_summary(d, u);
	wm_document_notes(d, u->note, u->note_count);
	d->form->refused(d, u->refused, u->refused_count);
	if (u->sightings)
		wm_sightings_tables(d, u);
	write_table(d, u);
	for (size_t i = 0; i < u->functions_with_paths; i++) {
		wm_progress("writing pages", i, u->functions_with_paths);
		tell_function(d, u, i);
	}
	wm_progress_end();
}

void wm_untested_print(const struct wm_untested *u, const struct wm_report_options *options)
{
	struct wm_document d;
	if (wm_report_wants_document(options)) {
		wm_document_begin(&d, options, stdout);
		(d.html ? write_pages : print_text)(&d, u);
		wm_document_end(&d);
	}
	if (options->json)
		wm_untested_json(u, options, stdout);
	wm_report_warn_refused(u->refused_count, options);
}
