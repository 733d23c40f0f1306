/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The status codes that functions of core/ return.  Outputs are unchanged unless WM_OK is returned. */
#ifndef WM_CORE_ERROR_H
#define WM_CORE_ERROR_H

enum wm_status {
	WM_OK = 0,
	WM_NO_MEMORY, /* an allocation failed */
	WM_TOO_MANY, /* a path count or another size exceeds its limit; the function says which */
	WM_BAD_GRAPH, /* the graph breaks an invariant that its header states */
	WM_BAD_PATH, /* the input is not a path of this graph, or an id is out of range */
	WM_UNKNOWN, /* there is no such scheme, parameter or name; or nothing was found */
};

const char *wm_status_text(enum wm_status status);

#endif
