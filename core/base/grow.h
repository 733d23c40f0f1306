/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arrays from malloc that grow at the end.  An array starts as NULL and is released by free().
 *
 * WM_GROW is for arrays to which single elements are appended.  Nobody keeps their capacity: it follows from the
 * number of elements, since room is made for 8 elements at first and for twice as many whenever the number is a
 * power of two.  So WM_GROW must come before every element that is appended.  Elements may be taken off the end.
 *
 * WM_RESERVE is for arrays whose capacity is kept: those that get many elements at once, or that are allocated with
 * their exact size.
 */
#ifndef WM_CORE_GROW_H
#define WM_CORE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for one element after the first `count`.  false: no memory, nothing has changed. */
#define WM_GROW(array, count) wm_grow(&(array), (count), sizeof *(array))
/* Makes room for `more` elements after the first `count`; an array that grows gets at least half as much room
 * again.  `capacity` is an lvalue of type size_t.  false: no memory, nothing has changed. */
#define WM_RESERVE(array, capacity, count, more) wm_reserve(&(array), &(capacity), (count), (more), sizeof *(array))
/* `array` is the address of the pointer to the elements. */
bool wm_grow(void *array, size_t count, size_t size);
bool wm_reserve(void *array, size_t *capacity, size_t count, size_t more, size_t size);

#endif
