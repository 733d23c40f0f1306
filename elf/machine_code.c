/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define XXH_INLINE_ALL
#include "elf/machine_code.h"
#include "core/base/search.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* The addresses of a compilation unit.  elfutils finds units only by .debug_aranges, which clang does not write. */
struct unit {
	Dwarf_Addr low, high; /* as DWARF has them */
	Dwarf_Die die;
};

struct wm_code_file {
	struct wm_buffer bytes;
	Elf *elf;
	GElf_Phdr *load; /* the load segments */
	size_t load_count;
	Dwfl_Callbacks callbacks;
	Dwfl *session;
	Dwfl_Module *module;
	GElf_Addr bias; /* from addresses of the file to those of the session */
	Dwarf_Addr dwarf_bias; /* the same of its DWARF */
	struct unit *unit; /* ascending */
	size_t unit_count, unit_capacity;
	char *places;
};

const char *wm_code_trouble(enum wm_code_status status)
{
	switch (status) {
	case WM_CODE_OK:
		return "it is fine";
	case WM_CODE_IO:
		return strerror(errno);
	case WM_CODE_NOT_ELF:
		return "it is no ELF program; of a script, profile its interpreter";
	case WM_CODE_32_BIT:
		return "it is a 32-bit program; only 64-bit ones can be profiled";
	case WM_CODE_FOREIGN:
		return "it is of an architecture that is not supported (x86-64 and AArch64 are)";
	case WM_CODE_NO_PROGRAM:
		return "it has no code to execute";
	}
	return "";
}

static bool load_segments(struct wm_code_file *file)
{
	size_t count;
	if (elf_getphdrnum(file->elf, &count) != 0)
		return false;
	file->load = wm_xrealloc(NULL, count + 1, sizeof *file->load);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(file->elf, (int)i, &header) || header.p_type != PT_LOAD ||
			header.p_offset > file->bytes.size || header.p_filesz > file->bytes.size - header.p_offset)
			continue;
		file->load[file->load_count++] = header;
	}
	return file->load_count > 0;
}

static void identify(struct wm_code *code)
{
	const void *id;
	ssize_t size = dwelf_elf_gnu_build_id(code->file->elf, &id);
	if (size > 0) {
		code->build_id_size = size < WM_BUILD_ID_MAX ? (uint32_t)size : WM_BUILD_ID_MAX;
		memcpy(code->build_id, id, code->build_id_size);
		return;
	}
	XXH128_canonical_t hash;
	XXH128_canonicalFromHash(&hash, XXH3_128bits(code->file->bytes.data, code->file->bytes.size));
	code->build_id_size = sizeof hash;
	memcpy(code->build_id, &hash, sizeof hash);
}

static void add_unit(struct wm_code_file *file, Dwarf_Die *die, Dwarf_Addr low, Dwarf_Addr high)
{
	if (file->unit_count == file->unit_capacity) {
		file->unit_capacity = file->unit_capacity ? 2 * file->unit_capacity : 64;
		file->unit = wm_xrealloc(file->unit, file->unit_capacity, sizeof *file->unit);
	}
	file->unit[file->unit_count++] = (struct unit){low, high, *die};
}

static int compare_units(const void *left, const void *right)
{
	const struct unit *a = left, *b = right;
	return a->low < b->low ? -1 : a->low > b->low;
}

static void index_units(struct wm_code_file *file)
{
	Dwarf_Die *die = NULL;
	Dwarf_Addr bias;
	while ((die = dwfl_module_nextcu(file->module, die, &bias))) {
		Dwarf_Addr base, low, high;
		ptrdiff_t at = 0;
		while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
			add_unit(file, die, low, high);
	}
	if (file->unit_count)
		qsort(file->unit, file->unit_count, sizeof *file->unit, compare_units);
}

static struct unit *find_unit(const struct wm_code_file *file, Dwarf_Addr address)
{
	size_t after;
	WM_LOWER_BOUND(after, 0, file->unit_count, file->unit[after].low <= address);
	return after && address < file->unit[after - 1].high ? &file->unit[after - 1] : NULL;
}

static void open_debug(struct wm_code *code, const char *debug_dir)
{
	struct wm_code_file *file = code->file;
	/* elfutils takes a relative directory to be one beside the binary. */
	char *full = debug_dir ? realpath(debug_dir, NULL) : NULL;
	file->places = full ? wm_xprintf(":%s:.debug:/usr/lib/debug", full) : wm_xstrdup(":.debug:/usr/lib/debug");
	free(full);
	file->callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &file->places,
	};
	file->session = dwfl_begin(&file->callbacks);
	if (!file->session)
		return;
	file->module = dwfl_report_offline(file->session, code->path, code->path, -1);
	dwfl_report_end(file->session, NULL, NULL);
	if (file->module && !dwfl_module_getelf(file->module, &file->bias))
		file->module = NULL;
	if (file->module && dwfl_module_getdwarf(file->module, &file->dwarf_bias))
		index_units(file);
	code->has_lines = file->unit_count > 0;
}

