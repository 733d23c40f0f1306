/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The elements of JSON documents, as document.h has those of text and pages: functions, paths, steps, and what every
 * document says of binaries and refused functions.
 */
#ifndef WM_VIEW_DOCUMENT_JSON_ELEMENTS_H
#define WM_VIEW_DOCUMENT_JSON_ELEMENTS_H

#include "analysis/join/filter.h"
#include "analysis/join/stopped.h"
#include "support/json.h"

/* A function without its paths; and one path, without its lines and decisions.  `steps` is working memory everywhere. */
json_t *wm_json_function(const struct wm_story_function *function);
struct wm_steps;
struct wm_trail;
struct wm_decision;
/* Adds "condition", the text of which an outcome is told; nothing if it is that of the whole statement. */
void wm_json_condition(json_t *object, const struct wm_decision *decision);
/* The blocks that a trail enters. */
json_t *wm_json_blocks(const struct wm_trail *trail);
/* blocks, lines, start, end and decisions of a path of the function alone that need not have an id. */
json_t *wm_json_trail(const struct wm_story_function *function, const struct wm_trail *trail, struct wm_steps *steps);
/* Where it stands, in place of an id. */
json_t *wm_json_unfinished(const struct wm_story_function *function, const struct wm_story_unfinished *unfinished);
/* An unfinished path has the id null, the end "call", and the callee and line of the call. */
json_t *wm_json_path(const struct wm_story_function *function, const struct wm_story_path *path);
/* Adds the lines and decisions of a path. */
void wm_json_expand(json_t *object, const struct wm_story_function *function, uint64_t id, struct wm_steps *steps);
/* Prints ,"block":[...], the table of the lines and decisions of the blocks of a function that ran; empty for others. */
void wm_json_print_blocks(const struct wm_story_function *function, struct wm_steps *steps, FILE *out);
/* The source lines of a path, and its decisions. */
json_t *wm_json_lines(const struct wm_steps *steps);
json_t *wm_json_decisions(const struct wm_steps *steps);
/* first_seen and pid of a path of a residual function; nothing for others. */
void wm_json_sighting(json_t *object, const struct wm_story_function *function, const struct wm_story_path *path);
json_t *wm_json_objects(const struct wm_story *story);
/* Adds "scope": its mode and root, and how many functions of the story are left out. */
void wm_json_scope(json_t *document, const struct wm_function_filter *filter, const struct wm_story *story);
json_t *wm_json_refused(const struct wm_story_refusal *list, size_t count);
json_t *wm_json_notes(char *const *list, size_t count);
/* Adds "stopped_early" and, if there are reasons, "stopped_because".  Releases the reasons. */
void wm_json_stopped(json_t *document, struct wm_stops stops);
/* Adds "loops": the iterations or the context of each loop; nothing for schemes without them. */
void wm_json_loops(json_t *object, const struct wm_story_function *function);
/* The number, or the share as a percentage; null if it is not known. */
json_t *wm_json_count_if(bool known, uint64_t number);
json_t *wm_json_share_if(bool known, uint64_t part, uint64_t whole);
/* Adds paths_possible, or paths_possible_log10 when the number is not a 63-bit integer. */
void wm_json_possible(json_t *object, const struct wm_story_function *function);

/* The entries and ends of the paths of a function or a unit. */
json_t *wm_json_balance(const struct wm_balance *balance);

#endif
