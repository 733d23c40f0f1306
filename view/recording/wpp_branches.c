/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/recording/wpp_branches.h"
#include "abi/stream.h"
#include "support/xalloc.h"
#include "view/hw/hw_view.h"
#include <inttypes.h>
#include <stdlib.h>

void wm_wpp_branches_tell(
	const struct wm_wpp_branches *branches, struct wm_document *d, const char *prefix, uint64_t entry, bool rows)
{
	struct wm_hw_story_path path;
	if (!wm_wpp_branches_find(branches, entry, &path)) {
		char *unknown = wm_xprintf("unknown entry %#" PRIx64, entry);
		d->form->line(d, prefix, "", unknown);
		free(unknown);
		return;
	}
	enum wm_hw_end end = wm_hw_story_tell(&branches->story, &path, &d->steps);
	bool code = wm_hw_story_code(&branches->story, &path);
	const char *program = branches->table->object[path.object].program;
	char outcomes[WM_HW_MAX_BRANCHES + 1];
	wm_hw_outcomes_text(&path.path, outcomes);
	char *name = code ? wm_hw_story_place(&branches->story, &path)
			  : wm_xprintf("%s+%#" PRIx64, *program ? program : "no file", path.path.start);
	char *words = wm_xprintf("branches %s%s%s", *outcomes ? outcomes : "none", code ? ", ends at " : "",
		code ? wm_hw_end_name(end) : "");
	d->form->line(d, prefix, name, words);
	free(words);
	free(name);
	if (rows)
		wm_hw_tell_rows(d);
}

json_t *wm_wpp_branches_json(const struct wm_wpp_branches *branches, uint64_t entry, struct wm_steps *steps)
{
	struct wm_hw_story_path path;
	if (wm_wpp_branches_find(branches, entry, &path))
		return wm_hw_path_json(&branches->story, &path, steps);
	return wm_json_checked(json_pack("{s:s}", "special", "unknown entry"));
}
