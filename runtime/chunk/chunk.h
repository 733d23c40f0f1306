/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The chunks of the image, in memory and in the file. */
#ifndef WM_RUNTIME_CHUNK_CHUNK_H
#define WM_RUNTIME_CHUNK_CHUNK_H

#include "runtime/chunk/touched.h"
#include "runtime/state/state.h"

/* Unmaps all chunks; later counts start new ones. */
void wm_chunks_drop(void);
/* Allocates `size` bytes if possible, at least `least`. */
struct wm_chunk *wm_chunk_new(enum wm_chunk_kind kind, size_t size, size_t least);
/* The same for a place whose private memory is mapped already. */
struct wm_chunk *wm_chunk_place(const struct wm_chunk *place);
void wm_chunk_remove(size_t index);
uint64_t wm_chunk_file_size(const struct wm_chunk *chunk);
void wm_chunk_fill(char *to, const struct wm_chunk *chunk, enum wm_counts counts);
/* Copies the cells that are not zero to `to`, which contains zeros and is laid out as a file is. */
void wm_cells_fill(char *to, const struct wm_copy_of_cells *copy);
/* Tells readers that the file has grown to wm.image.file_end. */
void wm_note_file_size(void);
/* Moves chunks that are not in the file into it.  Negative errno: why that is not possible. */
int wm_chunks_store(void);
/* Warns once that counts are not in the file yet.  Must not be called with the lock held. */
void wm_warn_not_stored(void);

/* Whether the live file was truncated, so that its pages must not be touched. */
bool wm_is_cut(int fd);
/* Appends `size` bytes to the live file and maps them over the private pages at `at`; `flags` are further flags of
 * mmap.  Negative errno on failure. */
int wm_extend_file(size_t size, char *at, int flags, uint64_t *offset);

#endif
