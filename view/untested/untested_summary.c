/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/untested/untested_summary.h"
#include "analysis/join/story_checks.h"
#include "support/xalloc.h"
#include <stdlib.h>

/* Whether paths were sought in some function. */
static bool has_paths(const struct wm_gaps *gaps)
{
	return gaps->question.level != WM_GAP_EDGE && (gaps->sought > 0 || !gaps->count);
}

/* "outcome" or "path": what is missing first, and what gates count. */
static const char *noun(const struct wm_gaps *gaps)
{
	return wm_gaps_count_paths(gaps) && has_paths(gaps) ? "path" : "outcome";
}

static size_t function_total(const struct wm_gaps *gaps)
{
	return gaps->count + gaps->never_count + gaps->known_never;
}

const char *wm_untested_nouns(const struct wm_gaps *gaps)
{
	static const char *const nouns[] = {
		[WM_GAP_BOTH] = "outcomes and paths", [WM_GAP_PATH] = "paths", [WM_GAP_EDGE] = "outcomes"};
	return nouns[has_paths(gaps) ? gaps->question.level : WM_GAP_EDGE];
}

/* ---- The summary: what no test took --------------------------------------------------------- */

/* Nobody can compare higher numbers of paths. */
enum { COMPARABLE = 1000000 };

static void tell_paths(struct wm_document *d, const struct wm_gaps *gaps)
{
	const char *tested = wm_thousands(gaps->tested_paths);
	if (gaps->sought <= COMPARABLE)
		wm_document_figure(d, ", ", tested, "of their %s path%s %s tested", wm_paths_text(gaps->sought),
			gaps->sought == 1 ? "" : "s", gaps->tested_paths == 1 ? "is" : "are");
	else
		wm_document_figure(d, ", ", tested, "of their paths %s tested", gaps->tested_paths == 1 ? "is" : "are");
}

/* The functions that a report counts: those that are refused are among them. */
static void tell_entered(struct wm_document *d, const struct wm_gaps *gaps, const struct wm_gap_scope *scope)
{
	char *refused = scope->refused ? wm_xprintf(" and %s %s refused", wm_thousands(scope->refused),
						 scope->refused == 1 ? "is" : "are")
				       : wm_xstrdup("");
	wm_document_figure(d, ", ", wm_thousands(gaps->count), "of %s function%s %s entered by tests%s",
		wm_thousands(scope->functions), wm_plural(scope->functions), gaps->count == 1 ? "is" : "are", refused);
	free(refused);
}

static void tell_gap_summary(struct wm_document *d, const struct wm_gaps *gaps)
{
	struct wm_gap_scope scope = wm_gaps_scope(gaps);
	if (!function_total(gaps)) {
		d->form->headline(d, "", "nothing is compared",
			gaps->refused_count	 ? ": the functions are refused, see below"
			: gaps->question.stale	 ? ": changed files are not those that were compiled"
			: gaps->question.touches ? ": no function that is compiled with Waymark has a changed line"
						 : ": no function is compiled with Waymark");
		return;
	}
	wm_document_figure(d, "", wm_thousands(gaps->untaken), "of %s outcome%s of decisions %s untested",
		wm_thousands(gaps->decisions), wm_plural(gaps->decisions), gaps->untaken == 1 ? "is" : "are");
	tell_entered(d, gaps, &scope);
	if (has_paths(gaps))
		tell_paths(d, gaps);
	d->form->figures_end(d);
	if (scope.templates)
		wm_document_say(d, "",
			"%s of these functions stand%s for %s instances of templates (--instances tells them apart)",
			wm_thousands(scope.templates), scope.templates == 1 ? "s" : "", wm_thousands(scope.instances));
	if (scope.shared)
		wm_document_say(d, "", "%s of these functions %s in several binaries and counted once",
			wm_thousands(scope.shared), scope.shared == 1 ? "is" : "are");
}

/* "2 outcomes and 3 paths"; heap. */
static char *unknown_text(uint64_t outcomes, double paths)
{
	char *of_outcomes = outcomes ? wm_xprintf("%s outcome%s", wm_thousands(outcomes), wm_plural(outcomes)) : NULL;
	char *of_paths = paths > 0 ? wm_xprintf("%s path%s", wm_paths_text(paths), paths == 1 ? "" : "s") : NULL;
	char *text = wm_xprintf("%s%s%s", of_outcomes ? of_outcomes : "", of_outcomes && of_paths ? " and " : "",
		of_paths ? of_paths : "");
	free(of_outcomes);
	free(of_paths);
	return text;
}

