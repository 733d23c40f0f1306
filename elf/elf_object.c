/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "elf/elf_object.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <ar.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file that libelf reads.  It is closed if a function fails. */
struct elf_file {
	int fd;
	Elf *elf; /* NULL: it cannot be read */
	struct wm_guard guard;
};

static void close_elf(void *what)
{
	struct elf_file *file = what;
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
}

/* `fd` may be -1. */
static void elf_file_begin(struct elf_file *file, int fd, Elf_Cmd how)
{
	elf_version(EV_CURRENT);
	file->fd = fd;
	file->elf = fd < 0 ? NULL : elf_begin(fd, how, NULL);
	wm_guard_begin(&file->guard, close_elf, file);
}

static void elf_file_end(struct elf_file *file)
{
	wm_guard_end(&file->guard);
}

void wm_build_id_text(const uint8_t *build_id, uint32_t size, char *text)
{
	for (uint32_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", build_id[i]);
	text[2 * size] = 0;
}

bool wm_is_object_file(const char *path)
{
	char magic[8] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, magic, sizeof magic);
	close(fd);
	return (got >= 4 && memcmp(magic, ELFMAG, SELFMAG) == 0) || (got == 8 && memcmp(magic, ARMAG, SARMAG) == 0);
}

static void read_build_id(struct wm_object *object, Elf *elf)
{
	const void *bits;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bits);
	if (size <= 0)
		return;
	object->build_id_size = size > WM_BUILD_ID_MAX ? WM_BUILD_ID_MAX : (uint32_t)size;
	memcpy(object->build_id, bits, object->build_id_size);
}

/* The text of the entry with this tag in the dynamic section after `skip` others; NULL: there is none. */
static const char *dynamic_text(Elf *elf, GElf_Sxword tag, size_t skip)
{
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		GElf_Dyn entry;
		Elf_Data *data;
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC ||
			!(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
			if (entry.d_tag == tag && !skip--)
				return elf_strptr(elf, header.sh_link, entry.d_un.d_val);
	}
	return NULL;
}

static void name_program(struct wm_object *object, const char *name)
{
	const char *slash = strrchr(name, '/');
	snprintf(object->program, sizeof object->program, "%s", slash ? slash + 1 : name);
}

/* The concatenated contents of all sections with that name. */
static struct wm_buffer collect_sections(Elf *elf, const char *wanted)
{
	struct wm_buffer all = {0};
	size_t names;
	Elf_Scn *section = NULL;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return all;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		const char *name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, wanted) != 0)
			continue;
		if (header.sh_flags & SHF_COMPRESSED)
			elf_compress(section, 0, 0);
		Elf_Data *data = elf_rawdata(section, NULL);
		if (header.sh_flags & SHF_COMPRESSED)
			data = elf_getdata(section, NULL);
		if (!data || !data->d_buf || !data->d_size)
			continue;
		all.data = wm_xrealloc(all.data, all.size + data->d_size, 1);
		memcpy(all.data + all.size, data->d_buf, data->d_size);
		all.size += data->d_size;
	}
	return all;
}

static enum wm_object_status decode(struct wm_object *object, const struct wm_buffer *section, struct wm_arena *arena)
{
	char error[160] = "";
	enum wm_status status = wm_map_decode(&object->map, section->data, section->size, error, arena);
	if (status == WM_OK)
		return WM_OBJECT_OK;
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	snprintf(object->trouble, sizeof object->trouble, "%s", *error ? error : wm_status_text(status));
	return WM_OBJECT_DAMAGED;
}

