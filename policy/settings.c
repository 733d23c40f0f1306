/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/settings.h"
#include "abi/crash.h"
#include "core/graph/supergraph.h"
#include "core/scheme/unit_scheme.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const stages[] = {"source", "optimised", NULL};
static const char *const conditions[] = {"branches", "values", NULL};
static const char *const switches[] = {"off", "on", NULL};
static const char *const unfinished[] = {"on", "off", NULL};
static const char *const crash_paths[] = {"0", NULL};
static const char *const updates[] = {"gs", "delta", "atomic", NULL};

const struct wm_setting wm_settings[WM_SETTING_COUNT] = {
	[WM_SET_SCHEME] = {"scheme", "WAYMARK_SCHEME", WM_SETTING_SCHEME, NULL, "which paths to count"},
	[WM_SET_WPP] = {"wpp", "WAYMARK_WPP", WM_SETTING_SWITCH, switches,
		"record the whole program path: the scheme subpath, nothing is counted"},
	[WM_SET_CFG] = {"cfg", "WAYMARK_CFG", WM_SETTING_CHOICE, stages,
		"where the graph is taken: as clang emits it, or after optimisation"},
	[WM_SET_CONDITIONS] = {"conditions", "WAYMARK_CONDITIONS", WM_SETTING_CHOICE, conditions,
		"which conditions are branches of the graph source: those that clang branches on, or also the last "
		"operands of && and || that are used as values, and all conditions of ?:"},
	[WM_SET_UPDATE] = {"update", "WAYMARK_UPDATE", WM_SETTING_CHOICE, updates,
		"how threads count: each in cells of its own, which it finds by the register GS or by a variable, or "
		"all "
		"in the same cells"},
	[WM_SET_ALLOW] = {"allow", "WAYMARK_ALLOW", WM_SETTING_FILE, NULL,
		"profile only the functions listed (one name or glob a line)"},
	[WM_SET_DENY] = {"deny", "WAYMARK_DENY", WM_SETTING_FILE, NULL, "leave the functions listed alone"},
	[WM_SET_SYSTEM_HEADERS] = {"system-headers", "WAYMARK_SYSTEM_HEADERS", WM_SETTING_SWITCH, switches,
		"profile functions in system headers too"},
	[WM_SET_WEIGHTS] = {"weights", "WAYMARK_WEIGHTS", WM_SETTING_FILE, NULL,
		"place probes by an earlier profile (.wmprof)"},
	[WM_SET_INTERESTING] = {"interesting", "WAYMARK_INTERESTING", WM_SETTING_FILE, NULL,
		"count the paths of this profile (.wmprof) at the least cost"},
	[WM_SET_RESIDUAL] = {"residual", "WAYMARK_RESIDUAL", WM_SETTING_FILE, NULL,
		"count only paths that are not in this profile (.wmprof)"},
	[WM_SET_USE] = {"use", "WAYMARK_USE", WM_SETTING_FILES, NULL,
		"optimise for the paths of these profiles (.wmprof), and do not instrument"},
	[WM_SET_SUPERBLOCKS] = {"superblocks", "WAYMARK_SUPERBLOCKS", WM_SETTING_PERCENT, NULL,
		"with -fwaymark-use: how large a function may become by copies of code for its paths, in percent of "
		"its "
		"size before (default: 150; 100: no copies)"},
	[WM_SET_MARKS] = {"marks", "WAYMARK_MARKS", WM_SETTING_SWITCH, switches,
		"note where blocks are in the machine code, for `waymark hw`, and do not instrument"},
	[WM_SET_UNFINISHED] = {"unfinished", "WAYMARK_UNFINISHED", WM_SETTING_CHOICE, unfinished,
		"describe calls, so that paths are known that end in them: by exit, a signal, longjmp or an exception"},
	[WM_SET_CRASH] = {"crash", "WAYMARK_CRASH", WM_SETTING_PATHS, crash_paths,
		"note where every frame is, for `waymark crash`; the number says how many of the last finished paths "
		"of "
		"each thread to keep too (without a number: 0; any other number costs much more than 0)"},
	[WM_SET_K] = {"k", "WAYMARK_K", WM_SETTING_LOOPS, NULL, "how many iterations of single loops (scheme kiter)"},
	[WM_SET_CROSS] = {"cross", "WAYMARK_CROSS", WM_SETTING_FILE, NULL,
		"which calls to cross first, or never (schemes context and piecewise; for the link)"},
	[WM_SET_SEGMENTS] = {"segments", "WAYMARK_SEGMENTS", WM_SETTING_DEPTH, NULL,
		"inline calls, recursive ones this deep, and count paths through them"},
	[WM_SET_SITES] = {"sites", "WAYMARK_SITES", WM_SETTING_FILE, NULL,
		"with -fwaymark-segments: which calls to inline (default: all)"},
	[WM_SET_SEGMENTS_SIZE] = {"segments-size", "WAYMARK_SEGMENTS_SIZE", WM_SETTING_PERCENT, NULL,
		"with -fwaymark-segments: how large the code may become by inlining, in percent of its size "
		"before (default: 150)"},
};

