/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tests that ctest and meson list, with their commands.  Their answers are JSON, and hostile. */
#include "analysis/tests/runner.h"
#include "support/buffer.h"
#include "support/capture.h"
#include "support/xalloc.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What a runner lists; NULL: nothing that can be read. */
static json_t *ask(const char *const *command, const char *directory)
{
	struct wm_buffer output, errors;
	if (!*directory || wm_capture_in(directory, (char *const *)command, &output, &errors) < 0)
		return NULL;
	json_t *answer = json_loadb((const char *)output.data, output.size, 0, NULL);
	wm_buffer_release(&output);
	wm_buffer_release(&errors);
	return answer;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

/* Appends a test; `words` is its command.  Tests without a command, which do not run, are left out. */
static void add_test(struct wm_listing *listing, char *name, const char *directory, const json_t *words)
{
	struct wm_listed_test test = {.name = name, .directory = wm_xstrdup(directory)};
	size_t i;
	json_t *word;
	json_array_foreach(words, i, word)
	{
		WM_XGROW(test.word, test.word_count);
		test.word[test.word_count++] = wm_xstrdup(json_is_string(word) ? json_string_value(word) : "");
	}
	WM_XGROW(listing->test, listing->count);
	listing->test[listing->count++] = test;
}

/* The value of a property; NULL: the test does not have it. */
static const json_t *ctest_property(const json_t *test, const char *name)
{
	size_t i;
	json_t *property;
	json_array_foreach(json_object_get(test, "properties"), i, property)
	{
		if (strcmp(text_of(property, "name"), name) == 0)
			return json_object_get(property, "value");
	}
	return NULL;
}

static void read_ctest(struct wm_listing *listing)
{
	static const char *const command[] = {"ctest", "--show-only=json-v1", NULL};
	json_t *answer = ask(command, listing->directory), *test;
	size_t i;
	json_array_foreach(json_object_get(answer, "tests"), i, test)
	{
		const char *place = json_string_value(ctest_property(test, "WORKING_DIRECTORY"));
		add_test(listing, wm_xstrdup(text_of(test, "name")), place ? place : "",
			json_object_get(test, "command"));
		listing->test[listing->count - 1].may_skip =
			ctest_property(test, "SKIP_RETURN_CODE") || ctest_property(test, "SKIP_REGULAR_EXPRESSION");
	}
	json_decref(answer);
}

/* Whether another test of the list has the same name. */
static bool is_shared(const json_t *answer, const char *name)
{
	size_t i, count = 0;
	json_t *test;
	json_array_foreach(answer, i, test)
	{
		count += strcmp(text_of(test, "name"), name) == 0;
	}
	return count > 1;
}

/* "SUITE:NAME" if other suites have a test of the name, as meson itself accepts it. */
static char *meson_name(const json_t *answer, const json_t *test)
{
	const char *name = text_of(test, "name");
	const char *suite = json_string_value(json_array_get(json_object_get(test, "suite"), 0));
	return suite && is_shared(answer, name) ? wm_xprintf("%s:%s", suite, name) : wm_xstrdup(name);
}

static void read_meson(struct wm_listing *listing)
{
	static const char *const command[] = {"meson", "introspect", "--tests", ".", NULL};
	json_t *answer = ask(command, listing->directory), *test;
	size_t i;
	json_array_foreach(answer, i, test)
	{
		add_test(listing, meson_name(answer, test), text_of(test, "workdir"), json_object_get(test, "cmd"));
	}
	json_decref(answer);
}

void wm_listing_read(struct wm_listing *listing, enum wm_runner runner, const char *directory)
{
	*listing = (struct wm_listing){.runner = runner, .directory = wm_xstrdup(directory)};
	switch (runner) {
	case WM_RUNNER_CTEST:
		read_ctest(listing);
		break;
	case WM_RUNNER_MESON:
		read_meson(listing);
		break;
	case WM_RUNNER_AUTOMAKE:
	case WM_RUNNER_PROGRAMS:
	case WM_RUNNER_NAMES:
		break;
	}
}

void wm_listing_release(struct wm_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++) {
		for (size_t w = 0; w < listing->test[i].word_count; w++)
			free(listing->test[i].word[w]);
		free(listing->test[i].word);
		free(listing->test[i].name);
		free(listing->test[i].directory);
	}
	free(listing->test);
	free(listing->directory);
}

/* How many words of the command line precede the command of a test, as the interpreter of a script does; -1: the command line
 * does not end with this command. */
static int words_before(const struct wm_listed_test *test, const struct wm_relative *process)
{
	if (!test->word_count || test->word_count > process->word_count)
		return -1;
	size_t before = process->word_count - test->word_count;
	for (size_t i = 0; i < test->word_count; i++)
		if (strcmp(test->word[i], process->word[before + i]) != 0)
			return -1;
	return (int)before;
}

/* Smaller is better; -1: it is another test.  The directory decides between tests with the same command. */
static int misfit(const struct wm_listed_test *test, const struct wm_relative *process)
{
	int before = words_before(test, process);
	bool elsewhere = *test->directory && strcmp(test->directory, process->directory) != 0;
	return before < 0 ? -1 : 2 * before + elsewhere;
}

char *wm_listing_find(const struct wm_listing *listing, const struct wm_relative *process)
{
	int best = -1;
	char *name = NULL;
	for (size_t i = 0; i < listing->count; i++) {
		int found = misfit(&listing->test[i], process);
		if (found < 0 || (best >= 0 && found > best))
			continue;
		char *joined = best == found ? wm_xprintf("%s or %s", name, listing->test[i].name)
					     : wm_xstrdup(listing->test[i].name);
		free(name);
		name = joined;
		best = found;
	}
	return name;
}
