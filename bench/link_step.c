/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the link step costs: link_step [SCHEME [FUNCTIONS [BLOCKS [CALLS]]]]
 *
 * Makes an executable without code of random functions, 10000 of about 100 blocks and 10 calls each unless told otherwise,
 * spread over files of 100 functions, and prints how long the link step takes for it and how much memory it needs.
 */
#include "analysis/join/units.h"
#include "link/link.h"
#include "support/fail.h"
#include "support/terminal.h"
#include "support/xalloc.h"
#include "test/analysis/binary.h"
#include "test/core/random_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FUNCTIONS_OF_FILE = 100 };

struct size {
	uint32_t functions, blocks, calls;
};

/* Most calls lead to later functions; one of 20 may be recursive. */
static void make_function(
	struct wm_unit *unit, uint32_t index, const struct size *size, struct random *random, struct wm_arena *arena)
{
	struct wm_graph *graph = WM_NEW(arena, struct wm_graph, 1);
	struct wm_unit_function *f = &unit->function[index];
	char *name = WM_NEW(arena, char, 16);
	snprintf(name, 16, index ? "f%07u" : "main", index);
	if (random_graph(graph, RANDOM_STRUCTURED, size->blocks, random, arena) != WM_OK)
		abort();
	*f = (struct wm_unit_function){name, graph, 0, WM_NEW(arena, struct wm_call, graph->block_count)};
	for (uint32_t b = 0; b < graph->block_count; b++) {
		if (random_below(random, graph->block_count) >= size->calls)
			continue;
		uint32_t above = size->functions - index - 1;
		bool any = above == 0 || random_below(random, 20) == 0;
		f->call[f->call_count++] = (struct wm_call){.block = b,
			.callee =
				any ? random_below(random, size->functions) : index + 1 + random_below(random, above)};
	}
}

static void write_file(const char *path, const struct size *size, const struct wm_scheme *scheme)
{
	struct wm_arena arena;
	struct random random = {1};
	wm_arena_init(&arena);
	struct wm_unit unit = {size->functions, WM_NEW(&arena, struct wm_unit_function, size->functions)};
	uint32_t files = (size->functions + FUNCTIONS_OF_FILE - 1) / FUNCTIONS_OF_FILE, at = 0;
	struct wm_map_module *module = WM_NEW(&arena, struct wm_map_module, files);
	for (uint32_t i = 0; i < size->functions; i++)
		make_function(&unit, i, size, &random, &arena);
	for (uint32_t m = 0; m < files; m++) {
		struct test_module part = {.source = wm_xprintf("%u.c", m)};
		uint32_t *member = WM_NEW(&arena, uint32_t, FUNCTIONS_OF_FILE);
		for (part.member = member; part.count < FUNCTIONS_OF_FILE && at < size->functions;)
			member[part.count++] = at++;
		test_module_describe(&module[m], &unit, &part, scheme, &arena);
	}
	test_binary_write(&(struct test_binary){.module_count = files, .module = module}, path);
}

static void tell(const char *path)
{
	struct wm_arena arena;
	struct wm_object object;
	struct wm_units units;
	uint64_t blocks = 0;
	wm_arena_init(&arena);
	wm_object_need(&object, path, NULL, &arena);
	wm_units_read(&units, &object, &arena);
	if (units.count != 1 || !units.unit[0]->linked)
		wm_bug("the file was not numbered whole: %s", units.trouble);
	const struct wm_binary_unit *unit = units.unit[0];
	for (uint32_t f = 0; f < unit->unit.function_count; f++)
		blocks += unit->unit.function[f].graph->block_count;
	printf("%u functions, %" PRIu64 " blocks, %u calls, of which %u crossed; %" PRIu64 " paths\n",
		unit->unit.function_count, blocks, unit->plan.site_count, unit->plan.crossed, unit->plan.path_count);
	wm_object_release(&object);
	wm_arena_release(&arena);
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* In processes of their own, so that the memory of one is not that of the other. */
static void run_apart(void (*run)(void *), void *closure, long *kilobytes)
{
	int status;
	struct rusage usage;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		run(closure);
		fflush(NULL);
		_exit(0);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
		wm_bug("a process failed");
	*kilobytes = usage.ru_maxrss;
}

struct job {
	char path[64];
	struct size size;
	const struct wm_scheme *scheme;
};

static void run_writer(void *closure)
{
	struct job *job = closure;
	write_file(job->path, &job->size, job->scheme);
}

static void run_step(void *closure)
{
	struct job *job = closure;
	double start = seconds();
	wm_link_step_run(&(struct wm_link_step){.output = job->path}, &(struct stat){0});
	printf("link step: %.2f s, of these %.2f s of the processor", seconds() - start,
		(double)clock() / CLOCKS_PER_SEC);
}

static void run_tell(void *closure)
{
	tell(((struct job *)closure)->path);
}

int main(int argc, char **argv)
{
	struct job job = {.path = "/tmp/waymark-link-XXXXXX", .size = {10000, 100, 10}};
	uint32_t *number[] = {&job.size.functions, &job.size.blocks, &job.size.calls};
	long kilobytes;
	wm_terminal_use();
	wm_command_name = "link_step";
	struct wm_scheme_choice choice;
	if (wm_scheme_parse(argc > 1 ? argv[1] : "piecewise", &choice) != WM_OK || !choice.scheme->crosses)
		wm_fail("'%s' is no scheme that crosses calls", argv[1]);
	job.scheme = choice.scheme;
	for (int i = 2; i < argc && i < 5; i++)
		*number[i - 2] = (uint32_t)strtoul(argv[i], NULL, 10);
	int fd = mkstemp(job.path);
	if (fd < 0)
		wm_fail("cannot write %s", job.path);
	close(fd);
	run_apart(run_writer, &job, &kilobytes);
	run_apart(run_step, &job, &kilobytes);
	printf(", %ld MiB\n", kilobytes / 1024);
	run_apart(run_tell, &job, &kilobytes);
	unlink(job.path);
	return 0;
}
