/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/document/function_pages.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A source file. */
struct paged_file {
	char *name;
	uint32_t page, functions; /* its last page, and how many functions that has */
};

static int by_name(const void *left, const void *right)
{
	const struct paged_file *a = left, *b = right;
	return strcmp(a->name, b->name);
}

static uint32_t new_page(struct wm_function_pages *pages)
{
	WM_XGROW(pages->begun, pages->count);
	pages->begun[pages->count] = false;
	return (uint32_t)pages->count++;
}

static struct paged_file *file_of(struct wm_function_pages *pages, const char *name)
{
	struct paged_file wanted = {.name = (char *)name}, *const *found = tfind(&wanted, &pages->files, by_name);
	if (found)
		return *found;
	struct paged_file *file = wm_xmalloc(sizeof *file);
	*file = (struct paged_file){wm_xstrdup(name), new_page(pages), 0};
	if (!tsearch(file, &pages->files, by_name))
		wm_no_memory();
	return file;
}

uint32_t wm_function_page(struct wm_function_pages *pages, const char *file, size_t number)
{
	for (; pages->function_count <= number; pages->function_count++) {
		WM_XGROW(pages->page, pages->function_count);
		pages->page[pages->function_count] = 0;
	}
	if (!pages->page[number]) {
		struct paged_file *of = file_of(pages, file);
		if (of->functions == WM_PAGE_FUNCTIONS)
			*of = (struct paged_file){of->name, new_page(pages), 0};
		of->functions++;
		pages->page[number] = of->page + 1;
	}
	return pages->page[number] - 1;
}

bool wm_function_page_begin(struct wm_function_pages *pages, uint32_t page)
{
	bool begins = !pages->begun[page];
	pages->begun[page] = true;
	return begins;
}

static void free_file(void *file)
{
	free(((struct paged_file *)file)->name);
	free(file);
}

void wm_function_pages_release(struct wm_function_pages *pages)
{
	tdestroy(pages->files, free_file);
	free(pages->page);
	free(pages->begun);
	*pages = (struct wm_function_pages){0};
}
