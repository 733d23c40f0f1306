/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which test a process belongs to, by its family: the processes between it and the command that `waymark test` started.
 *
 *   ctest      a test is a child of a ctest process.  `ctest --show-only=json-v1`, run in the directory in which that process
 *              was started, lists names and commands; the test is the one whose command is that of the child.
 *   meson      likewise, with `meson introspect --tests`.
 *   automake   a test is a process of the script test-driver, which has the name as an argument; tests in different
 *              directories may have the same name, so the directory of the test, relative to that of the command, precedes it.
 *   programs   otherwise: the first process, from the command on downwards, that is neither the command itself nor make, ninja,
 *              prove or a shell that make started for a recipe.  It is named by its program and arguments.
 *
 *   names      a process may say itself which test it is in (abi/tests.h).  All processes that say the same name are one test; if
 *              it is the name that the process has from its family, both are the same test.
 *
 * Everything that a test starts belongs to it.  If a runner lists several tests with one command, which differ in variables of
 * the environment, it cannot be known which of them ran: they are one test whose name joins theirs by " or ".
 *
 * The results are those that the runner wrote after the run began: LastTestsFailed.log of ctest, testlog.json of meson, the file
 * .trs of automake.
 */
#ifndef WM_ANALYSIS_TESTS_RUNNER_H
#define WM_ANALYSIS_TESTS_RUNNER_H

#include "analysis/tests/process_family.h"
#include <time.h>

enum wm_runner { WM_RUNNER_PROGRAMS, WM_RUNNER_CTEST, WM_RUNNER_MESON, WM_RUNNER_AUTOMAKE, WM_RUNNER_NAMES };
enum wm_result { WM_RESULT_UNKNOWN, WM_RESULT_PASSED, WM_RESULT_FAILED, WM_RESULT_SKIPPED };

struct wm_session_test {
	char *name;
	enum wm_runner runner;
	enum wm_result result;
	char *command; /* the words, separated by blanks */
	char *place; /* automake: the file with the result; otherwise the directory of the runner; may be "" */
	size_t file_count;
	char **file; /* profiles, in the order in which they were added */
	size_t process_count, last_process;
};

struct wm_listed_test {
	char *name, *directory; /* directory "": not known */
	bool may_skip; /* ctest: it has a property that lets it be skipped, which the results do not show */
	size_t word_count;
	char **word;
};

struct wm_listing {
	enum wm_runner runner;
	char *directory; /* of the runner */
	size_t count;
	struct wm_listed_test *test;
};

/* Must be initialised with zeros. */
struct wm_session {
	struct timespec begun; /* set by the caller, before the command is started */
	size_t count;
	struct wm_session_test *test;
	size_t listing_count;
	struct wm_listing *listing;
};

/* A profile of a process, or of what it did in one of its tests. */
struct wm_session_file {
	const char *path;
	const struct wm_family *family; /* may be empty: then the test has the name of the program */
	const char *program;
	const char *test; /* the name that the process itself gave; NULL: none */
	size_t process; /* number of the process, from 1 on */
};

/* Adds it to its test. */
void wm_session_add(struct wm_session *session, const struct wm_session_file *file);
/* When all profiles are added: reads the results, and sorts the tests by name. */
void wm_session_finish(struct wm_session *session);
void wm_session_release(struct wm_session *session);

const char *wm_runner_text(enum wm_runner runner); /* programs, ctest, meson, automake, names */
const char *wm_result_text(enum wm_result result); /* "unknown", "passed", "failed", "skipped" */

/* What the files runner*.c share. */

/* Asks a runner for its tests (runner_listing.c). */
void wm_listing_read(struct wm_listing *listing, enum wm_runner runner, const char *directory);
void wm_listing_release(struct wm_listing *listing);
/* The name of the test with this command in this directory; heap.  NULL: the listing has none. */
char *wm_listing_find(const struct wm_listing *listing, const struct wm_relative *process);
/* Reads the results (runner_results.c). */
void wm_session_results(struct wm_session *session);

#endif
