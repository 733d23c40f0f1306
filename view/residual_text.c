/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/page.h"
#include "view/residual.h"
#include <inttypes.h>
#include <stdlib.h>

/* What the numbers of the headline leave out. */
static void end_headline(struct wm_page *page, const struct wm_untested *u)
{
	if (u->refused_count)
		fprintf(page->out, "; %zu function%s could not be compared", u->refused_count,
			wm_plural(u->refused_count));
	fputc('\n', page->out);
}

static void print_shares(struct wm_page *page, const struct wm_untested *u)
{
	if (!u->paths && u->refused_count) {
		fprintf(page->out, "%sno path of the field could be compared%s: %zu function%s refused, see below\n",
			page->bold, page->plain, u->refused_count, u->refused_count == 1 ? " is" : "s are");
		return;
	}
	fprintf(page->out,
		"%s%s of %s path%s that ran in the field %s never tested%s: %.2f%% of the paths, %.2f%% of their "
		"executions",
		page->bold, wm_thousands(u->untested_paths), wm_thousands(u->paths), wm_plural(u->paths),
		u->untested_paths == 1 ? "was" : "were", page->plain, wm_share(u->untested_paths, u->paths),
		wm_share(u->untested_executions, u->executions));
	end_headline(page, u);
	fprintf(page->out, "%zu of %zu function%s %s untested paths, ", u->functions_with_paths, u->function_count,
		wm_plural(u->function_count), u->functions_with_paths == 1 ? "has" : "have");
}

static void print_residue(struct wm_page *page, const struct wm_untested *u)
{
	fprintf(page->out,
		"%s%s untested path%s ran in the field%s, %s time%s; the number of tested paths is not known",
		page->bold, wm_thousands(u->untested_paths), wm_plural(u->untested_paths), page->plain,
		wm_thousands(u->untested_executions), wm_plural(u->untested_executions));
	end_headline(page, u);
	fprintf(page->out, "%zu function%s %s untested paths, ", u->functions_with_paths,
		wm_plural(u->functions_with_paths), u->functions_with_paths == 1 ? "has" : "have");
}

static void print_summary(struct wm_page *page, const struct wm_untested *u)
{
	if (u->residual)
		print_residue(page, u);
	else
		print_shares(page, u);
	if (!u->residual && !u->paths && u->refused_count)
		;
	else if (u->tests)
		fprintf(page->out, "%zu %s untested edges (%s)\n", u->functions_with_edges,
			u->functions_with_edges == 1 ? "has" : "have", wm_thousands(u->untested_edges));
	else
		fputs("edges are not compared without --tested\n", page->out);
	if (u->hidden_paths && u->tests)
		fprintf(page->out,
			"%s of the untested paths (%.2f%%) %s without an untested edge: edge coverage cannot see %s\n",
			wm_thousands(u->hidden_paths), wm_share(u->hidden_paths, u->untested_paths),
			u->hidden_paths == 1 ? "is in a function" : "are in functions",
			u->hidden_paths == 1 ? "it" : "them");
	for (size_t i = 0; i < u->note_count; i++)
		fprintf(page->out, "note: %s\n", u->note[i]);
}

static void print_table(struct wm_page *page, const struct wm_untested *u, size_t limit)
{
	fprintf(page->out, "\n%suntested    executions  untested paths   edges  function%s\n", page->dim, page->plain);
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
		fprintf(page->out, "%8s %13s  %-14s  %6s  %s%s%s%s%s%s%s\n", share, wm_thousands(f->executions), paths,
			edges, page->bold, f->field->brief, page->plain, *place ? "  " : "", page->dim, place,
			page->plain);
	}
}

static void print_path(struct wm_page *page, const struct wm_untested_function *f, const struct wm_untested_path *path)
{
	wm_page_path(page, f->field, path->path, wm_untested_whole(f));
	if (path->nearest) {
		char *news = wm_untested_news(f, path, &page->sources);
		fprintf(page->out, "      %snew: %s%s\n", page->bad, news, page->plain);
		free(news);
	}
	wm_page_rows(page, f->field, path->position);
}

/* Prints the untested edges, which edge coverage would find too. */
static void print_edges(struct wm_page *page, const struct wm_untested_function *f)
{
	enum { SHOWN = 8 };
	if (f->tested == WM_TESTED && f->hidden_count == f->path_count)
		fprintf(page->out, "  no untested edge: edge coverage cannot see %s\n",
			f->path_count == 1 ? "this path" : "these paths");
	if (f->tested != WM_TESTED || !f->edge_count)
		return;
	char *list = wm_untested_edges_text(f, page->options->all ? SIZE_MAX : SHOWN, &page->sources);
	fprintf(page->out, "  %s\n", list);
	free(list);
}

static void print_rest(struct wm_page *page, const struct wm_untested_function *f, size_t limit)
{
	uint64_t rest = 0;
	if (f->path_count <= limit)
		return;
	for (size_t i = limit; i < f->path_count; i++)
		rest += f->path[i].path->count;
	fprintf(page->out, "\n  %6.2f%% %13s  in %s more untested path%s (--paths N shows more)\n",
		wm_share(rest, wm_untested_whole(f)), wm_thousands(rest), wm_thousands(f->path_count - limit),
		wm_plural(f->path_count - limit));
}

static void print_function(struct wm_page *page, const struct wm_untested_function *f)
{
	char place[512];
	size_t limit = page->options->all ? SIZE_MAX : page->options->paths;
	wm_place_text(f->field, place, sizeof place);
	fprintf(page->out, "\n%s%s%s%s%s\n", page->bold, f->field->brief, page->plain, *place ? "  " : "", place);
	if (f->field->residual)
		fprintf(page->out, "  %s untested path%s, %s execution%s\n", wm_thousands(f->path_count),
			wm_plural(f->path_count), wm_thousands(f->executions), wm_plural(f->executions));
	else
		fprintf(page->out, "  %s of %s path%s that ran %s untested: %s of %s execution%s (%.2f%%)\n",
			wm_thousands(f->path_count), wm_thousands(f->field->ran_count), wm_plural(f->field->ran_count),
			f->path_count == 1 ? "is" : "are", wm_thousands(f->executions),
			wm_thousands(f->field->executions), wm_plural(f->field->executions),
			wm_share(f->executions, f->field->executions));
	if (*wm_tested_text(f->tested))
		fprintf(page->out, "  %s%s%s\n", page->bad, wm_tested_text(f->tested), page->plain);
	print_edges(page, f);
	for (size_t i = 0; i < f->path_count && i < limit; i++)
		print_path(page, f, &f->path[i]);
	print_rest(page, f, limit);
}

void wm_untested_text(const struct wm_untested *u, const struct wm_report_options *options, FILE *out)
{
	struct wm_page page;
	size_t limit = options->all ? SIZE_MAX : options->functions;
	wm_page_init(&page, options, out);
	print_summary(&page, u);
	if (u->functions_with_paths && limit)
		print_table(&page, u, limit);
	for (size_t i = 0; i < u->functions_with_paths && i < limit && (options->paths || options->all); i++)
		print_function(&page, &u->function[i]);
	if (u->functions_with_paths > limit)
		fprintf(out, "\n%s more function%s %s untested paths (--functions N or --all shows them)\n",
			wm_thousands(u->functions_with_paths - limit), wm_plural(u->functions_with_paths - limit),
			u->functions_with_paths - limit == 1 ? "has" : "have");
	wm_page_refused(&page, u->refused, u->refused_count);
	wm_page_release(&page);
}
