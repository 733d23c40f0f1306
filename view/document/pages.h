/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A directory of static HTML pages: an index, pages of the functions of each source file in f/ and one page per source file in s/,
 * with the scripts and data that they load.  No page loads anything from the network.
 */
#ifndef WM_VIEW_DOCUMENT_PAGES_H
#define WM_VIEW_DOCUMENT_PAGES_H

#include "support/output.h"

/* The style sheets and scripts of all pages: the files of view/assets, which scripts/embed compiles into the command. */
struct wm_asset {
	const char *name;
	const unsigned char *data;
	size_t size;
};
extern const struct wm_asset wm_assets[];
extern const size_t wm_asset_count;

struct wm_pages {
	char *target, *directory; /* where it goes; the new one beside it */
	char *path; /* of the page that is being written */
	struct wm_output page;
};

/* Creates the new directory, with the empty directories f/ and s/.  Ends in wm_fail if `name` is a directory
 * that is neither empty nor a report. */
void wm_pages_begin(struct wm_pages *pages, const char *name);
/* Begins a page, or goes on with one, and ends it. */
FILE *wm_pages_open(struct wm_pages *pages, const char *name);
void wm_pages_close(struct wm_pages *pages);
/* Moves the new directory to its final name and releases the pages. */
void wm_pages_end(struct wm_pages *pages);

#endif
