/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The content of a whole file in memory. */
#ifndef WM_SUPPORT_BUFFER_H
#define WM_SUPPORT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a whole file ("-": standard input) and appends a NUL that is not part of its size.  False: errno gives the
 * reason.  Release the buffer with wm_buffer_release. */
struct wm_buffer {
	uint8_t *data;
	size_t size;
};
bool wm_buffer_read(struct wm_buffer *buffer, const char *path);
/* The same for what a descriptor still has to read. */
bool wm_buffer_read_fd(struct wm_buffer *buffer, int fd);
void wm_buffer_release(struct wm_buffer *buffer);

#endif