/* What is neither tested nor untested. */
static void tell_unknown(struct wm_document *d, const struct wm_gaps *gaps)
{
	if (!gaps->unknown)
		return;
	char *sum = unknown_text(gaps->unknown_outcomes, gaps->unknown_paths), *left = wm_abandoned_text(gaps->left);
	wm_document_say(d, "",
		"not known: whether tests took %s, because %s (by exit, longjmp, an exception or the end of "
		"the process)",
		sum, left);
	free(sum);
	free(left);
}

static void list_unknown_of(struct wm_document *d, const struct wm_gap_function *f)
{
	char place[512], *text = unknown_text(f->unknown_outcomes, (double)f->unknown_paths);
	wm_place_text(f->base.field, place, sizeof place);
	wm_document_list(d, "  %s%s%s, %s%s%s", f->base.field->brief, *place ? "  " : "", place, text,
		f->base.tested == WM_TESTED_ENTERED ? "; " : "",
		f->base.tested == WM_TESTED_ENTERED ? wm_tested_text(WM_TESTED_ENTERED) : "");
	free(text);
}

void wm_untested_list_unknown(struct wm_document *d, const struct wm_gaps *gaps)
{
	enum { SHOWN = 20 };
	size_t limit = d->options->all ? SIZE_MAX : SHOWN, shown = 0;
	if (gaps->unknown)
		wm_document_list(d, "\n%ssomething is not known of %s function%s%s", d->bold,
			wm_thousands(gaps->unknown), wm_plural(gaps->unknown), d->plain);
	for (size_t i = 0; i < gaps->count && shown < limit; i++)
		if (wm_gap_function_unknown(&gaps->function[i])) {
			list_unknown_of(d, &gaps->function[i]);
			shown++;
		}
	if (gaps->unknown > shown)
		wm_document_list(d, "  %s more (--all lists them)", wm_thousands(gaps->unknown - shown));
}

static void tell_checks(struct wm_document *d, const struct wm_gaps *gaps)
{
	char *text = wm_story_left_out_text(&gaps->suite->story, gaps->left_out);
	if (text && d->options->checks)
		wm_document_say(d, "", "%s", text);
	else if (text && gaps->left_out_taken)
		wm_document_say(d, "", "%s, of which tests took %s (--checks lists them)", text,
			wm_thousands(gaps->left_out_taken));
	else if (text)
		wm_document_say(d, "", "%s (--checks lists %s)", text, gaps->left_out == 1 ? "it" : "them");
	free(text);
}

/* Which part of what is untested the report is about. */
static void tell_scope(struct wm_document *d, const struct wm_gaps *gaps)
{
	if (gaps->question.scope)
		wm_document_say(d, "", "only %s", gaps->question.scope);
	tell_checks(d, gaps);
	if (!gaps->question.baseline)
		return;
	wm_document_say(d, "",
		"%s untested %s%s and %zu function%s that no test enters are in the baseline and are not listed",
		wm_paths_text(gaps->known), noun(gaps), gaps->known == 1 ? "" : "s", gaps->known_never,
		wm_plural(gaps->known_never));
	if (gaps->changed)
		wm_document_say(d, "",
			"the graph%s of %zu function%s differ%s from the baseline; of %s, only what takes a decision "
			"that the "
			"baseline does not have is listed",
			wm_plural(gaps->changed), gaps->changed, wm_plural(gaps->changed),
			gaps->changed == 1 ? "s" : "", gaps->changed == 1 ? "it" : "them");
}

/* ---- The summary: paths of the field ------------------------------------------------------- */

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

static void tell_field_summary(struct wm_document *d, const struct wm_untested *u)
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
	if (u->untested_unfinished)
		wm_document_say(d, "",
			"%s of the untested paths %s left inside a call (by exit, longjmp, an exception or the end of "
			"the "
			"process)",
			wm_thousands(u->untested_unfinished), u->untested_unfinished == 1 ? "was" : "were");
	if (!u->tests)
		wm_document_say(d, "", "edges are not compared without --tested");
	if (u->hidden_paths && u->tests)
		wm_document_say(d, "",
			"%s of the untested paths (%.2f%%) %s without an untested edge: edge coverage cannot see %s",
			wm_thousands(u->hidden_paths), wm_share(u->hidden_paths, u->untested_paths),
			u->hidden_paths == 1 ? "is in a function" : "are in functions",
			u->hidden_paths == 1 ? "it" : "them");
}

/* ---- The summary ---------------------------------------------------------------------------- */

void wm_untested_summarise(struct wm_document *d, const struct wm_untested_answer *a)
{
	if (a->gaps) {
		tell_gap_summary(d, a->gaps);
		tell_scope(d, a->gaps);
	} else {
		tell_field_summary(d, a->field);
	}
	wm_document_notes(d, a->note, a->note_count);
	if (a->gaps)
		tell_unknown(d, a->gaps);
}
