/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/options.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;
	char *data = NULL;
	size_t used = 0, capacity = 0, got;
	do {
		if (used + 4096 + 1 > capacity) {
			capacity = capacity ? 2 * capacity : 65536;
			char *grown = realloc(data, capacity);
			if (!grown) {
				free(data);
				fclose(file);
				return NULL;
			}
			data = grown;
		}
		got = fread(data + used, 1, capacity - used - 1, file);
		used += got;
	} while (got);
	bool failed = ferror(file);
	fclose(file);
	if (failed) {
		free(data);
		return NULL;
	}
	data[used] = 0;
	*size = used;
	return data;
}

static bool read_list(struct wm_name_list *list, const char *path, char error[300])
{
	size_t size;
	list->text = read_file(path, &size);
	if (!list->text) {
		snprintf(error, 300, "cannot read the function list %s: %s", path, strerror(errno));
		return false;
	}
	size_t lines = 1;
	for (char *at = list->text; *at; at++)
		lines += *at == '\n';
	list->pattern = calloc(lines, sizeof *list->pattern);
	if (!list->pattern)
		return false;
	char *rest = list->text, *line;
	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "#\r")] = 0;
		line += strspn(line, " \t");
		line[strcspn(line, " \t")] = 0;
		if (*line)
			list->pattern[list->count++] = line;
	}
	return true;
}

static bool choose(const char *variable, const char *const *names, const char *what, int *choice, char error[300])
{
	const char *text = getenv(variable);
	if (!text || !*text)
		return true;
	for (int i = 0; names[i]; i++) {
		if (!strcmp(names[i], text)) {
			*choice = i;
			return true;
		}
	}
	int used = snprintf(error, 300, "unknown %s '%s': valid are", what, text);
	for (int i = 0; names[i] && used < 300; i++)
		used += snprintf(error + used, 300 - (size_t)used, "%s %s", i ? "," : "", names[i]);
	return false;
}

/* The preferential scheme has the paths, the ids and so the name of the acyclic one in the
 * map: what differs is how they are counted. */
static bool choose_scheme(struct wm_options *options, char error[300])
{
	const char *text = getenv("WAYMARK_SCHEME");
	options->scheme_text = text && *text ? text : wm_scheme_acyclic.name;
	if (wm_scheme_parse(options->scheme_text, &options->choice) != WM_OK) {
		int used = snprintf(error, 300, "unknown scheme '%s': valid are", options->scheme_text);
		for (int i = 0; wm_schemes[i] && used < 300; i++)
			used += snprintf(error + used, 300 - (size_t)used, "%s %s%s%s", i ? "," : "",
				wm_schemes[i]->name, wm_schemes[i]->parameter ? "=" : "",
				wm_schemes[i]->parameter ? wm_schemes[i]->parameter : "");
		return false;
	}
	bool preferential = options->choice.scheme->interesting;
	if (preferential && options->purpose != WM_PURPOSE_INTERESTING) {
		snprintf(error, 300, "the scheme preferential needs interesting paths: -fwaymark-interesting=FILE");
		return false;
	}
	if (preferential) {
		options->scheme_text = wm_scheme_acyclic.name;
		wm_scheme_parse(options->scheme_text, &options->choice);
	}
	return true;
}

static bool choose_purpose(struct wm_options *options, const char **path, char error[300])
{
	const char *interesting = getenv("WAYMARK_INTERESTING"), *residual = getenv("WAYMARK_RESIDUAL");
	bool prefers = interesting && *interesting, remains = residual && *residual;
	options->purpose = prefers ? WM_PURPOSE_INTERESTING : remains ? WM_PURPOSE_RESIDUAL : WM_PURPOSE_ALL;
	*path = prefers ? interesting : residual;
	if (prefers && remains)
		snprintf(error, 300, "-fwaymark-interesting and -fwaymark-residual exclude each other");
	return !(prefers && remains);
}

/* `whole`: what a damaged file still holds is not enough. */
static bool read_profile(struct wm_profile *profile, const char *path, bool whole, char error[300])
{
	size_t size;
	struct wm_profile_error why = {{0}};
	char *data = read_file(path, &size);
	if (!data) {
		snprintf(error, 300, "cannot read the profile %s: %s", path, strerror(errno));
		return false;
	}
	enum wm_profile_status status = wm_profile_read(profile, (uint8_t *)data, size, &why);
	free(data);
	if (status == WM_PROFILE_OK || (status == WM_PROFILE_DAMAGED && !whole))
		return true;
	snprintf(error, 300, "cannot use the profile %.120s: %.120s", path, why.text);
	return false;
}

/* Paths that the tests missed are no paths that they took. */
static bool read_paths(struct wm_options *options, const char *path, char error[300])
{
	options->paths_name = path;
	if (!read_profile(&options->paths, path, true, error))
		return false;
	if (wm_profile_is_residual(&options->paths))
		snprintf(error, 300, "%.200s holds only untested paths: give the profile of the tests", path);
	return !wm_profile_is_residual(&options->paths);
}

