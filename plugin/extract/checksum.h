/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checksums of source files, by which functions of different programs are compared (profile/map/identity.h). */
#ifndef WM_PLUGIN_EXTRACT_CHECKSUM_H
#define WM_PLUGIN_EXTRACT_CHECKSUM_H

#include "profile/map/map.h"
#include <llvm-c/DebugInfo.h>

/* A regular file in memory; data NULL: it cannot be read, or is empty. */
struct wm_source_text {
	const char *data;
	size_t size;
};
void wm_source_text_open(struct wm_source_text *text, const char *path);
void wm_source_text_close(struct wm_source_text *text);

/* The MD5 of a regular file, which is what clang writes into debug information.  The size is 0 if it cannot be read. */
struct wm_map_checksum wm_checksum_of_path(const char *path);
/* That of the debug information.  clang writes none before DWARF 5, for preprocessed input, and for files with #line
 * directives; then that of the file itself. */
struct wm_map_checksum wm_checksum_of_file(LLVMMetadataRef file, const char *path);

#endif
