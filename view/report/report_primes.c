/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prime path coverage.  Text and HTML: per function the prime paths that were not covered, as source lines.  JSON: all. */
#include "analysis/primes/recorded_primes.h"
#include "support/string_builder.h"
#include "view/document/document.h"
#include "view/document/json_elements.h"
#include "view/report/report.h"
#include <stdlib.h>

/* ---- JSON ------------------------------------------------------------------------------------- */

static json_t *path_json(const struct wm_prime_function *primes, uint32_t p, struct wm_steps *steps)
{
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_prime_trail(primes, p, &trail, &arena);
	wm_steps_build(steps, &primes->function, &trail);
	char *contradiction = primes->state[p] == WM_PRIME_INFEASIBLE
				      ? wm_story_trail_contradiction_text(primes->function, &trail, &arena)
				      : NULL;
	json_t *object = wm_json_checked(json_pack("{s:o, s:o, s:b, s:s, s:o, s:o, s:o}", "blocks",
		wm_json_blocks(&trail), "count", wm_json_count(primes->counter.count[p]), "exact",
		!primes->counter.open[p], "state", wm_prime_state_text(primes->state[p]), "lines", wm_json_lines(steps),
		"decisions", wm_json_decisions(steps), "contradiction", wm_json_optional(contradiction)));
	free(contradiction);
	wm_arena_release(&arena);
	return object;
}

static json_t *function_json(const struct wm_prime_function *primes, struct wm_steps *steps)
{
	json_t *paths = wm_json_checked(json_array());
	for (uint32_t p = 0; !primes->reason && p < primes->primes.count; p++)
		json_array_append_new(paths, path_json(primes, p, steps));
	return wm_json_checked(json_pack("{s:o, s:o, s:i, s:i, s:i, s:i, s:o}", "left_out_because",
		wm_json_optional(primes->reason), "count", wm_json_count_if(!primes->reason, primes->primes.count),
		"covered", (int)primes->total[WM_PRIME_COVERED], "undecided", (int)primes->total[WM_PRIME_UNDECIDED],
		"not_covered", (int)primes->total[WM_PRIME_UNCOVERED], "likely_infeasible",
		(int)primes->total[WM_PRIME_INFEASIBLE], "paths", paths));
}

json_t *wm_json_primes(const struct wm_story_function *function, struct wm_steps *steps)
{
	struct wm_prime_function primes;
	wm_primes_analyse(&primes, function);
	json_t *object = function_json(&primes, steps);
	wm_primes_release(&primes);
	return object;
}

/* ---- Functions -------------------------------------------------------------------------------- */

struct totals {
	uint64_t functions, left_out, primes, state[WM_PRIME_STATES];
};

/* "; 2 are not covered, 1 is undecided"; heap. */
static char *rest_text(const uint64_t state[WM_PRIME_STATES])
{
	static const enum wm_prime_state order[] = {WM_PRIME_UNCOVERED, WM_PRIME_UNDECIDED, WM_PRIME_INFEASIBLE};
	struct wm_string text = {0};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		uint64_t count = state[order[i]];
		if (!count)
			continue;
		wm_string_add(&text, "%s%s %s %s", text.length ? ", " : "; ", wm_thousands(count),
			count == 1 ? "is" : "are", wm_prime_state_text(order[i]));
	}
	return wm_string_text(&text);
}

static void say_path(struct wm_document *d, const struct wm_prime_function *primes, uint32_t p)
{
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_prime_trail(primes, p, &trail, &arena);
	wm_steps_build(&d->steps, &primes->function, &trail);
	wm_document_say(d, "\n  ", "%s: prime path %u, which has %u blocks", wm_prime_state_text(primes->state[p]), p,
		trail.count);
	char *contradiction = primes->state[p] == WM_PRIME_INFEASIBLE
				      ? wm_story_trail_contradiction_text(primes->function, &trail, &arena)
				      : NULL;
	wm_document_take(d, "    ", contradiction);
	wm_document_rows(d, primes->function, WM_NONE);
	wm_arena_release(&arena);
}

