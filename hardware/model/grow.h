/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays that grow by doubling. */
#ifndef WM_HARDWARE_GROW_H
#define WM_HARDWARE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Room for one more element of `size` bytes behind `count`.  false: no memory, nothing changed. */
static inline bool wm_hw_reserve(void **array, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return true;
	size_t larger = *capacity ? 2 * *capacity : 16;
	void *moved = realloc(*array, larger * size);
	if (!moved)
		return false;
	*array = moved;
	*capacity = larger;
	return true;
}

#endif
