/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/checksum.h"
#include "plugin/module_pass.h"
#include "policy/known.h"
#include "profile/identity.h"
#include <stdio.h>

enum wm_status wm_pass_find_sources(struct wm_module_pass *p)
{
	p->map.file_count = p->files.count;
	p->map.file = (const char **)p->files.name;
	p->map.file_sum = p->files.sum;
	p->map.source_sum = wm_checksum_of_path(p->map.source);
	for (size_t i = 0; i < p->subject_count; i++)
		wm_map_set_own_source(&p->map, p->subject[i].function);
	return WM_OK;
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
			"waymark: %s knows functions of %s, but from a file with another name or checksum, so that "
			"their paths are not known here: run the program again that made it, built from this file, or "
			"make it with waymark merge --any-program\n",
			p->options.paths_name, p->map.source);
		break;
	}
	return WM_OK;
}