static bool read_loops(struct wm_options *options, const char *list, char error[300])
{
	size_t size;
	char *text = *list == '@' ? read_file(list + 1, &size) : strdup(list);
	if (!text) {
		snprintf(error, 300, "cannot read the choice of loops %s: %s", list, strerror(errno));
		return false;
	}
	if (!wm_loop_choices_parse(&options->loops, text, error))
		return false;
	if (options->choice.scheme == &wm_scheme_acyclic) {
		options->scheme_text = "kiter=1"; /* what was not chosen stays as it is */
		wm_scheme_parse(options->scheme_text, &options->choice);
	}
	if (options->choice.scheme->iterates)
		return true;
	snprintf(error, 300, "a choice of loops is for the scheme kiter, not for %s", options->scheme_text);
	return false;
}

/* ---- WAYMARK_TEST ------------------------------------------------------------------ */

static bool choose_test(struct wm_test_options *test, const char *key, const char *value)
{
	static const char *const tellings[] = {"cheaply", "regions", "early", "core", "place"};
	if (!strcmp(key, "placement")) {
		test->placement = !strcmp(value, "naive") ? WM_PLACE_NAIVE : WM_PLACE_OPTIMAL;
		return !strcmp(value, "naive") || !strcmp(value, "optimal");
	}
	if (!strcmp(key, "array-limit") || !strcmp(key, "copy-limit")) {
		uint32_t number = (uint32_t)strtoul(value, NULL, 10);
		*(*key == 'a' ? &test->array_limit : &test->copy_limit) = number;
		return number > 0;
	}
	for (size_t i = 0; !strcmp(key, "telling") && i < sizeof tellings / sizeof *tellings; i++)
		if (!strcmp(value, tellings[i])) {
			test->telling = (enum wm_telling)i;
			return true;
		}
	return false;
}

static bool set_test_flag(struct wm_test_options *test, const char *key)
{
	if (!strcmp(key, "no-entries"))
		test->entries = false;
	else if (!strcmp(key, "trace"))
		test->trace = true;
	else if (!strcmp(key, "perfect"))
		test->perfect = true;
	else if (!strcmp(key, "all-regions"))
		test->all_regions = true;
	else
		return *key == 0;
	return true;
}

static bool read_test(struct wm_test_options *test, char error[300])
{
	const char *text = getenv("WAYMARK_TEST");
	char *copy = strdup(text ? text : ""), *rest = copy, *word;
	bool good = copy;
	*test = (struct wm_test_options){.placement = WM_PLACE_OPTIMAL, .entries = true};
	while (good && (word = strsep(&rest, ","))) {
		char *value = strchr(word, '=');
		if (value)
			*value++ = 0;
		good = value ? choose_test(test, word, value) : set_test_flag(test, word);
		if (!good)
			snprintf(error, 300, "WAYMARK_TEST has no '%.60s%s%.60s': policy/options.h lists its keys",
				word, value ? "=" : "", value ? value : "");
	}
	free(copy);
	return good;
}

static bool choose_all(struct wm_options *options, char error[300])
{
	static const char *const stages[] = {"source", "optimised", NULL};
	static const char *const updates[] = {"single", "atomic", "thread", NULL};
	int stage = WM_CFG_SOURCE, update = WM_UPDATE_SINGLE;
	bool good = choose("WAYMARK_CFG", stages, "graph", &stage, error) &&
		    choose("WAYMARK_UPDATE", updates, "update", &update, error) && read_test(&options->test, error);
	options->stage = (enum wm_cfg_stage)stage;
	options->update = (enum wm_update)update;
	return good;
}

bool wm_options_init(struct wm_options *options, char error[300])
{
	const char *allow = getenv("WAYMARK_ALLOW"), *deny = getenv("WAYMARK_DENY"),
		   *weights = getenv("WAYMARK_WEIGHTS"), *loops = getenv("WAYMARK_K"), *paths;
	snprintf(error, 300, "out of memory");
	*options = (struct wm_options){0};
	wm_profile_init(&options->weights);
	wm_profile_init(&options->paths);
	options->has_allow = allow && *allow;
	options->has_deny = deny && *deny;
	options->has_weights = weights && *weights;
	options->has_loops = loops && *loops;
	return choose_purpose(options, &paths, error) && choose_scheme(options, error) && choose_all(options, error) &&
	       (!options->has_allow || read_list(&options->allow, allow, error)) &&
	       (!options->has_deny || read_list(&options->deny, deny, error)) &&
	       (!options->has_weights || read_profile(&options->weights, weights, false, error)) &&
	       (!options->has_loops || read_loops(options, loops, error)) &&
	       (options->purpose == WM_PURPOSE_ALL || read_paths(options, paths, error));
}

const struct wm_profile *wm_options_weights(const struct wm_options *options)
{
	if (options->has_weights)
		return &options->weights;
	return options->purpose == WM_PURPOSE_ALL ? NULL : &options->paths;
}

static void release_list(struct wm_name_list *list)
{
	free(list->text);
	free(list->pattern);
}

void wm_options_release(struct wm_options *options)
{
	release_list(&options->allow);
	release_list(&options->deny);
	wm_profile_release(&options->weights);
	wm_profile_release(&options->paths);
	wm_loop_choices_release(&options->loops);
}

static bool listed(const struct wm_name_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!fnmatch(list->pattern[i], name, 0))
			return true;
	return false;
}

const char *wm_options_refuse(const struct wm_options *options, const char *name)
{
	if (options->has_deny && listed(&options->deny, name))
		return "is on the deny list";
	if (options->has_allow && !listed(&options->allow, name))
		return "is not on the allow list";
	return NULL;
}