/* Those that are not covered first, then those that are undecided, then those that are likely infeasible. */
static void say_paths(struct wm_document *d, const struct wm_prime_function *primes)
{
	static const enum wm_prime_state order[] = {WM_PRIME_UNCOVERED, WM_PRIME_UNDECIDED, WM_PRIME_INFEASIBLE};
	size_t most = wm_document_most_paths(d), told = 0, all = primes->primes.count - primes->total[WM_PRIME_COVERED];
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		for (uint32_t p = 0; p < primes->primes.count && told < most; p++)
			if (primes->state[p] == order[i])
				say_path(d, primes, p), told++;
	if (told < all)
		wm_document_say(d, "\n  ", "%s more %s not covered (--paths N or --all shows them)",
			wm_thousands(all - told), all - told == 1 ? "is" : "are");
}

static void tell_function(struct wm_document *d, const struct wm_prime_function *primes, size_t number)
{
	uint64_t state[WM_PRIME_STATES];
	for (size_t i = 0; i < WM_PRIME_STATES; i++)
		state[i] = primes->total[i];
	char *rest = rest_text(state);
	d->form->function(d, primes->function, number);
	wm_document_say(d, "  ", "%u of %u prime path%s covered%s", primes->total[WM_PRIME_COVERED],
		primes->primes.count, primes->primes.count == 1 ? " is" : "s are", rest);
	free(rest);
	say_paths(d, primes);
}

/* ---- The report ------------------------------------------------------------------------------- */

typedef void visit(struct wm_document *d, void *closure, const struct wm_prime_function *primes, size_t number);

/* A profile, or what was found in a recording. */
struct source {
	const struct wm_story *story;
	const struct wm_prime_function *recorded; /* per function of the story; NULL: from the profile */
};

static void for_each(struct wm_document *d, const struct source *source, visit *each, void *closure)
{
	for (size_t i = 0; i < source->story->function_count; i++) {
		struct wm_prime_function primes;
		if (!wm_filter_passes(&d->options->filter, &source->story->function[i]))
			continue;
		if (source->recorded) {
			each(d, closure, &source->recorded[i], i);
			continue;
		}
		wm_primes_analyse(&primes, &source->story->function[i]);
		each(d, closure, &primes, i);
		wm_primes_release(&primes);
	}
}

static void add(struct wm_document *d, void *closure, const struct wm_prime_function *primes, size_t number)
{
	struct totals *totals = closure;
	(void)d, (void)number;
	totals->left_out += primes->reason != NULL;
	totals->functions += !primes->reason;
	totals->primes += primes->primes.count;
	for (size_t i = 0; i < WM_PRIME_STATES; i++)
		totals->state[i] += primes->total[i];
}

/* The text tells of functions that ran and have a prime path that is not covered; a page of every function. */
static void tell(struct wm_document *d, void *closure, const struct wm_prime_function *primes, size_t number)
{
	bool all = d->options->all || d->options->filter.function;
	bool wanted = all || (primes->ran && primes->total[WM_PRIME_COVERED] < primes->primes.count);
	(void)closure;
	if (!primes->reason && wm_document_takes(d, wanted, all))
		tell_function(d, primes, number);
}

static void say_left_out(struct wm_document *d, void *closure, const struct wm_prime_function *primes, size_t number)
{
	(void)closure, (void)number;
	if (primes->reason)
		wm_document_say(d, "  ", "%s is not analysed: %s", primes->function->brief, primes->reason);
}

static void tell_row(struct wm_document *d, void *closure, const struct wm_prime_function *primes, size_t number)
{
	(void)closure;
	if (!d->form->row(d, primes->ran))
		return;
	d->form->cell_share(
		d, wm_share(primes->total[WM_PRIME_COVERED], primes->primes.count), primes->reason ? "" : NULL);
	for (size_t i = 0; i < WM_PRIME_STATES; i++)
		wm_document_number(d, primes->total[i], !primes->reason);
	d->form->cell_function(d, primes->function, number, !primes->reason);
	d->form->row_end(d);
}

