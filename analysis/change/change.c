/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/change/change.h"
#include "core/base/search.h"
#include "policy/file_names.h"
#include "support/buffer.h"
#include "support/capture.h"
#include "support/fail.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reading */

/* Without the newline at the end. */
static char *first_line(const struct wm_buffer *buffer)
{
	return wm_xprintf("%.*s", (int)strcspn((const char *)buffer->data, "\n"), (const char *)buffer->data);
}

/* Runs git, and returns its exit status. */
static int run_git(char *const *command, struct wm_buffer *output, struct wm_buffer *errors)
{
	int status = wm_capture(command, output, errors);
	if (status < 0)
		wm_fail("git cannot be started: %s; give the diff on standard input instead (--changed -)",
			strerror(errno));
	return status;
}

/* The root of the working tree; NULL: there is none, and *message receives what git says. */
static char *find_top(char **message)
{
	static const char *const command[] = {"git", "rev-parse", "--show-toplevel", NULL};
	struct wm_buffer output, errors;
	int status = run_git((char *const *)command, &output, &errors);
	char *top = status == 0 ? first_line(&output) : NULL;
	*message = top ? NULL : first_line(&errors);
	wm_buffer_release(&output);
	wm_buffer_release(&errors);
	return top;
}

/* Settings of the user and of the repository must not change the form of the diff. */
static void run_diff(struct wm_change *change)
{
	const char *const since = change->since_branch ? "--merge-base" : "--patch";
	const char *const command[] = {"git", "--no-pager", "-c", "core.quotePath=true", "diff", "--no-ext-diff",
		"--no-textconv", "--no-color", "--no-relative", "--submodule=short", "--find-renames", "--unified=0",
		"--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", since, "--end-of-options",
		change->range, "--", NULL};
	const char *option = change->since_branch ? "--merge-base " : "";
	struct wm_buffer output, errors;
	if (run_git((char *const *)command, &output, &errors) != 0) {
		char *message = first_line(&errors);
		wm_fail("`git diff %s%s` fails: %s", option, change->range, message);
	}
	char *what = wm_xprintf("the output of `git diff %s%s`", option, change->range);
	wm_change_parse(change, (const char *)output.data, output.size, what);
	free(what);
	wm_buffer_release(&output);
	wm_buffer_release(&errors);
}

static void read_range(struct wm_change *change)
{
	char *message;
	if (change->range[0] == '-' || !change->range[0])
		wm_fail("--changed %s is neither a range of commits nor - (standard input)", change->range);
	change->top = find_top(&message);
	if (!change->top)
		wm_fail("--changed %s needs a working tree of git, and here is none (%s); run the command in the "
			"working "
			"tree, or give a diff on standard input (--changed -)",
			change->range, message);
	change->fixed = true;
	run_diff(change);
}

/* A diff of git is usually relative to the root of the working tree; other diffs are relative to the current directory.
 * Neither is certain. */
static void read_standard_input(struct wm_change *change)
{
	static const char *const command[] = {"git", "rev-parse", "--show-toplevel", NULL};
	struct wm_buffer buffer, output, errors;
	if (!wm_buffer_read(&buffer, "-"))
		wm_fail("standard input cannot be read: %s", strerror(errno));
	wm_change_parse(change, (const char *)buffer.data, buffer.size, "standard input");
	wm_buffer_release(&buffer);
	int status = change->diff.git ? wm_capture((char *const *)command, &output, &errors) : -1;
	if (status == 0)
		change->top = first_line(&output);
	if (status >= 0) {
		wm_buffer_release(&output);
		wm_buffer_release(&errors);
	}
	char here[4096];
	if (!change->top && getcwd(here, sizeof here))
		change->top = wm_xstrdup(here);
}

void wm_change_read(struct wm_change *change)
{
	if (strcmp(change->range, "-") == 0)
		read_standard_input(change);
	else
		read_range(change);
	if (change->root) {
		free(change->top);
		change->top = wm_xstrdup(change->root);
		change->fixed = true;
	}
	if (change->top)
		wm_file_name_normalise(change->top);
}

void wm_change_parse(struct wm_change *change, const char *text, size_t size, const char *what)
{
	struct wm_diff_error error;
	if (!wm_diff_parse(&change->diff, text, size, change->before, &error))
		wm_fail("%s, line %zu, is not a diff that can be used: %s", what, error.line, error.what);
}

