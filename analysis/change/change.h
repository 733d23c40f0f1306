/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A change of the source: `--changed RANGE|-` of `waymark tests` and `waymark untested`.  Answers which lines, blocks and
 * paths of binaries the change touches.  The binaries were built from the new state or, with `before`, from the old one: with
 * `before`, read `old` for `new` and `removed` for `added` in this header, and the reverse.
 *
 *     struct wm_change change = {0};
 *     const struct wm_option own[] = {WM_CHANGE_OPTIONS(&change, "print only …"), …};
 *     …
 *     if (change.range) {
 *             wm_change_read(&change);
 *             wm_change_join(&change, objects, object_count);
 *             … wm_change_line(), wm_change_block(), wm_change_steps() …
 *     }
 *     wm_change_release(&change);
 *
 * Which file of the debug information a file of the diff is.  The names of a diff are relative to a directory, the *root*:
 * that of the working tree of git, or --changed-root.  A file of the debug information below the root is the file of the diff
 * with the same name relative to the root, and no other.  A binary may have been built elsewhere: any other file of the debug
 * information is the file of the diff whose name is the end of its own, by whole components (src/a.c is the end of
 * /build/x/src/a.c, but not of /build/x/mysrc/a.c); if several are, the longest.  If, by this rule, a file of the diff would be
 * two files of the debug information, the change is ambiguous, which is an error that names both.
 */
#ifndef WM_ANALYSIS_CHANGE_CHANGE_H
#define WM_ANALYSIS_CHANGE_CHANGE_H

#include "analysis/change/diff.h"
#include "analysis/tell/steps.h"

/* What a change does to a line of the new state, in ascending order. */
enum wm_line_change {
	WM_LINE_SAME,
	WM_LINE_BESIDE, /* lines were removed directly before or after it, and nothing was put in their place */
	WM_LINE_CHANGED, /* it was added or modified */
};

/* A file of the debug information that the change touches. */
struct wm_change_file {
	char *name; /* absolute unless the compilation directory is unknown; normalised */
	const struct wm_diff_file *diff;
};

/* How a map names such a file. */
struct wm_change_name {
	const char *file, *directory;
	const struct wm_diff_file *diff;
};

/* Must be initialised with zeros. */
struct wm_change {
	const char *range; /* --changed: what `git diff` compares, or "-"; NULL: not given */
	bool since_branch; /* `range` is a branch: the change is that of the working tree since it left the branch */
	const char *root; /* --changed-root; NULL: not given */
	bool before; /* the binaries were built before the change: lines and names are those of the old state */
	struct wm_diff diff;
	char *top; /* the root; NULL: not known */
	bool fixed; /* the names of the diff are certainly relative to `top` */
	size_t count;
	struct wm_change_file *file; /* ascending names */
	size_t name_count;
	struct wm_change_name *name; /* ascending file, directory; of the maps */
	bool stale; /* a changed file on the disk is not the one from which a binary was compiled (`before`: it is) */
	size_t absent; /* files of the diff that are no file of the debug information; most are documents, tests, scripts */
};

/* Runs `git diff` for change->range in the current directory, or reads a diff from standard input for "-".  The range is
 * given to git as one argument that cannot be an option or a file name.  Ends in wm_fail if there is no git, no working tree,
 * no such range, or the text is not a diff. */
void wm_change_read(struct wm_change *change);
/* The same with the text of a diff; `what` is how messages name it. */
void wm_change_parse(struct wm_change *change, const char *text, size_t size, const char *what);
/* Finds the files of the diff among those of the maps; ends in wm_fail if the change is ambiguous, and warns
 * if a changed file on the disk is not the one from which a binary was compiled (with `before`: if it is).  The objects must
 * outlive the change. */
void wm_change_join(struct wm_change *change, const struct wm_object *objects, size_t count);
void wm_change_release(struct wm_change *change);

/* Of a line of a file, by the index of the file in the map (struct wm_map_line). */
enum wm_line_change wm_change_line(
	const struct wm_change *change, const struct wm_map_module *module, uint32_t file, uint32_t line);
/* Of a step, and the greatest of the steps of a path or of a part of one. */
enum wm_line_change wm_change_step(const struct wm_change *change, const struct wm_source_step *step);
enum wm_line_change wm_change_steps(const struct wm_change *change, const struct wm_steps *steps);
/* The greatest of the lines of a block, its decision included. */
enum wm_line_change wm_change_block(
	const struct wm_change *change, const struct wm_story_function *function, uint32_t block);
/* Whether the change touches a block of the function. */
bool wm_change_function(const struct wm_change *change, const struct wm_story_function *function);

/* The file of the diff that a file of a map is, as its module names it; NULL: the change does not touch it. */
const struct wm_diff_file *wm_change_file(
	const struct wm_change *change, const struct wm_map_module *module, const char *file);
/* The file of the diff that a file is which the debug information need not name; `name` is absolute and normalised.  NULL: the
 * change does not touch it. */
const struct wm_diff_file *wm_change_match(const struct wm_change *change, const char *name);
/* How a file of the diff is called in the debug information, or in the diff if that has no such file. */
const char *wm_change_file_name(const struct wm_change *change, const struct wm_diff_file *file);

/* "2 changed files, of which 1 is in the debug information", with the names of the others if they are few; heap. */
char *wm_change_summary(const struct wm_change *change);

#endif
