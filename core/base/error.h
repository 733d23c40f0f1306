/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What core/ functions return.  Outputs are untouched unless WM_OK is returned. */
#ifndef WM_CORE_ERROR_H
#define WM_CORE_ERROR_H

enum wm_status {
	WM_OK = 0,
	WM_NO_MEMORY, /* the arena gave none */
	WM_TOO_MANY, /* a path count does not fit 63 bits */
	WM_BAD_GRAPH, /* the graph breaks an invariant of its header */
	WM_BAD_PATH, /* not a path of this graph, or an id out of range */
	WM_UNKNOWN, /* no such scheme or parameter */
};

const char *wm_status_text(enum wm_status status);

#endif
