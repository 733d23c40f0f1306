/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "link/tested_object.h"
#include "profile/map/identity.h"
#include "support/fail.h"
#include "support/output.h"
#include "support/xalloc.h"
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The object for the linker ------------------------------------------------------ */

static size_t count_paths(const struct wm_profile *profile)
{
	size_t count = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++) {
			const struct wm_profile_function *function = &profile->object[o].function[f];
			count += function->flags & WM_FUNC_UNIT ? function->path_count : 0;
		}
	return count;
}

static unsigned shift_for(size_t paths)
{
	unsigned shift = 63;
	while (shift > 0 && (UINT64_MAX >> shift) + 1 < 2 * (uint64_t)paths)
		shift--;
	return shift;
}

static bool assemble(const char *clang, const char *source, const char *object)
{
	char *command[] = {(char *)clang, "-c", "-x", "assembler", (char *)source, "-o", (char *)object, NULL};
	pid_t pid;
	int status;
	errno = posix_spawnp(&pid, clang, NULL, NULL, command, environ);
	if (errno)
		return false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

char *wm_tested_object_make(const struct wm_profile *profile, uint64_t digest, const char *clang)
{
	const char *place = getenv("TMPDIR");
	unsigned shift = shift_for(count_paths(profile));
	char *directory = wm_xprintf("%s/waymark.XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(directory))
		wm_fail("cannot make the directory %s: %s", directory, strerror(errno));
	char *source = wm_xprintf("%s/tested.s", directory), *object = wm_xprintf("%s/tested.o", directory);
	char *text = wm_xprintf(".section " WM_TESTED_SECTION ",\"a\",@progbits\n"
				".balign 64\n"
				".globl " WM_TESTED_SYMBOL "\n"
				".hidden " WM_TESTED_SYMBOL "\n" WM_TESTED_SYMBOL ":\n"
				".quad %u, 0x%" PRIx64 "\n"
				".zero %" PRIu64 "\n"
				".section .note.GNU-stack,\"\",@progbits\n",
		shift, digest, ((UINT64_MAX >> shift) + 1) * sizeof(uint64_t));
	wm_write_file(source, text, strlen(text));
	bool made = assemble(clang, source, object);
	unlink(source);
	if (!made) {
		wm_tested_object_remove(object);
		wm_fail("%s cannot assemble the set of tested paths in %s", clang, directory);
	}
	free(text);
	free(source);
	free(directory);
	return object;
}

void wm_tested_object_remove(char *path)
{
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
	free(path);
}

/* ---- The set in the finished file ----------------------------------------------------- */

/* NULL: there is none, or its words contradict each other. */
static uint64_t *find_set(const struct wm_links *links, uint64_t *last)
{
	size_t words = links->tested_size / sizeof(uint64_t);
	uint64_t *set = words >= WM_TESTED_SLOTS ? wm_links_at(links, links->tested, words * sizeof *set) : NULL;
	if (!set || (uintptr_t)set % sizeof *set || set[WM_TESTED_SHIFT] > 63)
		return NULL;
	*last = UINT64_MAX >> set[WM_TESTED_SHIFT];
	return *last < words - WM_TESTED_SLOTS ? set : NULL;
}

static void put(uint64_t *set, uint64_t last, uint64_t key)
{
	uint64_t at = key >> set[WM_TESTED_SHIFT];
	for (uint64_t i = 0; i <= last; i++, at = (at + 1) & last) {
		uint64_t *slot = &set[WM_TESTED_SLOTS + at];
		if (*slot && *slot != key)
			continue;
		*slot = key;
		return;
	}
}

bool wm_tested_put(const struct wm_links *links, const uint64_t *id, size_t count)
{
	uint64_t last, *set = find_set(links, &last);
	if (!set || count > last / 2 + 1)
		return false;
	for (size_t i = 0; i < count; i++)
		put(set, last, wm_hash_key(id[i]));
	return true;
}

/* ---- What the profile says -------------------------------------------------------------- */

/* After the link, the program is known by its name. */
static bool is_known(const struct wm_profile *profile, const struct wm_profile_object *object,
	const struct wm_profile_function *function, const struct wm_binary_unit *unit)
{
	const struct wm_function_identity there = wm_record_identity(function);
	const struct wm_function_identity here = {function->key, unit->hash, unit->source};
	bool same_program =
		profile->any_program || (*object->program && !strcmp(object->program, unit->object->program));
	return function->flags & WM_FUNC_UNIT && !function->doubt && wm_same_function(&here, &there, same_program);
}

/* Calls `take` for every function of the unit in the profile; how many there are. */
static size_t each_known(const struct wm_profile *profile, const struct wm_binary_unit *unit,
	void (*take)(void *closure, const struct wm_profile_function *function), void *closure)
{
	size_t count = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			if (is_known(profile, &profile->object[o], &profile->object[o].function[f], unit)) {
				take(closure, &profile->object[o].function[f]);
				count++;
			}
	return count;
}

struct ids {
	uint64_t path_count; /* ids are below it */
	uint64_t *id;
	size_t count;
};

/* Several objects may have taken a path: put() finds it again. */
static void take_ids(void *closure, const struct wm_profile_function *function)
{
	struct ids *ids = closure;
	for (size_t i = 0; i < function->path_count; i++) {
		if (!function->path[i].count || function->path[i].id >= ids->path_count)
			continue;
		WM_XGROW(ids->id, ids->count);
		ids->id[ids->count++] = function->path[i].id;
	}
}

/* NULL, or why no path is tested. */
static const char *fill(
	const struct wm_links *links, const struct wm_binary_unit *unit, const struct wm_options *options)
{
	const char *trouble = NULL;
	struct ids ids = {.path_count = unit->plan.path_count};
	if (!each_known(&options->paths, unit, take_ids, &ids))
		trouble = "the profile is not of a program with the same functions, calls and options";
	else if (!wm_tested_put(links, ids.id, ids.count))
		trouble = "the linked file has no section " WM_TESTED_SECTION;
	free(ids.id);
	return trouble;
}

struct expecting {
	const struct wm_links *links;
	const struct wm_binary_unit *unit;
	struct wm_keyed *keyed;
};

/* Whichever copy of a function runs, the paths may end in it. */
static void expect(void *closure, const struct wm_profile_function *function)
{
	const struct expecting *e = closure;
	uint32_t count = e->unit->unit.function_count, i = wm_keyed_find(e->keyed, count, function->key);
	for (; i < count && e->keyed[i].key == function->key; i++) {
		const struct wm_unit_member *member = &e->unit->member[e->keyed[i].function];
		for (uint32_t l = 0; l < member->link_count; l++) {
			struct wm_func *func = wm_links_func(e->links, member->link[l]);
			if (func && !(func->flags & WM_FUNC_IDS) && (uint64_t)func->ids < function->path_count)
				func->ids = (int64_t)function->path_count;
		}
	}
}

static bool is_residual(const struct wm_links *links, const struct wm_binary_unit *unit)
{
	for (uint32_t f = 0; f < unit->unit.function_count; f++)
		for (uint32_t l = 0; l < unit->member[f].link_count; l++) {
			const struct wm_func *func = wm_links_func(links, unit->member[f].link[l]);
			if (func && func->flags & WM_FUNC_RESIDUAL)
				return true;
		}
	return false;
}

/* Units number their paths independently of each other, and there is one set. */
static const char *use_tested(
	const struct wm_links *links, const struct wm_units *units, const struct wm_options *options)
{
	for (uint32_t i = 0; i < units->count; i++) {
		if (!is_residual(links, units->unit[i]))
			continue;
		if (options->purpose != WM_PURPOSE_RESIDUAL)
			return "-fwaymark-residual was given to the compiler, but not to the link";
		return units->count > 1 ? "the program has paths of several schemes"
					: fill(links, units->unit[i], options);
	}
	return NULL;
}

static const char *use_interesting(
	const struct wm_links *links, const struct wm_units *units, const struct wm_options *options)
{
	struct wm_arena arena;
	size_t known = 0;
	wm_arena_init(&arena);
	for (uint32_t i = 0; i < units->count; i++) {
		struct expecting e = {links, units->unit[i], wm_unit_keys(units->unit[i], &arena)};
		known += each_known(&options->paths, units->unit[i], expect, &e);
	}
	wm_arena_release(&arena);
	return known ? NULL : "the profile is not of a program with the same functions, calls and options";
}

void wm_tested_apply(const struct wm_links *links, const struct wm_units *units, const struct wm_options *options,
	const char *output)
{
	const char *trouble = use_tested(links, units, options);
	if (trouble)
		wm_warn("note: %s counts all paths as untested: %s", output, trouble);
	if (options->purpose != WM_PURPOSE_INTERESTING)
		return;
	trouble = use_interesting(links, units, options);
	if (trouble)
		wm_warn("note: no path of %s is interesting: %s", output, trouble);
}
