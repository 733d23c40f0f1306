/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/source/source.h"
#include "core/base/search.h"
#include "policy/file_names.h"
#include "profile/map/map.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <fcntl.h>
#include <limits.h>
#include <md5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct wm_source_file {
	char *name;
	enum wm_source_state state;
	char *place; /* REFUSED: where it was found */
	struct wm_buffer text;
	uint32_t line_count;
	size_t *start; /* line_count + 1 offsets */
	bool summed; /* `sum` is known */
	uint8_t sum[MD5_DIGEST_LENGTH];
	struct wm_tokens *tokens; /* NULL: not made yet; apart from the file, because files move in their array */
};

/* The type of the file is checked before it is opened, because opening a device such as a tape may have an effect, and
 * again after it is opened, because the file may have been replaced in between. */
static int open_regular(const char *path, struct stat *info)
{
	if (stat(path, info) != 0 || !S_ISREG(info->st_mode))
		return -1;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, info) != 0 || !S_ISREG(info->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool read_open(struct wm_buffer *buffer, int fd, size_t size)
{
	size_t done = 0;
	ssize_t got = 1;
	uint8_t *data = wm_xmalloc(size + 1);
	while (got > 0 && done < size) {
		got = read(fd, data + done, size - done);
		done += got > 0 ? (size_t)got : 0;
	}
	if (got < 0) {
		free(data);
		return false;
	}
	data[done] = 0;
	*buffer = (struct wm_buffer){data, done};
	return true;
}

static bool is_below(const char *file, const char *directory)
{
	char *real = realpath(directory, NULL);
	size_t length = real ? strlen(real) : 0;
	bool below = real && strncmp(file, real, length) == 0 && (file[length] == '/' || length == 1);
	free(real);
	return below;
}

/* Checks the file that was opened, not its name, which may refer to another file by now. */
static bool is_allowed(const struct wm_sources *sources, int fd)
{
	char link[64], file[PATH_MAX + 1];
	if (!sources->confined)
		return true;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, file, PATH_MAX);
	file[length > 0 ? length : 0] = 0;
	bool allowed = is_below(file, ".");
	for (size_t i = 0; !allowed && sources->directories && i < sources->directories->count; i++)
		allowed = is_below(file, sources->directories->name[i]);
	return allowed;
}

enum found { FOUND, REFUSED, ABSENT };

static enum found read_regular(const struct wm_sources *sources, struct wm_buffer *buffer, const char *path)
{
	struct stat info;
	enum found found = ABSENT;
	int fd = open_regular(path, &info);
	if (fd < 0)
		return ABSENT;
	struct wm_guard guard;
	wm_guard_begin_fd(&guard, &fd);
	if (!is_allowed(sources, fd))
		found = REFUSED;
	else if (read_open(buffer, fd, (size_t)info.st_size))
		found = FOUND;
	wm_guard_end(&guard);
	return found;
}

/* A file on its way from its name to its lines. */
struct search {
	const struct wm_sources *sources;
	struct wm_buffer *buffer;
	enum found found;
	char *refused; /* where it was found, if it was refused; heap */
};

/* True: the search is over.  The path is normalised. */
static bool try_path(struct search *search, const char *path)
{
	enum found found = read_regular(search->sources, search->buffer, path);
	if (found == REFUSED && !search->refused)
		search->refused = wm_xstrdup(path);
	if (found != ABSENT)
		search->found = found;
	return found == FOUND;
}

static bool try_in(struct search *search, const char *directory, const char *name)
{
	char *path = wm_file_name_join(directory, name);
	if (!path)
		wm_no_memory();
	bool over = try_path(search, path);
	free(path);
	return over;
}

/* The name without its leading "/" or "../". */
static const char *without_parents(const char *name)
{
	while (*name == '/' || strncmp(name, "../", 3) == 0)
		name += *name == '/' ? 1 : 3;
	return name;
}

static bool search_directories(struct search *search, const char *name)
{
	const struct wm_source_dirs *directories = search->sources->directories;
	for (size_t i = 0; directories && i < directories->count; i++)
		for (const char *end = without_parents(name); end; end = strchr(end, '/')) {
			end += *end == '/';
			if (try_in(search, directories->name[i], end))
				return true;
		}
	return false;
}

/* The name as it is comes last: it may lead through symbolic links. */
static bool search_by_name(struct search *search, const char *name, const char *given, const char *directory)
{
	if (name[0] != '/' && directory && directory[0] == '/' && try_in(search, directory, name))
		return true;
	return try_path(search, name) || (strcmp(name, given) != 0 && try_path(search, given));
}

static const char *compilation_directory(const struct wm_source_origin *origin)
{
	return origin->module ? origin->module->directory : NULL;
}

