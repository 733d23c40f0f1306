/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of every kind of counters and updates, for the programs of the runtime's tests.
 *
 *     keys  1 array  2 hash  3 ids  4 residual   `gs` updates
 *          11       12      13     14            `atomic`
 *          21       22      23     24            `delta`
 */
#ifndef WM_TEST_KINDS_H
#define WM_TEST_KINDS_H

#include "test/runtime/emulate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The functions below check their thread on entry, so all threads are seen. */
HIDDEN bool __wm_sees_threads(void);
bool __wm_sees_threads(void)
{
	return true;
}

#define PATHS 600 /* more than a page of cells */

FUNCTION(array_gs, 1, 601, 11)
FUNCTION(hash_gs, 2, 1, 15)
FUNCTION(array_atomic, 11, 601, 9)
FUNCTION(hash_atomic, 12, 1, 13)
FUNCTION(array_delta, 21, 601, 10)
FUNCTION(hash_delta, 22, 1, 14)
FUNCTION_IDS(ids_gs, 3, 47)
FUNCTION_IDS(ids_atomic, 13, 45)
FUNCTION_IDS(ids_delta, 23, 46)
FUNCTION_RESIDUAL(residual_gs, 4, 79)
FUNCTION_RESIDUAL(residual_atomic, 14, 77)
FUNCTION_RESIDUAL(residual_delta, 24, 78)

static inline void gs(uint64_t id, uint64_t range)
{
	enter_gs();
	add_gs(&cells_array_gs[0]);
	add_gs(&cells_hash_gs[0]);
	add_gs(&cells_array_gs[1 + id % PATHS]);
	count_hash_gs(&func_hash_gs, &head_hash_gs, id % range);
	add_gs(&cells_ids_gs[0]);
	if (id % range % 7 == 3 && id % range / 7 < INTERESTING)
		add_gs(&cells_ids_gs[1 + id % range / 7]);
	else
		count_hash_gs(&func_ids_gs, &head_ids_gs, id % range);
	add_gs(&cells_residual_gs[0]);
	__wm_residual_add(&func_residual_gs, &head_residual_gs, id % range, 1);
}

static inline void atomic(uint64_t id, uint64_t range)
{
	add_atomic(&cells_array_atomic[0]);
	add_atomic(&cells_hash_atomic[0]);
	add_atomic(&cells_array_atomic[1 + id % PATHS]);
	count_hash(&func_hash_atomic, &head_hash_atomic, id % range, add_atomic);
	add_atomic(&cells_ids_atomic[0]);
	count_ids(&func_ids_atomic, cells_ids_atomic, &head_ids_atomic, id % range, add_atomic);
	add_atomic(&cells_residual_atomic[0]);
	__wm_residual_add(&func_residual_atomic, &head_residual_atomic, id % range, 1);
}

static inline void delta(uint64_t id, uint64_t range)
{
	int64_t by = enter_delta();
	add_plain(moved(&cells_array_delta[0], by));
	add_plain(moved(&cells_hash_delta[0], by));
	add_plain(moved(&cells_array_delta[1 + id % PATHS], by));
	count_hash(&func_hash_delta, moved_head(&head_hash_delta, by), id % range, add_plain);
	add_plain(moved(&cells_ids_delta[0], by));
	count_ids(&func_ids_delta, moved(cells_ids_delta, by), moved_head(&head_ids_delta, by), id % range, add_plain);
	add_plain(moved(&cells_residual_delta[0], by));
	__wm_residual_add(&func_residual_delta, moved_head(&head_residual_delta, by), id % range, 1);
}

static inline void all(uint64_t from, uint64_t to, uint64_t range)
{
	for (uint64_t i = from; i < to; i++) {
		gs(i, range);
		atomic(i, range);
		delta(i, range);
	}
}

static inline int fail(const char *what)
{
	printf("FAILED %s: %s\n", what, strerror(errno));
	return 1;
}

static inline void say(const char *what, uint64_t number)
{
	char line[64];
	int size = snprintf(line, sizeof line, "%s %llu\n", what, (unsigned long long)number);
	if (write(1, line, (size_t)size) < 0)
		_exit(3);
}

static inline uint64_t number(char **argv, int argc, int index, uint64_t otherwise)
{
	return index < argc ? strtoull(argv[index], NULL, 0) : otherwise;
}

/* A scenario is chosen by the first argument of the program. */
struct scenario {
	const char *name;
	int (*run)(int argc, char **argv);
};

static inline int run_scenario(const struct scenario *scenario, int argc, char **argv)
{
	for (; scenario->name; scenario++)
		if (argc > 1 && !strcmp(argv[1], scenario->name))
			return scenario->run(argc, argv);
	fprintf(stderr, "%s: no such scenario\n", argv[0]);
	return 2;
}

#endif
