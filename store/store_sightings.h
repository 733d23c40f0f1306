/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When and where the paths of a store were taken. */
#ifndef WM_STORE_STORE_SIGHTINGS_H
#define WM_STORE_STORE_SIGHTINGS_H

#include "store/store.h"

/* A path of the records with this key and graph, in the runs of a version. */
struct wm_sighting {
	uint64_t key, graph_hash, path;
	char *version; /* the label `version`, "" without one; NULL: in all versions */
	/* Microseconds since 1970: when the path was first taken; without a residual build, when the run began. */
	int64_t first;
	int64_t last; /* seconds since 1970: when the last run with it began */
	uint64_t machines; /* different ones, that are known by name */
	/* In how many runs the path was taken; only of sightings in all versions.  Where it is known, both are the same. */
	uint64_t least_runs, most_runs;
};
/* Of all runs of a version. */
struct wm_version {
	char *name; /* "": without a label */
	uint64_t machines;
	int64_t first, last; /* when runs began */
};
/* Must be initialised with zeros. */
struct wm_sightings {
	size_t count, version_count;
	struct wm_sighting *sighting; /* ascending graph_hash, path, key; that of all versions first, then by version */
	struct wm_version *version; /* ascending first */
};
/* Reads what the name selects. */
void wm_sightings_read(struct wm_sightings *sightings, const char *name);
void wm_sightings_release(struct wm_sightings *sightings);
/* The first sighting of a path; those of its versions follow it.  `any_key`: of the first record with the graph.  NULL: none. */
const struct wm_sighting *wm_sightings_find(
	const struct wm_sightings *sightings, uint64_t key, bool any_key, uint64_t graph_hash, uint64_t path);
/* Whether two are of one path. */
bool wm_sighting_is_of(const struct wm_sighting *a, const struct wm_sighting *b);

#endif
