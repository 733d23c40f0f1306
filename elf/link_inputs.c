/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "elf/link_inputs.h"
#include "abi/abi.h"
#include "support/xalloc.h"
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

void wm_names_add(struct wm_names *names, const char *name)
{
	WM_XGROW(names->name, names->count);
	names->name[names->count++] = wm_xstrdup(name);
}

struct scan {
	void (*found)(void *closure, const char *name);
	void *closure;
};

static bool has_map(Elf *elf)
{
	size_t names;
	Elf_Scn *section = NULL;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (name && !strcmp(name, WM_MAP_SECTION))
			return true;
	}
	return false;
}

static void scan_symbols(const struct scan *scan, Elf *elf, const GElf_Shdr *header, Elf_Data *data)
{
	GElf_Sym symbol;
	for (int i = 1; gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (symbol.st_shndx == SHN_UNDEF && name && *name)
			scan->found(scan->closure, name);
	}
}

static void scan_object(const struct scan *scan, Elf *elf)
{
	GElf_Ehdr type;
	Elf_Scn *section = NULL;
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &type) || type.e_type != ET_REL || has_map(elf))
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB &&
			(data = elf_getdata(section, NULL)))
			scan_symbols(scan, elf, &header, data);
	}
}

static void scan_file(const struct scan *scan, int fd, Elf *elf)
{
	Elf_Cmd command = ELF_C_READ;
	Elf *member;
	if (elf_kind(elf) != ELF_K_AR) {
		scan_object(scan, elf);
		return;
	}
	while ((member = elf_begin(fd, command, elf))) {
		scan_object(scan, member);
		command = elf_next(member);
		elf_end(member);
	}
}

void wm_link_inputs_scan(const struct wm_names *inputs, void (*found)(void *closure, const char *name), void *closure)
{
	elf_version(EV_CURRENT);
	for (size_t i = 0; i < inputs->count; i++) {
		int fd = open(inputs->name[i], O_RDONLY | O_CLOEXEC);
		Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
		if (elf)
			scan_file(&(struct scan){found, closure}, fd, elf);
		elf_end(elf);
		if (fd >= 0)
			close(fd);
	}
}
