/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/change/users.h"
#include "core/base/search.h"
#include "policy/file_names.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *join(const char *directory, const char *name)
{
	char *joined = wm_file_name_join(directory, name);
	if (!joined)
		wm_no_memory();
	return joined;
}

/* Inserts a name into an ascending list, which takes ownership of it; false: the list has it. */
static bool insert(char ***list, size_t *count, char *name)
{
	size_t at;
	WM_LOWER_BOUND(at, 0, *count, strcmp((*list)[at], name) < 0);
	if (at < *count && strcmp((*list)[at], name) == 0) {
		free(name);
		return false;
	}
	WM_XGROW(*list, *count);
	memmove(*list + at + 1, *list + at, (*count - at) * sizeof **list);
	(*list)[at] = name;
	++*count;
	return true;
}

/* Where headers are searched for. */

static void add_directory(struct wm_change_users *users, const char *file)
{
	const char *slash = strrchr(file, '/');
	if (slash)
		insert(&users->directory, &users->directory_count,
			wm_xprintf("%.*s", (int)(slash == file ? 1 : slash - file), file));
}

void wm_change_users_begin(struct wm_change_users *users, const struct wm_object *objects, size_t count)
{
	const struct wm_change *change = users->change;
	for (size_t o = 0; o < count; o++)
		for (size_t m = 0; m < objects[o].map.module_count; m++) {
			const struct wm_map_module *module = &objects[o].map.module[m];
			for (uint32_t f = 0; f < module->file_count; f++) {
				char *name = join(module->directory ? module->directory : "", module->file[f]);
				add_directory(users, name);
				free(name);
			}
		}
	for (size_t i = 0; i < change->diff.count && change->top; i++) {
		char *name = join(change->top, change->diff.file[i].name);
		add_directory(users, name);
		free(name);
	}
	if (change->top)
		insert(&users->directory, &users->directory_count, wm_xstrdup(change->top));
	users->uses = wm_xmalloc(change->diff.count + 1);
}

/* The files that a translation unit reads */

/* A file to be read; the list grows while it is worked on. */
struct reading {
	struct wm_change_users *users;
	struct wm_source_origin origin;
	size_t count;
	char **file;
};

static void use(struct wm_change_users *users, const struct wm_diff_file *file)
{
	if (file)
		users->uses[file - users->change->diff.file] = true;
}

/* A file that the unit reads, by its absolute name, of which this takes ownership. */
static void read_also(struct reading *r, char *name)
{
	char *kept = wm_xstrdup(name);
	use(r->users, wm_change_match(r->users->change, name));
	if (!insert(&r->users->read, &r->users->read_count, name)) {
		free(kept);
		return;
	}
	WM_XGROW(r->file, r->count);
	r->file[r->count++] = kept;
}

static bool read_if_there(struct reading *r, const char *directory, const char *name)
{
	char *file = join(directory, name);
	bool there = access(file, R_OK) == 0;
	if (there)
		read_also(r, file);
	else
		free(file);
	return there;
}

/* The part of the name that stays if the directory is not known: without leading "../". */
static const char *known_part(const char *name)
{
	while (strncmp(name, "../", 3) == 0 || strncmp(name, "./", 2) == 0)
		name += name[1] == '.' ? 3 : 2;
	return name;
}

