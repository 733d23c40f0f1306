/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/scratch.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *wm_scratch_make(const char *name)
{
	const char *base = getenv("TMPDIR");
	char *full = realpath(base && *base ? base : "/tmp", NULL);
	char *directory = wm_xprintf("%s/%s.XXXXXX", full ? full : "/tmp", name);
	free(full);
	if (!mkdtemp(directory))
		wm_fail("cannot create the directory %s for profiles: %s; set TMPDIR to another directory", directory,
			strerror(errno));
	return directory;
}

static bool (*kept)(const char *path); /* nftw has no argument for it */

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
	(void)info, (void)type, (void)where;
	if (!kept || !kept(path))
		remove(path);
	return 0;
}

void wm_scratch_remove(const char *directory, bool (*keep)(const char *path))
{
	kept = keep;
	nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
