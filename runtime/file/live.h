/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The descriptor of the file after the image, for chunks that are added later. */
#ifndef WM_RUNTIME_FILE_LIVE_H
#define WM_RUNTIME_FILE_LIVE_H

#include "runtime/state/state.h"

struct wm_file_identity wm_file_identity_of(int fd);
/* Keeps a descriptor, which stays usable after chroot and after a change of user.  Its number is above the range that
 * programs use, and exec closes it.  A program that closes all descriptors closes this one too. */
void wm_live_keep(int fd);
void wm_live_drop(void);
/* Negative errno: the file cannot be opened, or another file has its name now. */
int wm_live_open(void);
void wm_live_close(int fd);
/* Opens the file by its path. */
int wm_live_reopen(void);

#endif
