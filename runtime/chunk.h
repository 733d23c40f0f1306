/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Segments: the chunks of the image. */
#ifndef WM_RUNTIME_CHUNK_H
#define WM_RUNTIME_CHUNK_H

#include "runtime/state.h"

/* Whether a copy has the counts, or zeros in their place. */
enum wm_counts { WM_COUNTS_KEEP, WM_COUNTS_ZERO };

/* Unmaps all segments; later counts start new ones. */
void wm_segments_drop(void);
/* Allocates `size` bytes if possible, at least `least`. */
struct wm_segment *wm_segment_new(enum wm_chunk_kind kind, size_t size, size_t least);
/* The same for a place whose private memory is mapped already. */
struct wm_segment *wm_segment_place(const struct wm_segment *place);
void wm_segment_remove(size_t index);
uint64_t wm_segment_file_size(const struct wm_segment *segment);
void wm_segment_fill(char *to, const struct wm_segment *segment, enum wm_counts counts);
void wm_cells_fill(char *to, const char *from, enum wm_counts counts);
/* Moves segments that are not in the file into it.  Negative errno: why that is not possible. */
int wm_segments_store(void);
/* Warns once that counts are not in the file yet.  Must not be called with the lock held. */
void wm_warn_not_stored(void);

/* Whether the live file was truncated, so that its pages must not be touched. */
bool wm_is_cut(int fd);
/* Appends `size` bytes to the live file and maps them over the private pages at `at`; `flags` are further flags of
 * mmap.  Negative errno on failure. */
int wm_extend_file(size_t size, char *at, int flags, uint64_t *offset);

#endif
