/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which compiler `waymark cc` runs, and for which machine it compiles. */
#ifndef WM_CMD_COMPILER_H
#define WM_CMD_COMPILER_H

#include <stdbool.h>

/* The variable that names another clang, and the clang that is run. */
const char *wm_clang_variable(bool cxx);
const char *wm_clang_name(bool cxx);
/* Fails in one sentence if this program is not a clang that can load the plugin.  A name that says the version is believed;
 * the plugin compares versions, too (plugin/llvm/llvm_version.h). */
void wm_clang_check(bool cxx);

/* What arguments of clang say of the machine; begins with zeros, and the last argument of a kind counts. */
struct wm_target {
	const char *triple; /* NULL: clang's own */
	const char *mode; /* -m32 and the like; NULL: none */
};
void wm_target_note(struct wm_target *target, const char *word, const char *next);
/* Whether it is one whose code is not instrumented. */
bool wm_target_is_foreign(const struct wm_target *target);

#endif
