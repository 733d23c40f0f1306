/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The results that runners write to files. */
#include "analysis/tests/runner.h"
#include "support/buffer.h"
#include "support/xalloc.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Reads a file that was written after the run began; false: there is none. */
static bool read_new(struct wm_buffer *buffer, const char *path, const struct timespec *begun)
{
	struct stat info;
	return stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
	       (info.st_mtim.tv_sec > begun->tv_sec ||
		       (info.st_mtim.tv_sec == begun->tv_sec && info.st_mtim.tv_nsec >= begun->tv_nsec)) &&
	       wm_buffer_read(buffer, path);
}

static char *next_line(char **rest)
{
	char *line = *rest && **rest ? strsep(rest, "\n") : NULL;
	return line;
}

/* The tests of a runner in one directory. */
static struct wm_session_test *find_test(
	struct wm_session *session, enum wm_runner runner, const char *directory, const char *name)
{
	for (size_t i = 0; i < session->count; i++) {
		struct wm_session_test *test = &session->test[i];
		if (test->runner == runner && strcmp(test->place, directory) == 0 && strcmp(test->name, name) == 0)
			return test;
	}
	return NULL;
}

static bool may_skip(const struct wm_listing *listing, const char *name)
{
	for (size_t i = 0; i < listing->count; i++)
		if (listing->test[i].may_skip && strcmp(listing->test[i].name, name) == 0)
			return true;
	return false;
}

/* A test that ran and did not fail has passed, unless it is one of several or may have been skipped. */
static void assume_passed(struct wm_session *session, const struct wm_listing *listing)
{
	for (size_t i = 0; i < session->count; i++) {
		struct wm_session_test *test = &session->test[i];
		if (test->runner == WM_RUNNER_CTEST && strcmp(test->place, listing->directory) == 0 &&
			!strstr(test->name, " or ") && !may_skip(listing, test->name))
			test->result = WM_RESULT_PASSED;
	}
}

/* ctest: lines NUMBER:NAME of the tests that failed.  LastTest.log is written in every run. */
static void read_ctest(struct wm_session *session, const struct wm_listing *listing)
{
	const char *directory = listing->directory;
	struct wm_buffer buffer;
	char *failed = wm_xprintf("%s/Testing/Temporary/LastTestsFailed.log", directory);
	char *all = wm_xprintf("%s/Testing/Temporary/LastTest.log", directory);
	if (read_new(&buffer, all, &session->begun)) {
		wm_buffer_release(&buffer);
		assume_passed(session, listing);
	}
	if (read_new(&buffer, failed, &session->begun)) {
		char *rest = (char *)buffer.data, *line;
		while ((line = next_line(&rest))) {
			char *colon = strchr(line, ':');
			struct wm_session_test *test =
				colon ? find_test(session, WM_RUNNER_CTEST, directory, colon + 1) : NULL;
			if (test)
				test->result = WM_RESULT_FAILED;
		}
		wm_buffer_release(&buffer);
	}
	free(failed);
	free(all);
}

static enum wm_result meson_result(const char *word)
{
	static const char *const bad[] = {"FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS", NULL};
	for (size_t i = 0; bad[i]; i++)
		if (strcmp(word, bad[i]) == 0)
			return WM_RESULT_FAILED;
	if (strcmp(word, "OK") == 0 || strcmp(word, "EXPECTEDFAIL") == 0)
		return WM_RESULT_PASSED;
	return strcmp(word, "SKIP") == 0 ? WM_RESULT_SKIPPED : WM_RESULT_UNKNOWN;
}

/* meson: a line per test, whose name is "SUITE / NAME". */
static void read_meson_line(struct wm_session *session, const char *directory, const char *line)
{
	json_t *entry = json_loads(line, 0, NULL);
	const char *name = json_string_value(json_object_get(entry, "name"));
	const char *result = json_string_value(json_object_get(entry, "result"));
	const char *slash = name ? strstr(name, " / ") : NULL;
	struct wm_session_test *test =
		slash && result ? find_test(session, WM_RUNNER_MESON, directory, slash + 3) : NULL;
	if (test && test->result != WM_RESULT_FAILED)
		test->result = meson_result(result);
	json_decref(entry);
}

static void read_meson(struct wm_session *session, const char *directory)
{
	struct wm_buffer buffer;
	char *path = wm_xprintf("%s/meson-logs/testlog.json", directory), *line;
	if (read_new(&buffer, path, &session->begun)) {
		char *rest = (char *)buffer.data;
		while ((line = next_line(&rest)))
			read_meson_line(session, directory, line);
		wm_buffer_release(&buffer);
	}
	free(path);
}

/* automake: a line ":test-result: PASS". */
static enum wm_result automake_result(const char *word)
{
	if (strncmp(word, "PASS", 4) == 0 || strncmp(word, "XFAIL", 5) == 0)
		return WM_RESULT_PASSED;
	if (strncmp(word, "SKIP", 4) == 0)
		return WM_RESULT_SKIPPED;
	bool failed = strncmp(word, "FAIL", 4) == 0 || strncmp(word, "XPASS", 5) == 0 || strncmp(word, "ERROR", 5) == 0;
	return failed ? WM_RESULT_FAILED : WM_RESULT_UNKNOWN;
}

static void read_automake(struct wm_session_test *test, const struct timespec *begun)
{
	static const char field[] = ":test-result: ";
	struct wm_buffer buffer;
	if (!read_new(&buffer, test->place, begun))
		return;
	char *rest = (char *)buffer.data, *line;
	while ((line = next_line(&rest)))
		if (strncmp(line, field, sizeof field - 1) == 0 && test->result != WM_RESULT_FAILED)
			test->result = automake_result(line + sizeof field - 1);
	wm_buffer_release(&buffer);
}

void wm_session_results(struct wm_session *session)
{
	for (size_t i = 0; i < session->listing_count; i++) {
		const struct wm_listing *listing = &session->listing[i];
		if (listing->runner == WM_RUNNER_CTEST)
			read_ctest(session, listing);
		if (listing->runner == WM_RUNNER_MESON)
			read_meson(session, listing->directory);
	}
	for (size_t i = 0; i < session->count; i++)
		if (session->test[i].runner == WM_RUNNER_AUTOMAKE)
			read_automake(&session->test[i], &session->begun);
}
