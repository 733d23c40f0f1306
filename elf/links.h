/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The link records of an ELF file and the tables that they point to (abi/unit_tables.h).  The file is hostile input: every
 * address and size is checked before something is read or written there.
 *
 * The image is a private copy of the file: the link step changes tables in it and writes it out.
 */
#ifndef WM_ELF_LINKS_H
#define WM_ELF_LINKS_H

#include "abi/abi.h"
#include "abi/unit_tables.h"
#include <stdbool.h>

struct wm_link_place {
	struct wm_link record;
	uint64_t address, offset; /* of the record, in memory and in the file; object files and archives: 0 */
};
/* A function that the dynamic symbol table defines. */
struct wm_exported {
	uint64_t key; /* wm_function_key() */
	bool replaceable; /* another object may define it instead */
};
struct wm_links {
	uint8_t *image;
	size_t size;
	bool located; /* an executable or a shared object: tables can be found */
	uint32_t count;
	struct wm_link_place *link; /* in the order of the file */
	uint32_t exported_count;
	struct wm_exported *exported; /* ascending key; unique */
	uint64_t tested, tested_size; /* address and bytes of the set of tested paths; 0: none */
	uint32_t load_count;
	struct wm_load *load;
};

/* Maps the file; false: errno says why not.  Finds nothing in a file that is neither ELF nor an archive. */
bool wm_links_open(struct wm_links *links, const char *path);
/* The same for an image in memory, which must be writable and must outlive `links`. */
void wm_links_read(struct wm_links *links, uint8_t *image, size_t size);
/* Unmaps only what wm_links_open mapped. */
void wm_links_release(struct wm_links *links);
void wm_links_close(struct wm_links *links);

/* `count` bytes of the image at an address; NULL: the file does not have them all. */
void *wm_links_at(const struct wm_links *links, uint64_t address, size_t count);
/* The first `words` words of the table of a record, or its struct wm_func; NULL likewise, or when not aligned. */
uint64_t *wm_links_table(const struct wm_links *links, uint32_t link, size_t words);
struct wm_func *wm_links_func(const struct wm_links *links, uint32_t link);
/* The record itself, in the image; NULL: it is not aligned. */
struct wm_link *wm_links_record(const struct wm_links *links, uint32_t link);
/* NULL: the file does not export a function with this key. */
const struct wm_exported *wm_links_exported(const struct wm_links *links, uint64_t key);

#endif
