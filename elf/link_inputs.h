/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_ELF_LINK_INPUTS_H
#define WM_ELF_LINK_INPUTS_H

#include <stddef.h>

struct wm_names {
	char **name;
	size_t count;
};
/* Copies the name. */
void wm_names_add(struct wm_names *names, const char *name);

/* Calls `found` for every symbol that an object file without a map refers to: code that is not instrumented may call a
 * function of that name.  Archives are read whole, since which members the linker takes is not known.  Files that are
 * neither ELF nor archives are ignored. */
void wm_link_inputs_scan(const struct wm_names *inputs, void (*found)(void *closure, const char *name), void *closure);

#endif