void wm_change_release(struct wm_change *change)
{
	for (size_t i = 0; i < change->count; i++)
		free(change->file[i].name);
	free(change->file);
	free(change->name);
	free(change->top);
	wm_diff_release(&change->diff);
	*change = (struct wm_change){0};
}

/* Names */

static const char *directory_of(const struct wm_map_module *module)
{
	return module->directory ? module->directory : "";
}

static char *full_name(const struct wm_map_module *module, uint32_t file)
{
	char *name = wm_file_name_join(directory_of(module), module->file[file]);
	if (!name)
		wm_no_memory();
	return name;
}

static const struct wm_diff_file *find_diff_file(const struct wm_diff *diff, const char *name)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, diff->count, strcmp(diff->file[i].name, name) < 0);
	return i < diff->count && strcmp(diff->file[i].name, name) == 0 ? &diff->file[i] : NULL;
}

/* What follows the root and a slash; NULL: the file is not below the root. */
static const char *below(const char *name, const char *top)
{
	size_t length = strlen(top);
	if (strcmp(top, "/") == 0)
		length = 0;
	return strncmp(name, top, length) == 0 && name[length] == '/' ? name + length + 1 : NULL;
}

/* The file of the diff that a file of the debug information is, or NULL; *exactly: it has this name below the root. */
static const struct wm_diff_file *find_match(const struct wm_change *change, const char *name, bool *exactly)
{
	const char *rest = change->top ? below(name, change->top) : NULL;
	const struct wm_diff_file *file = rest ? find_diff_file(&change->diff, rest) : NULL;
	*exactly = file != NULL;
	if (file || (rest && change->fixed))
		return file;
	file = find_diff_file(&change->diff, name);
	for (const char *slash = strchr(name, '/'); slash && !file; slash = strchr(slash + 1, '/'))
		file = find_diff_file(&change->diff, slash + 1);
	return file;
}

const struct wm_diff_file *wm_change_match(const struct wm_change *change, const char *name)
{
	bool exactly;
	return find_match(change, name, &exactly);
}

/* The files of the debug information */

static int by_name(const void *left, const void *right)
{
	const struct wm_change_file *a = left, *b = right;
	return strcmp(a->name, b->name);
}

/* Every name of a file in the maps, once, ascending. */
static void list_files(struct wm_change *change, const struct wm_object *objects, size_t count)
{
	for (size_t o = 0; o < count; o++)
		for (size_t m = 0; m < objects[o].map.module_count; m++)
			for (uint32_t f = 0; f < objects[o].map.module[m].file_count; f++) {
				WM_XGROW(change->file, change->count);
				change->file[change->count++] =
					(struct wm_change_file){.name = full_name(&objects[o].map.module[m], f)};
			}
	if (change->count)
		qsort(change->file, change->count, sizeof *change->file, by_name);
	size_t kept = 0;
	for (size_t i = 0; i < change->count; i++)
		if (kept && strcmp(change->file[kept - 1].name, change->file[i].name) == 0)
			free(change->file[i].name);
		else
			change->file[kept++] = change->file[i];
	change->count = kept;
}

/* Per file of the diff, which file of the debug information it is; `exactly`: by its name below the root. */
struct match {
	const struct wm_change_file *file;
	bool exactly;
};

static _Noreturn void fail_ambiguous(const struct wm_diff_file *diff, const char *one, const char *other)
{
	wm_fail("the change is ambiguous: its file %s may be %s or %s; name the directory to which the names of the "
		"diff are "
		"relative, as it was called where the binary was compiled, with --changed-root",
		diff->name, one, other);
}

/* Matches files exactly, or those of the other files whose file of the diff is not matched exactly. */
static void match_files(struct wm_change *change, struct match *match, bool exact)
{
	for (size_t i = 0; i < change->count; i++) {
		struct wm_change_file *file = &change->file[i];
		bool exactly;
		file->diff = find_match(change, file->name, &exactly);
		struct match *of = file->diff ? &match[file->diff - change->diff.file] : NULL;
		if (!of || exactly != exact || of->exactly)
			continue;
		if (of->file)
			fail_ambiguous(file->diff, of->file->name, file->name);
		*of = (struct match){file, exactly};
	}
}