/* Searches for the debug file as elfutils does.  Returns an open descriptor, or -1. */
static int standard_debug_file(Elf *elf, const char *path, const char *debug_dir, char **found)
{
	/* elfutils takes a relative directory to be one beside the binary. */
	char *full = debug_dir ? realpath(debug_dir, NULL) : NULL;
	char *places = full ? wm_xprintf(":%s:.debug:/usr/lib/debug", full) : wm_xstrdup(":.debug:/usr/lib/debug");
	free(full);
	const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &places,
	};
	int fd = -1;
	Dwfl *session = dwfl_begin(&callbacks);
	Dwfl_Module *module = session ? dwfl_report_offline(session, path, path, -1) : NULL;
	if (module && dwfl_report_end(session, NULL, NULL) == 0) {
		GElf_Addr bias;
		GElf_Word crc = 0;
		void **user;
		dwfl_module_getelf(module, &bias);
		const char *link = dwelf_elf_gnu_debuglink(elf, &crc);
		const char *name = dwfl_module_info(module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
		fd = dwfl_standard_find_debuginfo(module, user, name, 0, path, link, crc, found);
	}
	if (session)
		dwfl_end(session);
	free(places);
	return fd;
}

/* Searches a flat directory of debug files, which the standard search does not support. */
static int flat_debug_file(Elf *elf, const char *path, const char *debug_dir, char **found)
{
	if (!debug_dir)
		return -1;
	GElf_Word crc;
	const char *link = dwelf_elf_gnu_debuglink(elf, &crc);
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	char *candidates[] = {
		wm_xprintf("%s/%s", debug_dir, link ? link : base),
		wm_xprintf("%s/%s.debug", debug_dir, base),
		wm_xprintf("%s/%s", debug_dir, base),
	};
	int fd = -1;
	for (size_t i = 0; i < 3; i++) {
		if (fd < 0 && (fd = open(candidates[i], O_RDONLY | O_CLOEXEC)) >= 0)
			*found = wm_xstrdup(candidates[i]);
		free(candidates[i]);
	}
	return fd;
}

/* A debug file of another build must not be used: its map would give wrong paths. */
static bool same_build(const struct wm_object *object, Elf *elf)
{
	struct wm_object other = {0};
	read_build_id(&other, elf);
	return other.build_id_size == object->build_id_size &&
	       memcmp(other.build_id, object->build_id, other.build_id_size) == 0;
}

static struct wm_buffer section_of_debug_file(struct wm_object *object, int fd, char *name)
{
	struct wm_buffer section = {0};
	struct elf_file file;
	elf_file_begin(&file, fd, ELF_C_READ);
	if (file.elf && same_build(object, file.elf))
		section = collect_sections(file.elf, WM_MAP_SECTION);
	if (section.size) {
		free(object->map_path);
		object->map_path = wm_xstrdup(name);
	}
	elf_file_end(&file);
	free(name);
	return section;
}

static struct wm_buffer find_map(struct wm_object *object, Elf *elf, const char *debug_dir)
{
	struct wm_buffer section = collect_sections(elf, WM_MAP_SECTION);
	char *name = NULL;
	int fd;
	if (section.size)
		return section;
	fd = standard_debug_file(elf, object->path, debug_dir, &name);
	section = section_of_debug_file(object, fd, name);
	if (section.size)
		return section;
	name = NULL;
	fd = flat_debug_file(elf, object->path, debug_dir, &name);
	return section_of_debug_file(object, fd, name);
}

static struct wm_buffer collect_archive(int fd, Elf *archive)
{
	struct wm_buffer all = {0};
	Elf_Cmd command = ELF_C_READ;
	Elf *member;
	while ((member = elf_begin(fd, command, archive))) {
		struct wm_buffer part = {0};
		struct elf_file open = {.fd = -1, .elf = member};
		wm_guard_begin(&open.guard, close_elf, &open);
		if (elf_kind(member) == ELF_K_ELF)
			part = collect_sections(member, WM_MAP_SECTION);
		if (part.size) {
			all.data = wm_xrealloc(all.data, all.size + part.size, 1);
			memcpy(all.data + all.size, part.data, part.size);
			all.size += part.size;
		}
		wm_buffer_release(&part);
		command = elf_next(member);
		elf_file_end(&open);
	}
	return all;
}

static enum wm_object_status open_elf(
	struct wm_object *object, int fd, Elf *elf, const char *debug_dir, struct wm_arena *arena)
{
	struct wm_buffer section;
	if (elf_kind(elf) == ELF_K_ELF) {
		const char *name = dynamic_text(elf, DT_SONAME, 0);
		read_build_id(object, elf);
		if (name)
			name_program(object, name);
		section = find_map(object, elf, debug_dir);
	} else if (elf_kind(elf) == ELF_K_AR) {
		section = collect_archive(fd, elf);
	} else {
		return WM_OBJECT_NOT_ELF;
	}
	enum wm_object_status status = section.size ? decode(object, &section, arena) : WM_OBJECT_NO_MAP;
	wm_buffer_release(&section);
	return status;
}

