/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The writer of spool files (abi/stream.h); profile/raw/raw_recording.h reads them. */
#ifndef WM_PROFILE_RAW_SPOOL_FILE_H
#define WM_PROFILE_RAW_SPOOL_FILE_H

#include "abi/stream.h"
#include "profile/base/function_counts.h"

/* A spool file has the name of its raw profile with this after it. */
#define WM_SPOOL_SUFFIX ".wmspool"

/* The header of the spool file of a raw profile.  WM_PROFILE_OK or WM_PROFILE_REFUSED. */
enum wm_profile_status wm_spool_begin(
	struct wm_spool_header *header, const uint8_t *raw, size_t size, struct wm_profile_error *error);
/*
 * Moves full chunks out of a raw profile that is mapped, shared and writable, while the program writes to it.  Every
 * chunk is given to `write` as one block, compressed; when that returns true, the chunk is zeroed and given back to the
 * program.  *moved receives the number of chunks.  A chunk is full if its stream has a later one; one with a hole
 * waits.  WM_PROFILE_OK, WM_PROFILE_DAMAGED, WM_PROFILE_REFUSED or WM_PROFILE_NO_MEMORY.
 */
typedef bool wm_spool_write(void *closure, const uint8_t *data, size_t size);
enum wm_profile_status wm_spool_pass(
	uint8_t *raw, size_t size, wm_spool_write *write, void *closure, size_t *moved, struct wm_profile_error *error);

#endif
