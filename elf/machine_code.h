/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The machine code of an ELF file, at the addresses for which it was linked, with the functions of its symbol table and
 * the source lines of its DWARF line table.
 */
#ifndef WM_ELF_MACHINE_CODE_H
#define WM_ELF_MACHINE_CODE_H

#include "hardware/decode/decode_code.h"
#include "profile/base/function_counts.h"

struct wm_code {
	char *path;
	/* The build-id; for a file without one, a hash of its contents. */
	uint8_t build_id[WM_BUILD_ID_MAX];
	uint32_t build_id_size;
	struct wm_hw_decoder *decoder;
	bool has_lines; /* some address has a source line */
	struct wm_code_file *file;
};

enum wm_code_status {
	WM_CODE_OK,
	WM_CODE_IO, /* errno gives the reason */
	WM_CODE_NOT_ELF,
	WM_CODE_32_BIT,
	WM_CODE_FOREIGN, /* the architecture is not supported */
	WM_CODE_NO_PROGRAM, /* it has no load segment: an object file or a debug file */
};

/* `debug_dir` (or NULL) is searched for debug files before the standard directories. */
enum wm_code_status wm_code_open(struct wm_code *code, const char *path, const char *debug_dir);
void wm_code_release(struct wm_code *code);
/* A sentence about a file that could not be opened, for wm_fail; static storage. */
const char *wm_code_trouble(enum wm_code_status status);

/* The address of a byte of the file; false: it is not loaded. */
bool wm_code_address(const struct wm_code *code, uint64_t offset, uint64_t *address);
/* The bytes from `address` to the end of its load segment; NULL: there is no code. */
const uint8_t *wm_code_bytes(const struct wm_code *code, uint64_t address, size_t *size);
/* The name of the function that contains the address, and the offset of the address in it; NULL: not known. */
const char *wm_code_function(const struct wm_code *code, uint64_t address, uint64_t *behind);
/* Calls `each` for every function of the symbol table. */
void wm_code_functions(
	const struct wm_code *code, void (*each)(void *closure, const char *name, uint64_t address), void *closure);
/* The source line of an address; false: not known.  The name of the file is valid as long as `code`. */
bool wm_code_line(const struct wm_code *code, uint64_t address, const char **file, uint32_t *line);

/* Where in the source an instruction is: a line of a function, or the line on which the function that follows in a list
 * was inlined. */
struct wm_code_place {
	const char *function; /* linkage name; NULL: not known */
	const char *file; /* NULL: not known */
	uint32_t line; /* 0: not known */
	bool begins; /* of an instruction: a row of the line table begins with it, so that the line is certainly its own */
};
/* The place of an instruction in the function of the source to which it belongs, then the places at which that function and
 * those around it were inlined; the last one is in the function of the machine code.  Heap; 0: not known. */
size_t wm_code_places(const struct wm_code *code, uint64_t address, struct wm_code_place **place);
/* Whether the function with this linkage name has the type of a signal handler, as far as is known. */
bool wm_code_takes_signal(const struct wm_code *code, const char *function);
/* Moves to the nearest address before (or `forward`: after) this one where a row of the line table begins; false: none. */
bool wm_code_next_row(const struct wm_code *code, uint64_t *address, bool forward);

#endif
