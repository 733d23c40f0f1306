/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of `waymark replay` share: cmd_replay.c has the command and counts paths, replay_segments.c finds path segments. */
#ifndef WM_CMD_CMD_REPLAY_H
#define WM_CMD_CMD_REPLAY_H

#include "analysis/graphfile/unitgraph.h"
#include "core/walk/event.h"

struct wm_replay_options {
	struct wm_scheme_choice choice;
	const char *scheme; /* its text */
	int placement; /* enum wm_placement */
	bool json;
	uint64_t max_paths; /* 0: 2^63 */
	uint64_t inline_copies; /* 0: calls are not inlined */
	uint64_t segments; /* 0: none are asked for */
	const char *graph, *walk;
};

/* What is computed from a walk. */
struct wm_replay_kind {
	/* Gives the sink of the walk.  Memory may be in the arena of the file. */
	void *(*open)(const struct wm_replay_options *options, struct wm_graph_file *file, struct wm_sink *sink);
	void (*print)(void *replay);
	void (*release)(void *replay);
};
extern const struct wm_replay_kind wm_replay_segments;

#endif