enum wm_object_status wm_object_open(
	struct wm_object *object, const char *path, const char *debug_dir, struct wm_arena *arena)
{
	*object = (struct wm_object){.path = wm_xstrdup(path), .map_path = wm_xstrdup(path)};
	char *real = realpath(path, NULL);
	name_program(object, real ? real : path);
	free(real);
	char first;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &first, 1, 0) < 0) { /* libelf does not say why */
		snprintf(object->trouble, sizeof object->trouble, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return WM_OBJECT_IO;
	}
	enum wm_object_status status = WM_OBJECT_NOT_ELF;
	struct elf_file file;
	elf_file_begin(&file, fd, ELF_C_READ);
	if (file.elf)
		status = open_elf(object, fd, file.elf, debug_dir, arena);
	elf_file_end(&file);
	return status;
}

enum wm_object_status wm_object_read(struct wm_object *object, uint8_t *image, size_t size, struct wm_arena *arena)
{
	*object = (struct wm_object){.path = wm_xstrdup("-"), .map_path = wm_xstrdup("-")};
	elf_version(EV_CURRENT);
	struct elf_file file = {.fd = -1, .elf = elf_memory((char *)image, size)};
	enum wm_object_status status = WM_OBJECT_NOT_ELF;
	wm_guard_begin(&file.guard, close_elf, &file);
	if (file.elf && elf_kind(file.elf) == ELF_K_ELF) {
		read_build_id(object, file.elf);
		struct wm_buffer section = collect_sections(file.elf, WM_MAP_SECTION);
		status = section.size ? decode(object, &section, arena) : WM_OBJECT_NO_MAP;
		wm_buffer_release(&section);
	}
	elf_file_end(&file);
	return status;
}

struct wm_buffer wm_object_section(const struct wm_object *object, const char *name)
{
	struct wm_buffer section = {0};
	struct elf_file file;
	int fd = open(object->map_path ? object->map_path : object->path, O_RDONLY | O_CLOEXEC);
	elf_file_begin(&file, fd, ELF_C_READ_MMAP_PRIVATE);
	if (file.elf)
		section = collect_sections(file.elf, name);
	elf_file_end(&file);
	return section;
}

void wm_object_release(struct wm_object *object)
{
	free(object->path);
	free(object->map_path);
	for (size_t i = 0; i < object->scheme_count; i++)
		free(object->scheme[i]);
	free(object->scheme);
	object->path = object->map_path = NULL;
	object->scheme = NULL;
	object->scheme_count = 0;
}

/* The reason why an object cannot be used: one clause; heap. */
static char *refusal(const struct wm_object *object, const char *path, enum wm_object_status status)
{
	switch (status) {
	case WM_OBJECT_NO_MAP:
		return wm_xprintf("%s has no path map: it was not built with `waymark cc`, or its map was stripped "
				  "(--debug-dir DIR says where debug files are)",
			path);
	case WM_OBJECT_NOT_ELF:
		return wm_xprintf("%s is neither an ELF file nor an archive", path);
	case WM_OBJECT_OK:
	case WM_OBJECT_DAMAGED:
	case WM_OBJECT_IO:
		break;
	}
	return wm_xprintf("cannot read %s: %s", path, object->trouble);
}

static bool need_map(
	struct wm_object *object, const char *path, const char *debug_dir, bool alone, struct wm_arena *arena)
{
	enum wm_object_status status = wm_object_open(object, path, debug_dir, arena);
	if (status == WM_OBJECT_DAMAGED)
		wm_warn("%s: the map is damaged (%s); the functions after the damage are missing", object->map_path,
			object->trouble);
	if (status == WM_OBJECT_OK || status == WM_OBJECT_DAMAGED)
		return true;
	char *why = refusal(object, path, status);
	if (alone)
		wm_fail("%s", why);
	wm_warn("%s; it was left out", why);
	free(why);
	wm_object_release(object);
	return false;
}

