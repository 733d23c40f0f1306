/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Heaps: memory from malloc with an owner, so that what a failed function of the library had allocated is not lost.
 *
 * While a thread uses a heap (wm_heap_use), each allocation of this thread is in the heap until it is freed, and
 * wm_heap_release frees what is left.  A thread that uses no heap allocates as without this module; so do the commands, the
 * plugin and everything else but the library.
 *
 * meson.build includes this header before every file of the layers that the library consists of.  It replaces malloc and
 * its kin there, because those layers hold memory in hundreds of places, and a failure (support/attempt.h) leaves them all
 * at once.  Memory that another library allocated is freed by the same free(); it is in the heap only after wm_heap_adopt.
 */
#ifndef WM_CORE_HEAP_H
#define WM_CORE_HEAP_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A hash set of pointers.  Must be initialised with zeros. */
struct wm_heap {
	void **slot; /* NULL: empty */
	size_t capacity; /* a power of two, at least twice the count; or 0 */
	size_t count;
};

/* Makes this thread use the heap, or none for NULL.  Returns the one that it has used. */
struct wm_heap *wm_heap_use(struct wm_heap *heap);
/* Frees everything in the heap, which no thread may be using. */
void wm_heap_release(struct wm_heap *heap);

/* Memory that malloc returned elsewhere: from here on it is in the heap that the thread uses.  Returns `memory`; NULL, after
 * freeing it, if there is no memory to register it. */
void *wm_heap_adopt(void *memory);

/* As the functions of the C library. */
void *wm_heap_malloc(size_t size);
void *wm_heap_calloc(size_t count, size_t size);
/* The new memory is in the heap if the old memory is in it, or is NULL. */
void *wm_heap_realloc(void *old, size_t size);
void wm_heap_free(void *memory);
char *wm_heap_strdup(const char *text);
char *wm_heap_realpath(const char *path, char *resolved);

#define malloc(size) wm_heap_malloc(size)
#define calloc(count, size) wm_heap_calloc(count, size)
#define realloc(old, size) wm_heap_realloc(old, size)
#define free(memory) wm_heap_free(memory)
#undef strdup
#define strdup(text) wm_heap_strdup(text)
#define realpath(path, resolved) wm_heap_realpath(path, resolved)

#endif
