/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/output.h"
#include "tool/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct wm_output *open_outputs;
static pid_t owner; /* a child that failed to start a program removes nothing */

static void remove_open(void)
{
	for (const struct wm_output *output = open_outputs; output && getpid() == owner; output = output->next)
		unlink(output->temporary);
}

static void register_output(struct wm_output *output)
{
	if (!owner && atexit(remove_open) != 0)
		wm_bug("out of memory");
	owner = getpid();
	output->next = open_outputs;
	open_outputs = output;
}

static void forget_output(const struct wm_output *output)
{
	struct wm_output **link = &open_outputs;
	while (*link != output)
		link = &(*link)->next;
	*link = output->next;
}

void wm_output_open(struct wm_output *output, const char *path)
{
	*output = (struct wm_output){.path = path, .temporary = wm_xprintf("%s.XXXXXX", path)};
	int file = mkstemp(output->temporary);
	output->file = file < 0 ? NULL : fdopen(file, "wb");
	if (!output->file)
		wm_fail("cannot write %s: %s", path, strerror(errno));
	wm_apply_umask(file);
	register_output(output);
}

void wm_output_fail(struct wm_output *output)
{
	wm_fail("cannot write %s: %s", output->path, strerror(errno));
}

void wm_output_close(struct wm_output *output)
{
	bool ok = fflush(output->file) == 0 && fsync(fileno(output->file)) == 0;
	ok = fclose(output->file) == 0 && ok;
	if (!ok || rename(output->temporary, output->path) != 0)
		wm_output_fail(output);
	forget_output(output);
	free(output->temporary);
	*output = (struct wm_output){0};
}
