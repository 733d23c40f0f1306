/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/system/elf.h"

#include "runtime/system/sys.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

/* The entries of a dynamic section that a lookup needs. */
struct dynamic {
	uintptr_t bias;
	const char *names;
	const Elf64_Sym *symbol;
	const uint32_t *hash; /* DT_GNU_HASH */
	const Elf64_Half *version; /* NULL: no versions */
};

/* The dynamic loader adds the load address to the pointers of a dynamic section; those of the vDSO stay unrelocated. */
static const void *pointer(const Elf64_Dyn *entry, uintptr_t bias)
{
	uintptr_t value = entry->d_un.d_ptr;
	return (const void *)(value < bias ? value + bias : value);
}

static struct dynamic read_dynamic(const Elf64_Dyn *entry, uintptr_t bias)
{
	struct dynamic d = {.bias = bias};
	for (; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_STRTAB)
			d.names = pointer(entry, bias);
		else if (entry->d_tag == DT_SYMTAB)
			d.symbol = pointer(entry, bias);
		else if (entry->d_tag == DT_GNU_HASH)
			d.hash = pointer(entry, bias);
		else if (entry->d_tag == DT_VERSYM)
			d.version = pointer(entry, bias);
	}
	return d;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;
	while (*name)
		hash = hash * 33 + (uint8_t)*name++;
	return hash;
}

static bool is_wanted(const struct dynamic *d, uint32_t index, const char *name)
{
	const Elf64_Sym *symbol = &d->symbol[index];
	bool hidden = d->version && d->version[index] & 0x8000;
	return symbol->st_shndx != SHN_UNDEF && !hidden && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
	       wm_equal(d->names + symbol->st_name, name);
}

/* DT_GNU_HASH contains the number of buckets, the number of symbols that are not in the table, the size of a Bloom
 * filter in words of 64 bits, the shift of the filter, the filter, the buckets, and one hash per symbol, whose lowest
 * bit marks the last symbol of a bucket. */
static void *find_symbol(const struct dynamic *d, const char *name)
{
	if (!d->hash || !d->symbol || !d->names || !d->hash[0])
		return NULL;
	const uint32_t *bucket = d->hash + 4 + 2 * d->hash[2], *chain = bucket + d->hash[0];
	uint32_t hash = hash_of(name), first = d->hash[1], index = bucket[hash % d->hash[0]];
	if (index < first)
		return NULL;
	for (;; index++) {
		if ((chain[index - first] | 1) == (hash | 1) && is_wanted(d, index, name))
			return (void *)(d->bias + d->symbol[index].st_value);
		if (chain[index - first] & 1)
			return NULL;
	}
}

/* The entry of the dynamic section of the executable in which the dynamic loader notes its list of objects.  A static executable
 * has no such list. */
static const struct r_debug *noted_list(void)
{
	const Elf64_Phdr *header = (const void *)__getauxval(AT_PHDR), *itself = NULL, *dynamic = NULL;
	for (size_t i = 0; header && i < __getauxval(AT_PHNUM); i++) {
		if (header[i].p_type == PT_PHDR)
			itself = &header[i];
		if (header[i].p_type == PT_DYNAMIC)
			dynamic = &header[i];
	}
	if (!itself || !dynamic)
		return NULL;
	const Elf64_Dyn *entry = (const void *)((uintptr_t)header - itself->p_vaddr + dynamic->p_vaddr);
	for (; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_DEBUG)
			return (const struct r_debug *)entry->d_un.d_ptr;
	return NULL;
}

/* The list where the linker makes no such entry (-z rodynamic); NULL in executables of linkers that look for weak symbols only in
 * libraries that are needed otherwise (mold). */
extern struct r_debug _r_debug __attribute__((weak));

void *wm_elf_library(const char *name)
{
	void *found = NULL;
	const struct r_debug *list = noted_list();
	const struct link_map *program = list ? list->r_map : &_r_debug ? _r_debug.r_map : NULL;
	for (const struct link_map *map = program ? program->l_next : NULL; map && !found; map = map->l_next) {
		struct dynamic d = read_dynamic(map->l_ld, map->l_addr);
		found = find_symbol(&d, name);
	}
	return found;
}

void *wm_elf_vdso(const char *name)
{
	const Elf64_Ehdr *elf = (void *)__getauxval(AT_SYSINFO_EHDR);
	const Elf64_Phdr *header = elf ? (const void *)((const char *)elf + elf->e_phoff) : NULL;
	uintptr_t bias = 0, dynamic = 0;
	for (size_t i = 0; elf && i < elf->e_phnum; i++) {
		if (header[i].p_type == PT_LOAD)
			bias = (uintptr_t)elf - header[i].p_vaddr + header[i].p_offset;
		if (header[i].p_type == PT_DYNAMIC)
			dynamic = header[i].p_vaddr;
	}
	if (!dynamic)
		return NULL;
	struct dynamic d = read_dynamic((const void *)(bias + dynamic), bias);
	return find_symbol(&d, name);
}
