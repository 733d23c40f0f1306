/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/export/export.h"
#include <string.h>

const struct wm_export_format wm_export_formats[] = {
	{"lcov", "tracefile of LCOV: lines, functions, branches (genhtml)", WM_EXPORT_COVERAGE, false, wm_export_lcov},
	{"cobertura", "XML report of Cobertura (GitLab, Jenkins, Azure)", WM_EXPORT_COVERAGE, false,
		wm_export_cobertura},
	{"callgrind", "executed blocks per line, and calls (callgrind_annotate, KCachegrind)", WM_EXPORT_COSTS, false,
		wm_export_callgrind},
	{"pprof", "executed blocks per line, with stacks if from a recording (pprof)", WM_EXPORT_COSTS, true,
		wm_export_pprof},
	{"sample", "sample profile of LLVM (llvm-profdata, clang -fprofile-sample-use)", WM_EXPORT_FLOW, false,
		wm_export_sample},
	{"paths", "of a profile of `waymark hw`: paths of the graph source (waymark cc -fwaymark-use)",
		WM_EXPORT_HARDWARE, true, NULL},
	{"sarif", "the paths that no test took, as `waymark untested --sarif` writes them", WM_EXPORT_UNTESTED, false,
		NULL},
	{"speedscope", "of a recording: the calls of each thread (speedscope.app)", WM_EXPORT_RECORDING, false,
		wm_export_speedscope},
	{"chrome", "of a recording: trace events (chrome://tracing, Perfetto)", WM_EXPORT_RECORDING, false,
		wm_export_chrome},
	{0},
};

const struct wm_export_format *wm_export_find(const char *name)
{
	for (const struct wm_export_format *format = wm_export_formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}
