/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads /proc when a raw profile gets its name: in a new process and in a forked child.  The ancestors are alive then, unless the
 * program has become a daemon; later they may not be.
 */
#include "runtime/file/family_file.h"

#include "abi/family.h"
#include "runtime/file/file_write.h"
#include "runtime/file/name.h"
#include "runtime/system/text.h"

struct process {
	uint64_t pid, parent, start;
};

static char content[WM_FAMILY_SIZE];
/* The process whose descendants describe themselves; 0: nobody asked. */
static uint64_t root;

static void name_proc(char name[64], uint64_t pid, const char *leaf)
{
	struct wm_text text = {name, 0, 64, false};
	wm_put_text(&text, "/proc/");
	wm_put_number(&text, pid);
	wm_put_text(&text, leaf);
}

/* Returns the number of bytes; 0: none. */
static size_t read_proc(uint64_t pid, const char *leaf, char *to, size_t room)
{
	char name[64];
	size_t size = 0;
	name_proc(name, pid, leaf);
	int fd = sys_open(name, O_RDONLY, 0);
	for (long got = 1; fd >= 0 && got > 0 && size < room; size += got > 0 ? (size_t)got : 0)
		got = sys3(SYS_read, fd, (long)(to + size), (long)(room - size));
	if (fd >= 0)
		sys_close(fd);
	return size;
}

static uint64_t number_at(const char *text)
{
	uint64_t number = 0;
	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return number;
}

/* The name of the program, in parentheses, may contain anything; the fields after it are numbers and a letter. */
static bool read_stat(struct process *process)
{
	static char stat[1024];
	size_t size = read_proc(process->pid, "/stat", stat, sizeof stat - 1), at = size;
	stat[size] = 0;
	while (at && stat[at] != ')')
		at--;
	if (!at)
		return false;
	for (int field = 2; stat[at]; at++) {
		if (stat[at] != ' ')
			continue;
		field++;
		if (field == 4)
			process->parent = number_at(stat + at + 1);
		if (field == 22)
			process->start = number_at(stat + at + 1);
	}
	return process->start != 0;
}

static void put_bytes(struct wm_text *text, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		wm_put(text, bytes[i]);
}

static void put_process(struct wm_text *text, const struct process *process)
{
	static char command[WM_FAMILY_COMMAND], directory[WM_PATH];
	char name[64];
	size_t size = read_proc(process->pid, "/cmdline", command, sizeof command);
	name_proc(name, process->pid, "/cwd");
	long length = sys3(SYS_readlink, (long)name, (long)directory, sizeof directory);
	length = length > 0 ? length : 0;
	const uint64_t number[] = {process->pid, process->start, size, (uint64_t)length};
	for (int i = 0; i < 4; i++) {
		wm_put_number(text, number[i]);
		wm_put(text, i < 3 ? ' ' : '\n');
	}
	put_bytes(text, command, size);
	put_bytes(text, directory, (size_t)length);
	wm_put(text, '\n');
}

static void write_content(const char *path, const struct wm_text *text)
{
	static char name[WM_PATH];
	struct wm_text whole = {name, 0, WM_PATH, false};
	wm_put_text(&whole, path);
	wm_put_text(&whole, WM_FAMILY_SUFFIX);
	int fd = whole.full ? -1 : sys_open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
	if (fd < 0)
		return;
	if (wm_file_allocate(fd, 0, text->size) == 0)
		sys3(SYS_write, fd, (long)text->text, (long)text->size);
	sys_close(fd);
}

/* The process and its ancestors up to `root`, which is not one of them; only the process itself if `root` is not an ancestor,
 * because the command lines of other processes are none of our business.  Returns how many. */
static int find_family(struct process family[WM_FAMILY_MOST])
{
	uint64_t pid = (uint64_t)sys_getpid();
	int count = 0;
	while (count < WM_FAMILY_MOST && pid && pid != root) {
		family[count] = (struct process){.pid = pid};
		if (!read_stat(&family[count]))
			break;
		pid = family[count++].parent;
	}
	return pid == root ? count : count > 0;
}

void wm_family_init(void)
{
	const char *text = wm_environment(WM_FAMILY_VARIABLE);
	root = text ? number_at(text) : 0;
}

bool wm_family_wanted(void)
{
	return root != 0;
}

void wm_family_write(const char *path)
{
	static struct process family[WM_FAMILY_MOST];
	struct wm_text text = {content, 0, sizeof content, false};
	int count = root ? find_family(family) : 0;
	for (int i = 0; i < count; i++) {
		size_t before = text.size;
		put_process(&text, &family[i]);
		if (text.full) {
			text.size = before;
			break;
		}
	}
	if (count)
		write_content(path, &text);
}
