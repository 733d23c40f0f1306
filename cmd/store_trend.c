/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/store_trend.h"
#include "store/store_operand.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/untested/trend_view.h"
#include <stdlib.h>

/* The commits are listed before their tests are read: a store is not read twice at a time. */
struct commits {
	size_t count;
	struct commit {
		char *name;
		int64_t first;
	} *commit;
};

static void take_commit(void *closure, const char *name, int64_t first)
{
	struct commits *commits = closure;
	WM_XGROW(commits->commit, commits->count);
	commits->commit[commits->count++] = (struct commit){wm_xstrdup(name), first};
}

static void add_commit(
	struct wm_trend *trend, const char *store, const struct commit *commit, const struct wm_binaries *binaries)
{
	char *tests = wm_store_name_of_kind(store, "test");
	char *of_commit = wm_store_name_with(tests, "commit", commit->name);
	wm_trend_add(trend, commit->name, commit->first, of_commit, binaries, NULL);
	free(of_commit);
	free(tests);
}

static void build(struct wm_trend *trend, const struct wm_operands *operands)
{
	const char *store = operands->profile[0];
	char *public = wm_store_public_name(store);
	struct commits commits = {0};
	struct wm_binaries binaries;
	wm_store_commits(store, take_commit, &commits);
	if (!commits.count)
		wm_fail("%s selects no tests of a commit; `waymark store push --test NAME --commit ID` stores them",
			public);
	wm_binaries_open(&binaries, operands, NULL);
	for (size_t i = 0; i < commits.count; i++) {
		add_commit(trend, store, &commits.commit[i], &binaries);
		free(commits.commit[i].name);
	}
	if (!wm_trend_last(trend))
		wm_fail("none of the binaries wrote the tests of a commit in %s; give the programs that were tested, "
			"one "
			"build for each commit",
			public);
	wm_binaries_release(&binaries);
	free(commits.commit);
	free(public);
}

int wm_store_trend(const struct wm_trend_options *options, char **operand, int count)
{
	struct wm_report_options report;
	struct wm_operands operands = {0};
	struct wm_trend trend = {.scope = options->scope};
	wm_report_options_init(&report);
	report.json = options->json;
	report.html = options->html;
	if (options->json && options->html)
		wm_fail("--json prints JSON, and --html writes a page; choose one of them");
	wm_operands_take(&operands, operand, count);
	if (operands.profile_count != 1 || !operands.binary_count || !wm_is_store(operands.profile[0]))
		wm_fail("the trend is that of one store and the programs that were tested; use `waymark store trend "
			"URL "
			"BINARY...`");
	build(&trend, &operands);
	/* A badge alone is no reason to print. */
	if (!options->badge || options->json || options->html)
		wm_trend_print(&trend, &report);
	if (options->badge)
		wm_trend_badge(&trend, options->badge);
	wm_trend_release(&trend);
	wm_operands_release(&operands);
	return 0;
}
