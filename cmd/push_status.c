/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/push_status.h"

#include "analysis/join/story.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/json.h"
#include "support/xalloc.h"
#include "view/document/document.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file_name[] = "totals.json", new_name[] = "totals.new", schema[] = "waymark.push-totals/1";

/* ---- The figures --------------------------------------------------------------------- */

enum kind {
	TOTAL, /* in the file; only grows */
	MOMENT, /* in the file; seconds since 1970 */
	STATE, /* in the file */
	MEASURED,
};

/* One row for all forms of a figure. */
struct figure {
	enum kind kind;
	const char *key; /* in JSON */
	size_t offset; /* in struct wm_push_status */
	const char *metric, *help; /* for Prometheus */
};

#define FIGURE(kind, member, metric, ...) {kind, #member, offsetof(struct wm_push_status, member), metric, __VA_ARGS__}
static const struct figure figures[] = {
	FIGURE(MOMENT, since, "since_timestamp_seconds", "When the totals began."),
	FIGURE(TOTAL, stored, "stored_total", "Profiles and increments that the store took."),
	FIGURE(TOTAL, known, "known_total", "Profiles and increments that the store had already."),
	FIGURE(TOTAL, refused, "refused_total", "Profiles and increments that the store will never take."),
	FIGURE(TOTAL, kept, "kept_total", "Files that were moved to the directory kept."),
	FIGURE(TOTAL, removed, "removed_total", "Files that were removed by --queue-limit without being stored."),
	FIGURE(TOTAL, failed, "failures_total", "Attempts to store that failed and are repeated."),
	FIGURE(MOMENT, last_pass, "last_pass_timestamp_seconds", "When the agent was last done with the directory."),
	FIGURE(MOMENT, last_contact, "last_contact_timestamp_seconds", "When the store last answered to a profile."),
	FIGURE(MOMENT, last_error, "last_error_timestamp_seconds", "When something last went wrong."),
	FIGURE(STATE, is_failing, "failing", "1 if an attempt to store failed in the last pass."),
	FIGURE(MEASURED, waiting, "waiting_files", "Files of ended processes that wait in the directory."),
	FIGURE(MEASURED, waiting_bytes, "waiting_bytes", "What these files take on the disk."),
	FIGURE(MEASURED, waiting_age, "waiting_age_seconds", "How long ago the oldest of these files changed."),
	FIGURE(MEASURED, living, "living_files", "Files of living processes."),
	FIGURE(MEASURED, kept_files, "kept_files", "Files that are in the directory kept now."),
};
enum { FIGURES = sizeof figures / sizeof *figures };

static uint64_t *value_of(struct wm_push_status *status, const struct figure *figure)
{
	return (uint64_t *)(void *)((char *)status + figure->offset);
}

static uint64_t read_value(const struct wm_push_status *status, const struct figure *figure)
{
	return *(const uint64_t *)(const void *)((const char *)status + figure->offset);
}

static uint64_t now(void)
{
	return (uint64_t)time(NULL);
}

void wm_push_status_release(struct wm_push_status *status)
{
	free(status->error);
	*status = (struct wm_push_status){0};
}

void wm_push_status_count(struct wm_push_status *status, uint64_t *total)
{
	++*total;
	status->is_changed = true;
}

void wm_push_status_note(struct wm_push_status *status, const char *sentence)
{
	char *copy = wm_xstrdup(sentence);
	free(status->error);
	status->error = copy;
	status->last_error = now();
	status->is_changed = true;
}

/* ---- The file ------------------------------------------------------------------------ */

/* Figures that an earlier version did not write are 0; a number below 0 is none. */
static void take_document(struct wm_push_status *status, const json_t *document)
{
	const char *error = json_string_value(json_object_get(document, "error"));
	for (size_t i = 0; i < FIGURES; i++) {
		json_int_t value = json_integer_value(json_object_get(document, figures[i].key));
		if (figures[i].kind != MEASURED)
			*value_of(status, &figures[i]) = value > 0 ? (uint64_t)value : 0;
	}
	status->error = error ? wm_xstrdup(error) : NULL;
}

