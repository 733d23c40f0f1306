/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The MD5 of a text, as clang writes it into debug information: not for security.  RFC 1321. */
#ifndef WM_SUPPORT_MD5_H
#define WM_SUPPORT_MD5_H

#include <stddef.h>
#include <stdint.h>

enum { WM_MD5_SIZE = 16 };
void wm_md5(const void *data, size_t size, uint8_t sum[WM_MD5_SIZE]);

#endif
