/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/base/error.h"

const char *wm_status_text(enum wm_status status)
{
	switch (status) {
	case WM_OK:
		return "success";
	case WM_NO_MEMORY:
		return "out of memory";
	case WM_TOO_MANY:
		return "too many paths";
	case WM_BAD_GRAPH:
		return "malformed control-flow graph";
	case WM_BAD_PATH:
		return "not a path of this graph";
	case WM_UNKNOWN:
		return "unknown scheme or parameter";
	}
	return "unknown status";
}
