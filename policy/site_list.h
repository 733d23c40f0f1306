/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lists of call sites: the file of the option -fwaymark-cross, which calls the link step crosses first, and which it
 * steps over; and that of -fwaymark-sites, which calls are inlined, and which are not.
 *
 *     # the parser, wherever it is called
 *     parse_*
 *     # what main calls on line 40, and what read_file calls
 *     main:40  *
 *     read_file  *
 *     # never into the logger
 *     !log_message
 *
 *     # call 0 of block 3 of main, which was executed 27 times
 *     main@3.0  parse  27
 *
 * A line is [!][CALLER[:LINE | @BLOCK.POSITION]] CALLEE, or CALLER@BLOCK.POSITION CALLEE COUNT.  CALLER and CALLEE are linkage names or glob patterns; LINE is a
 * source line of the basic block that calls; BLOCK and POSITION are those of struct wm_call.  A line that begins with !
 * or - names calls to step over.  If several lines match a call, the last one decides.  # begins a comment.
 */
#ifndef WM_POLICY_SITE_LIST_H
#define WM_POLICY_SITE_LIST_H

#include "profile/map/map.h"

enum wm_cross_choice { WM_CROSS_BY_WEIGHT, WM_CROSS_FIRST, WM_CROSS_NEVER };

struct wm_cross_rule {
	const char *caller; /* NULL: any */
	const char *callee;
	uint32_t line; /* 0: any */
	bool has_place; /* only the call at `block` and `position` */
	uint32_t block, position;
	uint64_t count; /* executions; 1 if the line does not say */
	uint32_t at; /* the line in the file */
	bool never;
	bool matched; /* some call site did */
};
struct wm_site_list {
	char *text;
	size_t count;
	struct wm_cross_rule *rule;
};
/* Takes ownership of `text`, which malloc returned.  On failure returns false, *error is one clause, and `list` must
 * still be released. */
bool wm_site_list_parse(struct wm_site_list *list, char *text, char error[300]);
void wm_site_list_release(struct wm_site_list *list);
/* The rule that decides about a call site of a function; NULL: none matches.  Notes which rules matched. */
const struct wm_cross_rule *wm_site_list_find(struct wm_site_list *list, const struct wm_map_function *caller,
	const struct wm_call *call, const char *callee);
/* The first rule from `from` on that names a call at exactly this place of a function, and its callee: the targets of an
 * indirect call.  NULL: there is no other. */
struct wm_cross_rule *wm_site_list_target(const struct wm_site_list *list, const struct wm_cross_rule *from,
	const struct wm_map_function *caller, const struct wm_call *call);
/* What the rule that decides says. */
enum wm_cross_choice wm_site_list_choose(struct wm_site_list *list, const struct wm_map_function *caller,
	const struct wm_call *call, const char *callee);

#endif