/* Keeps only the files that the change touches. */
static void keep_matched(struct wm_change *change, const struct match *match)
{
	size_t kept = 0;
	for (size_t i = 0; i < change->count; i++) {
		const struct wm_diff_file *diff = change->file[i].diff;
		if (diff && match[diff - change->diff.file].file == &change->file[i])
			continue;
		free(change->file[i].name);
		change->file[i].name = NULL;
	}
	for (size_t i = 0; i < change->count; i++)
		if (change->file[i].name)
			change->file[kept++] = change->file[i];
	change->count = kept;
	change->absent = change->diff.count - kept;
}

static int by_key(const void *left, const void *right)
{
	const struct wm_change_name *a = left, *b = right;
	int order = strcmp(a->file, b->file);
	return order ? order : strcmp(a->directory, b->directory);
}

static void list_module_names(struct wm_change *change, const struct wm_map_module *module)
{
	for (uint32_t f = 0; f < module->file_count; f++) {
		struct wm_change_file file = {.name = full_name(module, f)};
		const struct wm_change_file *found =
			change->count ? bsearch(&file, change->file, change->count, sizeof file, by_name) : NULL;
		free(file.name);
		if (!found)
			continue;
		WM_XGROW(change->name, change->name_count);
		change->name[change->name_count++] =
			(struct wm_change_name){module->file[f], directory_of(module), found->diff};
	}
}

/* The names of the files in the maps, so that lines can be looked up without making a full name. */
static void list_names(struct wm_change *change, const struct wm_object *objects, size_t count)
{
	for (size_t o = 0; o < count; o++)
		for (size_t m = 0; m < objects[o].map.module_count; m++)
			list_module_names(change, &objects[o].map.module[m]);
	if (change->name_count)
		qsort(change->name, change->name_count, sizeof *change->name, by_key);
}

/* Whether the file on the disk contradicts what the user says of the binary: it must be the file that was compiled, or with
 * `before` must not be.  Nothing is known of files that are not there. */
static bool is_other_state(const struct wm_change *change, const struct wm_object *object,
	const struct wm_map_module *module, uint32_t file)
{
	struct wm_sources sources = {0};
	const struct wm_source_origin origin = {object->path, module};
	if (!module->file_sum || !module->file_sum[file].size || !wm_change_file(change, module, module->file[file]))
		return false;
	bool compiled = wm_source_is(&sources, module->file[file], &module->file_sum[file], &origin);
	bool known = wm_source_state(&sources, module->file[file]) == WM_SOURCE_SHOWN;
	wm_sources_release(&sources);
	return known && compiled == change->before;
}

static void warn_of_state(const struct wm_change *change, const char *file, const char *binary)
{
	if (change->before)
		wm_warn("%s was compiled from the present %s, so it is not from before a change of the working tree; "
			"leave out "
			"--before unless the change is an earlier one",
			binary, file);
	else
		wm_warn("%s is not the file from which %s was compiled, so the lines of the change may be others "
			"there; compile "
			"it and run the tests again, or see --before of `waymark tests`",
			file, binary);
}

/* Warns at most once. */
static void check_states(struct wm_change *change, const struct wm_object *objects, size_t count)
{
	for (size_t o = 0; o < count && change->name_count; o++)
		for (size_t m = 0; m < objects[o].map.module_count; m++) {
			const struct wm_map_module *module = &objects[o].map.module[m];
			for (uint32_t f = 0; f < module->file_count; f++)
				if (is_other_state(change, &objects[o], module, f)) {
					warn_of_state(change, module->file[f], objects[o].path);
					change->stale = true;
					return;
				}
		}
}

void wm_change_join(struct wm_change *change, const struct wm_object *objects, size_t count)
{
	struct match *match = calloc(change->diff.count + 1, sizeof *match);
	if (!match)
		wm_no_memory();
	list_files(change, objects, count);
	match_files(change, match, true);
	match_files(change, match, false);
	keep_matched(change, match);
	list_names(change, objects, count);
	free(match);
	check_states(change, objects, count);
}

/* Lines */

