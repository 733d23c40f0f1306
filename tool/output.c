/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/output.h"
#include "tool/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void wm_output_open(struct wm_output *output, const char *path)
{
	*output = (struct wm_output){.path = path, .temporary = wm_xprintf("%s.XXXXXX", path)};
	int file = mkstemp(output->temporary);
	output->file = file < 0 ? NULL : fdopen(file, "wb");
	if (!output->file)
		wm_fail("cannot write %s: %s", path, strerror(errno));
	wm_apply_umask(file);
}

void wm_output_fail(struct wm_output *output)
{
	int error = errno;
	unlink(output->temporary);
	wm_fail("cannot write %s: %s", output->path, strerror(error));
}

void wm_output_close(struct wm_output *output)
{
	bool ok = fflush(output->file) == 0 && fsync(fileno(output->file)) == 0;
	ok = fclose(output->file) == 0 && ok;
	if (!ok || rename(output->temporary, output->path) != 0)
		wm_output_fail(output);
	free(output->temporary);
	*output = (struct wm_output){0};
}