/* The deepest tree that contains a file and the compilation directory: where they are relative to its root. */
struct tree {
	char *file, *directory; /* heap; the directory is "" if it is the root, or is not known */
};

static void tree_init(struct tree *tree, const char *name, const char *directory)
{
	bool alike = directory && (directory[0] == '/' || name[0] != '/');
	char *from = alike ? wm_file_name_join("/", directory) : NULL;
	char *to = alike ? wm_file_name_join(directory[0] == '/' ? from : "/", name) : NULL;
	char *relative = to && from ? wm_file_name_relative(to, from) : NULL;
	const char *work = from ? from + strlen(from) : "";
	const char *place = without_parents(relative ? relative : name);
	for (const char *up = relative; up && up < place; up += 3) {
		work -= work > from;
		while (work > from && work[-1] != '/')
			work--;
	}
	*tree = (struct tree){wm_xstrdup(place), wm_xstrdup(work)};
	free(relative);
	free(to);
	free(from);
}

static void tree_release(struct tree *tree)
{
	free(tree->file);
	free(tree->directory);
}

static bool has_directory(const char *root, const char *directory)
{
	struct stat info;
	char *path = wm_file_name_join(root, directory);
	bool has = path && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
	free(path);
	return has;
}

/* If the whole tree was moved with the binary, its root is above the binary, and contains the compilation directory too.  If
 * the compilation directory is the root, a file in it could be any file of this name: then it must be near the binary. */
static bool search_above(struct search *search, const char *name, const struct wm_source_origin *origin)
{
	enum { NEAR = 2 };
	char *above = origin->binary ? realpath(origin->binary, NULL) : NULL;
	struct tree tree;
	tree_init(&tree, name, compilation_directory(origin));
	bool over = false, any = !*tree.directory && !strchr(tree.file, '/');
	for (unsigned levels = 0; !over && above && (!any || levels < NEAR); levels++) {
		char *slash = strrchr(above, '/');
		if (!slash)
			break;
		*slash = 0;
		const char *root = *above ? above : "/";
		over = has_directory(root, tree.directory) && try_in(search, root, tree.file);
	}
	tree_release(&tree);
	free(above);
	return over;
}

/* ---- Beside the compiled file ------------------------------------------------------------------ */

/* Whether a #line directive of the compiled file names the file. */
static bool is_named_by_line(const struct wm_map_module *module, const char *given)
{
	for (uint32_t f = 0; f < module->file_count; f++)
		if (module->in_main[f] && strcmp(module->file[f], given) == 0)
			return true;
	return false;
}

/* The directory of the compiled file; heap. */
static char *unit_directory(const struct wm_map_module *module)
{
	char *file = wm_file_name_join(module->directory, module->source), *slash = file ? strrchr(file, '/') : NULL;
	if (!file)
		wm_no_memory();
	*(slash ? slash : file) = 0;
	return file;
}

/* Generators write names that are relative to where they run or to where they write, and the compiler may run elsewhere. */
static bool search_beside(
	struct search *search, const char *given, const char *name, const struct wm_map_module *module)
{
	bool generated = module && module->in_main && module->source && is_named_by_line(module, given);
	if (!generated || !module->directory || module->directory[0] != '/')
		return false;
	char *unit = unit_directory(module), *whole = wm_file_name_join(module->directory, name);
	char *relative = whole ? wm_file_name_relative(whole, module->directory) : NULL;
	if (!relative)
		wm_no_memory();
	bool over = try_in(search, unit, relative);
	free(relative);
	free(whole);
	free(unit);
	return over;
}

static void find_file(struct wm_sources *sources, struct wm_source_file *file, const struct wm_source_origin *origin)
{
	struct search search = {.sources = sources, .buffer = &file->text, .found = ABSENT};
	char *name = wm_file_name_join("", file->name);
	if (!name)
		wm_no_memory();
	/* A file that is refused under its own name is not searched for elsewhere: there it would be another file. */
	if (!search_directories(&search, name) &&
		!search_by_name(&search, name, file->name, compilation_directory(origin)) && !search.refused &&
		!search_above(&search, name, origin))
		search_beside(&search, file->name, name, origin->module);
	file->state = search.found == FOUND ? WM_SOURCE_SHOWN : search.refused ? WM_SOURCE_REFUSED : WM_SOURCE_ABSENT;
	file->place = search.refused;
	if (file->state == WM_SOURCE_REFUSED && !sources->refused_count++)
		sources->refused = wm_xstrdup(file->place);
	if (file->state == WM_SOURCE_ABSENT && !sources->absent_count++)
		sources->absent = wm_xstrdup(name);
	free(name);
}

