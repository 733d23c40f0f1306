/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/plugin_options.h"
#include "policy/known_paths.h"
#include "policy/settings.h"
#include "profile/base/bytes.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole file, with a NUL after it; NULL: errno says why. */
static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	struct wm_bytes bytes;
	char chunk[4096];
	if (!file)
		return NULL;
	wm_bytes_init(&bytes);
	for (size_t got; (got = fread(chunk, 1, sizeof chunk, file));)
		wm_bytes_put(&bytes, chunk, got);
	*size = bytes.size;
	wm_bytes_put(&bytes, "", 1);
	int error = bytes.failed ? ENOMEM : errno;
	if (ferror(file) || bytes.failed)
		wm_bytes_release(&bytes);
	fclose(file);
	errno = error;
	return (char *)bytes.data;
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

/* The preferential scheme has the paths, the ids and so the name of the acyclic one in the
 * map: what differs is how they are counted. */
static void choose_scheme(struct wm_options *options)
{
	const char *text = wm_setting_get(&wm_settings[WM_SET_SCHEME]);
	bool wpp = wm_setting_choice(&wm_settings[WM_SET_WPP]);
	options->scheme_text = wpp ? wm_scheme_subpath.name : text ? text : wm_scheme_acyclic.name;
	wm_scheme_parse(options->scheme_text, &options->choice);
	if (!options->choice.scheme->interesting)
		return;
	options->scheme_text = wm_scheme_acyclic.name;
	wm_scheme_parse(options->scheme_text, &options->choice);
}

