/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A unified diff, as `git diff`, `diff -u` and `diff -ru` print it: which lines of the new files it changes, or, read backwards,
 * which lines of the old files.
 *
 * The text is hostile input.  Names may be quoted as git quotes them, a line may end in CR LF, and text between the files of the
 * diff (a commit message, "Binary files differ") is skipped.  Files that the diff deletes, binary files, and files of which only
 * the name or the mode changes have no changed lines and are left out.
 *
 * The name of a file is the part that the old and the new name have in common at their end, by components: src/a.c for
 * a/src/a.c and b/src/a.c, and for old-1.0/src/a.c and new-1.0/src/a.c.  A file that was renamed has the new name that git
 * says; if old and new name have nothing in common, it is the whole new name.
 */
#ifndef WM_ANALYSIS_CHANGE_DIFF_H
#define WM_ANALYSIS_CHANGE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines [first, end) of a new file; never empty. */
struct wm_diff_range {
	uint32_t first, end;
	/* False: each line was added or modified.  True: lines were removed between `first` and `first` + 1, nothing was put in
	 * their place, and the range is these two lines.  `first` may be 0, and the last line may be after the end of the file. */
	bool removal;
};

struct wm_diff_file {
	char *name; /* normalised */
	size_t line; /* of the diff, from 1: where it names the file */
	size_t count;
	struct wm_diff_range *range; /* ascending `first` */
};

struct wm_diff {
	bool git; /* a file of the diff has the header of git: its names are relative to the root of a working tree */
	size_t count;
	struct wm_diff_file *file; /* ascending names, each once */
};

/* Why a text is not a diff. */
struct wm_diff_error {
	size_t line; /* from 1 */
	const char *what; /* one clause */
};

/* Memory is on the heap.  False: `error` says why, and `diff` is empty.  A text without any file is an empty diff.
 * `backwards`: as if the diff were that from the new state to the old one, so that names and lines are those of the old state;
 * what is said above of added lines holds for removed ones, and of deleted files for new ones. */
bool wm_diff_parse(struct wm_diff *diff, const char *text, size_t size, bool backwards, struct wm_diff_error *error);
void wm_diff_release(struct wm_diff *diff);

#endif
