/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/graphfile.h"
#include "tool/story.h"
#include "tool/tool.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

void wm_graph_file_load(struct wm_graph_file *file, const char *path)
{
	struct wm_buffer text;
	struct wm_cfg_error error;
	*file = (struct wm_graph_file){.path = strcmp(path, "-") == 0 ? "<stdin>" : path};
	wm_arena_init(&file->arena);
	if (!wm_buffer_read(&text, path))
		wm_fail("cannot read %s: %s", path, strerror(errno));
	enum wm_status status = wm_cfg_parse(&file->cfg, (const char *)text.data, text.size, &error, &file->arena);
	if (status == WM_BAD_GRAPH)
		wm_fail("%s:%u:%u: %s", file->path, error.line, error.column, error.text);
	if (status != WM_OK)
		wm_bug("%s: %s", file->path, wm_status_text(status));
	wm_buffer_release(&text);
}

void wm_graph_file_release(struct wm_graph_file *file)
{
	wm_arena_release(&file->arena);
}

const struct wm_scheme *wm_scheme_option(const char *text)
{
	const struct wm_scheme *scheme;
	if (wm_scheme_find(text, &scheme) == WM_OK)
		return scheme;
	char list[256] = "";
	size_t used = 0;
	for (const struct wm_scheme *const *s = wm_schemes; *s && used < sizeof list; s++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", (*s)->name);
	wm_fail("there is no scheme '%s'; valid: %s", text, list);
}

uint64_t wm_count_option(const char *option, const char *text)
{
	char *end;
	errno = 0;
	uint64_t number = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9')
		wm_fail("%s needs a number, not '%s'", option, text);
	return number;
}

void wm_bad_option(char **argv)
{
	if (optopt > 0 && optopt < 128)
		wm_fail("unknown option '-%c'; see waymark %s --help", optopt, argv[0]);
	wm_fail("bad option '%s'; see waymark %s --help", argv[optind - 1], argv[0]);
}

void wm_graph_plan(struct wm_plan *plan, const struct wm_cfg_function *function, const struct wm_scheme *scheme,
	uint64_t limit, struct wm_arena *arena)
{
	enum wm_status status = wm_plan_make(plan, &function->graph, scheme, limit, arena);
	if (status == WM_TOO_MANY)
		wm_fail("function '%s' has more paths than --max-paths allows however it is cut; allow more",
			function->name);
	if (status != WM_OK)
		wm_bug("function '%s': %s", function->name, wm_status_text(status));
}

void wm_graph_place(struct wm_probe_program *program, const struct wm_plan *plan, enum wm_placement placement,
	struct wm_arena *arena)
{
	struct wm_weights weights;
	enum wm_status status = WM_OK;
	if (placement == WM_PLACE_OPTIMAL)
		status = wm_weights_static(&weights, plan->graph, &plan->dfs, arena);
	if (status == WM_OK)
		status = wm_place(plan, placement, &weights, program, arena);
	if (status != WM_OK)
		wm_bug("cannot place probes: %s", wm_status_text(status));
}

void wm_print_path(const struct wm_cfg_function *function, const struct wm_block_path *path)
{
	for (uint32_t i = 0; i < path->length; i++) {
		if (i)
			putchar('-');
		fputs(function->block_name[path->block[i]], stdout);
	}
	if (path->last_edge != WM_NONE)
		printf("  (%s %s)", path->end == WM_END_CUT ? "cut before" : "back to",
			function->block_name[function->graph.edge_to[path->last_edge]]);
}

/* Names are letters, digits and _ . $: nothing to escape. */
void wm_print_path_json(const struct wm_cfg_function *function, const struct wm_block_path *path)
{
	fputs("\"path\": [", stdout);
	for (uint32_t i = 0; i < path->length; i++) {
		fputs(i ? ", \"" : "\"", stdout);
		fputs(function->block_name[path->block[i]], stdout);
		putchar('"');
	}
	printf("], \"start\": \"%s\", \"end\": \"%s\"", wm_start_text(path->start), wm_end_text(path->end));
}