void wm_object_need(struct wm_object *object, const char *path, const char *debug_dir, struct wm_arena *arena)
{
	need_map(object, path, debug_dir, true, arena);
}

size_t wm_objects_need(
	struct wm_object *objects, char *const *paths, size_t count, const char *debug_dir, struct wm_arena *arena)
{
	size_t usable = 0;
	for (size_t i = 0; i < count; i++)
		usable += need_map(&objects[usable], paths[i], debug_dir, count == 1, arena);
	if (!usable)
		wm_fail("none of the binaries given has a path map; build them with `waymark cc`");
	return usable;
}

/* A growing set of paths, searched linearly: a program needs tens of objects. */
struct names {
	char **name;
	size_t count;
};

static void names_add(struct names *names, char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->name[i], name) == 0) {
			free(name);
			return;
		}
	}
	WM_XGROW(names->name, names->count);
	names->name[names->count++] = name;
}

/* One directory of a search path, $ORIGIN expanded, followed by "/leaf". */
static char *candidate(const char *entry, size_t length, const char *origin, const char *leaf)
{
	char *raw = wm_xprintf("%.*s", (int)length, entry);
	char *mark = strstr(raw, "$ORIGIN");
	size_t skip = 7;
	if (!mark && (mark = strstr(raw, "${ORIGIN}")))
		skip = 9;
	char *full;
	if (mark)
		full = wm_xprintf("%.*s%s%s/%s", (int)(mark - raw), raw, origin, mark + skip, leaf);
	else
		full = wm_xprintf("%s/%s", *raw ? raw : ".", leaf);
	free(raw);
	return full;
}

static char *search_list(const char *list, const char *origin, const char *leaf)
{
	while (list) {
		size_t length = strcspn(list, ":");
		char *path = candidate(list, length, origin, leaf);
		if (access(path, R_OK) == 0)
			return path;
		free(path);
		list = list[length] ? list + length + 1 : NULL;
	}
	return NULL;
}

struct dynamic {
	const char *rpath, *runpath;
};

static char *resolve(const struct dynamic *dynamic, const char *origin, const char *leaf)
{
	static const char standard[] =
		"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/usr/local/lib:/lib64:/usr/lib64:/lib:/usr/lib";
	if (strchr(leaf, '/'))
		return access(leaf, R_OK) == 0 ? wm_xstrdup(leaf) : NULL;
	const char *const lists[] = {
		dynamic->runpath ? NULL : dynamic->rpath, getenv("LD_LIBRARY_PATH"), dynamic->runpath, standard};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		char *path = lists[i] && *lists[i] ? search_list(lists[i], origin, leaf) : NULL;
		if (path)
			return path;
	}
	return NULL;
}

static void add_needed(struct names *all, const char *path)
{
	struct elf_file file;
	elf_file_begin(&file, open(path, O_RDONLY | O_CLOEXEC), ELF_C_READ);
	Elf *elf = file.elf;
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		char *full = realpath(path, NULL);
		const char *origin = full ? dirname(full) : ".", *leaf;
		struct dynamic dynamic = {dynamic_text(elf, DT_RPATH, 0), dynamic_text(elf, DT_RUNPATH, 0)};
		for (size_t i = 0; (leaf = dynamic_text(elf, DT_NEEDED, i)); i++) {
			char *found = resolve(&dynamic, origin, leaf);
			if (found)
				names_add(all, found);
		}
		free(full);
	}
	elf_file_end(&file);
}

size_t wm_object_needed(const char *path, char ***needed)
{
	struct names all = {0};
	add_needed(&all, path);
	for (size_t i = 0; i < all.count; i++)
		add_needed(&all, all.name[i]);
	*needed = all.name;
	return all.count;
}

bool wm_object_is_build(const struct wm_object *object, const struct wm_profile_object *counts)
{
	return counts->build_id_size && object->build_id_size == counts->build_id_size &&
	       memcmp(object->build_id, counts->build_id, counts->build_id_size) == 0;
}
