/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operands of a command: profiles, and the binaries to which they belong, in any order. */
#ifndef WM_ANALYSIS_JOIN_OPERANDS_H
#define WM_ANALYSIS_JOIN_OPERANDS_H

#include "elf/elf_object.h"

/* Must be initialised with zeros; the caller keeps ownership of the names. */
struct wm_operands {
	char **binary, **profile;
	size_t binary_count, profile_count;
};

/* A spool file (.wmspool) is skipped if its raw profile is given, and refused otherwise. */
void wm_operands_take(struct wm_operands *operands, char **word, int count);
/* Ends in wm_fail unless there are a profile and a binary; `command` is the command as typed. */
void wm_operands_check(const struct wm_operands *operands, const char *command);
void wm_operands_release(struct wm_operands *operands);

struct wm_binaries {
	struct wm_arena arena;
	size_t count;
	struct wm_object *object;
};
void wm_binaries_open(struct wm_binaries *binaries, const struct wm_operands *operands, const char *debug_dir);
/* Opens those of them that are chosen once more, as a story of other counts needs it. */
void wm_binaries_choose(
	struct wm_binaries *chosen, const struct wm_binaries *all, const bool *choose, const char *debug_dir);
void wm_binaries_release(struct wm_binaries *binaries);

/* Merges files, and the profiles in directories, into an initialised profile; ends in wm_fail if none could be read. */
void wm_profile_need(struct wm_profile *profile, char *const *paths, size_t count);

#endif
