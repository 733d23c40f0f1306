/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The file with the name is data of somebody else: it is read without waiting, only if it is a regular file, and never with more
 * rights than those of the user.  The name is its first line.
 */
#include "runtime/file/test_name.h"

#include "abi/tests.h"
#include "runtime/file/name.h"
#include "runtime/state/control_record.h"
#include "runtime/state/state.h"
#include "runtime/system/text.h"

static char begun[WM_TEST_NAME_MOST + 1], of_others[WM_TEST_NAME_MOST + 1];
static char of_variable[WM_TEST_NAME_MOST + 1], of_file[WM_TEST_NAME_MOST + 1];
static bool has_begun;
static char file[WM_PATH]; /* "": there is none */

static void take_name(char to[WM_TEST_NAME_MOST + 1], const char *name)
{
	struct wm_text text = {to, 0, WM_TEST_NAME_MOST + 1, false};
	to[0] = 0;
	wm_put_text(&text, name);
}

/* As it is now: a program may have given up its rights, or may be using those of another user. */
static bool has_more_rights(void)
{
	return wm.object.secure || sys3(SYS_getuid, 0, 0, 0) != sys3(SYS_geteuid, 0, 0, 0) ||
	       sys3(SYS_getgid, 0, 0, 0) != sys3(SYS_getegid, 0, 0, 0);
}

static long read_start(int fd, char *to, size_t room)
{
	struct stat status;
	if (sys3(SYS_fstat, fd, (long)&status, 0) || !S_ISREG(status.st_mode))
		return 0;
	return sys6(SYS_pread64, fd, (long)to, (long)room, 0, 0, 0);
}

static void read_file(void)
{
	of_file[0] = 0;
	if (!file[0] || has_more_rights())
		return;
	int fd = sys_open(file, O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0)
		return;
	long size = read_start(fd, of_file, WM_TEST_NAME_MOST);
	sys_close(fd);
	long end = 0;
	while (end < size && of_file[end] && of_file[end] != '\n')
		end++;
	while (end && (of_file[end - 1] == ' ' || of_file[end - 1] == '\r'))
		end--;
	of_file[end] = 0;
}

/* The program may change its directory later. */
static void take_file(const char *path)
{
	struct wm_text text = {file, 0, WM_PATH, false};
	if (path[0] != '/') {
		long size = sys3(SYS_getcwd, (long)file, WM_PATH, 0);
		text.full = size <= 0 || file[0] != '/';
		text.size = size > 0 ? (size_t)size - 1 : 0;
		wm_put(&text, '/');
	}
	wm_put_text(&text, path);
	if (text.full)
		file[0] = 0;
}

static int take_open(const struct wm_test_control *control, void *data)
{
	(void)data;
	const char *name = control == &__wm_test_control ? NULL : control->open();
	if (name)
		take_name(of_others, name);
	return name != NULL;
}

void wm_test_name_start(void)
{
	const char *name = wm_environment(WM_TEST_NAME_VARIABLE), *path = wm_environment(WM_TEST_FILE_VARIABLE);
	if (name && !wm.object.secure)
		take_name(of_variable, name);
	if (path && *path && !wm.object.secure)
		take_file(path);
	read_file();
	wm_each_test_control(take_open, NULL);
}

void wm_test_name_inherit(void)
{
	if (!has_begun && of_others[0])
		wm_test_name_set(of_others);
}

void wm_test_name_fork(void)
{
	read_file();
}

void wm_test_name_set(const char *name)
{
	has_begun = name;
	take_name(begun, name ? name : "");
}

const char *wm_test_name_open(void)
{
	return has_begun ? begun : NULL;
}

const char *wm_test_name(void)
{
	return has_begun ? begun : of_file[0] ? of_file : of_variable;
}
