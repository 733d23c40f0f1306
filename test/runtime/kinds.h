/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of every kind of counters and updates, for the programs of the runtime's tests.
 *
 *     keys  1 array  2 hash  3 ids  4 residual   `single` updates
 *          11       12      13     14            `atomic`
 *          21       22      23     24            `thread`
 */
#ifndef WM_TEST_KINDS_H
#define WM_TEST_KINDS_H

#include "test/runtime/emulate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATHS 600 /* more than a page of cells */

FUNCTION(array_single, 1, 601, 8)
FUNCTION(hash_single, 2, 1, 12)
FUNCTION(array_atomic, 11, 601, 9)
FUNCTION(hash_atomic, 12, 1, 13)
FUNCTION(array_thread, 21, 601, 10)
FUNCTION(hash_thread, 22, 1, 14)
FUNCTION_IDS(ids_single, 3, 44)
FUNCTION_IDS(ids_atomic, 13, 45)
FUNCTION_IDS(ids_thread, 23, 46)
FUNCTION_RESIDUAL(residual_single, 4, 76)
FUNCTION_RESIDUAL(residual_atomic, 14, 77)
FUNCTION_RESIDUAL(residual_thread, 24, 78)

static inline void single(uint64_t id, uint64_t range)
{
	enter_single();
	add_single(&cells_array_single[0]);
	add_single(&cells_hash_single[0]);
	add_single(&cells_array_single[1 + id % PATHS]);
	count_hash(&func_hash_single, &head_hash_single, id % range, add_single);
	add_single(&cells_ids_single[0]);
	count_ids(&func_ids_single, cells_ids_single, &head_ids_single, id % range, add_single);
	add_single(&cells_residual_single[0]);
	__wm_residual_add(&func_residual_single, &head_residual_single, id % range, 1);
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

static inline void thread(uint64_t id, uint64_t range)
{
	int64_t delta = enter_thread();
	add_single(moved(&cells_array_thread[0], delta));
	add_single(moved(&cells_hash_thread[0], delta));
	add_single(moved(&cells_array_thread[1 + id % PATHS], delta));
	count_hash(&func_hash_thread, moved_head(&head_hash_thread, delta), id % range, add_single);
	add_single(moved(&cells_ids_thread[0], delta));
	count_ids(&func_ids_thread, moved(cells_ids_thread, delta), moved_head(&head_ids_thread, delta), id % range,
		add_single);
	add_single(moved(&cells_residual_thread[0], delta));
	__wm_residual_add(&func_residual_thread, moved_head(&head_residual_thread, delta), id % range, 1);
}

static inline void all(uint64_t from, uint64_t to, uint64_t range)
{
	for (uint64_t i = from; i < to; i++) {
		single(i, range);
		atomic(i, range);
		thread(i, range);
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