bool wm_push_status_read(struct wm_push_status *status, const struct wm_push_state *state)
{
	struct wm_buffer buffer = {0};
	json_error_t error;
	wm_push_status_release(status);
	if (!wm_push_state_read_file(state, file_name, &buffer))
		return false;
	json_t *document = json_loadb((const char *)buffer.data, buffer.size, 0, &error);
	const char *is = json_string_value(json_object_get(document, "schema"));
	bool ok = is && !strcmp(is, schema);
	if (ok)
		take_document(status, document);
	else
		wm_warn("%s/%s is damaged; the totals begin anew", state->path, file_name);
	json_decref(document);
	wm_buffer_release(&buffer);
	return ok;
}

/* A moment that never was is null. */
static void put_figures(json_t *document, const struct wm_push_status *status, bool measured)
{
	for (size_t i = 0; i < FIGURES; i++) {
		uint64_t value = read_value(status, &figures[i]);
		if (figures[i].kind == MOMENT && !value)
			json_object_set_new(document, figures[i].key, json_null());
		else if (figures[i].kind == STATE)
			json_object_set_new(document, figures[i].key, json_integer(value != 0));
		else if (figures[i].kind != MEASURED || measured)
			json_object_set_new(document, figures[i].key, wm_json_count(value & INT64_MAX));
	}
	json_object_set_new(document, "error", wm_json_optional(status->error));
}

bool wm_push_status_write(struct wm_push_status *status, const struct wm_push_state *state)
{
	json_t *document = wm_json_checked(json_pack("{s:s}", "schema", schema));
	put_figures(document, status, false);
	char *text = json_dumps(document, JSON_INDENT(1));
	json_decref(document);
	if (!text)
		wm_no_memory();
	const struct wm_buffer bytes = {.data = (uint8_t *)text, .size = strlen(text)};
	bool ok = wm_push_write_file(state->fd, file_name, new_name, &bytes, &(struct wm_push_manner){.mode = 0600});
	int error = errno;
	free(text);
	errno = error;
	status->is_changed = false;
	return ok;
}

/* ---- The directories ----------------------------------------------------------------- */

static void measure_file(
	struct wm_push_status *status, const struct wm_push_directory *directory, const struct wm_push_file *file)
{
	struct stat info;
	if (fstatat(directory->fd, file->name, &info, AT_SYMLINK_NOFOLLOW) != 0 || info.st_ino != file->inode)
		return;
	if (file->is_alive) {
		status->living++;
		return;
	}
	time_t age = time(NULL) - info.st_mtim.tv_sec;
	status->waiting++;
	status->waiting_bytes += (uint64_t)info.st_blocks * 512;
	if (age > 0 && (uint64_t)age > status->waiting_age)
		status->waiting_age = (uint64_t)age;
}

static uint64_t count_entries(int directory)
{
	uint64_t count = 0;
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	for (struct dirent *entry; stream && (entry = readdir(stream));)
		count += entry->d_name[0] != '.';
	if (stream)
		closedir(stream);
	else if (fd >= 0)
		close(fd);
	return count;
}

void wm_push_status_measure(
	struct wm_push_status *status, const struct wm_push_directory *directory, const struct wm_push_state *state)
{
	status->waiting = status->waiting_bytes = status->waiting_age = status->living = 0;
	for (size_t i = 0; i < directory->count; i++)
		measure_file(status, directory, &directory->file[i]);
	status->kept_files = count_entries(state->kept);
}

/* ---- Prometheus ---------------------------------------------------------------------- */

static const char beside_suffix[] = ".new";

/* A label is UTF-8, in which three characters are escaped. */
static void put_label(FILE *out, const char *text)
{
	json_t *valid = wm_json_text(text);
	for (const char *at = json_string_value(valid); *at; at++)
		if (*at == '\n')
			fputs("\\n", out);
		else
			fprintf(out, *at == '\\' || *at == '"' ? "\\%c" : "%c", *at);
	json_decref(valid);
}

static void put_metric(FILE *out, const struct figure *figure, uint64_t value, const char *directory)
{
	fprintf(out, "# HELP waymark_push_%s %s\n# TYPE waymark_push_%s %s\nwaymark_push_%s{directory=\"",
		figure->metric, figure->help, figure->metric, figure->kind == TOTAL ? "counter" : "gauge",
		figure->metric);
	put_label(out, directory);
	fprintf(out, "\"} %" PRIu64 "\n", value);
}

