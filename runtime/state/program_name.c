/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The name by which other builds of the object are recognised: its DT_SONAME; for an executable, the last component
 * of its path as the kernel knows it.  A shared object without a soname has no name, and neither has a program that
 * was started by naming the dynamic loader.
 */
#include "runtime/state/program_name.h"

#include "runtime/state/state.h"
#include "runtime/system/elf.h"

#include <elf.h>
#include <sys/auxv.h>

extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

/* Some loaders relocate the addresses in the dynamic section and others do not; both kinds are accepted. */
static const char *relocated(uint64_t address, const char *start, const char *bias)
{
	return (const char *)(address < (uintptr_t)start ? (uintptr_t)bias + address : address);
}

static const char *soname(const Elf64_Dyn *entry, const char *start, const char *bias)
{
	uint64_t strings = 0, offset = 0;
	for (; entry->d_tag != DT_NULL; entry++) {
		strings = entry->d_tag == DT_STRTAB ? entry->d_un.d_ptr : strings;
		offset = entry->d_tag == DT_SONAME ? entry->d_un.d_val : offset;
	}
	return strings && offset ? relocated(strings, start, bias) + offset : NULL;
}

static void take_name(char name[WM_PROGRAM_SIZE], const char *text)
{
	for (size_t i = 0; i < WM_PROGRAM_SIZE && text[i]; i++)
		name[i] = text[i];
}

static void take_file_name(char name[WM_PROGRAM_SIZE])
{
	static char path[4097];
	const char *last = path;
	long size = sys3(SYS_readlink, (long)"/proc/self/exe", (long)path, sizeof path - 1);
	path[size > 0 ? size : 0] = 0;
	for (const char *at = path; *at; at++)
		last = *at == '/' ? at + 1 : last;
	take_name(name, last);
}

void wm_program_name(char name[WM_PROGRAM_SIZE])
{
	const Elf64_Ehdr *elf = &__ehdr_start;
	const char *start = (const char *)elf, *found = NULL;
	bool interpreted = false;
	if (!elf)
		return;
	const Elf64_Phdr *header = (const void *)(start + elf->e_phoff);
	uint64_t lowest = 0;
	for (int i = 0; i < elf->e_phnum; i++)
		if (header[i].p_type == PT_LOAD && header[i].p_offset == 0)
			lowest = header[i].p_vaddr;
	for (int i = 0; i < elf->e_phnum; i++) {
		interpreted |= header[i].p_type == PT_INTERP;
		if (header[i].p_type == PT_DYNAMIC)
			found = soname((const void *)(start - lowest + header[i].p_vaddr), start, start - lowest);
	}
	if (found)
		take_name(name, found);
	else if (wm.object.executable && (__getauxval(AT_BASE) || !interpreted))
		take_file_name(name);
}