static bool is_header(const char *name)
{
	static const char *const ends[] = {".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".tcc", ".def"};
	const char *end = strrchr(name, '.');
	for (size_t i = 0; end && i < sizeof ends / sizeof *ends; i++)
		if (strcmp(end, ends[i]) == 0)
			return true;
	return false;
}

/* A file that is not found may include any header of the change; one of the system is only one that is called so. */
static void include_unknown(struct reading *r, const char *name, bool quoted)
{
	const struct wm_change *change = r->users->change;
	const char *part = known_part(name);
	for (size_t i = 0; i < change->diff.count; i++) {
		const char *diff = change->diff.file[i].name;
		size_t length = strlen(diff), size = strlen(part);
		bool called = length >= size && strcmp(diff + length - size, part) == 0 &&
			      (length == size || diff[length - size - 1] == '/');
		if (called || (quoted && is_header(diff)))
			use(r->users, &change->diff.file[i]);
	}
}

static void include(struct reading *r, const char *includer, const char *name, bool quoted)
{
	const char *slash = strrchr(includer, '/');
	char *own = wm_xprintf("%.*s", slash ? (int)(slash - includer) : 0, includer);
	bool found = (quoted && read_if_there(r, own, name)) ||
		     (r->origin.module->directory && read_if_there(r, r->origin.module->directory, name));
	for (size_t i = 0; i < r->users->directory_count && !found; i++)
		found = read_if_there(r, r->users->directory[i], name);
	if (!found)
		include_unknown(r, name, quoted);
	free(own);
}

static size_t skip_blanks(const char *line, size_t length, size_t at)
{
	while (at < length && (line[at] == ' ' || line[at] == '\t'))
		at++;
	return at;
}

/* A line with #include, #include_next or #import and a name; any other line is nothing. */
static void read_line(struct reading *r, const char *includer, const char *line, size_t length)
{
	size_t at = skip_blanks(line, length, 0);
	if (at == length || line[at] != '#')
		return;
	at = skip_blanks(line, length, at + 1);
	size_t word = at;
	while (at < length && ((line[at] >= 'a' && line[at] <= 'z') || line[at] == '_'))
		at++;
	bool includes = (at - word == 7 && memcmp(line + word, "include", 7) == 0) ||
			(at - word == 12 && memcmp(line + word, "include_next", 12) == 0) ||
			(at - word == 6 && memcmp(line + word, "import", 6) == 0);
	at = skip_blanks(line, length, at);
	if (!includes || at == length || (line[at] != '"' && line[at] != '<'))
		return;
	const char *end = memchr(line + at + 1, line[at] == '"' ? '"' : '>', length - at - 1);
	if (!end)
		return;
	char *name = wm_xprintf("%.*s", (int)(end - (line + at + 1)), line + at + 1);
	include(r, includer, name, line[at] == '"');
	free(name);
}

static void read_file(struct reading *r, const char *file)
{
	size_t length;
	const char *line;
	for (uint32_t i = 1; (line = wm_source_line(&r->users->sources, file, i, &r->origin, &length)); i++)
		read_line(r, file, line, length);
}

static void read_module(
	struct wm_change_users *users, const struct wm_object *object, const struct wm_map_module *module)
{
	struct reading r = {.users = users, .origin = {object->path, module}};
	const char *directory = module->directory ? module->directory : "";
	for (size_t i = 0; i < users->read_count; i++)
		free(users->read[i]);
	users->read_count = 0;
	users->module = module;
	memset(users->uses, 0, users->change->diff.count);
	read_also(&r, join(directory, module->source));
	for (uint32_t f = 0; f < module->file_count; f++)
		read_also(&r, join(directory, module->file[f]));
	for (size_t i = 0; i < r.count; i++) {
		read_file(&r, r.file[i]);
		free(r.file[i]);
	}
	free(r.file);
}

bool wm_change_uses(struct wm_change_users *users, const struct wm_object *object, const struct wm_map_module *module,
	const struct wm_diff_file *file)
{
	if (users->module != module)
		read_module(users, object, module);
	return users->uses[file - users->change->diff.file];
}

void wm_change_users_release(struct wm_change_users *users)
{
	for (size_t i = 0; i < users->read_count; i++)
		free(users->read[i]);
	for (size_t i = 0; i < users->directory_count; i++)
		free(users->directory[i]);
	free(users->read);
	free(users->directory);
	free(users->uses);
	wm_sources_release(&users->sources);
	*users = (struct wm_change_users){0};
}
