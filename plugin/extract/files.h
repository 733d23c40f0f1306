/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The source files of a module, as debug information names them. */
#ifndef WM_PLUGIN_EXTRACT_FILES_H
#define WM_PLUGIN_EXTRACT_FILES_H

#include "plugin/llvm/shim.h"
#include "policy/system_headers.h"
#include "profile/map/map.h"
#include <stdint.h>

struct wm_files {
	uint32_t count;
	char **name; /* of the files that the map names, each once: normalised, absolute if the compilation directory is */
	uint8_t *is_system; /* per file: enum, in files.c */
	struct wm_map_checksum *sum; /* per file */
	char *directory; /* the compilation directory of the module; NULL: unknown */
	struct wm_system_headers headers;
	bool has_debug_info; /* the module has some */
	bool with_system; /* no file counts as a system header */
	LLVMMetadataRef last_file; /* a cache with its index, because neighbouring lines mostly are in the same file */
	uint32_t last_index;
};

/* Reads the compilation directory from the module.  `with_system`: functions in system headers are instrumented too. */
void wm_files_init(struct wm_files *files, LLVMModuleRef module, bool with_system);
void wm_files_release(struct wm_files *files);

/* The index of a DIFile, which is added if it is new; WM_NONE: no memory. */
uint32_t wm_files_index(struct wm_files *files, LLVMMetadataRef file);
/* Whether a function is defined in a system header.  If its file is not known in a module with debug information: whether it is as
 * in the headers of clang itself, which is always inlined and local. */
bool wm_files_in_system_header(struct wm_files *files, LLVMValueRef function);

#endif
