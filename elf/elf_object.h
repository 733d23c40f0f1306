/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An ELF file (executable, shared object, relocatable object or archive) and the map that it carries.  If the file
 * was stripped, the map is searched for in its separate debug file: by build-id, then by .gnu_debuglink, as debuggers
 * do.
 */
#ifndef WM_ELF_ELF_OBJECT_H
#define WM_ELF_ELF_OBJECT_H

#include "profile/base/function_counts.h"
#include "profile/map/map.h"
#include "support/buffer.h"

struct wm_object {
	char *path;
	char *map_path; /* where the map was found: path, or a debug file */
	uint8_t build_id[WM_BUILD_ID_MAX];
	uint32_t build_id_size; /* 0: none */
	char program[WM_PROGRAM_MAX]; /* DT_SONAME, or the last component of the path, symbolic links resolved */
	struct wm_map map;
	bool settled; /* a profile has decided which scheme its functions have (analysis/join/rescheme.h) */
	size_t scheme_count;
	char **scheme; /* those that it has decided on; the map refers to them */
	char trouble[256]; /* "", or which part of the map could not be read */
};

enum wm_object_status {
	WM_OBJECT_OK,
	WM_OBJECT_DAMAGED, /* partly usable; `trouble` says what was lost */
	WM_OBJECT_NO_MAP,  /* an ELF file not built with waymark cc; build_id is set */
	WM_OBJECT_NOT_ELF,
	WM_OBJECT_IO,      /* `trouble` gives the reason */
};

/* `debug_dir` (or NULL) is searched before the standard directories.  Names are on the heap, and the map is in the
 * arena. */
enum wm_object_status wm_object_open(
	struct wm_object *object, const char *path, const char *debug_dir, struct wm_arena *arena);
/* The same for an image in memory, without debug files. */
enum wm_object_status wm_object_read(struct wm_object *object, uint8_t *image, size_t size, struct wm_arena *arena);
void wm_object_release(struct wm_object *object);

/* The same for an operand of a command.  Ends in wm_fail if there is no map, and warns if the map is damaged. */
void wm_object_need(struct wm_object *object, const char *path, const char *debug_dir, struct wm_arena *arena);
/* The same for several operands.  Operands without a map are left out with a warning.  Ends in wm_fail if none is left.
 * Returns the number of objects. */
size_t wm_objects_need(
	struct wm_object *objects, char *const *paths, size_t count, const char *debug_dir, struct wm_arena *arena);

/* The contents of a section of the file in which the map was found; empty if there is none. */
struct wm_buffer;
struct wm_buffer wm_object_section(const struct wm_object *object, const char *name);

/* Whether the file begins as an ELF file or an archive does; false also if it cannot be read. */
bool wm_is_object_file(const char *path);

/* Whether the counts of the profile are those of this build. */
bool wm_object_is_build(const struct wm_object *object, const struct wm_profile_object *counts);

/* The build-id in lower-case hexadecimal; `text` must have room for 2 * WM_BUILD_ID_MAX + 1 bytes. */
void wm_build_id_text(const uint8_t *build_id, uint32_t size, char *text);

/*
 * The shared objects that `path` needs, directly or indirectly, as the dynamic loader would find them (RPATH,
 * LD_LIBRARY_PATH, RUNPATH, the standard directories).  Those that are not found are left out.  The strings and the
 * array are on the heap.
 */
size_t wm_object_needed(const char *path, char ***needed);

#endif
