/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The link step of schemes that count paths across calls: after the linker has done its work, the finished file is read,
 * the calls to cross are chosen, the paths of the whole program are numbered, and the tables of all functions are
 * overwritten (abi/unit_tables.h).  So it needs to know nothing about archives, comdats and weak symbols: what the linker
 * decided can be seen in the file.
 */
#ifndef WM_LINK_LINK_H
#define WM_LINK_LINK_H

#include "elf/link_inputs.h"
#include <sys/stat.h>

struct wm_links;
struct wm_object;

/* What the command line of the linker says. */
struct wm_link_step {
	const char *output;
	struct wm_names wrapped; /* --wrap: calls of these symbols go elsewhere */
	struct wm_names started; /* -e, -init, -fini: the system calls these functions */
	struct wm_names inputs; /* object files and archives */
};

/* Notes a word that the linker is given, and the word after it (or NULL). */
void wm_link_step_note(struct wm_link_step *step, const char *word, const char *next);
/* The file as it is, to know later whether the linker has written it. */
struct stat wm_link_step_before(const struct wm_link_step *step);
/* Numbers the file whole.  If it cannot (the map was stripped, …), a note on stderr says why; the file stays as it is
 * and each source file keeps its own numbering. */
void wm_link_step_run(const struct wm_link_step *step, const struct stat *before);
/* The same in memory: changes the image of `links`, which is that of `object`.  NULL: it did; else why it cannot. */
const char *wm_link_step_number(
	const struct wm_link_step *step, const struct wm_object *object, struct wm_links *links);

#endif
