/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A recording joined with the maps of the binaries that it is of. */
#ifndef WM_ANALYSIS_REPLAY_RECORDING_VIEW_H
#define WM_ANALYSIS_REPLAY_RECORDING_VIEW_H

#include "analysis/join/operands.h"
#include "analysis/replay/branches.h"
#include "analysis/tell/trails.h"
#include "core/walk/walk.h"
#include "profile/wpp/wpp.h"

/* Reads one recording (.wmwpp), or turns raw profiles (.wmraw, with their spool files) into one.  wm_fail when a file
 * cannot be read; warns of what is missing. */
void wm_wpp_load(struct wm_wpp *wpp, char *const *paths, size_t count);
/* The same, but the recording is only written, in memory that depends on the size of the result. */
void wm_wpp_compress(char *const *paths, size_t count, const char *output);

/* Shows progress on a terminal.  False: the user has interrupted the command, which then answers with what it has.  Cheap
 * enough to be called for every entry. */
bool wm_wpp_goes_on(const char *what, uint64_t done, uint64_t total);

struct wm_wpp_view {
	struct wm_wpp wpp;
	struct wm_grammar_index index;
	struct wm_binaries binaries;
	struct wm_story story;
	struct wm_arena arena;
	/* Per function of wpp.table: the function of the story, or NULL if no binary has it; its subpaths, without a plan if
	 * it did not run. */
	const struct wm_story_function **told;
	struct wm_walk_function *function;
	uint64_t *start; /* per stream: the position of its first entry */
	bool *warned; /* per stream: a walk has warned of what is not exact in it, so later walks do not */
	/* Of a recording of `waymark hw`, which has no stories; NULL: of any other. */
	struct wm_wpp_branches *branches;
};
/* Takes over the recording.  wm_fail when a binary is missing. */
void wm_wpp_view_open(
	struct wm_wpp_view *view, struct wm_wpp *wpp, const struct wm_operands *operands, const char *debug_dir);
void wm_wpp_view_release(struct wm_wpp_view *view);

/* The function in the table of an entry; of a recording of `waymark hw`, the first one in the same procedure.
 * wpp.table.function_count or more: it has none. */
uint32_t wm_wpp_function(const struct wm_wpp_view *view, uint64_t entry);
/* The name of a function for a reader; heap. */
char *wm_wpp_function_name(const struct wm_wpp_view *view, uint32_t function);

/* A subpath in terms of the function's own blocks. */
struct wm_wpp_subpath {
	const struct wm_story_function *function;
	uint32_t index; /* of the function in the table */
	uint64_t id;
	struct wm_trail trail; /* in the function alone; WM_END_CALL: it ends before a call site */
};
/* False: the entry is no subpath of a known function.  Memory in the arena. */
bool wm_wpp_subpath(
	const struct wm_wpp_view *view, uint64_t entry, struct wm_wpp_subpath *subpath, struct wm_arena *arena);
/* "from the entry to the call of f": heap. */
char *wm_wpp_way(const struct wm_wpp_subpath *subpath);
/* Why a recording ended before its program did: the value of a STOP entry (enum wm_stream_stop). */
const char *wm_wpp_stop_text(uint64_t why);
/* What a special entry says: "thread 7f… was created"; heap. */
char *wm_wpp_special_text(uint64_t entry);
/* Per word of the grammar: how many blocks the subpath enters or goes on in; WM_HOT_NEVER for entries that are neither
 * subpaths nor the identities of activations.  Heap. */
uint64_t *wm_wpp_weights(const struct wm_wpp_view *view);

#endif
