/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Triaged paths: untested paths of the field that a person has looked at and does not want to see again.  They count as
 * tested from then on.
 *
 * A person names a path by its *triage id*, which does not change as long as the graph of the function does not, in whatever build
 * and under whatever version of the other functions.  Since `main` of two programs may have the same graph, an id names a
 * path only together with a program or a source file, as wm_same_function() (profile/map/identity.h) decides.
 */
#ifndef WM_PROFILE_PROFILE_TRIAGE_H
#define WM_PROFILE_PROFILE_TRIAGE_H

#include "profile/map/identity.h"

/* A record of a profile that counted the path.  A path across calls may have several. */
struct wm_triage {
	uint64_t id;
	uint8_t build_id[WM_BUILD_ID_MAX]; /* of the object in which the path was seen */
	uint32_t build_id_size;
	char program[WM_PROGRAM_MAX];
	uint64_t key, graph_hash, source;
	uint32_t flags; /* WM_FUNC_* of the record */
	uint64_t path;
	uint64_t time; /* seconds since 1970 */
	char *function, *note, *author; /* for people; heap */
};

/* Must be initialised with zeros. */
struct wm_triages {
	size_t count;
	struct wm_triage *triage; /* ascending ids, after wm_triages_sort() */
};
void wm_triages_sort(struct wm_triages *triages);
void wm_triages_release(struct wm_triages *triages);
/* The first one with this id, of the program or the source (0: not known).  NULL: there is none.  O(log n). */
const struct wm_triage *wm_triages_find(
	const struct wm_triages *triages, uint64_t id, const char *program, uint64_t source);

/* 48 bits, not all 0: of a path of a function, whose key and graph are those of the function under which reports list it. */
uint64_t wm_triage_id(uint64_t key, uint64_t graph_hash, uint64_t path);
/* The id as text, WM_TRIAGE_ID_SIZE bytes with the NUL; and the id of a text, 0: it is none. */
#define WM_TRIAGE_ID_SIZE 13
void wm_triage_id_print(char text[WM_TRIAGE_ID_SIZE], uint64_t id);
uint64_t wm_triage_id_parse(const char *text);

/* Adds each of the paths to a profile of tests, executed once.  WM_PROFILE_NO_MEMORY: some may have been added. */
enum wm_profile_status wm_triages_test(struct wm_profile *tests, const struct wm_triages *triages);

#endif
