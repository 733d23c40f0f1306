/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/base/grow.h"
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 8 };

/* The pointer is copied, not dereferenced as void *, which would break the rules of aliasing. */
bool wm_reserve(void *array, size_t *capacity, size_t count, size_t more, size_t size)
{
	size_t wanted, bytes;
	void *old;
	if (__builtin_add_overflow(count, more, &wanted))
		return false;
	if (wanted <= *capacity)
		return true;
	if (*capacity && wanted < *capacity + *capacity / 2)
		wanted = *capacity + *capacity / 2;
	if (__builtin_mul_overflow(wanted, size, &bytes))
		return false;
	memcpy(&old, array, sizeof old);
	void *larger = realloc(old, bytes);
	if (!larger)
		return false;
	memcpy(array, &larger, sizeof larger);
	*capacity = wanted;
	return true;
}

bool wm_grow(void *array, size_t count, size_t size)
{
	size_t capacity = count;
	if (count && (count < FEWEST || (count & (count - 1))))
		return true;
	return wm_reserve(array, &capacity, count, count ? count : FEWEST, size);
}
