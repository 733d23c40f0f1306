/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/base/grow.h"
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 8 };

/* The pointer is copied, not dereferenced as void *, which would break the rules of aliasing. */
bool wm_grow(void *array, size_t count, size_t size)
{
	size_t wanted, bytes;
	void *old;
	if (count && (count < FEWEST || (count & (count - 1))))
		return true;
	if (__builtin_mul_overflow(count ? count : FEWEST / 2, 2, &wanted) ||
		__builtin_mul_overflow(wanted, size, &bytes))
		return false;
	memcpy(&old, array, sizeof old);
	void *larger = realloc(old, bytes);
	if (larger)
		memcpy(array, &larger, sizeof larger);
	return larger;
}
