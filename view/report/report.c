/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/report/report.h"
#include "support/xalloc.h"
#include <stdio.h>

static void print_document(const struct wm_story *story, const struct wm_report_options *options)
{
	if (options->correlations)
		wm_report_correlations(story, options, stdout);
	else if (options->mcdc)
		wm_report_mcdc(story, options, stdout);
	else if (options->prime_paths)
		wm_report_primes(story, options, stdout);
	else
		wm_report_document(story, options, stdout);
}

void wm_report(const struct wm_story *story, const struct wm_report_options *options)
{
	wm_report_need_wanted(story, options);
	if (options->source) {
		wm_report_source(story, options, stdout);
		return;
	}
	if (wm_report_wants_document(options))
		print_document(story, options);
	if (options->json)
		wm_report_json(story, options, stdout);
	wm_report_warn_refused(story->refused_count, options);
}

char *wm_report_unit_text(const struct wm_story_unit *unit)
{
	const struct wm_binary_unit *binary = unit->binary;
	if (!unit->balance.completed && !unit->balance.entries)
		return NULL;
	return wm_xprintf("%s paths across calls in %s: %s of %s call sites are crossed", binary->scheme->name,
		binary->module ? binary->module->source : binary->object->path, wm_thousands(binary->plan.crossed),
		wm_thousands(binary->plan.site_count));
}
