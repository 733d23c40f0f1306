/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/qemu/exec.h"
#include "hardware/qemu/guest.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STRINGS_MAX = 1 << 17, STRING_SIZE_MAX = 1 << 17, PREFIX = 6, INTERPRETERS_MAX = 4, HEAD = 256 };

/* A string of the program, on the heap; NULL: it is not there, or there is no memory. */
static char *read_string(uint64_t address)
{
	enum { PIECE = 256 }; /* divides the size of a page */
	char *text = NULL;
	for (size_t size = 0; address && size < STRING_SIZE_MAX;) {
		size_t piece = PIECE - (address + size) % PIECE;
		char *longer = realloc(text, size + piece);
		if (!longer || !wm_guest_read(address + size, longer + size, piece)) {
			free(longer ? longer : text);
			return NULL;
		}
		text = longer;
		if (memchr(text + size, 0, piece))
			return text;
		size += piece;
	}
	free(text);
	return NULL;
}

/* A list of strings of the program after `room` free places, with NULL at its end.  *count does
 * not include the free places.  What is read is never freed: the process is about to be replaced,
 * or the program's call fails. */
static char **read_strings(uint64_t address, size_t room, size_t *count)
{
	char **list = calloc(room + 1, sizeof(*list));
	uint64_t pointer;
	for (*count = 0; list && address && *count < STRINGS_MAX; ++*count) {
		if (!wm_guest_read(address + *count * sizeof(pointer), &pointer, sizeof(pointer)))
			return NULL;
		if (!pointer)
			return list;
		list = realloc(list, (room + *count + 2) * sizeof(*list));
		if (!list || !(list[room + *count] = read_string(pointer)))
			return NULL;
		list[room + *count + 1] = NULL;
	}
	return address ? NULL : list;
}

/* The first bytes of a file that may be executed, and is not by another user's rights. */
static bool read_head(const char *path, char head[HEAD + 1], bool *foreign)
{
	struct stat status;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
	ssize_t got = ok ? read(file, head, HEAD) : -1;
	if (file >= 0)
		close(file);
	if (got < 0)
		return false;
	memset(head + got, 0, HEAD + 1 - (size_t)got);
	*foreign = status.st_mode & (S_ISUID | S_ISGID);
	return true;
}

/* The emulator for a program, beside the one that runs; NULL: there is none. */
static const char *emulator_for(const char head[HEAD + 1])
{
	static char path[PATH_MAX];
	Elf64_Ehdr elf;
	memcpy(&elf, head, sizeof(elf));
	const char *name = elf.e_machine == EM_X86_64	 ? "qemu-x86_64"
			   : elf.e_machine == EM_AARCH64 ? "qemu-aarch64"
							 : NULL;
	if (memcmp(elf.e_ident, ELFMAG, SELFMAG) || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
		elf.e_ident[EI_DATA] != ELFDATA2LSB || !name)
		return NULL;
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 32);
	if (length <= 0)
		return NULL;
	path[length] = 0;
	char *file = strrchr(path, '/') + 1;
	snprintf(file, (size_t)(path + sizeof(path) - file), "%s", name);
	return access(path, X_OK) == 0 ? path : NULL;
}

/* What the kernel does for a file that starts with "#!": *words, which has room before it, begins
 * with the interpreter, its argument if there is one, and the file. */
static bool interpret(char head[HEAD + 1], char ***words, size_t *room, char *path)
{
	char *line = head + 2, *end = strchr(line, '\n');
	if (!end || *room < PREFIX + 2)
		return false;
	*end = 0;
	line += strspn(line, " \t");
	char *argument = line + strcspn(line, " \t");
	if (*argument) {
		*argument++ = 0;
		argument += strspn(argument, " \t");
		for (char *last = end; last > argument && (last[-1] == ' ' || last[-1] == '\t'); last--)
			last[-1] = 0;
	}
	bool has_argument = *argument;
	*words -= 1 + has_argument;
	*room -= 1 + has_argument;
	(*words)[0] = strdup(line);
	if (has_argument)
		(*words)[1] = strdup(argument);
	(*words)[1 + has_argument] = path;
	return *line && (*words)[0];
}

bool wm_exec_follow(const char *plugin, const uint64_t call[3])
{
	enum { ROOM = PREFIX + 2 * INTERPRETERS_MAX };
	size_t room = ROOM, count, variables;
	char head[HEAD + 1], *path = read_string(call[0]);
	bool foreign = false;
	if (!path || !read_head(path, head, &foreign)) {
		free(path);
		return false;
	}
	char **list = read_strings(call[1], ROOM, &count);
	char **environment = list && count ? read_strings(call[2], 0, &variables) : NULL;
	/* Links below /proc may lead to the emulator instead of the program. */
	if (!environment || strncmp(path, "/proc/", 6) == 0)
		return true;
	char **words = list + ROOM, *script = path;
	while (!foreign && strncmp(head, "#!", 2) == 0) {
		if (!interpret(head, &words, &room, script))
			return true;
		script = words[0];
		if (!read_head(script, head, &foreign))
			return false;
	}
	const char *emulator = foreign ? NULL : emulator_for(head);
	if (!emulator)
		return true;
	/* The emulator takes argv[0] apart from the file: emulator -plugin P -0 argv[0] file argv[1]… */
	const char *const prefix[] = {emulator, "-plugin", plugin, "-0", words[0], script};
	words[0] = (char *)(uintptr_t)prefix[PREFIX - 1];
	for (size_t i = 0; i + 1 < PREFIX; i++)
		words[(ptrdiff_t)i - (PREFIX - 1)] = (char *)(uintptr_t)prefix[i];
	execve(emulator, words - (PREFIX - 1), environment);
	return true;
}
