/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tests/runner.h"
#include "policy/file_names.h"
#include "support/fail.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 120 };

const char *wm_runner_text(enum wm_runner runner)
{
	static const char *const text[] = {[WM_RUNNER_PROGRAMS] = "programs",
		[WM_RUNNER_CTEST] = "ctest",
		[WM_RUNNER_MESON] = "meson",
		[WM_RUNNER_AUTOMAKE] = "automake",
		[WM_RUNNER_NAMES] = "names"};
	return text[runner];
}

const char *wm_result_text(enum wm_result result)
{
	static const char *const text[] = {[WM_RESULT_UNKNOWN] = "unknown",
		[WM_RESULT_PASSED] = "passed",
		[WM_RESULT_FAILED] = "failed",
		[WM_RESULT_SKIPPED] = "skipped"};
	return text[result];
}

/* Words of command lines */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_word(const struct wm_relative *process, size_t index, const char *name)
{
	return index < process->word_count && strcmp(last_part(process->word[index]), name) == 0;
}

/* Whether the process executes one of these programs, by itself or by an interpreter. */
static bool is_program(const struct wm_relative *process, const char *const *name)
{
	for (; *name; name++)
		if (is_word(process, 0, *name) || is_word(process, 1, *name))
			return true;
	return false;
}

/* The word after an option; NULL: there is none. */
static const char *option_of(const struct wm_relative *process, const char *option)
{
	for (size_t i = 0; i + 1 < process->word_count; i++)
		if (strcmp(process->word[i], option) == 0)
			return process->word[i + 1];
	return NULL;
}

static char *join_words(const struct wm_relative *process)
{
	struct wm_string text = {0};
	for (size_t i = 0; i < process->word_count; i++)
		wm_string_add(&text, "%s%s", i ? " " : "", process->word[i]);
	return wm_string_text(&text);
}

/* Runners */

static bool is_ctest(const struct wm_relative *process)
{
	static const char *const names[] = {"ctest", NULL};
	return is_program(process, names);
}

static bool is_meson_test(const struct wm_relative *process)
{
	for (size_t i = 0; i + 1 < process->word_count && i < 3; i++)
		if ((is_word(process, i, "meson") || is_word(process, i, "meson.py")) &&
			strcmp(process->word[i + 1], "test") == 0)
			return true;
	return false;
}

static bool is_make(const struct wm_relative *process)
{
	static const char *const names[] = {"make", "gmake", "ninja", "samu", "prove", NULL};
	return is_program(process, names);
}

static bool is_shell_command(const struct wm_relative *process)
{
	static const char *const names[] = {"sh", "bash", "dash", NULL};
	return is_program(process, names) && process->word_count > 2 && process->word[1][0] == '-' &&
	       strchr(process->word[1], 'c');
}

/* A process of a family that is a test, and the runner that started it. */
struct found {
	const struct wm_relative *test, *runner;
	enum wm_runner kind;
	char *directory; /* of the listing; heap, or NULL */
};

/* The outermost runner: a test may itself be a suite. */
static struct found find_runner(const struct wm_family *family)
{
	for (size_t i = family->count; i-- > 0;) {
		const struct wm_relative *process = &family->member[i];
		if (option_of(process, "--test-name") && option_of(process, "--trs-file"))
			return (struct found){process, process, WM_RUNNER_AUTOMAKE, NULL};
		/* `make ctest` names a target. */
		if (is_make(process))
			continue;
		if (i > 0 && is_ctest(process))
			return (struct found){process - 1, process, WM_RUNNER_CTEST, NULL};
		if (i > 0 && is_meson_test(process))
			return (struct found){process - 1, process, WM_RUNNER_MESON, NULL};
	}
	return (struct found){0};
}

/* The last member is the command. */
static struct found find_program(const struct wm_family *family)
{
	size_t i = family->count - 1;
	while (i > 0) {
		bool recipe = is_make(&family->member[i]);
		i--;
		if (is_make(&family->member[i]) || (recipe && is_shell_command(&family->member[i])))
			continue;
		break;
	}
	return (struct found){&family->member[i], &family->member[family->count - 1], WM_RUNNER_PROGRAMS, NULL};
}

/* Names */

/* The program without its directory, and the arguments. */
static char *program_name(const struct wm_relative *process)
{
	char *words = join_words(process);
	size_t skip = process->word_count ? (size_t)(last_part(process->word[0]) - process->word[0]) : 0;
	char *name = wm_xprintf("%.*s", LONGEST_NAME, words + skip);
	free(words);
	return name;
}

static char *automake_name(const struct wm_family *family, const struct wm_relative *driver)
{
	const char *top = family->member[family->count - 1].directory, *name = option_of(driver, "--test-name");
	const char *rest = *top && wm_file_name_is_below(driver->directory, top) ? driver->directory + strlen(top) : "";
	return *rest ? wm_xprintf("%s/%s", rest + 1, name) : wm_xstrdup(name);
}

static const struct wm_listing *get_listing(struct wm_session *session, enum wm_runner kind, const char *directory)
{
	for (size_t i = 0; i < session->listing_count; i++)
		if (session->listing[i].runner == kind && strcmp(session->listing[i].directory, directory) == 0)
			return &session->listing[i];
	WM_XGROW(session->listing, session->listing_count);
	struct wm_listing *listing = &session->listing[session->listing_count++];
	wm_listing_read(listing, kind, directory);
	return listing;
}

/* The directory in which a runner was started, with --test-dir of ctest; heap.  ctest changes its current directory to that of
 * the test that it is starting, so the directory of the process that started it counts. */
