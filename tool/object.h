/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An ELF file (executable, shared object, relocatable object or archive) and the map that it carries.  If the file
 * was stripped, the map is searched for in its separate debug file: by build-id, then by .gnu_debuglink, as debuggers
 * do.
 */
#ifndef WM_TOOL_OBJECT_H
#define WM_TOOL_OBJECT_H

#include "profile/map.h"
#include "profile/profile.h"

struct wm_object {
	char *path;
	char *map_path; /* where the map was found: path, or a debug file */
	uint8_t build_id[WM_BUILD_ID_MAX];
	uint32_t build_id_size; /* 0: none */
	char program[WM_PROGRAM_MAX]; /* DT_SONAME, else the last part of the path without symbolic links */
	struct wm_map map;
	char trouble[256]; /* "" or what part of the map could not be read */
};

enum wm_object_status {
	WM_OBJECT_OK,
	WM_OBJECT_DAMAGED, /* usable in part; `trouble` says what was lost */
	WM_OBJECT_NO_MAP,  /* an ELF file not built with waymark cc; build_id is set */
	WM_OBJECT_NOT_ELF,
	WM_OBJECT_IO,      /* `trouble` says */
};

/* `debug_dir` (or NULL) is searched before the standard places.  Names live on
 * the heap, the map in the arena. */
enum wm_object_status wm_object_open(
	struct wm_object *object, const char *path, const char *debug_dir, struct wm_arena *arena);
/* The same for an image in memory, without debug files. */
enum wm_object_status wm_object_read(struct wm_object *object, uint8_t *image, size_t size, struct wm_arena *arena);
void wm_object_release(struct wm_object *object);

/* The same for a command's operand: ends in wm_fail unless there is a map, warns
 * of a damaged one. */
void wm_object_need(struct wm_object *object, const char *path, const char *debug_dir, struct wm_arena *arena);
/* For several operands: those without a map are named and left out; ends in wm_fail
 * when none is left.  Returns how many are. */
size_t wm_objects_need(
	struct wm_object *objects, char *const *paths, size_t count, const char *debug_dir, struct wm_arena *arena);

/* Whether the file begins as ELF or as an archive; false also when unreadable. */
bool wm_is_object_file(const char *path);

/* Lower-case hexadecimal; `text` must hold 2 * WM_BUILD_ID_MAX + 1. */
void wm_build_id_text(const uint8_t *build_id, uint32_t size, char *text);

/*
 * The shared objects `path` needs, directly or not, as the dynamic loader would
 * find them (RPATH, LD_LIBRARY_PATH, RUNPATH, the standard directories); those
 * that are not found are left out.  Heap strings in a heap array.
 */
size_t wm_object_needed(const char *path, char ***needed);

#endif
