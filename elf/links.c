/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "elf/links.h"
#include "core/base/search.h"
#include "profile/map/map.h"
#include "support/attempt.h"
#include "support/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A part of the file that is loaded as it is. */
struct wm_load {
	uint64_t address, offset, size;
};

static void read_segments(struct wm_links *links, Elf *elf)
{
	size_t count = 0;
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD || header.p_offset > links->size ||
			header.p_filesz > links->size - header.p_offset ||
			header.p_filesz > UINT64_MAX - header.p_vaddr)
			continue;
		WM_XGROW(links->load, links->load_count);
		links->load[links->load_count++] = (struct wm_load){header.p_vaddr, header.p_offset, header.p_filesz};
	}
}

void *wm_links_at(const struct wm_links *links, uint64_t address, size_t count)
{
	for (uint32_t i = 0; i < links->load_count; i++) {
		const struct wm_load *load = &links->load[i];
		uint64_t inside = address - load->address;
		if (address >= load->address && inside <= load->size && count <= load->size - inside)
			return links->image + load->offset + inside;
	}
	return NULL;
}

/* The words of a section that a relocatable file has, or whose address is final. */
static void read_records(struct wm_links *links, const GElf_Shdr *header, const Elf_Data *data)
{
	for (size_t at = 0; data->d_size - at >= sizeof(struct wm_link); at += sizeof(struct wm_link)) {
		struct wm_link_place place = {.address = header->sh_addr + at, .offset = header->sh_offset + at};
		memcpy(&place.record, (const char *)data->d_buf + at, sizeof place.record);
		if (!links->located)
			place.address = place.offset = 0;
		else if (!wm_links_at(links, place.address, sizeof place.record))
			continue;
		WM_XGROW(links->link, links->count);
		links->link[links->count++] = place;
	}
}

static void add_exported(struct wm_links *links, const char *name, bool replaceable)
{
	WM_XGROW(links->exported, links->exported_count);
	links->exported[links->exported_count++] = (struct wm_exported){wm_function_key(name, NULL), replaceable};
}

static void read_exported(struct wm_links *links, Elf *elf, const GElf_Shdr *header, Elf_Data *data, bool shared)
{
	GElf_Sym symbol;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		unsigned visibility = GELF_ST_VISIBILITY(symbol.st_other);
		if (name && symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
			add_exported(links, name, shared && visibility == STV_DEFAULT);
	}
}

static int by_key(const void *left, const void *right)
{
	const struct wm_exported *a = left, *b = right;
	return a->key != b->key ? (a->key < b->key ? -1 : 1) : (int)b->replaceable - a->replaceable;
}

/* Of several versions of a symbol one that is replaceable stays. */
static void sort_exported(struct wm_links *links)
{
	uint32_t kept = 0;
	if (links->exported_count)
		qsort(links->exported, links->exported_count, sizeof *links->exported, by_key);
	for (uint32_t i = 0; i < links->exported_count; i++)
		if (!kept || links->exported[kept - 1].key != links->exported[i].key)
			links->exported[kept++] = links->exported[i];
	links->exported_count = kept;
}

/* An executable has an interpreter, or says that it is one, or is at a fixed address; nothing replaces its functions. */
static bool is_shared(Elf *elf, const GElf_Ehdr *header)
{
	size_t count = 0;
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr program;
		if (gelf_getphdr(elf, (int)i, &program) && program.p_type == PT_INTERP)
			return false;
	}
	return header->e_type == ET_DYN;
}

static void read_sections(struct wm_links *links, Elf *elf, bool shared)
{
	size_t names;
	Elf_Scn *section = NULL;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		const char *name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, WM_LINKS_SECTION) && (data = elf_rawdata(section, NULL)) && data->d_buf)
			read_records(links, &header, data);
		if (name && !strcmp(name, WM_TESTED_SECTION) && links->located) {
			links->tested = header.sh_addr;
			links->tested_size = header.sh_size;
		}
		if (header.sh_type == SHT_DYNSYM && links->located && (data = elf_getdata(section, NULL)))
			read_exported(links, elf, &header, data, shared);
	}
}

static void read_elf(struct wm_links *links, Elf *elf, bool member)
{
	GElf_Ehdr header;
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
		header.e_ident[EI_DATA] != ELFDATA2LSB)
		return;
	links->located = !member && (header.e_type == ET_EXEC || header.e_type == ET_DYN);
	if (links->located)
		read_segments(links, elf);
	read_sections(links, elf, is_shared(elf, &header));
}

static void end_elf(void *elf)
{
	elf_end(elf);
}

static void read_archive(struct wm_links *links, Elf *archive)
{
	Elf_Cmd command = ELF_C_READ;
	Elf *member;
	while ((member = elf_begin(-1, command, archive))) {
		struct wm_guard guard;
		wm_guard_begin(&guard, end_elf, member);
		read_elf(links, member, true);
		command = elf_next(member);
		wm_guard_end(&guard);
	}
}

void wm_links_read(struct wm_links *links, uint8_t *image, size_t size)
{
	*links = (struct wm_links){.image = image, .size = size};
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)image, size);
	struct wm_guard guard;
	if (!elf)
		return;
	wm_guard_begin(&guard, end_elf, elf);
	if (elf_kind(elf) == ELF_K_AR)
		read_archive(links, elf);
	else
		read_elf(links, elf, false);
	wm_guard_end(&guard);
	sort_exported(links);
}

bool wm_links_open(struct wm_links *links, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *image = MAP_FAILED;
	*links = (struct wm_links){0};
	if (fd < 0)
		return false;
	errno = ENOEXEC; /* of an empty file */
	if (fstat(fd, &status) == 0 && status.st_size > 0)
		image = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	int error = errno;
	close(fd);
	errno = error;
	if (image == MAP_FAILED)
		return false;
	wm_links_read(links, image, (size_t)status.st_size);
	return true;
}

void wm_links_release(struct wm_links *links)
{
	free(links->link);
	free(links->exported);
	free(links->load);
	*links = (struct wm_links){0};
}

void wm_links_close(struct wm_links *links)
{
	if (links->image)
		munmap(links->image, links->size);
	wm_links_release(links);
}

/* What a record names by its distance. */
static void *target(const struct wm_links *links, uint32_t link, int64_t distance, size_t size)
{
	void *found = links->located ? wm_links_at(links, links->link[link].address + (uint64_t)distance, size) : NULL;
	return (uintptr_t)found % sizeof(uint64_t) == 0 ? found : NULL;
}

uint64_t *wm_links_table(const struct wm_links *links, uint32_t link, size_t words)
{
	return words > SIZE_MAX / sizeof(uint64_t)
		       ? NULL
		       : target(links, link, links->link[link].record.table, words * sizeof(uint64_t));
}

struct wm_func *wm_links_func(const struct wm_links *links, uint32_t link)
{
	return target(links, link, links->link[link].record.func, sizeof(struct wm_func));
}

struct wm_link *wm_links_record(const struct wm_links *links, uint32_t link)
{
	return target(links, link, 0, sizeof(struct wm_link));
}

const struct wm_exported *wm_links_exported(const struct wm_links *links, uint64_t key)
{
	uint32_t i;
	WM_LOWER_BOUND(i, 0, links->exported_count, links->exported[i].key < key);
	return i < links->exported_count && links->exported[i].key == key ? &links->exported[i] : NULL;
}
