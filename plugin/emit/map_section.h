/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the map of a module (profile/map/map.h) into a section that is not loaded. */
#ifndef WM_PLUGIN_EMIT_MAP_SECTION_H
#define WM_PLUGIN_EMIT_MAP_SECTION_H

#include "profile/map/map.h"
#include <llvm-c/Core.h>

/* WM_BAD_GRAPH: wm_map_find_fault says why.  WM_NO_MEMORY. */
enum wm_status wm_write_map(LLVMModuleRef module, const struct wm_map_module *map);

#endif
