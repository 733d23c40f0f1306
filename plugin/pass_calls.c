/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/pass.h"

/* A path through calls that steps over a function which is not instrumented must know whether the function calls functions
 * that are. */
static enum wm_status list_unseen(
	struct wm_pass *p, const struct wm_subject *subject, size_t count, struct wm_call_names *names)
{
	for (size_t i = 0; i < count; i++)
		if (!subject[i].in_unit || !wm_pass_is_mapped(p, subject[i].ir))
			p->unseen.function[p->unseen.count++] = subject[i].ir;
	return wm_call_names_add_unseen(names, &p->unseen, &p->map, &p->arena);
}

enum wm_status wm_pass_list_calls(struct wm_pass *p, const struct wm_subject *subject, size_t count)
{
	struct wm_call_names names = {0};
	enum wm_status status = WM_OK;
	if (p->options.across || p->options.inlining.copies)
		status = list_unseen(p, subject, count, &names);
	for (size_t i = 0; i < count && status == WM_OK; i++)
		if (subject[i].in_unit && wm_pass_is_mapped(p, subject[i].ir))
			status = wm_call_names_add(
				&names, subject[i].in_unit, &subject[i].calls, subject[i].function, &p->arena);
	if (status == WM_OK)
		status = wm_call_names_place(&names, &p->map, &p->arena);
	wm_call_names_release(&names);
	return status;
}