bool wm_push_status_export(const struct wm_push_status *status, const char *directory, const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		wm_no_memory();
	for (size_t i = 0; i < FIGURES; i++)
		put_metric(out, &figures[i], read_value(status, &figures[i]), directory);
	if (fclose(out) != 0)
		wm_no_memory();
	char *beside = wm_xprintf("%s%s", path, beside_suffix);
	const struct wm_buffer bytes = {.data = (uint8_t *)text, .size = size};
	bool ok = wm_push_write_file(AT_FDCWD, path, beside, &bytes, &(struct wm_push_manner){.mode = 0666});
	int error = errno;
	free(beside);
	free(text);
	errno = error;
	return ok;
}

bool wm_push_status_is_own(const char *name, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL, *base = slash ? slash + 1 : path;
	if (!strcmp(name, file_name) || !strcmp(name, new_name))
		return true;
	size_t length = base ? strlen(base) : 0;
	return base && !strncmp(name, base, length) && (!name[length] || !strcmp(name + length, beside_suffix));
}

/* ---- waymark push --status ----------------------------------------------------------- */

static char *age_text(uint64_t seconds)
{
	enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };
	uint64_t unit = seconds < 2 * MINUTE ? 1 : seconds < 2 * HOUR ? MINUTE : seconds < 2 * DAY ? HOUR : DAY;
	const char *name = unit == 1 ? "second" : unit == MINUTE ? "minute" : unit == HOUR ? "hour" : "day";
	return wm_xprintf("%" PRIu64 " %s%s", seconds / unit, name, wm_plural(seconds / unit));
}

static void print_queue(const struct wm_push_status *status, const char *directory)
{
	if (status->waiting) {
		char *age = age_text(status->waiting_age);
		printf("%s: %" PRIu64 " profile%s wait%s (%" PRIu64 " KiB), the oldest for %s; ", directory,
			status->waiting, wm_plural(status->waiting), status->waiting == 1 ? "s" : "",
			status->waiting_bytes / 1024, age);
		free(age);
	} else
		printf("%s: no profile waits; ", directory);
	printf("%" PRIu64 " of living processes, %" PRIu64 " in kept\n", status->living, status->kept_files);
}

static void print_moment(const char *what, uint64_t moment)
{
	if (moment && moment <= UINT32_MAX)
		printf("%s: %s\n", what, wm_time_text(moment * 1000000));
	else
		printf("%s: never\n", what);
}

static void print_text(const struct wm_push_status *status, const char *directory)
{
	print_queue(status, directory);
	if (!status->last_pass) {
		puts("no agent has finished a pass with this state directory");
		return;
	}
	print_moment("totals since", status->since);
	printf("%" PRIu64 " stored, %" PRIu64 " known already, %" PRIu64 " refused, %" PRIu64 " kept, %" PRIu64
	       " removed without being stored, %" PRIu64 " failed attempt%s\n",
		status->stored, status->known, status->refused, status->kept, status->removed, status->failed,
		wm_plural(status->failed));
	print_moment(status->is_failing ? "last pass, which failed" : "last pass", status->last_pass);
	print_moment("last answer of the store", status->last_contact);
	print_moment("last error", status->last_error);
	if (status->error)
		printf("  %s\n", status->error);
}

static void print_json(const struct wm_push_status *status, const char *directory, const char *state)
{
	json_t *document = wm_json_document("push");
	json_object_set_new(document, "directory", wm_json_text(directory));
	json_object_set_new(document, "state", wm_json_text(state));
	put_figures(document, status, true);
	wm_json_print(document);
}

int wm_push_status_show(const char *path, const char *state_path, bool json)
{
	struct wm_push_directory directory;
	struct wm_push_state state;
	struct wm_push_status status = {0};
	wm_push_directory_open(&directory, path);
	wm_push_directory_scan(&directory);
	if (wm_push_state_look(&state, state_path))
		wm_push_status_read(&status, &state);
	wm_push_status_measure(&status, &directory, &state);
	if (json)
		print_json(&status, path, state_path);
	else
		print_text(&status, path);
	int code = !status.last_pass || status.is_failing;
	wm_push_status_release(&status);
	wm_push_state_close(&state);
	wm_push_directory_close(&directory);
	return code;
}