static char *start_directory(const struct wm_family *family, const struct wm_relative *runner)
{
	const char *option = option_of(runner, "--test-dir");
	bool is_command = runner == &family->member[family->count - 1];
	char *here = is_command ? realpath(".", NULL) : NULL;
	char *directory = wm_file_name_join(is_command ? here ? here : "" : runner[1].directory, option ? option : ".");
	if (!directory)
		wm_no_memory();
	free(here);
	return directory;
}

/* Changes found->directory to the one that has the listing.  NULL: no listing has the test. */
static char *find_listed(struct wm_session *session, const struct wm_family *family, struct found *found)
{
	char *name = NULL;
	if (found->kind == WM_RUNNER_CTEST) {
		free(found->directory);
		found->directory = start_directory(family, found->runner);
		name = wm_listing_find(get_listing(session, found->kind, found->directory), found->test);
	}
	if (!name) {
		free(found->directory);
		found->directory = wm_xstrdup(found->runner->directory);
		name = wm_listing_find(get_listing(session, found->kind, found->directory), found->test);
	}
	return name;
}

/* NULL: it is not known. */
static char *find_name(struct wm_session *session, const struct wm_family *family, struct found *found)
{
	switch (found->kind) {
	case WM_RUNNER_CTEST:
	case WM_RUNNER_MESON:
		return find_listed(session, family, found);
	case WM_RUNNER_AUTOMAKE:
		return automake_name(family, found->test);
	case WM_RUNNER_PROGRAMS:
	case WM_RUNNER_NAMES:
		break;
	}
	return NULL;
}

/* Takes found->directory. */
static char *place_of(struct found *found)
{
	char *place = found->directory;
	if (found->kind == WM_RUNNER_AUTOMAKE)
		place = wm_xprintf("%s/%s", found->test->directory, option_of(found->test, "--trs-file"));
	return place ? place : wm_xstrdup("");
}

static void add_file(struct wm_session_test *test, const struct wm_session_file *file)
{
	WM_XGROW(test->file, test->file_count);
	test->file[test->file_count++] = wm_xstrdup(file->path);
	test->process_count += file->process != test->last_process;
	test->last_process = file->process;
}

/* Names of ctest and meson are those of a build tree. */
static bool is_same(const struct wm_session_test *a, const struct wm_session_test *b)
{
	bool of_tree = a->runner == WM_RUNNER_CTEST || a->runner == WM_RUNNER_MESON;
	return a->runner == b->runner && strcmp(a->name, b->name) == 0 && (!of_tree || strcmp(a->place, b->place) == 0);
}

/* Takes ownership of all texts.  A test that ran before is the same test. */
static void add(struct wm_session *session, struct wm_session_test test, const struct wm_session_file *file)
{
	for (size_t i = 0; i < session->count; i++) {
		struct wm_session_test *known = &session->test[i];
		if (!is_same(known, &test))
			continue;
		add_file(known, file);
		free(test.name);
		free(test.command);
		free(test.place);
		return;
	}
	WM_XGROW(session->test, session->count);
	session->test[session->count] = test;
	add_file(&session->test[session->count++], file);
}

static struct wm_session_test test_without_family(const char *name)
{
	return (struct wm_session_test){.name = wm_xprintf("%.*s", LONGEST_NAME, name),
		.runner = WM_RUNNER_PROGRAMS,
		.command = wm_xstrdup(""),
		.place = wm_xstrdup("")};
}

static struct wm_session_test test_of_family(struct wm_session *session, const struct wm_family *family)
{
	struct wm_session_test test = {.runner = WM_RUNNER_PROGRAMS};
	struct found found = find_runner(family);
	if (!found.test)
		found = find_program(family);
	test.name = find_name(session, family, &found);
	test.runner = test.name ? found.kind : WM_RUNNER_PROGRAMS;
	if (!test.name)
		test.name = program_name(found.test);
	test.command = join_words(found.test);
	test.place = place_of(&found);
	return test;
}

/* The name that the process itself gave is that of a test in all processes. */
static void rename_test(struct wm_session_test *test, const char *name)
{
	if (strcmp(test->name, name) == 0)
		return;
	free(test->name);
	free(test->place);
	test->name = wm_xstrdup(name);
	test->place = wm_xstrdup("");
	test->runner = WM_RUNNER_NAMES;
}

void wm_session_add(struct wm_session *session, const struct wm_session_file *file)
{
	struct wm_session_test test =
		file->family->count ? test_of_family(session, file->family) : test_without_family(file->program);
	if (file->test)
		rename_test(&test, file->test);
	add(session, test, file);
}

static int by_name(const void *left, const void *right)
{
	const struct wm_session_test *a = left, *b = right;
	int order = strverscmp(a->name, b->name);
	if (!order)
		order = (int)a->runner - (int)b->runner;
	return order ? order : strcmp(a->place, b->place);
}

void wm_session_finish(struct wm_session *session)
{
	if (session->count)
		qsort(session->test, session->count, sizeof *session->test, by_name);
	wm_session_results(session);
}

void wm_session_release(struct wm_session *session)
{
	for (size_t i = 0; i < session->count; i++) {
		struct wm_session_test *test = &session->test[i];
		for (size_t f = 0; f < test->file_count; f++)
			free(test->file[f]);
		free(test->file);
		free(test->name);
		free(test->command);
		free(test->place);
	}
	for (size_t i = 0; i < session->listing_count; i++)
		wm_listing_release(&session->listing[i]);
	free(session->test);
	free(session->listing);
	*session = (struct wm_session){0};
}