static enum wm_code_status open_elf(struct wm_code *code, enum wm_hw_arch *arch)
{
	struct wm_code_file *file = code->file;
	GElf_Ehdr header;
	elf_version(EV_CURRENT);
	file->elf = elf_memory((char *)file->bytes.data, file->bytes.size);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &header))
		return WM_CODE_NOT_ELF;
	if (header.e_ident[EI_CLASS] != ELFCLASS64)
		return WM_CODE_32_BIT;
	*arch = header.e_machine == EM_X86_64 ? WM_HW_X86_64 : WM_HW_AARCH64;
	if (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64)
		return WM_CODE_FOREIGN;
	return load_segments(file) ? WM_CODE_OK : WM_CODE_NO_PROGRAM;
}

enum wm_code_status wm_code_open(struct wm_code *code, const char *path, const char *debug_dir)
{
	enum wm_hw_arch arch;
	*code = (struct wm_code){.file = wm_xmalloc(sizeof *code->file)};
	*code->file = (struct wm_code_file){0};
	if (!wm_buffer_read(&code->file->bytes, path)) {
		int error = errno;
		wm_code_release(code);
		errno = error;
		return WM_CODE_IO;
	}
	enum wm_code_status status = open_elf(code, &arch);
	if (status) {
		wm_code_release(code);
		return status;
	}
	code->path = wm_xstrdup(path);
	code->decoder = wm_hw_decoder_new(arch);
	if (!code->decoder)
		wm_no_memory();
	identify(code);
	open_debug(code, debug_dir);
	return WM_CODE_OK;
}

void wm_code_release(struct wm_code *code)
{
	struct wm_code_file *file = code->file;
	if (!file)
		return;
	if (file->session)
		dwfl_end(file->session);
	if (file->elf)
		elf_end(file->elf);
	wm_buffer_release(&file->bytes);
	wm_hw_decoder_free(code->decoder);
	free(file->load);
	free(file->unit);
	free(file->places);
	free(file);
	free(code->path);
	*code = (struct wm_code){0};
}

bool wm_code_address(const struct wm_code *code, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < code->file->load_count; i++) {
		const GElf_Phdr *load = &code->file->load[i];
		if (!(load->p_flags & PF_X) || offset - load->p_offset >= load->p_filesz)
			continue;
		*address = offset - load->p_offset + load->p_vaddr;
		return true;
	}
	return false;
}

const uint8_t *wm_code_bytes(const struct wm_code *code, uint64_t address, size_t *size)
{
	for (size_t i = 0; i < code->file->load_count; i++) {
		const GElf_Phdr *load = &code->file->load[i];
		uint64_t at = address - load->p_vaddr;
		if (!(load->p_flags & PF_X) || at >= load->p_filesz)
			continue;
		*size = load->p_filesz - at;
		return code->file->bytes.data + load->p_offset + at;
	}
	return NULL;
}

const char *wm_code_function(const struct wm_code *code, uint64_t address, uint64_t *behind)
{
	GElf_Sym symbol;
	GElf_Off offset;
	if (!code->file->module)
		return NULL;
	const char *name = dwfl_module_addrinfo(
		code->file->module, address + code->file->bias, &offset, &symbol, NULL, NULL, NULL);
	*behind = offset;
	return name;
}

void wm_code_functions(
	const struct wm_code *code, void (*each)(void *closure, const char *name, uint64_t address), void *closure)
{
	int count = code->file->module ? dwfl_module_getsymtab(code->file->module) : 0;
	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(code->file->module, i, &symbol, &address, NULL, NULL, NULL);
		if (name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
			each(closure, name, address - code->file->bias);
	}
}

static Dwarf_Addr dwarf_address(const struct wm_code *code, uint64_t address)
{
	return address + code->file->bias - code->file->dwarf_bias;
}

bool wm_code_line(const struct wm_code *code, uint64_t address, const char **file, uint32_t *line)
{
	Dwarf_Addr at = dwarf_address(code, address);
	struct unit *unit = find_unit(code->file, at);
	Dwarf_Line *found = unit ? dwarf_getsrc_die(&unit->die, at) : NULL;
	const char *name = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
	int number = 0;
	if (!name || dwarf_lineno(found, &number) != 0 || number <= 0)
		return false;
	*file = name;
	*line = (uint32_t)number;
	return true;
}

/* ---- Places ------------------------------------------------------------------------------ */

static bool is_function(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_inlined_subroutine || dwarf_tag(die) == DW_TAG_subprogram;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	return name ? name : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}