const struct wm_setting *wm_setting_find(const char *name, size_t length)
{
	for (size_t i = 0; i < WM_SETTING_COUNT; i++)
		if (strlen(wm_settings[i].name) == length && !strncmp(wm_settings[i].name, name, length))
			return &wm_settings[i];
	return NULL;
}

/* Options of earlier versions, and what serves instead. */
static const struct removed {
	const char *name, *variable, *instead;
} removed[] = {
	{"calls", "WAYMARK_CALLS", "name the calls that paths must not cross with -fwaymark-cross=FILE"},
	{"indirect", "WAYMARK_INDIRECT",
		"-fwaymark-segments=K inlines the indirect calls whose targets -fwaymark-sites=FILE lists"},
};
enum { REMOVED_COUNT = sizeof removed / sizeof *removed };

static void say_removed(const struct removed *option, const char *where, char error[300])
{
	snprintf(error, 300, "%s is an option of earlier versions: %s", where, option->instead);
}

bool wm_setting_removed(const char *name, size_t length, char error[300])
{
	char where[64];
	for (size_t i = 0; i < REMOVED_COUNT; i++) {
		if (strlen(removed[i].name) != length || strncmp(removed[i].name, name, length) != 0)
			continue;
		snprintf(where, sizeof where, "-fwaymark-%s", removed[i].name);
		say_removed(&removed[i], where, error);
		return true;
	}
	return false;
}

/* What does not fit is left out. */
static void append_name(char text[WM_SETTING_TEXT], const char *name, const char *parameter)
{
	size_t used = strlen(text);
	snprintf(text + used, WM_SETTING_TEXT - used, "%s%s%s%s", used ? ", " : "", name, parameter ? "=" : "",
		parameter ? parameter : "");
}

void wm_scheme_names(char text[WM_SETTING_TEXT])
{
	*text = 0;
	for (const struct wm_scheme *const *s = wm_schemes; *s; s++)
		append_name(text, (*s)->name, (*s)->parameter);
}

void wm_setting_values(const struct wm_setting *setting, char text[WM_SETTING_TEXT])
{
	*text = 0;
	switch (setting->kind) {
	case WM_SETTING_CHOICE:
	case WM_SETTING_SWITCH:
		for (const char *const *value = setting->values; *value; value++)
			append_name(text, *value, NULL);
		break;
	case WM_SETTING_SCHEME:
		wm_scheme_names(text);
		break;
	case WM_SETTING_FILE:
		append_name(text, "FILE", NULL);
		break;
	case WM_SETTING_FILES:
		append_name(text, "FILE,...", NULL);
		break;
	case WM_SETTING_PATHS:
		append_name(text, "0 ... 16", NULL);
		break;
	case WM_SETTING_LOOPS:
		append_name(text, "FUNCTION:LINE:K,..., @FILE", NULL);
		break;
	case WM_SETTING_DEPTH:
		append_name(text, "1 to 64", NULL);
		break;
	case WM_SETTING_PERCENT:
		append_name(text, "100 to 100000", NULL);
		break;
	}
}

static int find_choice(const char *const *values, const char *value)
{
	for (int i = 0; values[i]; i++)
		if (!strcmp(values[i], value))
			return i;
	return -1;
}

static const char *file_in(const struct wm_setting *setting, const char *value)
{
	if (setting->kind == WM_SETTING_LOOPS && *value == '@')
		return value + 1;
	return setting->kind == WM_SETTING_FILE ? value : NULL;
}

static bool is_number_up_to(const char *value, unsigned long most)
{
	char *end;
	unsigned long number = strtoul(value, &end, 10);
	return *value >= '0' && *value <= '9' && !*end && number <= most;
}