static void choose_purpose(struct wm_options *options)
{
	const char *interesting = wm_setting_get(&wm_settings[WM_SET_INTERESTING]),
		   *residual = wm_setting_get(&wm_settings[WM_SET_RESIDUAL]);
	options->purpose = interesting ? WM_PURPOSE_INTERESTING : residual ? WM_PURPOSE_RESIDUAL : WM_PURPOSE_ALL;
	options->paths_name = interesting ? interesting : residual;
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
static bool read_paths(struct wm_options *options, char error[300])
{
	if (!read_profile(&options->paths, options->paths_name, true, error))
		return false;
	if (wm_profile_is_residual(&options->paths))
		snprintf(error, 300, "%.200s holds only untested paths: give the profile of the tests",
			options->paths_name);
	return !wm_profile_is_residual(&options->paths);
}

static bool check_stage(
	const struct wm_options *options, const struct wm_profile *profile, const char *path, char error[300])
{
	static const char *const name[] = {"source", "optimised"};
	bool optimised = options->stage != WM_CFG_SOURCE, other = wm_use_is_of_other_stage(profile, options->stage);
	if (other)
		snprintf(error, 300,
			"%.100s is a profile of the graph %s: compile with -fwaymark-cfg=%s, or give a profile of the "
			"graph %s",
			path, name[!optimised], name[!optimised], name[optimised]);
	return !other;
}

/* Runs that several of the profiles have would count twice. */
static bool check_runs(
	const struct wm_options *options, const struct wm_profile *profile, const char *path, char error[300])
{
	struct wm_run_id first;
	size_t shared = wm_profile_shared_runs(&options->use, profile, &first);
	if (shared)
		snprintf(error, 300,
			"the profiles before %.150s have the counts of %zu of its runs, too, which would count twice: "
			"give "
			"the result of `waymark merge` instead",
			path, shared);
	return !shared;
}

static bool add_used(struct wm_options *options, const char *path, char error[300])
{
	struct wm_profile more;
	wm_profile_init(&more);
	bool good = read_profile(&more, path, false, error);
	if (good && wm_profile_is_residual(&more)) {
		snprintf(error, 300, "%.200s holds only untested paths: give a profile of all paths", path);
		good = false;
	} else if (good && wm_use_is_across(&more)) {
		snprintf(error, 300,
			"%.150s has paths across calls, which only the linked program gives a meaning: give a profile "
			"of a "
			"scheme for paths inside functions, perhaps with -fwaymark-segments",
			path);
		good = false;
	}
	good = good && check_stage(options, &more, path, error) && check_runs(options, &more, path, error);
	if (good && wm_profile_merge(&options->use, &more) != WM_PROFILE_OK) {
		snprintf(error, 300, "out of memory");
		good = false;
	}
	wm_profile_release(&more);
	return good;
}

static bool read_used(struct wm_options *options, char error[300])
{
	const char *at = NULL;
	bool good = true;
	for (char *path; good && (path = wm_setting_next_file(&wm_settings[WM_SET_USE], &at)); free(path))
		good = add_used(options, path, error);
	return good;
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
	if (wm_scheme_is_plain(options->choice.scheme)) {
		options->scheme_text = "kiter=1"; /* what was not chosen stays as it is */
		wm_scheme_parse(options->scheme_text, &options->choice);
	}
	if (options->choice.scheme->iterates)
		return true;
	snprintf(error, 300, "a choice of loops is for the scheme kiter, not for %s", options->scheme_text);
	return false;
}

static bool read_sites(struct wm_inline_options *inlining, const char *path, char error[300])
{
	size_t size;
	char *text = read_file(path, &size), why[300];
	if (!text) {
		snprintf(error, 300, "cannot read the list of call sites %s: %s", path, strerror(errno));
		return false;
	}
	inlining->has_sites = true;
	if (wm_site_list_parse(&inlining->sites, text, why))
		return true;
	snprintf(error, 300, "cannot use the list of call sites %.120s: %.120s", path, why);
	return false;
}

/* ---- WAYMARK_TEST ------------------------------------------------------------------ */

static bool choose_test(struct wm_test_options *test, const char *key, const char *value)
{
	static const char *const methods[] = {"cheaply", "regions", "early", "core", "place", "unfolded"};
	static const char *const evidence[] = {"decided", "iterated", "determined", "hot", "all"};
	if (!strcmp(key, "placement")) {
		test->placement = !strcmp(value, "naive") ? WM_PLACE_NAIVE : WM_PLACE_OPTIMAL;
		return !strcmp(value, "naive") || !strcmp(value, "optimal");
	}
	if (!strcmp(key, "array-limit") || !strcmp(key, "copy-limit")) {
		uint32_t number = (uint32_t)strtoul(value, NULL, 10);
		*(*key == 'a' ? &test->array_limit : &test->copy_limit) = number;
		return number > 0;
	}
	for (size_t i = 0; !strcmp(key, "check") && i < sizeof methods / sizeof *methods; i++)
		if (!strcmp(value, methods[i])) {
			test->check_method = (enum wm_check_method)i;
			return true;
		}
	for (size_t i = 0; !strcmp(key, "superblocks") && i < sizeof evidence / sizeof *evidence; i++)
		if (!strcmp(value, evidence[i])) {
			test->evidence = (enum wm_superblock_evidence)i;
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
	else if (!strcmp(key, "step-over"))
		test->step_over = true;
	else if (!strcmp(key, "spoil"))
		test->spoil = true;
	else
		return *key == 0;
	return true;
}

static bool read_test(struct wm_test_options *test, char error[300])
{
	const char *text = getenv("WAYMARK_TEST");
	char *copy = strdup(text ? text : ""), *rest = copy, *word;
	bool good = copy;
	*test = (struct wm_test_options){
		.placement = WM_PLACE_OPTIMAL, .entries = true, .evidence = WM_SUPERBLOCK_EVIDENCE};
	while (good && (word = strsep(&rest, ","))) {
		char *value = strchr(word, '=');
		if (value)
			*value++ = 0;
		good = value ? choose_test(test, word, value) : set_test_flag(test, word);
		if (!good)
			snprintf(error, 300,
				"WAYMARK_TEST has no '%.60s%s%.60s': policy/plugin_options.h lists its keys", word,
				value ? "=" : "", value ? value : "");
	}
	free(copy);
	return good;
}

_Static_assert(WM_CFG_SOURCE == 0 && WM_CFG_OPTIMISED == 1, "as policy/settings.c lists them");
static const enum wm_update updates[] = {
	WM_UPDATE_GS, WM_UPDATE_DELTA, WM_UPDATE_ATOMIC}; /* as policy/settings.c lists them */

bool wm_options_init(struct wm_options *options, char error[300])
{
	const char *allow = wm_setting_get(&wm_settings[WM_SET_ALLOW]),
		   *deny = wm_setting_get(&wm_settings[WM_SET_DENY]),
		   *weights = wm_setting_get(&wm_settings[WM_SET_WEIGHTS]),
		   *loops = wm_setting_get(&wm_settings[WM_SET_K]), *crash = wm_setting_get(&wm_settings[WM_SET_CRASH]),
		   *sites = wm_setting_get(&wm_settings[WM_SET_SITES]);
	*options =
		(struct wm_options){.has_allow = allow, .has_deny = deny, .has_weights = weights, .has_loops = loops};
	wm_profile_init(&options->weights);
	wm_profile_init(&options->paths);
	wm_profile_init(&options->use);
	if (!wm_settings_check(error) || !wm_settings_check_together(error))
		return false;
	snprintf(error, 300, "out of memory");
	options->has_use = wm_setting_get(&wm_settings[WM_SET_USE]);
	options->has_scheme = loops || wm_setting_get(&wm_settings[WM_SET_SCHEME]);
	/* Whether functions in system headers were instrumented, the profile says. */
	options->marks = wm_setting_choice(&wm_settings[WM_SET_MARKS]);
	options->system_headers =
		!wm_options_instruments(options) || wm_setting_choice(&wm_settings[WM_SET_SYSTEM_HEADERS]);
	options->conditions_of_values = wm_setting_choice(&wm_settings[WM_SET_CONDITIONS]);
	options->unfinished = wm_setting_choice(&wm_settings[WM_SET_UNFINISHED]) == 0;
	options->crash = crash;
	options->crash_paths = crash ? (unsigned)strtoul(crash, NULL, 10) : 0;
	choose_purpose(options);
	choose_scheme(options);
	options->stage = (enum wm_cfg_stage)wm_setting_choice(&wm_settings[WM_SET_CFG]);
	options->update = updates[wm_setting_choice(&wm_settings[WM_SET_UPDATE])];
	options->inlining.copies = wm_setting_number(&wm_settings[WM_SET_SEGMENTS]);
	unsigned percent = wm_setting_number(&wm_settings[WM_SET_SUPERBLOCKS]);
	options->superblock_growth = percent ? percent - 100 : WM_SUPERBLOCK_GROWTH;
	options->superblock_small = percent ? 0 : WM_SUPERBLOCK_SMALL;
	options->inlining.percent = wm_setting_number(&wm_settings[WM_SET_SEGMENTS_SIZE]);
	return read_test(&options->test, error) && (!sites || read_sites(&options->inlining, sites, error)) &&
	       (!allow || read_list(&options->allow, allow, error)) &&
	       (!deny || read_list(&options->deny, deny, error)) &&
	       (!weights || read_profile(&options->weights, weights, false, error)) &&
	       (!loops || read_loops(options, loops, error)) && (!options->has_use || read_used(options, error)) &&
	       (options->purpose == WM_PURPOSE_ALL || read_paths(options, error));
}

bool wm_options_instruments(const struct wm_options *options)
{
	return !options->has_use && !options->marks;
}

bool wm_options_uses(const struct wm_options *options)
{
	return options->has_use;
}

bool wm_options_records(const struct wm_options *options)
{
	return options->choice.scheme->at_calls;
}

bool wm_options_crosses(const struct wm_options *options)
{
	return options->choice.scheme->crosses;
}

bool wm_options_counts(const struct wm_options *options)
{
	return !wm_options_records(options);
}

bool wm_options_counts_inside(const struct wm_options *options)
{
	return wm_options_counts(options) && !wm_options_crosses(options);
}

bool wm_options_leaves(const struct wm_options *options)
{
	return options->unfinished && wm_options_counts_inside(options);
}

bool wm_options_inlines(const struct wm_options *options)
{
	return options->inlining.copies;
}

bool wm_options_knows(const struct wm_options *options)
{
	return options->purpose != WM_PURPOSE_ALL;
}

bool wm_options_knows_inside(const struct wm_options *options)
{
	return wm_options_knows(options) && !wm_options_crosses(options);
}

bool wm_options_changes_callees(const struct wm_options *options)
{
	return options->stage == WM_CFG_SOURCE || wm_options_crosses(options);
}

const struct wm_profile *wm_options_weights(const struct wm_options *options)
{
	if (options->has_weights)
		return &options->weights;
	return options->purpose == WM_PURPOSE_ALL || wm_options_crosses(options) ? NULL : &options->paths;
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
	wm_profile_release(&options->use);
	wm_loop_choices_release(&options->loops);
	wm_site_list_release(&options->inlining.sites);
}

bool wm_options_inline(struct wm_options *options, const struct wm_map_function *caller, const struct wm_call *call,
	const char *callee, uint64_t *count)
{
	*count = 1;
	if (!options->inlining.has_sites)
		return true;
	const struct wm_cross_rule *rule = wm_site_list_find(&options->inlining.sites, caller, call, callee);
	*count = rule && !rule->never ? rule->count : 0;
	return rule && !rule->never;
}

uint64_t wm_options_inline_room(const struct wm_options *options, uint64_t size)
{
	uint32_t percent = options->inlining.percent;
	uint64_t room = size * ((percent ? percent : WM_INLINE_PERCENT) - 100) / 100;
	return !percent && room < WM_INLINE_FREE ? WM_INLINE_FREE : room;
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