static enum wm_line_change find_line(const struct wm_diff_file *file, uint32_t line)
{
	enum wm_line_change change = WM_LINE_SAME;
	size_t i;
	/* Ranges overlap by at most one line, and only with the range beside them. */
	WM_LOWER_BOUND(i, 0, file->count, file->range[i].end <= line);
	for (; i < file->count && file->range[i].first <= line; i++) {
		enum wm_line_change found = file->range[i].removal ? WM_LINE_BESIDE : WM_LINE_CHANGED;
		if (found > change)
			change = found;
	}
	return change;
}

const struct wm_diff_file *wm_change_file(
	const struct wm_change *change, const struct wm_map_module *module, const char *file)
{
	if (!file || !change->name_count)
		return NULL;
	struct wm_change_name key = {file, directory_of(module), NULL};
	const struct wm_change_name *found = bsearch(&key, change->name, change->name_count, sizeof key, by_key);
	return found ? found->diff : NULL;
}

const char *wm_change_file_name(const struct wm_change *change, const struct wm_diff_file *file)
{
	for (size_t i = 0; i < change->count; i++)
		if (change->file[i].diff == file)
			return change->file[i].name;
	return file->name;
}

static enum wm_line_change find_in_file(
	const struct wm_change *change, const struct wm_map_module *module, const char *file, uint32_t line)
{
	const struct wm_diff_file *found = line ? wm_change_file(change, module, file) : NULL;
	return found ? find_line(found, line) : WM_LINE_SAME;
}

enum wm_line_change wm_change_line(
	const struct wm_change *change, const struct wm_map_module *module, uint32_t file, uint32_t line)
{
	return find_in_file(change, module, file < module->file_count ? module->file[file] : NULL, line);
}

enum wm_line_change wm_change_step(const struct wm_change *change, const struct wm_source_step *step)
{
	return find_in_file(change, step->function->module, step->file, step->line);
}

enum wm_line_change wm_change_steps(const struct wm_change *change, const struct wm_steps *steps)
{
	enum wm_line_change most = WM_LINE_SAME;
	for (size_t i = 0; i < steps->count && most < WM_LINE_CHANGED; i++) {
		enum wm_line_change found = wm_change_step(change, &steps->step[i]);
		most = found > most ? found : most;
	}
	return most;
}

enum wm_line_change wm_change_block(
	const struct wm_change *change, const struct wm_story_function *function, uint32_t block)
{
	if (!function->map->block)
		return WM_LINE_SAME;
	const struct wm_map_block *info = &function->map->block[block];
	enum wm_line_change most = wm_change_line(change, function->module, info->decision.file, info->decision.line);
	for (uint32_t i = 0; i < info->line_count && most < WM_LINE_CHANGED; i++) {
		enum wm_line_change found =
			wm_change_line(change, function->module, info->line[i].file, info->line[i].line);
		most = found > most ? found : most;
	}
	return most;
}

bool wm_change_function(const struct wm_change *change, const struct wm_story_function *function)
{
	for (uint32_t b = 0; b < function->map->graph.block_count && function->map->block; b++)
		if (wm_change_block(change, function, b) != WM_LINE_SAME)
			return true;
	return false;
}

static bool is_found(const struct wm_change *change, const struct wm_diff_file *file)
{
	for (size_t i = 0; i < change->count; i++)
		if (change->file[i].diff == file)
			return true;
	return false;
}

/* Names the files of which nothing is known: a source among them may belong to a program that was not given. */
static void add_absent(const struct wm_change *change, struct wm_string *text)
{
	enum { NAMED = 5 };
	size_t named = 0;
	for (size_t i = 0; i < change->diff.count && change->absent <= NAMED; i++) {
		const struct wm_diff_file *file = &change->diff.file[i];
		if (!is_found(change, file))
			wm_string_add(text, "%s%s", named++ ? ", " : "; not ", wm_change_file_name(change, file));
	}
}

char *wm_change_summary(const struct wm_change *change)
{
	struct wm_string text = {0};
	wm_string_add(&text, "%zu changed file%s, of which %zu %s in the debug information", change->diff.count,
		change->diff.count == 1 ? "" : "s", change->count, change->count == 1 ? "is" : "are");
	add_absent(change, &text);
	return text.text;
}
