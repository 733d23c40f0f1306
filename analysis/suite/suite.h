/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A test suite: one profile per test, reduced to the set of paths that the test takes.
 *
 * A path is identified by its function and its id.  With binaries, the functions are those of a story of tests
 * (analysis/join/story.h), and functions that no map lists or whose counts are not exact are left out.  Without binaries,
 * wm_same_function() says which records of the profiles are of one function, and counts with a doubt are left out.
 */
#ifndef WM_ANALYSIS_SUITE_SUITE_H
#define WM_ANALYSIS_SUITE_SUITE_H

#include "analysis/join/filter.h"
#include "core/cover/cover.h"

struct wm_suite_test {
	char *name;
	size_t file_count;
	char **file;
	/* While loading: */
	size_t object_count, record_count, counted_count;
	struct wm_profile_object *object; /* without functions */
	struct wm_suite_record *record; /* per function with counts */
	struct wm_suite_counted *counted; /* the paths of all records, in their order */
	size_t path_count;
	uint32_t *path; /* ascending */
	uint64_t *count; /* executions of each */
	size_t only;  /* paths that no other test takes */
	size_t begun_count;
	struct wm_suite_begun *begun; /* ascending owner, each once */
};

/* How often activations of a function began in a test, or of any function of a unit: those that completed no path are included.
 * Functions that no call can leave do not count this. */
struct wm_suite_begun {
	size_t owner; /* as in wm_suite_path */
	uint64_t count; /* with those that a forked process inherited, at most */
};

struct wm_suite_path {
	size_t owner; /* number of its function, or of its unit if it crosses calls */
	uint64_t id; /* with binaries, unfinished paths are listed too: WM_STORY_UNFINISHED */
	const struct wm_story_function *function; /* NULL without binaries */
	uint32_t tests; /* the number of tests that take the path */
};

/* A record of the profile, and a function whose paths it counts. */
struct wm_suite_place {
	const struct wm_profile_function *record;
	size_t owner; /* as in wm_suite_path */
};

struct wm_suite {
	size_t test_count;
	struct wm_suite_test *test; /* in the order given */
	size_t unjudged; /* tests without a path; nothing is known about them */
	size_t unread; /* profiles that could not be read, of tests that were left out or not */
	size_t path_count, function_count;
	struct wm_suite_path *path; /* ascending owner, id */
	size_t doubted; /* functions left out; with binaries the story names them */
	struct wm_profile profile; /* of all tests */
	size_t place_count;
	struct wm_suite_place *place; /* ascending */
	struct wm_story story; /* of `profile`; empty without binaries */
	bool has_story;
	char *asked; /* the last directory of which it was asked whether `waymark test` has written it, and the answer */
	bool written;
	/* NULL, or the options whose --file and --exclude choose the functions of which paths are taken; set before loading. */
	const struct wm_function_filter *only;
};

/*
 * The suite must be initialised with zeros.  A file is one test, whose name is that of the file.  A directory stands
 * for several tests: each profile in it is one test, and each directory in it is one test with all profiles that it
 * contains.  The names of profiles end in .wmprof or .wmraw.  In a directory that `waymark test` has written
 * (analysis/suite/test_index.h), names of files are those of tests as wm_suite_file_name writes them.  A store (store/url.h)
 * stands for the tests whose runs its filters select.
 */
void wm_suite_add(struct wm_suite *suite, const char *operand);
/* The name of the file for a test: letters, digits and - _ . + , = @ : blank stay, unless it would begin with a dot or a blank;
 * other bytes are %XX; .wmprof follows.  Very long names are cut.  `number` is 1, or 2 and more for further tests whose names are
 * written alike; heap. */
char *wm_suite_file_name(const char *test, size_t number);
/* Reads all tests; `object_count` is 0 if there are no binaries.  Tests that cannot be read are left out with a
 * warning; ends in wm_fail if none is left. */
void wm_suite_load(struct wm_suite *suite, struct wm_object *objects, size_t object_count, bool any_program);
/* The same in two steps: suite->profile is known before the binaries are.  `kind` says whose counts the story tells. */
void wm_suite_read(struct wm_suite *suite);
void wm_suite_join(struct wm_suite *suite, enum wm_story_kind kind, struct wm_object *objects, size_t object_count,
	bool any_program);
void wm_suite_release(struct wm_suite *suite);

/* The paths of each test for core/cover/cover.h; memory in the arena.  `number` NULL: all paths.  Otherwise per path its
 * number in the sets, from 0, ascending; WM_NONE: the path does not matter. */
void wm_suite_sets(const struct wm_suite *suite, const uint32_t *number, struct wm_sets *sets, struct wm_arena *arena);
/* The number of executions of a path in a test; 0: the test does not take the path. */
uint64_t wm_suite_count(const struct wm_suite_test *test, uint32_t path);

/* What the files suite*.c share (suite_place.c). */

/* Fills in suite->place from the story or, without binaries, from the profile. */
void wm_suite_place(struct wm_suite *suite);
/* The number of a function of the story in wm_suite_path.owner: the ids of paths across calls are those of the unit, whatever
 * function they end in. */
size_t wm_suite_owner(const struct wm_story *story, size_t function);
/* The places of a function of an object, in whatever way it was counted; those of one record are neighbours.  NULL: the
 * function is left out. */
const struct wm_suite_place *wm_suite_find_places(
	const struct wm_suite *suite, const struct wm_profile_object *object, uint64_t key, uint64_t graph_hash);

#endif
