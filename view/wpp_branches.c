/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/wpp_branches.h"
#include "abi/stream.h"
#include "view/hw.h"
#include <inttypes.h>
#include <stdlib.h>

void wm_wpp_branches_print(struct wm_wpp_branches *branches, struct wm_page *page, uint64_t entry, bool rows)
{
	struct wm_hw_story_path path;
	char outcomes[WM_HW_MAX_BRANCHES + 1];
	if (!wm_wpp_branches_walk(branches, entry, &path)) {
		fprintf(page->out, "%sunknown entry %#" PRIx64 "%s\n", page->dim, entry, page->plain);
		return;
	}
	const struct wm_code *code = wm_hw_story_code(&branches->story, &path);
	const char *program = branches->table->object[path.object].program;
	wm_hw_outcomes_text(&path.path, outcomes);
	if (code)
		fprintf(page->out, "%s%s%s", page->bold, wm_hw_story_place(&branches->story, &path), page->plain);
	else
		fprintf(page->out, "%s+%#" PRIx64, *program ? program : "no file", path.path.start);
	fprintf(page->out, "  %sbranches %s", page->dim, *outcomes ? outcomes : "none");
	if (code)
		fprintf(page->out, ", ends at %s", wm_hw_end_name(branches->rows.end));
	fprintf(page->out, "%s\n", page->plain);
	if (rows && code)
		wm_hw_print_rows(&branches->rows, &page->sources, code->path, page->out);
}

json_t *wm_wpp_branches_json(struct wm_wpp_branches *branches, uint64_t entry)
{
	struct wm_hw_story_path path;
	if (wm_wpp_branches_walk(branches, entry, &path))
		return wm_hw_path_json(&branches->story, &path, &branches->rows);
	return wm_json_checked(json_pack("{s:s}", "special", "unknown entry"));
}

void wm_wpp_branches_html(struct wm_wpp_branches *branches, struct wm_html *html, uint64_t entry)
{
	struct wm_hw_story_path path;
	if (!wm_wpp_branches_walk(branches, entry, &path))
		return;
	char *name = wm_wpp_branches_name(branches, wm_stream_function(entry));
	fputs("<p><code>", html->out);
	wm_html_text(html->out, name);
	fprintf(html->out, "</code> <span class=\"soft\">from %#" PRIx64 ", ends at %s</span></p>\n", path.path.start,
		wm_hw_end_name(branches->rows.end));
	free(name);
	const struct wm_code *code = wm_hw_story_code(&branches->story, &path);
	if (code)
		wm_hw_html_rows(html, &branches->rows, code->path);
}