_Static_assert(WM_MAX_COPIES == 64 && WM_MOST_PERCENT == 100000, "as wm_setting_values says");

/* 0: the text is not a number in the range of the setting. */
static unsigned number_in(const struct wm_setting *setting, const char *value)
{
	bool percent = setting->kind == WM_SETTING_PERCENT;
	unsigned number = is_number_up_to(value, percent ? WM_MOST_PERCENT : WM_MAX_COPIES)
				  ? (unsigned)strtoul(value, NULL, 10)
				  : 0;
	return percent && number < 100 ? 0 : number;
}

static bool is_valid(const struct wm_setting *setting, const char *value)
{
	struct wm_scheme_choice choice;
	switch (setting->kind) {
	case WM_SETTING_CHOICE:
	case WM_SETTING_SWITCH:
		return find_choice(setting->values, value) >= 0;
	case WM_SETTING_SCHEME:
		return wm_scheme_parse(value, &choice) == WM_OK;
	case WM_SETTING_PATHS:
		return is_number_up_to(value, WM_CRASH_PATHS);
	case WM_SETTING_LOOPS:
		return *value == '@' || strchr(value, ':');
	case WM_SETTING_DEPTH:
	case WM_SETTING_PERCENT:
		return number_in(setting, value) > 0;
	case WM_SETTING_FILE:
	case WM_SETTING_FILES:
		return true;
	}
	return false;
}

static char *next_file(const struct wm_setting *setting, const char *value, const char **at)
{
	const char *one = file_in(setting, value);
	if (setting->kind != WM_SETTING_FILES) {
		one = *at ? NULL : one;
		*at = value;
		return one ? strdup(one) : NULL;
	}
	const char *from = *at ? *at : value;
	size_t length = strcspn(from, ",");
	*at = from + length + (from[length] == ',');
	return *from ? strndup(from, length) : NULL;
}

/* The first file of the value that cannot be read, on the heap; NULL: there is none. */
static char *unreadable_file(const struct wm_setting *setting, const char *value)
{
	const char *at = NULL;
	for (char *file; (file = next_file(setting, value, &at)); free(file))
		if (access(file, R_OK))
			return file;
	return NULL;
}

bool wm_setting_check(const struct wm_setting *setting, const char *value, const char *where, char error[300])
{
	char *file = unreadable_file(setting, value), values[WM_SETTING_TEXT];
	if (file) {
		snprintf(error, 300, "%s: cannot read '%.200s': %s", where, file, strerror(errno));
		free(file);
		return false;
	}
	if (is_valid(setting, value))
		return true;
	wm_setting_values(setting, values);
	snprintf(error, 300, "unknown value '%.60s' for %s: valid are %s", value, where, values);
	return false;
}

const char *wm_setting_get(const struct wm_setting *setting)
{
	const char *value = getenv(setting->variable);
	return value && *value ? value : NULL;
}

int wm_setting_choice(const struct wm_setting *setting)
{
	const char *value = wm_setting_get(setting);
	return value ? find_choice(setting->values, value) : 0;
}

unsigned wm_setting_number(const struct wm_setting *setting)
{
	const char *value = wm_setting_get(setting);
	return value ? number_in(setting, value) : 0;
}

const char *wm_setting_file(const struct wm_setting *setting)
{
	const char *value = wm_setting_get(setting);
	return value ? file_in(setting, value) : NULL;
}

char *wm_setting_next_file(const struct wm_setting *setting, const char **at)
{
	const char *value = wm_setting_get(setting);
	return value ? next_file(setting, value, at) : NULL;
}

bool wm_settings_check(char error[300])
{
	for (size_t i = 0; i < WM_SETTING_COUNT; i++) {
		const char *value = wm_setting_get(&wm_settings[i]);
		if (value && !wm_setting_check(&wm_settings[i], value, wm_settings[i].variable, error))
			return false;
	}
	for (size_t i = 0; i < REMOVED_COUNT; i++) {
		const char *value = getenv(removed[i].variable);
		if (value && *value) {
			say_removed(&removed[i], removed[i].variable, error);
			return false;
		}
	}
	return true;
}

/* Whether calls can be inlined for a scheme: paths take an edge once, and do not end at calls. */
static bool goes_through_calls(const char *scheme)
{
	struct wm_scheme_choice choice;
	if (!scheme)
		return true;
	return wm_scheme_parse(scheme, &choice) == WM_OK && !choice.scheme->iterates && !choice.scheme->at_calls &&
	       !choice.scheme->contexts && !choice.scheme->cuts && !choice.scheme->pending;
}