static void tell_table(struct wm_document *d, const struct source *source)
{
	static const struct wm_column columns[] = {{"Share", false, 0, NULL}, {"Covered", true, 0, NULL},
		{"Undecided", true, 0, NULL}, {"Not covered", true, 0, NULL}, {"Likely infeasible", true, 0, NULL},
		{"Function", false, 0, NULL}};
	static const struct wm_table table = {
		columns, sizeof columns / sizeof *columns, "also functions that never ran", 0, WM_COLUMN_NONE, false};
	if (!d->form->table(d, &table))
		return;
	for_each(d, source, tell_row, NULL);
	d->form->table_end(d);
}

static void say_totals(struct wm_document *d, const struct totals *totals)
{
	char *rest = rest_text(totals->state);
	wm_document_say(d, "", "%s of %s prime path%s of %s function%s %s covered (%.2f%%)%s",
		wm_thousands(totals->state[WM_PRIME_COVERED]), wm_thousands(totals->primes), wm_plural(totals->primes),
		wm_thousands(totals->functions), wm_plural(totals->functions), totals->primes == 1 ? "is" : "are",
		wm_share(totals->state[WM_PRIME_COVERED], totals->primes), rest);
	free(rest);
	if (totals->left_out)
		wm_document_say(d, "", "%s function%s not analysed, and not in this number",
			wm_thousands(totals->left_out), totals->left_out == 1 ? " is" : "s are");
	if (totals->state[WM_PRIME_UNDECIDED])
		wm_document_say(d, "",
			"prime paths are undecided that go from one path of the profile to the next: compile with "
			"-fwaymark-scheme=kiter=2 if no loops are nested, or record with -fwaymark-wpp and report the "
			"recording");
}

static void print(const struct source *source, const struct wm_report_options *options, FILE *out)
{
	const struct wm_story *story = source->story;
	const struct wm_document_title title = {"Waymark prime paths", "Which prime paths ran", NULL, story};
	struct wm_document d;
	struct totals totals = {0};
	wm_document_begin(&d, options, out);
	for_each(&d, source, add, &totals);
	d.form->title(&d, &title);
	say_totals(&d, &totals);
	wm_document_notes(&d, story->note, story->note_count);
	d.form->refused(&d, story->refused, story->refused_count);
	wm_document_left_out(&d, story);
	tell_table(&d, source);
	for_each(&d, source, say_left_out, NULL);
	for_each(&d, source, tell, NULL);
	if (d.untold)
		wm_document_say(&d, "\n",
			"%zu more function%s prime paths that are not covered (--functions N or --all shows them)",
			d.untold, d.untold == 1 ? " has" : "s have");
	wm_document_end(&d);
}

void wm_report_primes(const struct wm_story *story, const struct wm_report_options *options, FILE *out)
{
	print(&(struct source){story, NULL}, options, out);
}

/* ---- Recordings ------------------------------------------------------------------------------- */

static void print_json(const struct source *source, const struct wm_report_options *options)
{
	struct wm_sources sources = {.directories = &options->source_dirs, .off = options->no_source};
	struct wm_steps steps = {.sources = &sources};
	json_t *document = wm_json_document("report"), *list = wm_json_checked(json_array());
	for (size_t i = 0; i < source->story->function_count; i++) {
		if (!wm_filter_passes(&options->filter, &source->story->function[i]))
			continue;
		json_t *function = wm_json_function(&source->story->function[i]);
		json_object_set_new(function, "prime_paths", function_json(&source->recorded[i], &steps));
		json_array_append_new(list, function);
	}
	json_object_set_new(document, "functions", list);
	wm_json_print(document);
	wm_steps_release(&steps);
	wm_sources_release(&sources);
}

void wm_report_recorded_primes(const struct wm_wpp_view *view, const struct wm_report_options *options)
{
	struct wm_prime_function *recorded = wm_primes_recorded(view);
	const struct source source = {&view->story, recorded};
	wm_report_need_wanted(&view->story, options);
	if (wm_report_wants_document(options))
		print(&source, options, stdout);
	if (options->json)
		print_json(&source, options);
	wm_primes_recorded_release(recorded, view);
}
