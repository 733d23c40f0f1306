/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/recording/wpp_branches.h"
#include "abi/stream.h"
#include "view/hw/hw_view.h"
#include <inttypes.h>
#include <stdlib.h>

static void print_path(const struct wm_wpp_branches *branches, struct wm_document *d,
	const struct wm_hw_story_path *path, enum wm_hw_end end)
{
	const struct wm_code *code = wm_hw_story_code(&branches->story, path);
	const char *program = branches->table->object[path->object].program;
	char outcomes[WM_HW_MAX_BRANCHES + 1];
	wm_hw_outcomes_text(&path->path, outcomes);
	if (code)
		fprintf(d->out, "%s%s%s", d->bold, wm_hw_story_place(&branches->story, path), d->plain);
	else
		fprintf(d->out, "%s+%#" PRIx64, *program ? program : "no file", path->path.start);
	fprintf(d->out, "  %sbranches %s", d->dim, *outcomes ? outcomes : "none");
	if (code)
		fprintf(d->out, ", ends at %s", wm_hw_end_name(end));
	fprintf(d->out, "%s\n", d->plain);
}

static void write_path(const struct wm_wpp_branches *branches, struct wm_document *d, uint64_t entry, uint64_t start,
	enum wm_hw_end end)
{
	char *name = wm_wpp_branches_name(branches, wm_stream_function(entry));
	wm_html_print(d->out, "<p><code>%s</code> ", name);
	fprintf(d->out, "<span class=\"soft\">from %#" PRIx64 ", ends at %s</span></p>\n", start, wm_hw_end_name(end));
	free(name);
}

void wm_wpp_branches_tell(const struct wm_wpp_branches *branches, struct wm_document *d, uint64_t entry, bool rows)
{
	struct wm_hw_story_path path;
	if (!wm_wpp_branches_find(branches, entry, &path)) {
		if (!d->html)
			fprintf(d->out, "%sunknown entry %#" PRIx64 "%s\n", d->dim, entry, d->plain);
		return;
	}
	enum wm_hw_end end = wm_hw_story_tell(&branches->story, &path, &d->steps);
	if (d->html)
		write_path(branches, d, entry, path.path.start, end);
	else
		print_path(branches, d, &path, end);
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