static void index_lines(struct wm_source_file *file)
{
	const uint8_t *data = file->text.data, *end = data + file->text.size;
	for (const uint8_t *at = data; at < end;) {
		const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
		WM_XGROW(file->start, file->line_count);
		file->start[file->line_count++] = (size_t)(at - data);
		at = stop ? stop + 1 : end;
	}
	WM_XGROW(file->start, file->line_count);
	file->start[file->line_count] = file->text.size;
}

/* Whether the file is known; *at receives its index, or where it belongs. */
static bool find_known(const struct wm_sources *sources, const char *name, size_t *at)
{
	WM_LOWER_BOUND(*at, 0, sources->count, strcmp(sources->file[*at].name, name) < 0);
	return *at < sources->count && !strcmp(sources->file[*at].name, name);
}

static struct wm_source_file *get_file(
	struct wm_sources *sources, const char *name, const struct wm_source_origin *origin)
{
	size_t at;
	if (find_known(sources, name, &at))
		return &sources->file[at];
	WM_XGROW(sources->file, sources->count);
	struct wm_source_file *file = &sources->file[at];
	memmove(file + 1, file, (sources->count++ - at) * sizeof *file);
	*file = (struct wm_source_file){.name = wm_xstrdup(name)};
	find_file(sources, file, origin);
	if (file->state == WM_SOURCE_SHOWN)
		index_lines(file);
	return file;
}

const char *wm_source_line(struct wm_sources *sources, const char *name, uint32_t line,
	const struct wm_source_origin *origin, size_t *length)
{
	if (sources->off || !name || !line)
		return NULL;
	const struct wm_source_file *file = get_file(sources, name, origin);
	if (line > file->line_count)
		return NULL;
	size_t start = file->start[line - 1], end = file->start[line];
	while (end > start && strchr("\r\n\t ", file->text.data[end - 1]))
		end--;
	*length = end - start;
	return (const char *)file->text.data + start;
}

bool wm_source_is(struct wm_sources *sources, const char *name, const struct wm_map_checksum *checksum,
	const struct wm_source_origin *origin)
{
	if (sources->off || !name || checksum->size != MD5_DIGEST_LENGTH)
		return false;
	struct wm_source_file *file = get_file(sources, name, origin);
	if (file->state != WM_SOURCE_SHOWN)
		return false;
	if (!file->summed) {
		MD5_CTX context;
		MD5Init(&context);
		MD5Update(&context, file->text.data, file->text.size);
		MD5Final(file->sum, &context);
	}
	file->summed = true;
	return memcmp(file->sum, checksum->byte, MD5_DIGEST_LENGTH) == 0;
}

enum wm_source_state wm_source_state(const struct wm_sources *sources, const char *name)
{
	size_t at;
	return find_known(sources, name, &at) ? sources->file[at].state : WM_SOURCE_ABSENT;
}

char *wm_source_advice(const struct wm_sources *sources, const char *name)
{
	size_t at;
	if (!find_known(sources, name, &at) || sources->file[at].state != WM_SOURCE_REFUSED)
		return wm_xprintf(
			"The source file %s is not found: --source-dir DIR names a directory in which it is.", name);
	const char *place = sources->file[at].place, *slash = strrchr(place, '/');
	return wm_xprintf("The source file %s is outside the current directory: --source-dir %.*s allows it.", place,
		slash > place ? (int)(slash - place) : 1, slash ? place : ".");
}

const struct wm_tokens *wm_source_tokens(struct wm_sources *sources, const char *name, const struct wm_map_line *place,
	const struct wm_source_origin *origin, size_t *at)
{
	if (sources->off || !name || !place->line)
		return NULL;
	struct wm_source_file *file = get_file(sources, name, origin);
	if (place->line > file->line_count)
		return NULL;
	if (!file->tokens) {
		file->tokens = wm_xmalloc(sizeof *file->tokens);
		wm_tokens_make(file->tokens, (const char *)file->text.data, file->text.size);
	}
	size_t offset = file->start[place->line - 1] + place->column - 1;
	bool inside = place->column && offset < file->start[place->line];
	*at = inside ? wm_tokens_at(file->tokens, offset) : WM_NO_TOKEN;
	return file->tokens;
}

void wm_sources_release(struct wm_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		free(sources->file[i].name);
		free(sources->file[i].start);
		free(sources->file[i].place);
		if (sources->file[i].tokens)
			wm_tokens_release(sources->file[i].tokens);
		free(sources->file[i].tokens);
		wm_buffer_release(&sources->file[i].text);
	}
	free(sources->file);
	free(sources->refused);
	free(sources->absent);
	*sources = (struct wm_sources){0};
}
