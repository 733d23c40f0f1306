/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/report/drawing.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/report/page_data.h"
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { BOX_HEIGHT = 34, CHARACTER = 8, PIXELS = 72 };

static bool is_drawn(const struct wm_story_function *function, size_t total)
{
	uint32_t blocks = function->map->graph.block_count;
	return function->state == WM_STORY_RAN && blocks > 1 && blocks <= WM_DRAWN_BLOCKS &&
	       total + blocks <= WM_DRAWN_TOTAL;
}

/* Wide enough for the lines and the count that the page writes into the box. */
static double box_width(const struct wm_story_function *function, uint32_t block)
{
	const struct wm_map_block *info = &function->map->block[block];
	int lines = snprintf(NULL, 0, "%u-%u", info->line_count ? info->line[0].line : block,
		info->line_count ? info->line[info->line_count - 1].line : block);
	int count = snprintf(NULL, 0, "%s", wm_thousands(function->executions));
	return (double)((lines > count ? lines : count) * CHARACTER + 18) / PIXELS;
}

/* The name of a node is NUMBER OF THE FUNCTION.BLOCK, a number for dot, so that its answer says whose graph it is. */
static void write_graph(const struct wm_story_function *function, size_t number, FILE *out)
{
	const struct wm_graph *graph = &function->map->graph;
	fputs("digraph g{graph[nslimit=4,mclimit=0.7,ranksep=0.35,nodesep=0.3];node[shape=box,fixedsize=true];\n", out);
	for (uint32_t b = 0; b < graph->block_count; b++)
		fprintf(out, "%zu.%u[width=%.3f,height=%.3f];", number, b, box_width(function, b),
			(double)BOX_HEIGHT / PIXELS);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		fprintf(out, "%zu.%u->%zu.%u;", number, graph->edge_from[e], number, graph->edge_to[e]);
	fputs("}\n", out);
}

/* ---- dot -------------------------------------------------------------------------------------- */

static void wait_for(pid_t pid)
{
	const struct timespec moment = {0, 20000000};
	for (int waited = 0; waitpid(pid, NULL, WNOHANG) == 0; waited++) {
		if (waited > WM_DRAWN_SECONDS * 50)
			kill(pid, SIGKILL);
		nanosleep(&moment, NULL);
	}
}

/* False: dot cannot be executed. */
static bool run_dot(FILE *from, FILE *to)
{
	char *command[] = {"dot", "-Tplain", NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;
	if (posix_spawn_file_actions_init(&actions) != 0)
		wm_no_memory();
	posix_spawn_file_actions_adddup2(&actions, fileno(from), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(to), STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	bool started = posix_spawnp(&pid, command[0], &actions, NULL, command, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	if (started)
		wait_for(pid);
	return started;
}

/* Finds where the graph of each function begins that dot has drawn with all its blocks. */
static void find_starts(struct wm_drawings *drawings, const struct wm_story *story)
{
	char *line = NULL;
	size_t size = 0, function = SIZE_MAX, nodes = 0;
	long start = -1;
	rewind(drawings->placed);
	for (long at = 0; getline(&line, &size, drawings->placed) > 0; at = ftell(drawings->placed)) {
		if (strncmp(line, "graph ", 6) == 0) {
			start = at;
			nodes = 0;
		} else if (strncmp(line, "node ", 5) == 0) {
			function = strtoul(line + 5, NULL, 10);
			nodes++;
		} else if (strcmp(line, "stop\n") == 0 && function < story->function_count &&
			   nodes == story->function[function].map->graph.block_count) {
			drawings->start[function] = start;
		}
	}
	free(line);
}

void wm_drawings_make(struct wm_drawings *drawings, const struct wm_story *story)
{
	size_t count = 0, total = 0;
	FILE *graphs = tmpfile();
	*drawings = (struct wm_drawings){.function_count = story->function_count, .placed = tmpfile()};
	drawings->start = wm_xmalloc((story->function_count + 1) * sizeof *drawings->start);
	if (!graphs || !drawings->placed)
		wm_fail("cannot create a temporary file for the drawings of graphs: check TMPDIR");
	for (size_t i = 0; i < story->function_count; i++) {
		drawings->start[i] = -1;
		if (!is_drawn(&story->function[i], total))
			continue;
		total += story->function[i].map->graph.block_count;
		count++;
		write_graph(&story->function[i], i, graphs);
	}
	rewind(graphs);
	if (count && !run_dot(graphs, drawings->placed))
		drawings->missing = "There are no drawings of graphs, because dot (Graphviz) was not found.";
	find_starts(drawings, story);
	fclose(graphs);
}

void wm_drawings_release(struct wm_drawings *drawings)
{
	fclose(drawings->placed);
	free(drawings->start);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

/* The next number of a line of dot, in pixels. */
static long pixels(char **at)
{
	return lround(strtod(*at, at) * PIXELS);
}

/* x, y, width and height of the box of each block */
static json_t *boxes_json(const long (*box)[4], uint32_t count)
{
	json_t *list = wm_json_checked(json_array());
	for (uint32_t b = 0; b < count; b++)
		for (int i = 0; i < 4; i++)
			wm_data_add(list, box[b][i]);
	return list;
}

/* The block of the next name of a node. */
static unsigned long read_block(char **at)
{
	strtoul(*at, at, 10);
	*at += **at == '.';
	return strtoul(*at, at, 10);
}

static void read_box(char *at, long height, long (*box)[4], uint32_t count)
{
	unsigned long block = read_block(&at);
	if (block >= count)
		return;
	box[block][0] = pixels(&at);
	box[block][1] = height - pixels(&at);
	box[block][2] = pixels(&at);
	box[block][3] = pixels(&at);
}

static json_t *edge_json(char *at, long height)
{
	json_t *list = wm_json_checked(json_array());
	for (int end = 0; end < 2; end++)
		wm_data_add(list, (int64_t)read_block(&at));
	unsigned long points = strtoul(at, &at, 10);
	for (unsigned long i = 0; i < points; i++) {
		wm_data_add(list, pixels(&at));
		wm_data_add(list, height - pixels(&at));
	}
	return list;
}

static json_t *placed_json(FILE *placed, long (*box)[4], uint32_t count)
{
	json_t *edges = wm_json_checked(json_array());
	char *line = NULL;
	size_t size = 0;
	long width = 0, height = 0;
	while (getline(&line, &size, placed) > 0 && strcmp(line, "stop\n") != 0) {
		char *at = strchr(line, ' ');
		if (at && line[0] == 'g') {
			strtod(at, &at);
			width = pixels(&at);
			height = pixels(&at);
		} else if (at && line[0] == 'n') {
			read_box(at, height, box, count);
		} else if (at && line[0] == 'e') {
			json_array_append_new(edges, edge_json(at, height));
		}
	}
	free(line);
	return wm_json_checked(json_pack("{s:o, s:I, s:I, s:o}", "e", edges, "w", (json_int_t)width, "h",
		(json_int_t)height, "n", boxes_json((const long(*)[4])box, count)));
}

json_t *wm_drawing_json(struct wm_drawings *drawings, const struct wm_story *story, size_t function)
{
	uint32_t count = story->function[function].map->graph.block_count;
	if (drawings->start[function] < 0 || fseek(drawings->placed, drawings->start[function], SEEK_SET) != 0)
		return json_null();
	long(*box)[4] = wm_xrealloc(NULL, count, sizeof *box);
	memset(box, 0, count * sizeof *box);
	json_t *object = placed_json(drawings->placed, box, count);
	free(box);
	return object;
}
