/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/untested_gate.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many functions that exceed their budget are named. */
enum { NAMED = 10 };

/* ---- Options -------------------------------------------------------------------------------- */

static bool read_number(const char *text, uint64_t *number)
{
	char *end;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static void add_line(struct wm_gate *gate, const char *name, uint64_t most)
{
	WM_XGROW(gate->budget, gate->count);
	gate->budget[gate->count++] = (struct wm_budget_line){wm_xstrdup(name), most};
}

/* "FUNCTION N"; the name may contain blanks, as those of C++ do. */
static void read_line(struct wm_gate *gate, char *line, const char *file, size_t number)
{
	uint64_t most;
	char *end = line + strlen(line);
	while (end > line && strchr(" \t\r\n", end[-1]))
		*--end = 0;
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return;
	char *last = strrchr(line, ' ');
	char *tab = strrchr(line, '\t');
	last = !last || (tab && tab > last) ? tab : last;
	if (!last || !read_number(last + 1, &most))
		wm_fail("%s, line %zu: a line of a budget is the name of a function and a number, as in `parse_* 3`",
			file, number);
	while (last > line && strchr(" \t", last[-1]))
		last--;
	*last = 0;
	add_line(gate, line, most);
}

static void read_budget(struct wm_gate *gate, const char *file)
{
	char *line = NULL;
	size_t capacity = 0, number = 0;
	FILE *in = fopen(file, "re");
	if (!in)
		wm_fail("--budget needs a number or a file with lines FUNCTION N; %s: %s", file, strerror(errno));
	while (getline(&line, &capacity, in) >= 0)
		read_line(gate, line, file, ++number);
	bool failed = ferror(in);
	free(line);
	fclose(in);
	if (failed)
		wm_fail("%s cannot be read", file);
	if (!gate->count)
		wm_fail("%s contains no budget; its lines are FUNCTION N, as in `parse_* 3`", file);
}

void wm_gate_take_budget(void *target, const char *value)
{
	struct wm_gate *gate = target;
	uint64_t most;
	if (read_number(value, &most))
		add_line(gate, "*", most);
	else
		read_budget(gate, value);
}

void wm_gate_take_budget_of(struct wm_gate *gate, const char *value, const char *directory)
{
	uint64_t most;
	bool alone = read_number(value, &most) || *value == '/';
	char *path = alone ? wm_xstrdup(value) : wm_xprintf("%s/%s", directory, value);
	wm_gate_take_budget(gate, path);
	free(path);
}

void wm_gate_take_percent(void *target, const char *value)
{
	struct wm_gate *gate = target;
	char *end;
	gate->has_percent = true;
	gate->percent = strtod(value, &end);
	if (end == value || *end || !(gate->percent >= 0 && gate->percent <= 100))
		wm_fail("--fail-under needs a percentage from 0 to 100, not '%s'", value);
}

bool wm_gate_is_set(const struct wm_gate *gate)
{
	return gate->count || gate->fail || gate->has_percent;
}

void wm_gate_release(struct wm_gate *gate)
{
	for (size_t i = 0; i < gate->count; i++)
		free(gate->budget[i].name);
	free(gate->budget);
	*gate = (struct wm_gate){0};
}

/* ---- Budgets -------------------------------------------------------------------------------- */

static const char *noun(const struct wm_gaps *gaps)
{
	return wm_gaps_count_paths(gaps) ? "path" : "outcome";
}

/* Which of the untested paths are counted. */
static const char *limit(const struct wm_gaps *gaps)
{
	return wm_gaps_count_paths(gaps) ? " within one decision of a tested path" : "";
}

static const struct wm_budget_line *find_budget(const struct wm_gate *gate, const struct wm_story_function *function)
{
	for (size_t i = 0; i < gate->count; i++)
		if (wm_story_name_matches(function, gate->budget[i].name))
			return &gate->budget[i];
	return NULL;
}

/* Nobody counts further than the search, and nobody needs to. */
static const char *at_least(const struct wm_gaps *gaps, uint64_t total)
{
	return wm_gaps_count_paths(gaps) && total >= gaps->question.search ? "at least " : "";
}

/* Whether the function is within its budget; if not, and if it is one of the first, names it. */
static bool is_within(const struct wm_gate *gate, const struct wm_gaps *gaps, const struct wm_story_function *function,
	uint64_t total, size_t *beyond)
{
	const struct wm_budget_line *budget = find_budget(gate, function);
	if (!budget || total <= budget->most)
		return true;
	if ((*beyond)++ < NAMED)
		wm_warn("%s has %s%s untested %s%s%s, and its budget is %s", function->brief, at_least(gaps, total),
			wm_thousands(total), noun(gaps), wm_plural(total), limit(gaps), wm_thousands(budget->most));
	return false;
}

static bool budgets_hold(const struct wm_gate *gate, const struct wm_gaps *gaps)
{
	size_t beyond = 0;
	for (size_t i = 0; i < gaps->count; i++)
		is_within(gate, gaps, gaps->function[i].base.field, wm_gap_counted(gaps, &gaps->function[i]), &beyond);
	for (size_t i = 0; i < gaps->never_count; i++)
		is_within(gate, gaps, gaps->never[i], wm_gaps_never_total(gaps, i), &beyond);
	if (beyond > NAMED)
		wm_warn("%zu more functions exceed their budgets", beyond - NAMED);
	return !beyond;
}

/* ---- The others ----------------------------------------------------------------------------- */

static bool nothing_is_untested(const struct wm_gaps *gaps)
{
	uint64_t total = 0;
	for (size_t i = 0; i < gaps->count; i++)
		total += wm_gap_counted(gaps, &gaps->function[i]);
	if (!total && !gaps->never_count)
		return true;
	wm_warn("%s%s untested %s%s%s in functions that tests enter, and %zu function%s that no test enters; --fail "
		"allows none",
		at_least(gaps, total), wm_thousands(total), noun(gaps), wm_plural(total), limit(gaps),
		gaps->never_count, wm_plural(gaps->never_count));
	return false;
}

static bool enough_is_tested(const struct wm_gate *gate, const struct wm_gaps *gaps)
{
	uint64_t total = 0, tested = 0;
	for (size_t i = 0; i < gaps->count; i++) {
		tested += wm_gap_tested(gaps, &gaps->function[i]);
		total += wm_gap_tested(gaps, &gaps->function[i]) + wm_gap_counted(gaps, &gaps->function[i]);
	}
	for (size_t i = 0; i < gaps->never_count; i++)
		total += wm_gaps_never_total(gaps, i);
	double percent = total ? 100.0 * (double)tested / (double)total : 100;
	if (percent >= gate->percent)
		return true;
	wm_warn("%.2f%% of the %ss%s are tested (%s of %s), and --fail-under requires %g%%", percent, noun(gaps),
		limit(gaps), wm_thousands(tested), wm_thousands(total), gate->percent);
	return false;
}

static bool all_is_known(const struct wm_gaps *gaps)
{
	const struct wm_story *story = &gaps->suite->story;
	if (story->doubtful_runs)
		wm_warn("%zu runs of the tests are left out in whole or in part", story->doubtful_runs);
	if (gaps->refused_count)
		wm_warn("%zu function%s refused, so that what is untested in %s is not known", gaps->refused_count,
			gaps->refused_count == 1 ? " is" : "s are", gaps->refused_count == 1 ? "it" : "them");
	/* What abandoned paths did is not known, but is not called untested. */
	if (gaps->unknown)
		wm_warn("activations were left inside calls of %zu function%s, so that some outcomes or paths there "
			"are not "
			"known; they are not counted",
			gaps->unknown, gaps->unknown == 1 ? "" : "s");
	return !story->doubtful_runs && !gaps->refused_count;
}

bool wm_gate_sees(const struct wm_gate *gate, const struct wm_change *change)
{
	if (!wm_gate_is_set(gate) || !change->stale)
		return true;
	wm_warn("the gate fails, because changed files are not those that were compiled: compile them and run the "
		"tests "
		"again");
	return false;
}

bool wm_gate_holds(const struct wm_gate *gate, const struct wm_gaps *gaps)
{
	bool holds = true;
	if (gate->count)
		holds &= budgets_hold(gate, gaps);
	if (gate->fail)
		holds &= nothing_is_untested(gaps);
	if (gate->has_percent)
		holds &= enough_is_tested(gate, gaps);
	if (wm_gate_is_set(gate))
		holds &= all_is_known(gaps);
	return holds;
}
