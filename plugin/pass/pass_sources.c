/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/extract/checksum.h"
#include "plugin/extract/function_code.h"
#include "plugin/pass/module_pass.h"
#include "policy/file_names.h"
#include "policy/known.h"
#include "policy/line_directives.h"
#include "profile/map/identity.h"
#include <stdio.h>

void wm_pass_sum_code(struct wm_module_pass *p, struct wm_subject *s)
{
	uint32_t file = s->function->file;
	s->function->own_code = wm_code_sum(s->ir, file == WM_NONE ? p->map.source : p->files.name[file]);
}

static void note_file(struct wm_module_pass *p, bool *in_main, const char *name, size_t length)
{
	for (uint32_t i = 0; i < p->files.count; i++)
		in_main[i] |= wm_file_name_ends_as(p->files.name[i], name, length);
}

/* Files that are known only by #line directives of the main file: it stands for them. */
static enum wm_status find_files_in_main(struct wm_module_pass *p)
{
	bool *in_main = WM_NEW(&p->arena, bool, p->files.count), missing = false;
	for (uint32_t i = 0; i < p->files.count; i++)
		missing |= !p->files.sum[i].size;
	struct wm_source_text text = {0};
	if (in_main && missing)
		wm_source_text_open(&text, p->map.source);
	size_t length;
	for (const char *at = text.data, *name; text.data;) {
		name = wm_line_directive_next(&at, text.data + text.size, &length);
		if (!name)
			break;
		note_file(p, in_main, name, length);
		p->map.in_main = in_main;
	}
	wm_source_text_close(&text);
	return in_main ? WM_OK : WM_NO_MEMORY;
}

enum wm_status wm_pass_find_sources(struct wm_module_pass *p)
{
	enum wm_status status = find_files_in_main(p);
	p->map.file_count = p->files.count;
	p->map.file = (const char **)p->files.name;
	p->map.file_sum = p->files.sum;
	p->map.source_sum = wm_checksum_of_path(p->map.source);
	for (size_t i = 0; i < p->subject_count; i++)
		wm_map_set_own_source(&p->map, p->subject[i].function);
	return status;
}

enum wm_status wm_pass_warn_of_sources(struct wm_module_pass *p)
{
	switch (wm_known_trouble(&p->options.paths, &p->map)) {
	case WM_KNOWN_NO_TROUBLE:
		break;
	case WM_KNOWN_OTHER_GRAPH:
		fprintf(stderr,
			"waymark: %s knows functions of %s, but not in the form they have here: give it the source, "
			"-fwaymark-cfg and -fwaymark-scheme of the build that made it\n",
			p->options.paths_name, p->map.source);
		break;
	case WM_KNOWN_OTHER_SOURCE:
		fprintf(stderr,
			"waymark: %s knows functions of %s, but with other code and from a file with another name or "
			"checksum, so that "
			"their paths are not known here: run the program again that made it, built from this file, or "
			"make it with waymark merge --any-program\n",
			p->options.paths_name, p->map.source);
		break;
	}
	return WM_OK;
}
