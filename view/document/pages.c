/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pages are written into a new directory beside the target, which then replaces the target in one step. */
#include "view/document/pages.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *wm_pages_open(struct wm_pages *pages, const char *name)
{
	pages->path = wm_xprintf("%s/%s", pages->directory, name);
	wm_output_append(&pages->page, pages->path);
	return pages->page.file;
}

void wm_pages_close(struct wm_pages *pages)
{
	if (ferror(pages->page.file))
		wm_output_fail(&pages->page);
	wm_output_close(&pages->page);
	free(pages->path);
}

static void asset(struct wm_pages *pages, const struct wm_asset *asset)
{
	fwrite(asset->data, 1, asset->size, wm_pages_open(pages, asset->name));
	wm_pages_close(pages);
}

static const char marker[] = "waymark-report";
static const char *const below[] = {"f", "s"};

static bool is_ours_or_empty(const char *directory)
{
	size_t others = 0;
	bool marked = false;
	DIR *entries = opendir(directory);
	if (!entries)
		wm_fail("cannot read %s: %s", directory, strerror(errno));
	for (struct dirent *entry; (entry = readdir(entries));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		marked |= strcmp(entry->d_name, marker) == 0;
		others++;
	}
	closedir(entries);
	return marked || !others;
}

static void remove_pages(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	if (!entries)
		return;
	for (struct dirent *entry; (entry = readdir(entries));)
		if (entry->d_type != DT_DIR)
			unlinkat(fd, entry->d_name, 0);
	closedir(entries);
	unlinkat(parent, name, AT_REMOVEDIR);
}

static void remove_report(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	for (size_t i = 0; i < sizeof below / sizeof *below; i++)
		remove_pages(fd, below[i]);
	close(fd);
	remove_pages(AT_FDCWD, directory);
}

/* A slash at the end of a name would hide that the name is a link. */
static char *without_slashes(const char *name)
{
	char *plain = wm_xstrdup(name);
	for (size_t length = strlen(plain); length > 1 && plain[length - 1] == '/'; length--)
		plain[length - 1] = 0;
	return plain;
}

static char *target_directory(const char *name)
{
	char *plain = without_slashes(name), *target = wm_output_target(plain), *real = realpath(target, NULL);
	free(plain);
	if (!real)
		return target;
	free(target);
	struct stat info;
	if (stat(real, &info) == 0 && !S_ISDIR(info.st_mode))
		wm_fail("%s is not a directory", name);
	if (!is_ours_or_empty(real))
		wm_fail("%s contains files that are not part of a Waymark report; choose an empty or new "
			"directory",
			name);
	return real;
}

static void make_directory(struct wm_pages *pages)
{
	pages->directory = wm_xprintf("%s.XXXXXX", pages->target);
	mode_t mask = umask(0);
	umask(mask);
	if (!mkdtemp(pages->directory) || chmod(pages->directory, 0777 & ~mask) != 0)
		wm_fail("cannot create a directory beside %s: %s", pages->target, strerror(errno));
	for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
		char *name = wm_xprintf("%s/%s", pages->directory, below[i]);
		if (mkdir(name, 0777) != 0)
			wm_fail("cannot create %s: %s", name, strerror(errno));
		free(name);
	}
}

static void put_in_place(struct wm_pages *pages)
{
	if (rename(pages->directory, pages->target) == 0)
		return;
	if (renameat2(AT_FDCWD, pages->directory, AT_FDCWD, pages->target, RENAME_EXCHANGE) != 0)
		wm_fail("cannot move the report to %s: %s; it is in %s", pages->target, strerror(errno),
			pages->directory);
	remove_report(pages->directory);
}

void wm_pages_begin(struct wm_pages *pages, const char *name)
{
	*pages = (struct wm_pages){.target = target_directory(name)};
	make_directory(pages);
	for (size_t i = 0; i < wm_asset_count; i++)
		asset(pages, &wm_assets[i]);
	fputs("Written by Waymark, which replaces this directory.\n", wm_pages_open(pages, marker));
	wm_pages_close(pages);
}

void wm_pages_end(struct wm_pages *pages)
{
	put_in_place(pages);
	free(pages->directory);
	free(pages->target);
}
