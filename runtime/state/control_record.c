/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/state/control_record.h"

#include "runtime/state/state.h"
#include "runtime/system/elf.h"

#include <link.h>
#include <sys/auxv.h>

#define NOTE_NAME "Waymark"
#define CONTROL_NOTE 1
#define TEST_CONTROL_NOTE 2
#define LEAVE_CONTROL_NOTE 3

#define TEXT_OF(word) #word
#define WRITE_NOTE(type, record) \
	__asm__(".pushsection .note.waymark,\"aR\",@note\n" \
		"	.balign 4\n" \
		"	.long 8, 4, " TEXT_OF(type) "\n" \
						    "	.asciz \"" NOTE_NAME "\"\n" \
						    "0:	.long " #record " - 0b\n" \
						    "	.popsection\n")
WRITE_NOTE(CONTROL_NOTE, __wm_control);
WRITE_NOTE(TEST_CONTROL_NOTE, __wm_test_control);
WRITE_NOTE(LEAVE_CONTROL_NOTE, __wm_leave_control);

/* An object that was loaded earlier recorded the file of descriptor 2 at the start of the program. */
static int take_error_stream(const struct wm_control *control, void *data)
{
	(void)data;
	if (control == &__wm_control || !control->error_stream->open)
		return 0;
	wm.error_stream = *control->error_stream;
	return 1;
}

/* The records of all kinds begin with the version. */
struct search {
	unsigned type;
	int (*visit_control)(const struct wm_control *control, void *data);
	int (*visit_test_control)(const struct wm_test_control *control, void *data);
	void *data;
	const struct wm_leave_control *found;
};

static int visit_record(struct search *search, const char *record)
{
	if (*(const uint64_t *)(const void *)record != WM_ABI_VERSION)
		return 0;
	if (search->type == LEAVE_CONTROL_NOTE) {
		search->found = (const void *)record;
		return 1;
	}
	return search->type == CONTROL_NOTE ? search->visit_control((const void *)record, search->data)
					    : search->visit_test_control((const void *)record, search->data);
}

/* Notes of every alignment: see instrumented_object.c. */
static int search_notes(struct search *search, const char *note, const char *end)
{
	while (note + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *header = (const void *)note;
		const char *name = note + sizeof *header, *value = name + ((header->n_namesz + 3) & ~3u);
		if (header->n_type == search->type && header->n_namesz == sizeof NOTE_NAME &&
			wm_equal(name, NOTE_NAME)) {
			int result = visit_record(search, value + *(const int32_t *)(const void *)value);
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
	struct search search = {CONTROL_NOTE, visit, NULL, data, NULL};
	return each_object ? each_object(search_object, &search) : visit(&__wm_control, data);
}

int wm_each_test_control(int (*visit)(const struct wm_test_control *control, void *data), void *data)
{
	struct search search = {TEST_CONTROL_NOTE, NULL, visit, data, NULL};
	return each_object ? each_object(search_object, &search) : visit(&__wm_test_control, data);
}

static int search_program(struct dl_phdr_info *info, size_t size, void *data)
{
	bool is_program = (uintptr_t)info->dlpi_phdr == __getauxval(AT_PHDR);
	return is_program ? search_object(info, size, data) : 0;
}

const struct wm_leave_control *wm_leave_control_of_program(void)
{
	struct search search = {LEAVE_CONTROL_NOTE, NULL, NULL, NULL, NULL};
	if (!each_object)
		return &__wm_leave_control;
	each_object(search_program, &search);
	return search.found;
}
