/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The #line directives of a source file, by which generated code names the file that it comes from. */
#ifndef WM_POLICY_LINE_DIRECTIVES_H
#define WM_POLICY_LINE_DIRECTIVES_H

#include <stddef.h>

/*
 * The name in the next directive `#line N "NAME"` or `# N "NAME"` at or after *at, which then is behind it; *at must be the
 * beginning of a line.  NULL: no directive with a name follows before `end`.  The name is as it is written: escapes are not
 * resolved.  Neither are comments, so that a directive in one counts, nor macros.
 */
const char *wm_line_directive_next(const char **at, const char *end, size_t *length);

#endif
