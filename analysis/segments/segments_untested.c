/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The segments of the field that no test executed. */
#include "analysis/segments/set.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

static int by_text(const void *left, const void *right)
{
	return strcmp(
		((const struct wm_projected_segment *)left)->text, ((const struct wm_projected_segment *)right)->text);
}

/* Removes what `tests` has too. */
static void subtract(struct wm_projection *field, const struct wm_projection *tests)
{
	size_t kept = 0;
	if (tests->count)
		qsort(tests->segment, tests->count, sizeof *tests->segment, by_text);
	for (size_t i = 0; i < field->count; i++) {
		struct wm_projected_segment *segment = &field->segment[i];
		if (tests->count && bsearch(segment, tests->segment, tests->count, sizeof *segment, by_text))
			free(segment->text);
		else
			field->segment[kept++] = *segment;
	}
	field->count = kept;
}

/* Of the first `count` segments. */
static uint64_t executions(const struct wm_projection *counts, size_t count)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += counts->segment[i].count;
	return sum;
}

/* The functions of a list of paths.  Returns how many there are. */
static size_t find_functions(struct wm_words *functions, const struct wm_projection *paths)
{
	for (size_t i = 0; i < paths->count; i++) {
		const char *text = paths->segment[i].text;
		wm_words_add(functions, wm_xprintf("%.*s", (int)strcspn(text, " "), text));
	}
	wm_words_sort(functions);
	return functions->count;
}

/* Whether the tests may have executed a segment where their profile cannot show it: their recording is not whole, or the segment
 * lies on an abandoned path, or a call on
 * it was stepped over and all its blocks were executed. */
static bool is_perhaps_tested(const struct wm_projected_segment *segment, const struct wm_projection *tests)
{
	char *copy = wm_xstrdup(segment->text), *rest = copy, *word;
	bool lost = tests->incomplete || wm_segment_begins_in(segment, &tests->lost), stepped = false, executed = true;
	while (!lost && executed && (word = strsep(&rest, " "))) {
		const struct wm_projected_segment block = {.text = word};
		stepped |= wm_words_has(&tests->stepped, word);
		executed = !strchr(word, ':') || wm_words_has(&tests->executed, word) ||
			   wm_segment_begins_in(&block, &tests->lost);
	}
	free(copy);
	return lost || (stepped && executed);
}

/* Puts the segments that are perhaps tested last.  Returns how many there are. */
static size_t set_apart(struct wm_projection *field, const struct wm_projection *tests)
{
	size_t perhaps = 0;
	for (size_t i = 0; i < field->count; i++) {
		field->segment[i].perhaps_tested = is_perhaps_tested(&field->segment[i], tests);
		perhaps += field->segment[i].perhaps_tested;
	}
	wm_projection_sort(field);
	return perhaps;
}

/* Sets whether a segment goes only through functions without an untested path, if all its functions are in `known`. */
static void find_hidden(
	struct wm_projected_segment *segment, const struct wm_words *with_paths, const struct wm_words *known)
{
	char *copy = wm_xstrdup(segment->text), *rest = copy, *word;
	segment->paths_known = segment->hidden = true;
	while ((word = strsep(&rest, " "))) {
		char *colon = strrchr(word, ':');
		if (!colon)
			continue;
		*colon = 0;
		segment->paths_known &= wm_words_has(known, word);
		segment->hidden &= !wm_words_has(with_paths, word);
	}
	/* One function with an untested path is enough for the answer no. */
	segment->paths_known |= !segment->hidden;
	segment->hidden &= segment->paths_known;
	free(copy);
}

void wm_segment_set_subtract(
	struct wm_segment_set *field, const struct wm_segment_set *tests, struct wm_untested_segments *untested)
{
	*untested = (struct wm_untested_segments){.executed = field->segments.count,
		.executions = executions(&field->segments, field->segments.count),
		.paths_known = field->paths_known && tests->paths_known,
		.tests = tests};
	subtract(&field->segments, &tests->segments);
	subtract(&field->paths, &tests->paths);
	untested->perhaps_tested = set_apart(&field->segments, &tests->segments);
	untested->untested = field->segments.count - untested->perhaps_tested;
	untested->untested_executions = executions(&field->segments, untested->untested);
	struct wm_words with_paths = {0};
	untested->functions_with_paths = find_functions(&with_paths, &field->paths);
	for (size_t i = 0; i < untested->untested && untested->paths_known; i++) {
		struct wm_projected_segment *segment = &field->segments.segment[i];
		find_hidden(segment, &with_paths, &field->path_functions);
		untested->hidden += segment->hidden;
		untested->without_paths += !segment->paths_known;
	}
	wm_words_release(&with_paths);
}
