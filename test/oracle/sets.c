/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sets of paths, on profiles of builds of the same program.
 *
 *     sets half SEED IN OUT       about half of the paths of IN, chosen by SEED; all of some functions
 *     sets empty SEED IN OUT      the functions of IN, without paths
 *     sets absurd SEED IN OUT     the paths of IN with counts from 1 to 2^64-1
 *     sets random SEED IN OUT     the functions of IN with ids that may have no path, and such counts
 *     sets swapped SEED IN OUT    every function of IN with the paths of the next one
 *     sets equal ALL FOUND        FOUND has the paths and counts of ALL
 *     sets residual TESTED ALL FOUND [KEY...]
 *                                 FOUND has exactly the paths of ALL that are not in TESTED, with ALL's counts,
 *                                 and none of the functions with these keys
 *
 * A path is a function (key and graph hash) and an id, in whatever object and by whatever
 * kind of counter it was counted.  Exit code 1: they differ, and how.
 */
#include "profile/base/function_counts.h"
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

static void halve(uint64_t seed, struct wm_profile_function *function)
{
	size_t kept = 0;
	for (size_t i = 0; i < function->path_count; i++)
		if (keep(seed, function, function->path[i].id))
			function->path[kept++] = function->path[i];
	function->path_count = kept;
}

static void empty(uint64_t seed, struct wm_profile_function *function)
{
	(void)seed;
	function->path_count = function->unfinished_count = 0;
}

/* As likely to have 1 bit as 64. */
static uint64_t some_number(uint64_t seed)
{
	uint64_t number = mix(seed);
	return number % 8 ? number >> (mix(seed + 1) % 64) : UINT64_MAX;
}

static void count_absurdly(uint64_t seed, struct wm_profile_function *function)
{
	for (size_t i = 0; i < function->path_count; i++)
		function->path[i].count = some_number(seed + function->key + i) | 1;
	for (size_t i = 0; i < function->unfinished_count; i++)
		function->unfinished[i].count = some_number(seed + function->key - i) | 1;
	function->entries = some_number(seed + function->key - 1);
}

/* Ids stay in ascending order: most are near those of the function, the last ones far beyond. */
static void choose_ids(uint64_t seed, struct wm_profile_function *function)
{
	uint64_t id = 0;
	for (size_t i = 0; i < function->path_count; i++) {
		uint64_t step = 1 + some_number(seed + function->key + 3 * i) % 3;
		if (i + 1 == function->path_count && seed % 2)
			step = (UINT64_MAX >> 2) - id;
		function->path[i].id = id += step - !i;
	}
	count_absurdly(seed, function);
}

/* What is done with each function of a profile. */
static const struct change {
	const char *name;
	void (*each)(uint64_t seed, struct wm_profile_function *function);
} changes[] = {
	{"half", halve}, {"empty", empty}, {"absurd", count_absurdly}, {"random", choose_ids}, {"swapped", NULL}};

static void swap_paths(struct wm_profile_object *object)
{
	for (size_t f = 1; f < object->function_count; f++) {
		struct wm_profile_function *a = &object->function[f - 1], *b = &object->function[f], c = *a;
		a->path = b->path, a->path_count = b->path_count;
		b->path = c.path, b->path_count = c.path_count;
		a->unfinished = b->unfinished, a->unfinished_count = b->unfinished_count;
		b->unfinished = c.unfinished, b->unfinished_count = c.unfinished_count;
	}
}

static void write_profile(const struct wm_profile *profile, const char *out)
{
	uint8_t *data;
	size_t size;
	FILE *file = fopen(out, "wb");
	if (!file || wm_indexed_write(profile, &data, &size) != WM_PROFILE_OK || fwrite(data, 1, size, file) != size ||
		fclose(file))
		fail("cannot write", out);
	free(data);
}

static int change(const struct change *change, uint64_t seed, const char *in, const char *out)
{
	struct wm_profile profile;
	read_profile(&profile, in);
	for (size_t o = 0; o < profile.object_count; o++) {
		struct wm_profile_object *object = &profile.object[o];
		for (size_t f = 0; change->each && f < object->function_count; f++)
			change->each(seed, &object->function[f]);
		if (!change->each)
			swap_paths(object);
	}
	write_profile(&profile, out);
	wm_profile_release(&profile);
	return 0;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 5 && i < sizeof changes / sizeof *changes; i++)
		if (!strcmp(argv[1], changes[i].name))
			return change(&changes[i], strtoull(argv[2], NULL, 10), argv[3], argv[4]);
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
