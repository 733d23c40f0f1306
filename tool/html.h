/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_TOOL_HTML_H
#define WM_TOOL_HTML_H

extern const char wm_html_style[];
extern const char wm_html_script[];

#endif
