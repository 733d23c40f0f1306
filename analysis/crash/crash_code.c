/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/crash/crash_story.h"
#include "core/base/search.h"
#include "support/buffer.h"
#include "support/xalloc.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Section order among equal addresses: qsort is not stable, so the marks are sorted through their positions. */
struct placed {
	struct wm_crash_mark mark;
	size_t position;
};

static int by_address(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	if (x->mark.address != y->mark.address)
		return x->mark.address < y->mark.address ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static int by_site(const void *a, const void *b)
{
	const struct wm_crash_mark *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

static void sort_marks(struct wm_crash_code *code)
{
	struct placed *placed = wm_xmalloc((code->mark_count + 1) * sizeof *placed);
	for (size_t i = 0; i < code->mark_count; i++)
		placed[i] = (struct placed){code->mark[i], i};
	qsort(placed, code->mark_count, sizeof *placed, by_address);
	for (size_t i = 0; i < code->mark_count; i++)
		code->mark[i] = placed[i].mark;
	free(placed);
	qsort(code->site, code->site_count, sizeof *code->site, by_site);
}

/* Code that the linker dropped has the address 0. */
static void read_marks(struct wm_crash_code *code, const struct wm_buffer *section)
{
	size_t count = section->size / sizeof(struct wm_crash_mark);
	code->mark = wm_xmalloc((count + 1) * sizeof *code->mark);
	code->site = wm_xmalloc((count + 1) * sizeof *code->site);
	for (size_t i = 0; i < count; i++) {
		struct wm_crash_mark mark;
		memcpy(&mark, section->data + i * sizeof mark, sizeof mark);
		if (mark.flags & WM_MARK_SITE)
			code->site[code->site_count++] = mark;
		else if (mark.address)
			code->mark[code->mark_count++] = mark;
	}
	sort_marks(code);
}

static void read_segments(struct wm_crash_code *code, const char *path)
{
	struct wm_buffer file;
	Elf64_Ehdr header;
	if (!wm_buffer_read(&file, path))
		return;
	if (file.size >= sizeof header) {
		memcpy(&header, file.data, sizeof header);
		code->shared = header.e_type == ET_DYN;
		for (unsigned i = 0; i < header.e_phnum; i++) {
			Elf64_Phdr segment;
			uint64_t at = header.e_phoff + i * sizeof segment;
			if (at > file.size || file.size - at < sizeof segment)
				break;
			memcpy(&segment, file.data + at, sizeof segment);
			if (segment.p_type == PT_LOAD && segment.p_offset == 0)
				code->first = segment.p_vaddr;
			if (segment.p_type == PT_INTERP)
				code->shared = false;
		}
	}
	wm_buffer_release(&file);
}

void wm_crash_code_open(struct wm_crash_code *code, const struct wm_object *object, const char *debug_dir)
{
	*code = (struct wm_crash_code){0};
	read_segments(code, object->path);
	code->open = wm_code_open(&code->code, object->path, debug_dir) == WM_CODE_OK;
	struct wm_buffer section = wm_object_section(object, WM_CRASH_SECTION);
	read_marks(code, &section);
	free(section.data);
	section = wm_object_section(object, WM_SITES_SECTION);
	code->described = section.size > 0;
	free(section.data);
}

void wm_crash_code_release(struct wm_crash_code *code)
{
	if (code->open)
		wm_code_release(&code->code);
	free(code->mark);
	free(code->site);
}

/* Whether control goes from one address to the other without a jump, over no instruction that only traps. */
static bool is_straight(const struct wm_crash_code *code, uint64_t from, uint64_t to)
{
	while (from < to) {
		size_t size;
		struct wm_hw_insn insn;
		const uint8_t *bytes = wm_code_bytes(&code->code, from, &size);
		bool traps = bytes && size > 1 && bytes[0] == 0x0F && (bytes[1] == 0x0B || bytes[1] == 0xB9);
		if (!bytes || traps || !wm_hw_decode(code->code.decoder, bytes, size, from, &insn) || insn.branch)
			return false;
		from += insn.size;
	}
	return from == to;
}

/* The index of the first mark after the address. */
static size_t mark_after(const struct wm_crash_code *code, uint64_t address)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, code->mark_count, code->mark[i].address <= address);
	return i;
}

const struct wm_crash_mark *wm_crash_code_find(const struct wm_crash_code *code, uint64_t address)
{
	size_t after = mark_after(code, address);
	/* The end of a trap is before the instruction, unless the trap follows the mark at once. */
	if (after > 1 && code->mark[after - 1].flags & WM_MARK_TRAP && code->mark[after - 1].flags & WM_MARK_END)
		after--;
	if (!after || after == code->mark_count)
		return NULL;
	const struct wm_crash_mark *begin = &code->mark[after - 1], *end = &code->mark[after];
	bool fits = !(begin->flags & WM_MARK_END) && end->flags & WM_MARK_END && begin->key == end->key &&
		    begin->block == end->block;
	if (fits && begin->flags & WM_MARK_TRAP)
		fits = code->open && is_straight(code, begin->address, address);
	return fits ? begin : NULL;
}

bool wm_crash_code_place(const struct wm_crash_mark *mark, enum wm_crash_base *base, int64_t *offset)
{
	static const char *const names[WM_CRASH_BASES] = {"(%rsp)", "(%rbp)", "(%rbx)"};
	char text[WM_MARK_PLACE + 1] = {0}, *end;
	memcpy(text, mark->place, WM_MARK_PLACE);
	long number = strtol(text, &end, 10);
	for (int i = 0; i < WM_CRASH_BASES; i++)
		if (!strcmp(end, names[i])) {
			*base = (enum wm_crash_base)i;
			*offset = number;
			return true;
		}
	return false;
}

bool wm_crash_code_has(const struct wm_crash_code *code, uint64_t address)
{
	size_t size;
	return code->open && wm_code_bytes(&code->code, address, &size);
}

struct wm_crash_lines wm_crash_mark_lines(const struct wm_crash_mark *mark)
{
	struct wm_crash_lines lines = {0, 0, 0};
	if (mark->flags & WM_MARK_LINES)
		memcpy(&lines, mark->place, sizeof lines);
	return lines;
}

struct wm_crash_lines wm_crash_code_call(const struct wm_crash_code *code, uint64_t key, uint32_t site)
{
	struct wm_crash_mark wanted = {.key = key, .block = site};
	const struct wm_crash_mark *found = bsearch(&wanted, code->site, code->site_count, sizeof *code->site, by_site);
	if (!found || found->flags & WM_MARK_LINES)
		return found ? wm_crash_mark_lines(found) : (struct wm_crash_lines){0, 0, 0};
	/* A binary of before there were lines in marks. */
	uint32_t line = found->address <= UINT32_MAX ? (uint32_t)found->address : 0;
	return (struct wm_crash_lines){line, line, line};
}
