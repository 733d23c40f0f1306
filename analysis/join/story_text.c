/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names and numbers in readable form. */
#include "analysis/join/names.h"
#include "analysis/join/story.h"
#include "core/base/heap.h"
#include "policy/file_names.h"
#include "support/directory.h"
#include "support/printable.h"
#include "support/string_builder.h"
#include <dlfcn.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The demangler is loaded at run time, because the command needs nothing else of the C++ library, which is present on
 * every machine with clang. */
typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);

static demangler *demangle; /* NULL: not found */

static void find_demangler(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	demangle = library ? (demangler *)dlsym(library, "__cxa_demangle") : NULL;
}

char *wm_demangle(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int status = -1;
	if (strncmp(name, "_Z", 2) != 0)
		return wm_one_line(name);
	pthread_once(&once, find_demangler);
	char *text = demangle ? wm_heap_adopt(demangle(name, NULL, NULL, &status)) : NULL;
	return text && status == 0 ? text : wm_one_line(name);
}

bool wm_story_name_matches(const struct wm_story_function *function, const char *name)
{
	bool matches = fnmatch(name, function->map->name, 0) == 0 || wm_demangled_matches(function->display, name);
	for (size_t i = 0; !matches && i < function->instances.count; i++) {
		const struct wm_story_instance *instance = &function->instances.instance[i];
		matches = fnmatch(name, instance->map->name, 0) == 0 || wm_demangled_matches(instance->display, name);
	}
	return matches;
}

char *wm_instances_text(const struct wm_story_function *function, size_t most)
{
	const struct wm_story_instances *all = &function->instances;
	struct wm_string text = {0};
	if (!all->count)
		return NULL;
	wm_string_add(&text, "%zu instances:", all->count);
	for (size_t i = 0; i < all->count && i < most; i++) {
		char *name = wm_name_shortened(all->instance[i].display);
		wm_string_add(&text, "%s %s%s", i ? "," : "", name, all->instance[i].executions ? "" : " (never ran)");
		free(name);
	}
	if (all->count > most)
		wm_string_add(&text, " and %zu more", all->count - most);
	return text.text;
}

const char *wm_story_file(const struct wm_story_function *function)
{
	uint32_t file = function->map->file;
	return file < function->module->file_count ? function->module->file[file] : NULL;
}

const char *wm_story_status(const struct wm_story_function *function)
{
	static const char *const names[] = {[WM_EXACT] = "exact", [WM_SPLIT] = "split", [WM_SKIPPED] = "skipped"};
	if (function->state == WM_STORY_REFUSED)
		return "refused";
	return names[function->map->status];
}

const char *wm_story_reason(const struct wm_story_function *function)
{
	if (function->refusal)
		return function->refusal;
	if (function->map->status == WM_SPLIT)
		return "too many paths for one number; cut at edges";
	return function->map->reason ? function->map->reason : "";
}

size_t wm_refused_alike(const struct wm_story_refusal *refused, size_t first, size_t count)
{
	size_t end = first + 1;
	while (end < count && strcmp(refused[end].reason, refused[first].reason) == 0)
		end++;
	return end;
}

const char *wm_start_text(unsigned start)
{
	static const char *const names[] = {
		[WM_START_ENTRY] = "entry", [WM_START_LOOP] = "loop", [WM_START_CUT] = "cut", [WM_START_CALL] = "call"};
	return names[start];
}

const char *wm_end_text(unsigned end)
{
	static const char *const names[] = {[WM_END_NONE] = "none",
		[WM_END_RETURN] = "return",
		[WM_END_NORETURN] = "noreturn",
		[WM_END_UNWIND] = "unwind",
		[WM_END_BACKEDGE] = "backedge",
		[WM_END_CUT] = "cut",
		[WM_END_CALL] = "call"};
	return names[end];
}

const char *wm_stage_text(unsigned stage)
{
	return stage == WM_CFG_OPTIMISED ? "optimised" : "source";
}

const char *wm_update_text(unsigned update)
{
	static const char *const names[] = {[WM_UPDATE_SINGLE] = "single",
		[WM_UPDATE_ATOMIC] = "atomic",
		[WM_UPDATE_DELTA] = "delta",
		[WM_UPDATE_GS] = "gs"};
	return names[update];
}

const char *wm_time_print(uint64_t microseconds, char text[WM_TIME_SIZE])
{
	time_t seconds = (time_t)(microseconds / 1000000);
	struct tm parts;
	if (!gmtime_r(&seconds, &parts) || !strftime(text, WM_TIME_SIZE, "%Y-%m-%d %H:%M:%S UTC", &parts))
		snprintf(text, WM_TIME_SIZE, "%" PRIu64 " us after 1970", microseconds);
	return text;
}

const char *wm_path_label_print(uint64_t id, char text[WM_NUMBER_SIZE])
{
	bool unfinished = id & WM_STORY_UNFINISHED;
	snprintf(text, WM_NUMBER_SIZE, "%spath %" PRIu64, unfinished ? "unfinished " : "",
		(id & ~WM_STORY_UNFINISHED) + unfinished);
	return text;
}

const char *wm_thousands_print(uint64_t number, char text[WM_NUMBER_SIZE])
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, number), at = 0;
	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = 0;
	return text;
}

const char *wm_possible_print(const struct wm_story_function *function, char text[WM_NUMBER_SIZE])
{
	if (function->possible.countable)
		return wm_thousands_print(function->possible.count, text);
	snprintf(text, WM_NUMBER_SIZE, "10^%.1f", function->possible.log10);
	return text;
}

const char *wm_short_file_print(const char *file, char text[WM_FILE_SIZE])
{
	const char *here = wm_current_directory();
	size_t length = strlen(here);
	if (strstr(file, "./")) {
		snprintf(text, WM_FILE_SIZE, "%s", file);
		wm_file_name_normalise(text);
		file = text;
	}
	if (length > 1 && strncmp(file, here, length) == 0 && file[length] == '/')
		file += length + 1;
	if (!strpbrk(file, "\n\t"))
		return file;
	char *line = wm_one_line(file);
	snprintf(text, WM_FILE_SIZE, "%s", line);
	free(line);
	return text;
}

double wm_share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}
