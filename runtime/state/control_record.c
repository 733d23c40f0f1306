/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/state/control_record.h"

#include "runtime/state/state.h"
#include "runtime/system/elf.h"

#include <link.h>

#define NOTE_NAME "Waymark"
#define NOTE_TYPE 1u

__asm__(".pushsection .note.waymark,\"aR\",@note\n"
	"	.balign 4\n"
	"	.long 8, 4, 1\n"
	"	.asciz \"" NOTE_NAME "\"\n"
	"0:	.long __wm_control - 0b\n"
	"	.popsection\n");

/* An object that was loaded earlier recorded the file of descriptor 2 at the start of the program. */
static int take_error_stream(const struct wm_control *control, void *data)
{
	(void)data;
	if (control == &__wm_control || !control->error_stream->open)
		return 0;
	wm.error_stream = *control->error_stream;
	return 1;
}

struct search {
	int (*visit)(const struct wm_control *control, void *data);
	void *data;
};

/* Notes of every alignment: see instrumented_object.c. */
static int search_notes(const struct search *search, const char *note, const char *end)
{
	while (note + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *header = (const void *)note;
		const char *name = note + sizeof *header, *value = name + ((header->n_namesz + 3) & ~3u);
		if (header->n_type == NOTE_TYPE && header->n_namesz == sizeof NOTE_NAME && wm_equal(name, NOTE_NAME)) {
			const struct wm_control *control =
				(const void *)(value + *(const int32_t *)(const void *)value);
			int result = control->version == WM_ABI_VERSION ? search->visit(control, search->data) : 0;
			if (result)
				return result;
		}
		note = value + ((header->n_descsz + 3) & ~3u);
	}
	return 0;
}

static int search_object(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		const char *start = (const char *)info->dlpi_addr + header->p_vaddr;
		if (header->p_type != PT_NOTE)
			continue;
		int result = search_notes(data, start, start + header->p_memsz);
		if (result)
			return result;
	}
	return 0;
}

/* dl_iterate_phdr of the C library, even if the program defines a function with this name; NULL in a static
 * executable. */
static int (*each_object)(int (*visit)(struct dl_phdr_info *info, size_t size, void *data), void *data);

void wm_control_start(void)
{
	each_object =
		(int (*)(int (*)(struct dl_phdr_info *, size_t, void *), void *))wm_elf_library("dl_iterate_phdr");
	wm_each_control(take_error_stream, NULL);
}

int wm_each_control(int (*visit)(const struct wm_control *control, void *data), void *data)
{
	struct search search = {visit, data};
	return each_object ? each_object(search_object, &search) : visit(&__wm_control, data);
}
