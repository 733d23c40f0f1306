/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/scope/project_scope.h"
#include "analysis/scope/usual.h"
#include "core/base/search.h"
#include "policy/file_names.h"
#include "support/directory.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *join(const struct wm_map_module *module, const char *name)
{
	char *path = wm_file_name_join(module->directory ? module->directory : "", name);
	if (!path)
		wm_no_memory();
	return path;
}

/* ---- The root ---------------------------------------------------------------------------------- */

/* The directory that names have in common, as it is found one name after another. */
struct common {
	char *directory; /* heap; NULL: no name yet, or only relative ones */
};

static void cut_last(char *path)
{
	char *slash = strrchr(path, '/');
	slash[slash == path] = 0;
}

/* `path` is absolute and on the heap; takes it. */
static void add_common(struct common *common, char *path)
{
	cut_last(path);
	if (!common->directory) {
		common->directory = path;
		return;
	}
	while (!wm_file_name_is_below(path, common->directory))
		cut_last(common->directory);
	free(path);
}

static bool is_defined(const struct wm_map_module *module, const struct wm_map_function *function)
{
	return function->file < module->file_count;
}

static void add_source(struct common *common, const struct wm_map_module *module, const char *name)
{
	char *path = join(module, name);
	if (*path == '/' && !wm_usual_system_header(path))
		add_common(common, path);
	else
		free(path);
}

/* What the sources of a binary have in common; with_headers: and all files with functions. */
static char *find_common(const struct wm_map *map, bool with_headers)
{
	struct common common = {0};
	for (uint32_t m = 0; m < map->module_count; m++) {
		const struct wm_map_module *module = &map->module[m];
		add_source(&common, module, module->source);
		for (uint32_t f = 0; with_headers && f < module->function_count; f++)
			if (is_defined(module, &module->function[f]))
				add_source(&common, module, module->file[module->function[f].file]);
	}
	return common.directory;
}

static bool exists_in(const char *directory, const char *name)
{
	char *path = wm_xprintf("%s/%s", strcmp(directory, "/") == 0 ? "" : directory, name);
	bool exists = access(path, F_OK) == 0;
	free(path);
	return exists;
}

/* The nearest directory at or above this one with a mark of a root; heap, NULL: there is none. */
static char *find_marked(const char *directory)
{
	char *at = wm_xstrdup(directory);
	for (;;) {
		if (exists_in(at, WM_PROJECT_FILE) || exists_in(at, ".git"))
			return at;
		if (strcmp(at, "/") == 0)
			break;
		cut_last(at);
	}
	free(at);
	return NULL;
}

static bool has_source_below(const struct wm_map *map, const char *directory)
{
	bool found = false;
	for (uint32_t m = 0; m < map->module_count && !found; m++) {
		char *path = join(&map->module[m], map->module[m].source);
		found = *path != '/' || wm_file_name_is_below(path, directory);
		free(path);
	}
	return found;
}

/* The root of which nothing is marked, from the directory that the sources have in common; takes it. */
static char *unmarked_root(const struct wm_map *map, char *sources)
{
	const char *here = wm_current_directory();
	char *all = find_common(map, true);
	bool from_here = *here && strcmp(here, "/") != 0 && wm_file_name_is_below(all ? all : sources, here);
	char *root = from_here ? wm_xstrdup(here) : wm_xstrdup(all && strcmp(all, "/") != 0 ? all : sources);
	free(all);
	free(sources);
	return root;
}

/* Heap; NULL: there is none. */
static char *find_root(const struct wm_map *map)
{
	const char *here = wm_current_directory();
	char *root = *here ? find_marked(here) : NULL;
	if (root && has_source_below(map, root))
		return root;
	free(root);
	char *sources = find_common(map, false);
	if (!sources)
		return NULL;
	root = find_marked(sources);
	if (root)
		free(sources);
	else
		root = unmarked_root(map, sources);
	if (strcmp(root, "/") != 0)
		return root;
	free(root);
	return NULL;
}

/* The index of the root of a binary, which is new or that of an earlier one. */
static size_t root_of(struct wm_scope *scope, const struct wm_map *map)
{
	for (size_t r = 0; r < scope->root_count; r++)
		if (scope->root[r].directory && has_source_below(map, scope->root[r].directory))
			return r;
	struct wm_scope_root root = {.directory = find_root(map), .usual = true};
	if (root.directory)
		wm_project_file_read(&root.file, root.directory);
	WM_XGROW(scope->root, scope->root_count);
	scope->root[scope->root_count] = root;
	return scope->root_count++;
}

/* ---- Files ------------------------------------------------------------------------------------- */

/* The part of a path below the root; NULL: it is not below. */
static const char *below(const char *path, const char *root)
{
	if (*path != '/')
		return strncmp(path, "../", 3) == 0 ? NULL : path;
	if (!root || !wm_file_name_is_below(path, root))
		return NULL;
	path += strlen(root);
	return path + (*path == '/');
}

/* What `include` leaves to the usual lists: the part of the path below the directories that it names.  NULL: no glob matches. */
static const char *included(const struct wm_globs *include, const char *path)
{
	const char *rest = include->count ? NULL : path;
	for (size_t i = 0; i < include->count; i++) {
		const char *part = wm_glob_rest(include->glob[i], path);
		rest = part && (!rest || part > rest) ? part : rest;
	}
	return rest;
}

static enum wm_scope_reason judge_below(const struct wm_scope_root *root, const char *path)
{
	const struct wm_project_file *file = &root->file;
	const char *rest = included(&file->include, path);
	if (!rest || wm_globs_match(&file->exclude, path))
		return WM_SCOPE_EXCLUDED;
	if (file->has_tests && wm_globs_match(&file->tests, path))
		return WM_SCOPE_TEST;
	if (root->usual && wm_globs_match(&wm_usual_third_parties, rest))
		return WM_SCOPE_THIRD_PARTY;
	if (root->usual && !file->has_tests && wm_globs_match(&wm_usual_tests, rest))
		return WM_SCOPE_TEST;
	return WM_SCOPE_IN;
}

