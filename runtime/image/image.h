/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The image as a whole: moving it to a file, and writing it out. */
#ifndef WM_RUNTIME_IMAGE_IMAGE_H
#define WM_RUNTIME_IMAGE_IMAGE_H

#include "runtime/chunk/chunk.h"

enum wm_publish { WM_PUBLISH_NEW, WM_PUBLISH_REPLACE, WM_PUBLISH_NEVER };
/* Moves the image, with `header`, to a new file (NEVER: to private memory).  On success *base becomes
 * wm.image.base.  On failure nothing changes. */
int wm_image_move(
	const struct wm_raw_header *header, enum wm_counts counts, struct wm_base *base, enum wm_publish publish);
/* Writes a copy of the image to a new file. */
int wm_image_write(const struct wm_raw_header *header);
/* Does the same as a move with ZERO, in place; only for an image in private memory. */
void wm_image_restart(const struct wm_raw_header *header, struct wm_base *base);
/* Whether the file at wm.path is still the file of this image. */
bool wm_image_in_place(void);
/* At the end of the program: replaces the counts in the file by a chunk without zeros, and gives their disk space back. */
void wm_image_condense(void);

#endif
