/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random runs, and the store to which tests push them: a file, or the database of a server. */
#ifndef TEST_STORE_RANDOM_RUNS_H
#define TEST_STORE_RANDOM_RUNS_H

#include "test/profile/testing.h"

#include "store/store.h"

/* Runs the tests of a program.  url: of a database that is empty; NULL: a file, which is removed at the end. */
int run_store_tests(const char *url, const struct CMUnitTest *tests, size_t count);
bool store_is_on_server(void);
const char *name_of_store(void);

void drop_store(void);
/* One without profiles, in place of the one before. */
struct wm_profile_store *new_store(void);

/* A build counts all paths of a function, or always only the untested ones; the tests count all. */
void settle_kinds(struct wm_profile *profile, bool tests);
/* `tame`: runs of one day with the same objects, which a roll-up adds up. */
void random_run(uint64_t *seed, struct wm_profile *profile, size_t number, bool tame);

/* The filter selects the same as `wanted`, byte by byte. */
void check_store(struct wm_profile_store *store, const char *filter, const struct wm_profile *wanted);
enum wm_push_result push(struct wm_profile_store *store, const struct wm_profile *profile, const char *labels);

#endif