static bool check_segments(const char *scheme, char error[300])
{
	bool segments = wm_setting_get(&wm_settings[WM_SET_SEGMENTS]),
	     sites = wm_setting_get(&wm_settings[WM_SET_SITES]),
	     size = wm_setting_get(&wm_settings[WM_SET_SEGMENTS_SIZE]);
	if (wm_setting_choice(&wm_settings[WM_SET_WPP]))
		scheme = "subpath";
	bool plain = goes_through_calls(scheme);
	if (sites && !segments)
		snprintf(error, 300,
			"-fwaymark-sites needs -fwaymark-segments=K, which inlines the calls that it names");
	else if (size && !segments)
		snprintf(error, 300, "-fwaymark-segments-size needs -fwaymark-segments=K, whose inlining it limits");
	else if (segments && (!plain || wm_setting_get(&wm_settings[WM_SET_K])))
		snprintf(error, 300,
			"-fwaymark-segments does not work with -fwaymark-scheme=%s: use acyclic, preferential, "
			"piecewise or context",
			scheme ? scheme : "kiter");
	return ((!sites && !size) || segments) && (!segments || (plain && !wm_setting_get(&wm_settings[WM_SET_K])));
}

/* The setting that says how to instrument, which a build with -fwaymark-use does not; NULL: there is none. */
static const struct wm_setting *instruments(void)
{
	static const int excluded[] = {WM_SET_WPP, WM_SET_UPDATE, WM_SET_WEIGHTS, WM_SET_INTERESTING, WM_SET_RESIDUAL,
		WM_SET_CRASH, WM_SET_CROSS};
	for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++) {
		const char *value = wm_setting_get(&wm_settings[excluded[i]]);
		if (value && strcmp(value, "off") != 0)
			return &wm_settings[excluded[i]];
	}
	return NULL;
}

bool wm_settings_check_together(char error[300])
{
	const char *scheme = wm_setting_get(&wm_settings[WM_SET_SCHEME]);
	bool interesting = wm_setting_get(&wm_settings[WM_SET_INTERESTING]),
	     residual = wm_setting_get(&wm_settings[WM_SET_RESIDUAL]);
	struct wm_scheme_choice choice;
	bool known = scheme && wm_scheme_parse(scheme, &choice) == WM_OK,
	     preferential = known && choice.scheme->interesting, across = known && choice.scheme->crosses;
	bool subpath = known && choice.scheme->at_calls, wpp = wm_setting_choice(&wm_settings[WM_SET_WPP]);
	if (wm_setting_get(&wm_settings[WM_SET_USE]) && instruments())
		snprintf(error, 300,
			"-fwaymark-use does not instrument the program, so it excludes -fwaymark-%s: leave one of them "
			"out",
			instruments()->name);
	else if (wm_setting_get(&wm_settings[WM_SET_USE]) && wm_setting_choice(&wm_settings[WM_SET_MARKS]))
		snprintf(error, 300,
			"-fwaymark-marks and -fwaymark-use exclude each other: marks are for the build whose profile "
			"is used");
	else if (wm_setting_get(&wm_settings[WM_SET_USE]) && (across || subpath))
		snprintf(error, 300,
			"-fwaymark-use needs a profile of paths inside functions, and -fwaymark-scheme=%.40s makes "
			"none",
			scheme);
	else if (interesting && residual)
		snprintf(error, 300,
			"-fwaymark-interesting and -fwaymark-residual exclude each other: the first counts all paths, "
			"the second only those that are not in its file");
	else if (preferential && !interesting)
		snprintf(error, 300,
			"-fwaymark-scheme=preferential needs -fwaymark-interesting=FILE, a profile (.wmprof) of the "
			"interesting paths");
	else if ((subpath && (interesting || residual)) || (wpp && (interesting || residual || (scheme && !subpath))))
		snprintf(error, 300,
			"-fwaymark-wpp records all paths of the scheme subpath: it excludes other schemes, "
			"-fwaymark-interesting and -fwaymark-residual");
	else if (!across && wm_setting_get(&wm_settings[WM_SET_CROSS]))
		snprintf(error, 300,
			"-fwaymark-cross=FILE needs paths that cross calls: add -fwaymark-scheme=context or piecewise");
	else
		return check_segments(scheme, error);
	return false;
}
