/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arrays from malloc that grow at the end.  Nobody keeps their capacity: it follows from the number of
 * elements, since room is made for 8 elements at first and for twice as many whenever the number is a
 * power of two.  So an array starts as NULL, and WM_GROW must come before every element that is appended.
 * Elements may be taken off the end, and the array is released by free().
 */
#ifndef WM_CORE_GROW_H
#define WM_CORE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for one element behind the first `count`.  false: no memory, nothing has changed. */
#define WM_GROW(array, count) wm_grow(&(array), (count), sizeof *(array))
/* `array` is the address of the pointer to the elements. */
bool wm_grow(void *array, size_t count, size_t size);

#endif
