/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing to files, and allocating their space. */
#ifndef WM_RUNTIME_FILE_FILE_WRITE_H
#define WM_RUNTIME_FILE_FILE_WRITE_H

#include <stdint.h>

/* Allocates zeroed disk space for these bytes, or fails, so that writing to a mapping never fails on a full disk. */
int wm_file_allocate(int fd, uint64_t offset, uint64_t size);
/* Writes all of it, or fails. */
int wm_file_write(int fd, uint64_t offset, const void *data, uint64_t size);
/* The same as wm_file_allocate, but the kernel keeps the pages in memory. */
int wm_file_write_zeros(int fd, uint64_t offset, uint64_t size);
/* When a file would exceed RLIMIT_FSIZE, the kernel sends SIGXFSZ to this thread, which would end the program.  With signals
 * blocked: removes the pending signal before they are unblocked. */
void wm_take_back_xfsz(void);

#endif
