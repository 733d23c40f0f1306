/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/resource.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *wm_exe_dir(void)
{
	static char directory[PATH_MAX];
	if (directory[0])
		return directory;
	ssize_t length = readlink("/proc/self/exe", directory, sizeof directory - 1);
	if (length <= 0)
		wm_bug("cannot find the running executable: %s", strerror(errno));
	directory[length] = 0;
	*strrchr(directory, '/') = 0;
	return directory;
}

char *wm_resource(const char *name)
{
	static const char *const places[] = {"", "../lib/waymark/", "../share/waymark/"};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		char *path = wm_xprintf("%s/%s%s", wm_exe_dir(), places[i], name);
		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	wm_fail("%s is missing beside %s/waymark; install Waymark again", name, wm_exe_dir());
}
