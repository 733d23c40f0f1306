/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sets of paths, on profiles of builds of the same program.
 *
 *     sets half SEED IN OUT       about half of the paths of IN, chosen by SEED; all of some functions
 *     sets equal ALL FOUND        FOUND has the paths and counts of ALL
 *     sets residual TESTED ALL FOUND [KEY...]
 *                                 FOUND has exactly the paths of ALL that are not in TESTED, with ALL's counts,
 *                                 and none of the functions with these keys
 *
 * A path is a function (key and graph hash) and an id, in whatever object and by whatever
 * kind of counter it was counted.  Exit code 1: they differ, and how.
 */
#include "profile/profile.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct path {
	uint64_t key, graph_hash, id, count;
};
struct paths {
	size_t count;
	struct path *path; /* ascending, each once */
};

static _Noreturn void fail(const char *what, const char *which)
{
	fprintf(stderr, "sets: %s %s\n", what, which);
	exit(1);
}

static void read_profile(struct wm_profile *profile, const char *name)
{
	enum { MOST = 1 << 28 };
	struct wm_profile_error error = {{0}};
	FILE *file = fopen(name, "rb");
	uint8_t *data = malloc(MOST);
	if (!file || !data)
		fail("cannot read", name);
	size_t size = fread(data, 1, MOST, file);
	fclose(file);
	wm_profile_init(profile);
	if (wm_profile_read(profile, data, size, &error) != WM_PROFILE_OK)
		fail(error.text, name);
	free(data);
}

static int compare(const void *left, const void *right)
{
	const struct path *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->graph_hash != b->graph_hash)
		return a->graph_hash < b->graph_hash ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void append(struct paths *paths, const struct wm_profile_function *function)
{
	paths->path = realloc(paths->path, (paths->count + function->path_count + 1) * sizeof *paths->path);
	if (!paths->path)
		fail("no memory for", "paths");
	if (function->doubt)
		fail("doubtful counts in", "a profile");
	for (size_t i = 0; i < function->path_count; i++)
		if (function->path[i].count)
			paths->path[paths->count++] = (struct path){
				function->key, function->graph_hash, function->path[i].id, function->path[i].count};
}

/* One entry per path: the same path counted in two ways is added up. */
static struct paths paths_of(const char *name)
{
	struct wm_profile profile;
	struct paths paths = {0};
	size_t kept = 0;
	read_profile(&profile, name);
	for (size_t o = 0; o < profile.object_count; o++)
		for (size_t f = 0; f < profile.object[o].function_count; f++)
			append(&paths, &profile.object[o].function[f]);
	wm_profile_release(&profile);
	if (paths.count)
		qsort(paths.path, paths.count, sizeof *paths.path, compare);
	for (size_t i = 0; i < paths.count; i++) {
		if (kept && !compare(&paths.path[kept - 1], &paths.path[i]))
			paths.path[kept - 1].count += paths.path[i].count;
		else
			paths.path[kept++] = paths.path[i];
	}
	paths.count = kept;
	return paths;
}

static void subtract(struct paths *from, const struct paths *what)
{
	size_t kept = 0;
	for (size_t i = 0; i < from->count; i++)
		if (!bsearch(&from->path[i], what->path, what->count, sizeof *what->path, compare))
			from->path[kept++] = from->path[i];
	from->count = kept;
}

static void drop_function(struct paths *from, uint64_t key)
{
	size_t kept = 0;
	for (size_t i = 0; i < from->count; i++)
		if (from->path[i].key != key)
			from->path[kept++] = from->path[i];
	from->count = kept;
}

static int report(const struct paths *expected, const struct paths *found, const char *what)
{
	size_t differ = 0;
	for (size_t i = 0, k = 0; i < expected->count || k < found->count;) {
		const struct path *e = &expected->path[i], *f = &found->path[k];
		int order = i == expected->count ? 1 : k == found->count ? -1 : compare(e, f);
		const struct path *p = order > 0 ? f : e;
		uint64_t wanted = order > 0 ? 0 : e->count, got = order < 0 ? 0 : f->count;
		if (wanted != got && differ++ < 10)
			printf("function %016" PRIx64 " path %" PRIu64 ": expected %" PRIu64 ", found %" PRIu64 "\n",
				p->key, p->id, wanted, got);
		i += order <= 0;
		k += order >= 0;
	}
	printf("%s: %zu paths expected, %zu found, %zu differ\n", what, expected->count, found->count, differ);
	return differ != 0;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
	x = (x ^ x >> 27) * 0x94D049BB133111EBull;
	return x ^ x >> 31;
}

/* One function in four keeps all paths, one loses all. */
static bool keep(uint64_t seed, const struct wm_profile_function *function, uint64_t id)
{
	uint64_t fate = mix(seed * 77 + function->key) % 4;
	return fate == 0 || (fate > 1 && mix(seed + function->key + mix(id)) % 2);
}

static int halve(uint64_t seed, const char *in, const char *out)
{
	struct wm_profile profile;
	uint8_t *data;
	size_t size;
	read_profile(&profile, in);
	for (size_t o = 0; o < profile.object_count; o++)
		for (size_t f = 0; f < profile.object[o].function_count; f++) {
			struct wm_profile_function *function = &profile.object[o].function[f];
			size_t kept = 0;
			for (size_t i = 0; i < function->path_count; i++)
				if (keep(seed, function, function->path[i].id))
					function->path[kept++] = function->path[i];
			function->path_count = kept;
		}
	FILE *file = fopen(out, "wb");
	if (!file || wm_indexed_write(&profile, &data, &size) != WM_PROFILE_OK || fwrite(data, 1, size, file) != size ||
		fclose(file))
		fail("cannot write", out);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "half"))
		return halve(strtoull(argv[2], NULL, 10), argv[3], argv[4]);
	bool equal = argc == 4 && !strcmp(argv[1], "equal"), residual = argc >= 5 && !strcmp(argv[1], "residual");
	if (!equal && !residual)
		fail("see the comment at the head of", __FILE__);
	struct paths all = paths_of(argv[equal ? 2 : 3]), found = paths_of(argv[equal ? 3 : 4]);
	if (residual) {
		struct paths tested = paths_of(argv[2]);
		subtract(&all, &tested);
		for (int i = 5; i < argc; i++)
			drop_function(&all, strtoull(argv[i], NULL, 16));
	}
	return report(&all, &found, argv[1]);
}
