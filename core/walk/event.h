/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a thread does, as a sequence of events, and who takes them.
 *
 * A *source* gives the events of walks, one walk after another:
 *
 *     a recording           analysis/replay/recording_walk.h, with core/walk/walk.h
 *     a walk of `replay`    analysis/graphfile/walk_file.h, analysis/graphfile/inlined.h
 *
 * A *sink* takes them, for example:
 *
 *     interpreters          analysis/tally/activations.h: the probes of a scheme, which count its paths
 *     segments              core/walk/segments.h
 *     executed call sites   view/recording/wpp_sites.c
 *
 * A walk is BEGIN, the events of the processes from which this one was forked, OWN, the events of this process, END.
 */
#ifndef WM_CORE_WALK_EVENT_H
#define WM_CORE_WALK_EVENT_H

#include "core/graph/graph.h"

enum wm_walk_kind {
	WM_WALK_BEGIN, /* the walk of a thread begins; no activation is open */
	WM_WALK_OWN, /* the events since BEGIN, if any, happened before a fork, in another process */
	WM_WALK_END, /* the walk has ended; activations that are open do not go on */
	WM_WALK_ENTER, /* an activation of `function` is opened; its first block follows */
	WM_WALK_BLOCK, /* the activation on top enters `block` */
	WM_WALK_CALL, /* the activation on top makes call `call` of `block` */
	WM_WALK_BEHIND, /* call `call` returned */
	WM_WALK_CAUGHT, /* an exception left call `call`; the next block is its landing pad */
	WM_WALK_AGAIN, /* call `call`, of setjmp, returned for the second time */
	WM_WALK_LEAVE, /* the activation on top is closed: it returned, or it resumed an exception (`end`) */
	WM_WALK_STUCK, /* the activation on top makes its last call, which does not return; it stays open */
	WM_WALK_ABANDON, /* the activation on top was left without being closed */
	WM_WALK_ADOPT, /* an activation continues whose beginning is not in the stream; it is on top now */
	WM_WALK_SUBPATH, /* recordings: subpath `entry` has ended; its events come before it */
	WM_WALK_SPECIAL, /* recordings: a special entry, except FRAME and LAND: `entry` */
};

struct wm_walk_event {
	enum wm_walk_kind kind;
	uint32_t function; /* of the activation on top; BEGIN, OWN, END, SUBPATH, SPECIAL: WM_NONE */
	uint32_t block; /* BLOCK, CALL, BEHIND, CAUGHT, AGAIN, STUCK; otherwise WM_NONE */
	uint32_t call; /* CALL, BEHIND, CAUGHT, AGAIN; STUCK: or WM_NONE, if the block has no call */
	enum wm_end end; /* LEAVE: RETURN or UNWIND */
	uint32_t depth; /* activations below the one on top */
	uint64_t entry;
};

struct wm_sink {
	void *closure;
	void (*take)(void *closure, const struct wm_walk_event *event);
};

/* Gives BEGIN, OWN or END. */
static inline void wm_sink_give(const struct wm_sink *sink, enum wm_walk_kind kind)
{
	const struct wm_walk_event event = {.kind = kind, .function = WM_NONE, .block = WM_NONE, .call = WM_NONE};
	sink->take(sink->closure, &event);
}

#endif
