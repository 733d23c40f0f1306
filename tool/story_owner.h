/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whose counts?  Decides for every object of a profile which binary its counts are
 * told of, and hands every record to the function it counts.  Serves story.c.
 *
 * 1. The binary with the object's build-id is the one that ran.
 * 2. Otherwise, the binary of the same program, another build of it: the name that
 *    the profile records for the object is the binary's DT_SONAME or, if it has none,
 *    its file name.  Of several such binaries, the one with most of the functions.
 * 3. A profile that records no name: the only binary that has all functions that the
 *    object counts, provided that this binary's own build is not in the profile.
 * 4. Otherwise none: the counts are left out, and a note says so.
 *
 * When any program counts for every other (wm_profile.any_program), functions of one
 * key and graph are one function, and every object is told of all binaries.
 */
#ifndef WM_TOOL_STORY_OWNER_H
#define WM_TOOL_STORY_OWNER_H

#include "tool/story.h"

/* Fills story->owner, the records of all functions, story->matched, and the notes.
 * The functions must be in the order of wm_story_identity(). */
void wm_story_place(struct wm_story *story);

/* By program, key and graph hash. */
int wm_story_identity(const struct wm_story_function *a, const struct wm_story_function *b);

/* Takes over the text. */
void wm_story_note(struct wm_story *story, char *text);
/* Copies the reason. */
void wm_story_list_refusal(struct wm_story *story, const struct wm_story_function *function, const char *reason);

/* One clause, heap: why counts with this doubt are not told, and what to do. */
char *wm_doubt_text(uint32_t doubt, uint64_t lost);

#endif