static enum wm_scope_reason judge(const struct wm_scope_root *root, const char *path)
{
	const char *inner = below(path, root->directory);
	if (inner)
		return judge_below(root, inner);
	if (wm_usual_system_header(path))
		return WM_SCOPE_SYSTEM;
	return root->directory ? WM_SCOPE_OUTSIDE : WM_SCOPE_IN;
}

static int by_name(const void *left, const void *right)
{
	const struct wm_scope_file *a = left, *b = right;
	return ((uintptr_t)a->name > (uintptr_t)b->name) - ((uintptr_t)a->name < (uintptr_t)b->name);
}

static void add_files(struct wm_scope *scope, const struct wm_map_module *module, size_t root)
{
	bool *defines = wm_xmalloc(module->file_count + (size_t)1);
	memset(defines, 0, module->file_count + (size_t)1);
	for (uint32_t f = 0; f < module->function_count; f++)
		if (is_defined(module, &module->function[f]))
			defines[module->function[f].file] = true;
	for (uint32_t i = 0; i < module->file_count; i++) {
		if (!defines[i])
			continue;
		WM_XGROW(scope->file, scope->count);
		scope->file[scope->count++] = (struct wm_scope_file){
			.name = module->file[i], .path = join(module, module->file[i]), .root = root};
	}
	free(defines);
}

static void judge_files(struct wm_scope *scope, size_t root)
{
	for (size_t i = 0; i < scope->count; i++)
		if (scope->file[i].root == root)
			scope->file[i].reason = judge(&scope->root[root], scope->file[i].path);
}

/* Whether the usual lists leave out all that the project would have without them. */
static bool lists_leave_nothing(const struct wm_scope *scope, size_t root)
{
	bool any = false;
	for (size_t i = 0; i < scope->count; i++) {
		if (scope->file[i].root == root && scope->file[i].reason == WM_SCOPE_IN)
			return false;
		any |= scope->file[i].root == root;
	}
	return any;
}

void wm_scope_add(struct wm_scope *scope, const struct wm_object *object, size_t count)
{
	for (size_t o = 0; o < count; o++) {
		size_t root = root_of(scope, &object[o].map);
		for (uint32_t m = 0; m < object[o].map.module_count; m++)
			add_files(scope, &object[o].map.module[m], root);
	}
	if (scope->count)
		qsort(scope->file, scope->count, sizeof *scope->file, by_name);
	for (size_t r = 0; r < scope->root_count; r++) {
		scope->root[r].usual = true;
		judge_files(scope, r);
		if (!lists_leave_nothing(scope, r))
			continue;
		scope->root[r].usual = false;
		judge_files(scope, r);
	}
}

void wm_scope_release(struct wm_scope *scope)
{
	for (size_t i = 0; i < scope->count; i++)
		free(scope->file[i].path);
	for (size_t r = 0; r < scope->root_count; r++) {
		free(scope->root[r].directory);
		wm_project_file_release(&scope->root[r].file);
	}
	free(scope->file);
	free(scope->root);
	*scope = (struct wm_scope){.mode = scope->mode};
}

/* ---- Questions --------------------------------------------------------------------------------- */

const char *wm_scope_directory(const struct wm_scope *scope)
{
	return scope->root_count ? scope->root[0].directory : NULL;
}

const struct wm_project_file *wm_scope_project_file(const struct wm_scope *scope)
{
	return scope->root_count ? &scope->root[0].file : NULL;
}

/* NULL: no function of the binaries is defined in the file. */
static const struct wm_scope_file *find_file(const struct wm_scope *scope, const char *name)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, scope->count, (uintptr_t)scope->file[i].name < (uintptr_t)name);
	return i < scope->count && scope->file[i].name == name ? &scope->file[i] : NULL;
}

enum wm_scope_reason wm_scope_reason(const struct wm_scope *scope, const char *file)
{
	const struct wm_scope_file *known = file ? find_file(scope, file) : NULL;
	return known ? known->reason : WM_SCOPE_IN;
}

const char *wm_scope_path(const struct wm_scope *scope, const char *file)
{
	const struct wm_scope_file *known = find_file(scope, file);
	const char *path = known ? known->path : file;
	const char *inner = below(path, known ? scope->root[known->root].directory : wm_scope_directory(scope));
	return inner ? inner : path + (*path == '/');
}

const struct wm_globs *wm_scope_ignored(const struct wm_scope *scope, const char *file)
{
	const struct wm_scope_file *known = file ? find_file(scope, file) : NULL;
	if (!scope->root_count)
		return NULL;
	return &scope->root[known ? known->root : 0].file.ignored;
}

/* ---- --file and --exclude ---------------------------------------------------------------------- */

static bool matches(const struct wm_globs *globs, const char *path, const char *file)
{
	bool absolute = *file == '/', found = wm_globs_match(globs, path);
	for (size_t i = 0; absolute && !found && i < globs->count; i++)
		found = *globs->glob[i] == '/' && wm_glob_match(globs->glob[i], file + 1);
	return found;
}

bool wm_file_filter_passes(const struct wm_file_filter *filter, const struct wm_scope *scope_or_null, const char *file)
{
	if (!file)
		return !filter->only.count;
	const char *path = scope_or_null ? wm_scope_path(scope_or_null, file) : file + (*file == '/');
	return (!filter->only.count || matches(&filter->only, path, file)) && !matches(&filter->without, path, file);
}
