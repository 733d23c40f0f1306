/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of interprocedural path segments, by the blocks that they contain. */
#ifndef WM_ANALYSIS_PROJECTION_PROJECTION_H
#define WM_ANALYSIS_PROJECTION_PROJECTION_H

#include "analysis/tell/trails.h"

/* Where an execution of a segment is found again: in a profile, on a path of a function; in a recording, by its name. */
struct wm_segment_place {
	const struct wm_story_function *function; /* NULL: not in a profile */
	uint64_t id; /* of the path, or of the name in recording `in` */
	struct wm_segment_range range; /* of the steps of its trail of original functions */
	size_t in;
};
struct wm_projected_segment {
	char *text;
	uint64_t count;
	bool at_least; /* it may have been executed more often: through a call that is not inlined, or on a lost path */
	bool perhaps_tested; /* for users: the tests may have executed it where their profile cannot show it */
	bool paths_known; /* for users: `hidden` is known */
	bool hidden; /* for users: no function through which it goes has an untested path */
	struct wm_segment_place place;
};
/* A set of words.  Must be initialised with zeros. */
struct wm_words {
	size_t count, limit; /* `limit`: while adding, where duplicates are removed next */
	char **word;
};
/* Takes ownership of the word. */
void wm_words_add(struct wm_words *words, char *word);
/* Call it after the last wm_words_add and before the first wm_words_has. */
void wm_words_sort(struct wm_words *words);
bool wm_words_has(const struct wm_words *words, const char *word);
void wm_words_release(struct wm_words *words);

/* Must be initialised with zeros. */
struct wm_projection {
	size_t count;
	struct wm_projected_segment *segment;
	/* The functions in which segments begin that go through a call that is not inlined, as FUNCTION:0. */
	struct wm_words broken;
	/* The blocks of segments that are left out because of such a call are among these blocks. */
	struct wm_words stepped;
	struct wm_words executed; /* all blocks on the paths */
	/* The functions on paths that were begun and not counted, as FUNCTION:0.  Added by users. */
	struct wm_words lost;
	bool incomplete; /* every segment may have been executed more often than it was counted.  Set by users */
};
/* A path that was taken `count` times. */
struct wm_walked_path {
	const struct wm_trail *original; /* of the original functions */
	uint32_t length; /* steps of the compiled functions */
	const bool
		*steps_over; /* per step of the compiled functions: its block calls a profiled function there, and the
				   call is not on the trail */
	uint64_t count;
	struct wm_segment_place place; /* without a range */
};
/* Adds the segments of depth `depth` on a path.  Segments end at all calls of profiled functions.  A
 * candidate that steps over a profiled call is dropped; the counts of the functions around that call are lower bounds. */
void wm_projection_add(struct wm_projection *counts, const struct wm_walked_path *path, uint32_t depth,
	const struct wm_block_names *names);
/* Adds one segment, and takes ownership of its text. */
void wm_projection_append(struct wm_projection *counts, struct wm_projected_segment segment);
/* Sums up equal segments, sorts them, sets at_least, and sorts the sets of words. */
void wm_projection_finish(struct wm_projection *counts);
/* Segments that are perhaps tested follow the others; then by descending count, then by text. */
void wm_projection_sort(struct wm_projection *counts);
/* Whether the function in which a segment begins is in a set of words FUNCTION:0. */
bool wm_segment_begins_in(const struct wm_projected_segment *segment, const struct wm_words *functions);
void wm_projection_release(struct wm_projection *counts);

#endif
