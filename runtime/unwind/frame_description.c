/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/unwind/frame_description.h"

#include "runtime/system/sys.h"

#include <dlfcn.h>
#include <elf.h>

/* ---- Objects -------------------------------------------------------------------------- */

extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

#ifdef DLFO_STRUCT_HAS_EH_DBASE
#define FOUND struct dl_find_object
#else
/* As glibc 2.35 declares it. */
#define FOUND struct wm_found_object
struct wm_found_object {
	unsigned long long flags;
	void *dlfo_map_start, *dlfo_map_end;
	void *link_map;
	void *dlfo_eh_frame;
	unsigned long long reserved[7];
};
int _dl_find_object(void *address, struct wm_found_object *result);
#endif
#pragma weak _dl_find_object

/* The address is that in the table of addresses, which needs no lazy binding: that is not for signal handlers. */
static bool ask_library(struct wm_unwind_object *object, uint64_t pc)
{
	int (*find)(void *, FOUND *) = &_dl_find_object;
	FOUND found;
	__asm__("" : "+r"(find));
	if (!find || find((void *)pc, &found))
		return false;
	*object = (struct wm_unwind_object){
		(uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end, (uintptr_t)found.dlfo_eh_frame};
	return object->table != 0;
}

static struct wm_unwind_object read_headers(const Elf64_Ehdr *elf)
{
	struct wm_unwind_object object = {(uintptr_t)elf, 0, 0};
	const Elf64_Phdr *header = (const void *)((const char *)elf + elf->e_phoff);
	uint64_t bias = (uintptr_t)elf;
	for (int i = 0; i < elf->e_phnum; i++)
		if (header[i].p_type == PT_LOAD && header[i].p_offset == 0)
			bias = (uintptr_t)elf - header[i].p_vaddr;
	for (int i = 0; i < elf->e_phnum; i++) {
		uint64_t end = bias + header[i].p_vaddr + header[i].p_memsz;
		if (header[i].p_type == PT_LOAD && end > object.end)
			object.end = end;
		if (header[i].p_type == PT_GNU_EH_FRAME)
			object.table = bias + header[i].p_vaddr;
	}
	return object;
}

static bool contains(const struct wm_unwind_object *object, uint64_t pc)
{
	return object->table && pc >= object->start && pc < object->end;
}

bool wm_unwind_object_at(struct wm_unwind_object *object, uint64_t pc)
{
	if (contains(object, pc) || ask_library(object, pc))
		return true;
	if (&__ehdr_start)
		*object = read_headers(&__ehdr_start);
	if (contains(object, pc))
		return true;
	object->table = 0;
	return false;
}

/* ---- Descriptions ----------------------------------------------------------------------- */

struct table_entry {
	int32_t start, description; /* relative to the table */
};

#define TABLE_VERSION 1
#define TABLE_ENCODING 0x3B /* signed words of 4 bytes, relative to the table: all linkers write this one */

/* The last entry that does not begin after `pc`, or NULL. */
static const struct table_entry *search(const struct table_entry *entry, uint64_t count, uint64_t table, uint64_t pc)
{
	uint64_t low = 0, high = count;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (table + (uint64_t)(int64_t)entry[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &entry[low - 1] : 0;
}

static const struct table_entry *find_entry(uint64_t table, uint64_t pc)
{
	const uint8_t *head = (const uint8_t *)table;
	struct wm_bytes bytes = {head + 4, 0};
	uint64_t frames, count;
	if (head[0] != TABLE_VERSION || head[3] != TABLE_ENCODING ||
		!wm_take_address(&bytes, head[1], table, &frames) || !wm_take_address(&bytes, head[2], table, &count))
		return 0;
	return search((const void *)bytes.at, count, table, pc);
}

/* An entry of .eh_frame without its length. */
static struct wm_bytes entry_at(const uint8_t *at)
{
	struct wm_bytes bytes = {at, 0};
	uint64_t length = wm_take_fixed(&bytes, 4);
	if (length == UINT32_MAX)
		length = wm_take_fixed(&bytes, 8);
	bytes.end = bytes.at + length;
	return bytes;
}

/* What a CIE says of the form of its FDEs. */
struct form {
	uint8_t address, lsda; /* encodings */
	bool has_size; /* "z" */
};

static bool read_letters(struct wm_bytes *bytes, const char *letter, struct form *form, struct wm_description *d)
{
	uint64_t personality;
	for (; *letter; letter++) {
		uint8_t encoding;
		switch (*letter) {
		case 'R':
			form->address = *bytes->at++;
			break;
		case 'L':
			form->lsda = *bytes->at++;
			break;
		case 'P':
			encoding = *bytes->at++;
			if (!wm_take_address(bytes, encoding & (uint8_t)~WM_ENCODED_INDIRECT, 0, &personality))
				return false;
			break;
		case 'S':
			d->is_signal = true;
			break;
		case 'B': /* of other machines */
		case 'G':
			break;
		default:
			return false;
		}
	}
	return true;
}

static bool read_common(struct wm_bytes bytes, struct form *form, struct wm_description *d)
{
	bytes.at += 4; /* the id */
	uint8_t version = *bytes.at++;
	const char *letters = (const char *)bytes.at;
	bytes.at += wm_length(letters) + 1;
	if (version != 1 && version != 3)
		return false;
	d->code_factor = wm_take_uleb(&bytes);
	d->data_factor = wm_take_sleb(&bytes);
	d->return_column = version == 1 ? *bytes.at++ : wm_take_uleb(&bytes);
	*form = (struct form){0, WM_ENCODED_OMIT, *letters == 'z'};
	if (form->has_size) {
		uint64_t size = wm_take_uleb(&bytes);
		const uint8_t *instructions = bytes.at + size;
		if (!read_letters(&bytes, letters + 1, form, d))
			return false;
		bytes.at = instructions;
	} else if (*letters) {
		return false;
	}
	d->initial = bytes;
	return true;
}

static bool read_description(const uint8_t *at, uint64_t table, struct wm_description *d)
{
	struct wm_bytes bytes = entry_at(at);
	const uint8_t *place = bytes.at;
	struct form form;
	uint64_t distance = wm_take_fixed(&bytes, 4);
	wm_zero(d, sizeof *d);
	if (!distance || !read_common(entry_at(place - distance), &form, d) ||
		!wm_take_address(&bytes, form.address, table, &d->start) ||
		!wm_take_address(&bytes, form.address & WM_ENCODED_VALUE, 0, &d->size))
		return false;
	if (form.has_size) {
		uint64_t size = wm_take_uleb(&bytes);
		struct wm_bytes more = bytes;
		if (form.lsda != WM_ENCODED_OMIT && !wm_take_address(&more, form.lsda, table, &d->lsda))
			return false;
		bytes.at += size;
	}
	d->rows = bytes;
	return true;
}

bool wm_describe(const struct wm_unwind_object *object, uint64_t pc, struct wm_description *description)
{
	const struct table_entry *entry = find_entry(object->table, pc);
	if (!entry)
		return false;
	const uint8_t *at = (const uint8_t *)(object->table + (uint64_t)(int64_t)entry->description);
	return read_description(at, object->table, description) && pc >= description->start &&
	       pc - description->start < description->size;
}

/* ---- Landing pads ------------------------------------------------------------------------ */

/* The table of call sites, which is sorted by address, is the same for all languages that use that of C++. */
bool wm_has_landing_pad(const struct wm_description *description, uint64_t pc)
{
	struct wm_bytes bytes = {(const uint8_t *)description->lsda, 0};
	uint64_t start, size, pad, ignored, at = pc - description->start;
	if (!description->lsda)
		return false;
	uint8_t encoding = *bytes.at++;
	if (encoding != WM_ENCODED_OMIT && !wm_take_address(&bytes, encoding, 0, &ignored))
		return true;
	if (*bytes.at++ != WM_ENCODED_OMIT)
		wm_take_uleb(&bytes);
	encoding = *bytes.at++;
	uint64_t sites = wm_take_uleb(&bytes);
	for (bytes.end = bytes.at + sites; bytes.at < bytes.end;) {
		if (!wm_take_address(&bytes, encoding, 0, &start) || !wm_take_address(&bytes, encoding, 0, &size) ||
			!wm_take_address(&bytes, encoding, 0, &pad))
			return true;
		wm_take_uleb(&bytes);
		if (at >= start && at - start < size)
			return pad != 0;
	}
	return false;
}