/* Where an inlined function was called. */
static void take_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct wm_code_place *place)
{
	Dwarf_Attribute attribute;
	Dwarf_Word line, file;
	Dwarf_Files *files;
	size_t count;
	if (!dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line))
		place->line = (uint32_t)line;
	if (!dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) &&
		!dwarf_getsrcfiles(unit, &files, &count))
		place->file = dwarf_filesrc(files, file, NULL, NULL);
}

/* The functions around `inner` are its parents.  The places of dwarf_getscopes are not: around an inlined function, it
 * has the scopes of the function's definition. */
static size_t take_places(Dwarf_Die *unit, Dwarf_Die *inner, struct wm_code_place **place)
{
	Dwarf_Die *scope;
	int depth = dwarf_getscopes_die(inner, &scope);
	size_t count = 0;
	for (int i = 0; i < depth; i++) {
		if (!is_function(&scope[i]))
			continue;
		WM_XGROW(*place, count + 1);
		(*place)[count++].function = linkage_name(&scope[i]);
		(*place)[count] = (struct wm_code_place){0};
		if (dwarf_tag(&scope[i]) == DW_TAG_subprogram)
			break;
		take_call(unit, &scope[i], &(*place)[count]);
	}
	if (depth > 0)
		free(scope);
	return count;
}

/* At the entry of a function, there is a row for the function itself. */
static bool row_begins(Dwarf_Die *unit, Dwarf_Die *function, Dwarf_Addr at)
{
	Dwarf_Line *row = dwarf_getsrc_die(unit, at);
	Dwarf_Addr first, entry;
	return row && !dwarf_lineaddr(row, &first) && first == at &&
	       (dwarf_tag(function) != DW_TAG_subprogram || dwarf_lowpc(function, &entry) || entry != at);
}

size_t wm_code_places(const struct wm_code *code, uint64_t address, struct wm_code_place **place)
{
	Dwarf_Addr at = dwarf_address(code, address);
	struct unit *unit = find_unit(code->file, at);
	Dwarf_Die *scope = NULL;
	int depth = unit ? dwarf_getscopes(&unit->die, at, &scope) : 0, inner = 0;
	size_t count = 0;
	*place = NULL;
	while (inner < depth && !is_function(&scope[inner]))
		inner++;
	if (inner < depth) {
		WM_XGROW(*place, 0);
		(*place)[0] = (struct wm_code_place){0};
		wm_code_line(code, address, &(*place)[0].file, &(*place)[0].line);
		(*place)[0].begins = row_begins(&unit->die, &scope[inner], at);
		count = take_places(&unit->die, &scope[inner], place);
	}
	if (depth > 0)
		free(scope);
	return count;
}

/* ---- Types ------------------------------------------------------------------------------- */

struct handler_search {
	const char *function;
	bool found;
};

/* The number of parameters; `first`: the size of the first one, in bytes. */
static int count_parameters(Dwarf_Die *function, Dwarf_Word *first)
{
	int count = 0;
	Dwarf_Die child, type;
	Dwarf_Attribute attribute;
	for (int more = dwarf_child(function, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		if (!count++ && (!dwarf_formref_die(dwarf_attr_integrate(&child, DW_AT_type, &attribute), &type) ||
					dwarf_aggregate_size(&type, first)))
			*first = 0;
	}
	return count;
}

/* void (int), or void (int, siginfo_t *, void *) */
static int examine_function(Dwarf_Die *die, void *data)
{
	struct handler_search *search = data;
	Dwarf_Attribute attribute;
	const char *name = linkage_name(die);
	Dwarf_Word first = 0;
	if (!name || strcmp(name, search->function) != 0)
		return DWARF_CB_OK;
	int count = count_parameters(die, &first);
	search->found |= (count == 1 || count == 3) && first == sizeof(int) &&
			 !dwarf_attr_integrate(die, DW_AT_type, &attribute);
	return DWARF_CB_OK;
}

bool wm_code_takes_signal(const struct wm_code *code, const char *function)
{
	struct handler_search search = {function, false};
	for (size_t i = 0; i < code->file->unit_count && !search.found; i++)
		dwarf_getfuncs(&code->file->unit[i].die, examine_function, &search, 0);
	return search.found;
}

/* ---- Rows -------------------------------------------------------------------------------- */

static Dwarf_Addr address_of_row(Dwarf_Lines *lines, size_t i)
{
	Dwarf_Addr address = 0;
	dwarf_lineaddr(dwarf_onesrcline(lines, i), &address);
	return address;
}

bool wm_code_next_row(const struct wm_code *code, uint64_t *address, bool forward)
{
	Dwarf_Addr at = dwarf_address(code, *address), found = 0;
	struct unit *unit = find_unit(code->file, at);
	Dwarf_Lines *lines;
	size_t count;
	bool any = false;
	if (!unit || dwarf_getsrclines(&unit->die, &lines, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Addr row = address_of_row(lines, i);
		if (forward ? row > at && (!any || row < found) : row < at && (!any || row > found))
			found = row, any = true;
	}
	*address += found - at;
	return any;
}
