/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An instrumented shared object: the functions of subject.c under other keys. */
#include "test/runtime/emulate.h"

#ifndef KEY
#define KEY 101
#endif

FUNCTION(array, KEY, 33, 11)
FUNCTION(hash, KEY + 1, 1, 14)
FUNCTION_RESIDUAL(library_residual, KEY + 2, 78)

__attribute__((visibility("default"))) void library_all(uint64_t from, uint64_t to, uint64_t range);
__attribute__((visibility("default"))) void library_untested(uint64_t id);

void library_untested(uint64_t id)
{
	int64_t delta = enter_delta();
	add_plain(moved(&cells_library_residual[0], delta));
	__wm_residual_add(&func_library_residual, moved_head(&head_library_residual, delta), id, 1);
}

void library_all(uint64_t from, uint64_t to, uint64_t range)
{
	for (uint64_t i = from; i < to; i++) {
		enter_gs();
		add_gs(&cells_array[0]);
		add_gs(&cells_array[1 + i % 32]);
		int64_t delta = enter_delta();
		add_plain(moved(&cells_hash[0], delta));
		count_hash(&func_hash, moved_head(&head_hash, delta), i % range, add_plain);
	}
}
