/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/suite/suite.h"
#include "abi/sequence.h"
#include "analysis/join/merge_files.h"
#include "analysis/suite/test_index.h"
#include "store/store_operand.h"
#include "support/directory.h"
#include "support/fail.h"
#include "support/progress.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* Which files are which test */

/* The last component without its suffix. */
static char *test_name(const char *path)
{
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	size_t start = length;
	while (start && path[start - 1] != '/')
		start--;
	char *name = wm_xprintf("%.*s", (int)(length - start), path + start);
	if (wm_is_profile_name(name))
		*strrchr(name, '.') = 0;
	return name;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *found = c ? strchr(digits, c) : NULL;
	return found ? (int)(found - digits) : -1;
}

/* Undoes wm_suite_file_name, in place. */
static void decode_name(char *name)
{
	char *to = name;
	for (; *name; name++) {
		int high = name[0] == '%' ? hex_digit(name[1]) : -1, low = high >= 0 ? hex_digit(name[2]) : -1;
		bool coded = low >= 0 && high * 16 + low;
		*to++ = coded ? (char)(high * 16 + low) : *name;
		name += coded ? 2 : 0;
	}
	*to = 0;
}

char *wm_suite_file_name(const char *test, size_t number)
{
	enum { LONGEST = 225 }; /* of the 255 bytes that a name of a file can have */
	static const char digits[] = "0123456789ABCDEF";
	char *name = wm_xmalloc(3 * strlen(test) + 1);
	size_t used = 0;
	for (const char *c = test; *c && used < LONGEST; c++) {
		bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || strchr("0123456789-_+,=@:", *c) ||
			     (c != test && strchr(". ", *c));
		if (plain) {
			name[used++] = *c;
			continue;
		}
		name[used++] = '%';
		name[used++] = digits[(unsigned char)*c >> 4];
		name[used++] = digits[(unsigned char)*c & 15];
	}
	name[used] = 0;
	char *file = number < 2 ? wm_xprintf("%s.wmprof", name) : wm_xprintf("%s #%zu.wmprof", name, number);
	free(name);
	return file;
}

static void add_test(struct wm_suite *suite, struct wm_suite_test test)
{
	WM_XGROW(suite->test, suite->test_count);
	suite->test[suite->test_count++] = test;
}

static void add_file(struct wm_suite_test *test, char *file)
{
	WM_XGROW(test->file, test->file_count);
	test->file[test->file_count++] = file;
}

/* All profiles in `directory` and below belong to one test. */
static void add_directory_test(struct wm_suite *suite, const char *directory)
{
	struct wm_suite_test test = {.name = test_name(directory)};
	struct wm_file_list waiting = {NULL, 1};
	WM_XGROW(waiting.path, 0);
	waiting.path[0] = wm_xstrdup(directory);
	while (waiting.count) {
		char *next = waiting.path[--waiting.count];
		struct wm_file_list names = wm_directory_list(next);
		for (size_t i = 0; i < names.count; i++) {
			if (wm_is_directory(names.path[i])) {
				WM_XGROW(waiting.path, waiting.count);
				waiting.path[waiting.count++] = names.path[i];
			} else if (wm_is_profile_name(names.path[i])) {
				add_file(&test, names.path[i]);
			} else {
				free(names.path[i]);
			}
		}
		free(names.path);
		free(next);
	}
	free(waiting.path);
	if (test.file_count)
		add_test(suite, test);
	else
		free(test.name);
}

/* Whether the file is in a directory that `waymark test` has written.  Files of one directory usually follow each other. */
static bool is_indexed(struct wm_suite *suite, const char *file)
{
	const char *slash = strrchr(file, '/');
	char *directory = slash ? wm_xprintf("%.*s/", (int)(slash - file), file) : wm_xstrdup(".");
	if (!suite->asked || strcmp(suite->asked, directory) != 0) {
		free(suite->asked);
		suite->asked = wm_xstrdup(directory);
		suite->written = wm_test_index_read(directory, NULL);
	}
	free(directory);
	return suite->written;
}

static void add_file_test(struct wm_suite *suite, const char *file)
{
	struct wm_suite_test test = {.name = test_name(file)};
	if (is_indexed(suite, file))
		decode_name(test.name);
	add_file(&test, wm_xstrdup(file));
	add_test(suite, test);
}

struct stored {
	struct wm_suite *suite;
	const char *operand;
};

static void add_stored_test(void *closure, const char *name)
{
	struct stored *stored = closure;
	struct wm_suite_test test = {.name = wm_xstrdup(name)};
	add_file(&test, wm_store_name_with(stored->operand, "test", name));
	add_test(stored->suite, test);
}

/* The runs of a store that have no names of tests are one test. */
static void add_store(struct wm_suite *suite, const char *operand)
{
	size_t before = suite->test_count;
	wm_store_tests(operand, add_stored_test, &(struct stored){suite, operand});
	if (suite->test_count > before)
		return;
	struct wm_suite_test test = {.name = wm_store_public_name(operand)};
	add_file(&test, wm_xstrdup(operand));
	add_test(suite, test);
}

void wm_suite_add(struct wm_suite *suite, const char *operand)
{
	size_t before = suite->test_count;
	if (wm_is_store(operand)) {
		add_store(suite, operand);
		return;
	}
	if (!wm_is_directory(operand)) {
		add_file_test(suite, operand);
		return;
	}
	struct wm_file_list names = wm_directory_list(operand);
	for (size_t i = 0; i < names.count; i++) {
		if (wm_is_directory(names.path[i]))
			add_directory_test(suite, names.path[i]);
		else if (wm_is_profile_name(names.path[i]))
			add_file_test(suite, names.path[i]);
		free(names.path[i]);
	}
	free(names.path);
	if (suite->test_count == before)
		wm_fail("the directory %s holds no .wmprof and no .wmraw file", operand);
}

static int by_name(const void *left, const void *right)
{
	return strcmp((*(struct wm_suite_test *const *)left)->name, (*(struct wm_suite_test *const *)right)->name);
}

/* Tests with the same name get longer names, with their directories.  A test that is given twice is an error. */
static void make_names_unique(struct wm_suite *suite)
{
	struct wm_suite_test **list = wm_xmalloc((suite->test_count + 1) * sizeof *list);
	bool *shared = wm_xmalloc(suite->test_count + 1);
	for (size_t i = 0; i < suite->test_count; i++)
		list[i] = &suite->test[i];
	qsort(list, suite->test_count, sizeof *list, by_name);
	for (size_t i = 0; i < suite->test_count; i++)
		shared[i] = (i && by_name(&list[i - 1], &list[i]) == 0) ||
			    (i + 1 < suite->test_count && by_name(&list[i], &list[i + 1]) == 0);
	for (size_t i = 0; i < suite->test_count; i++) {
		if (!shared[i])
			continue;
		free(list[i]->name);
		list[i]->name = wm_xstrdup(list[i]->file[0]);
	}
	qsort(list, suite->test_count, sizeof *list, by_name);
	for (size_t i = 1; i < suite->test_count; i++)
		if (by_name(&list[i - 1], &list[i]) == 0)
			wm_fail("%s is given twice: name each test once, by itself or by its directory", list[i]->name);
	free(shared);
	free(list);
}

/* The paths of all tests */

static int by_path(const void *left, const void *right)
{
	const struct wm_suite_path *a = left, *b = right;
	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static void add_path(struct wm_suite *suite, struct wm_suite_path path)
{
	WM_XGROW(suite->path, suite->path_count);
	suite->path[suite->path_count++] = path;
}

static void collect_from_story(struct wm_suite *suite)
{
	for (size_t f = 0; f < suite->story.function_count; f++) {
		const struct wm_story_function *function = &suite->story.function[f];
		bool wanted = !suite->only || wm_filter_passes(suite->only, function);
		suite->function_count += wanted && function->ran_count != 0;
		for (size_t i = 0; wanted && i < wm_story_taken_count(function); i++)
			add_path(suite, (struct wm_suite_path){wm_suite_owner(&suite->story, f),
						wm_story_taken(function, i)->id, function, 0});
	}
	suite->doubted = suite->story.refused_count;
}

/* Whether there are other runs of the function without a doubt, whose sum precedes the doubtful record. */
static bool is_told_beside(const struct wm_profile_object *object, size_t f)
{
	const struct wm_profile_function *function = &object->function[f];
	return f && function[-1].key == function->key && function[-1].graph_hash == function->graph_hash &&
	       !function[-1].doubt;
}

static void collect_from_profile(struct wm_suite *suite)
{
	for (size_t o = 0; o < suite->profile.object_count; o++)
		for (size_t f = 0; f < suite->profile.object[o].function_count; f++)
			suite->doubted += suite->profile.object[o].function[f].doubt &&
					  !is_told_beside(&suite->profile.object[o], f);
	for (size_t p = 0; p < suite->place_count; p++) {
		const struct wm_profile_function *function = suite->place[p].record;
		for (size_t i = 0; i < function->path_count; i++)
			if (function->path[i].count && !(function->path[i].id & WM_NAME_BIT))
				add_path(suite,
					(struct wm_suite_path){suite->place[p].owner, function->path[i].id, NULL, 0});
	}
}

static void settle_paths(struct wm_suite *suite)
{
	size_t kept = 0;
	if (suite->path_count)
		qsort(suite->path, suite->path_count, sizeof *suite->path, by_path);
	for (size_t i = 0; i < suite->path_count; i++) {
		if (kept && by_path(&suite->path[kept - 1], &suite->path[i]) == 0)
			continue;
		suite->function_count +=
			!suite->has_story && (!kept || suite->path[kept - 1].owner != suite->path[i].owner);
		suite->path[kept++] = suite->path[i];
	}
	suite->path_count = kept;
	if (kept > UINT32_MAX)
		wm_fail("the tests take more than 2^32 paths");
}

/* The paths of each test */

static int by_number(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return (a > b) - (a < b);
}

/* The counts of a function in a test.  All tests are kept until the binaries are known, so a path has no more than its count here. */
struct wm_suite_record {
	uint64_t key, graph_hash;
	uint64_t begun; /* activations */
	size_t path_count; /* of its paths in test->counted */
	uint32_t object; /* in test->object */
};

struct wm_suite_counted {
	uint64_t id, count;
	uint32_t site; /* of an unfinished path, whose sum is the id; 0: the path was completed */
};

static void keep_object(struct wm_suite_test *test, const struct wm_profile_object *object)
{
	struct wm_profile_object *kept = &test->object[test->object_count++];
	*kept = (struct wm_profile_object){.build_id_size = object->build_id_size};
	memcpy(kept->build_id, object->build_id, sizeof kept->build_id);
	memcpy(kept->program, object->program, sizeof kept->program);
}

static uint64_t count_begun(const struct wm_profile_function *function)
{
	return wm_count_add(wm_count_add(function->entries, function->resumed),
		wm_count_add(function->base_entries, function->base_resumed));
}

static size_t add_paths(struct wm_suite_test *test, const struct wm_profile_function *function)
{
	size_t before = test->counted_count;
	for (size_t i = 0; i < function->path_count; i++)
		if (function->path[i].count && !(function->path[i].id & WM_NAME_BIT)) {
			WM_XGROW(test->counted, test->counted_count);
			test->counted[test->counted_count++] =
				(struct wm_suite_counted){function->path[i].id, function->path[i].count, 0};
		}
	for (size_t i = 0; i < function->unfinished_count; i++) {
		const struct wm_unfinished_path *path = &function->unfinished[i];
		WM_XGROW(test->counted, test->counted_count);
		test->counted[test->counted_count++] = (struct wm_suite_counted){path->sum, path->count, path->site};
	}
	return test->counted_count - before;
}

static void add_record(struct wm_suite_test *test, size_t object, const struct wm_profile_function *function)
{
	if (function->doubt)
		return;
	struct wm_suite_record record = {function->key, function->graph_hash, count_begun(function),
		add_paths(test, function), (uint32_t)object};
	if (!record.begun && !record.path_count)
		return;
	WM_XGROW(test->record, test->record_count);
	test->record[test->record_count++] = record;
}

/* Keeps only records with counts, because a profile has a record for every function of its objects. */
static void keep_records(struct wm_suite_test *test, const struct wm_profile *profile)
{
	test->object = wm_xmalloc((profile->object_count + 1) * sizeof *test->object);
	for (size_t o = 0; o < profile->object_count; o++) {
		keep_object(test, &profile->object[o]);
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			add_record(test, o, &profile->object[o].function[f]);
	}
}

/* A path that a test takes, of one of the functions that a record counts. */
struct taken {
	size_t owner;
	uint64_t id, count;
};

static int by_taken(const void *left, const void *right)
{
	const struct taken *a = left, *b = right;
	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static void take_path(struct wm_suite_test *test, uint32_t path, uint64_t count)
{
	size_t last = test->path_count - 1;
	/* A function may occur in several objects of a profile. */
	if (test->path_count && test->path[last] == path) {
		test->count[last] += count;
		return;
	}
	test->path[test->path_count] = path;
	test->count[test->path_count++] = count;
}

static void add_taken(struct taken **taken, size_t *count, struct taken one)
{
	WM_XGROW(*taken, *count);
	(*taken)[(*count)++] = one;
}

/* The places of a record of a test: they are neighbours, up to *end. */
static const struct wm_suite_place *places_of(const struct wm_suite *suite, const struct wm_suite_test *test,
	const struct wm_suite_record *record, const struct wm_suite_place **end)
{
	const struct wm_profile_object *object = wm_profile_find_like(&suite->profile, &test->object[record->object]);
	const struct wm_suite_place *place = wm_suite_find_places(suite, object, record->key, record->graph_hash);
	*end = place;
	while (place && *end < suite->place + suite->place_count && (*end)->record == place->record)
		++*end;
	return place;
}

static size_t sort_taken(struct taken *taken, size_t count)
{
	if (count)
		qsort(taken, count, sizeof *taken, by_taken);
	return count;
}

/* False: it is an unfinished path, and nothing is known of those of the function. */
static bool find_id(const struct wm_suite *suite, size_t owner, const struct wm_suite_counted *counted, uint64_t *id)
{
	const struct wm_story_unfinished *found = NULL;
	if (counted->site && suite->has_story && owner < suite->story.function_count)
		found = wm_story_find_unfinished(&suite->story.function[owner], counted->site, counted->id);
	*id = found ? found->path.id : counted->id;
	return found || !counted->site;
}

/* The paths of a test with the owners that they count for, ascending. */
static size_t list_paths(const struct wm_suite *suite, const struct wm_suite_test *test, struct taken **taken)
{
	size_t count = 0;
	const struct wm_suite_counted *counted = test->counted;
	*taken = NULL;
	for (size_t i = 0; i < test->record_count; counted += test->record[i++].path_count) {
		const struct wm_suite_place *end;
		for (const struct wm_suite_place *p = places_of(suite, test, &test->record[i], &end); p < end; p++)
			for (size_t j = 0; j < test->record[i].path_count; j++) {
				uint64_t id;
				if (find_id(suite, p->owner, &counted[j], &id))
					add_taken(taken, &count, (struct taken){p->owner, id, counted[j].count});
			}
	}
	return sort_taken(*taken, count);
}

/* The same for the functions that were entered; ids are 0. */
static size_t list_entered(const struct wm_suite *suite, const struct wm_suite_test *test, struct taken **taken)
{
	size_t count = 0;
	*taken = NULL;
	for (size_t i = 0; i < test->record_count; i++) {
		const struct wm_suite_record *record = &test->record[i];
		const struct wm_suite_place *end;
		if (!record->begun)
			continue;
		for (const struct wm_suite_place *p = places_of(suite, test, record, &end); p < end; p++)
			add_taken(taken, &count, (struct taken){p->owner, 0, record->begun});
	}
	return sort_taken(*taken, count);
}

static int compare_taken(const struct wm_suite_path *path, const struct taken *taken)
{
	const struct wm_suite_path like = {.owner = taken->owner, .id = taken->id};
	return by_path(path, &like);
}

static void take_entries(const struct wm_suite *suite, struct wm_suite_test *test)
{
	struct taken *taken;
	size_t count = list_entered(suite, test, &taken);
	for (size_t i = 0; i < count; i++) {
		struct wm_suite_begun *last = test->begun_count ? &test->begun[test->begun_count - 1] : NULL;
		if (last && last->owner == taken[i].owner) {
			last->count = wm_count_add(last->count, taken[i].count);
			continue;
		}
		WM_XGROW(test->begun, test->begun_count);
		test->begun[test->begun_count++] = (struct wm_suite_begun){taken[i].owner, taken[i].count};
	}
	free(taken);
}

static void take_paths(struct wm_suite *suite, struct wm_suite_test *test)
{
	struct taken *taken;
	size_t at = 0, count = list_paths(suite, test, &taken);
	test->path = wm_xmalloc((count + 1) * sizeof *test->path);
	test->count = wm_xmalloc((count + 1) * sizeof *test->count);
	for (size_t i = 0; i < count; i++) {
		while (at < suite->path_count && compare_taken(&suite->path[at], &taken[i]) < 0)
			at++;
		if (at < suite->path_count && compare_taken(&suite->path[at], &taken[i]) == 0)
			take_path(test, (uint32_t)at, taken[i].count);
	}
	for (size_t i = 0; i < test->path_count; i++)
		suite->path[test->path[i]].tests++;
	suite->unjudged += !test->path_count;
	free(taken);
	take_entries(suite, test);
	free(test->record);
	free(test->counted);
	free(test->object);
	test->record = NULL;
	test->counted = NULL;
	test->object = NULL;
}

static void count_only(struct wm_suite *suite)
{
	for (size_t t = 0; t < suite->test_count; t++)
		for (size_t i = 0; i < suite->test[t].path_count; i++)
			suite->test[t].only += suite->path[suite->test[t].path[i]].tests == 1;
}

static void release_test(struct wm_suite_test *test)
{
	for (size_t i = 0; i < test->file_count; i++)
		free(test->file[i]);
	free(test->file);
	free(test->name);
	free(test->record);
	free(test->counted);
	free(test->object);
	free(test->begun);
	free(test->path);
	free(test->count);
}

/* False: no profile of the test could be read, and a warning has been printed. */
static bool read_test(struct wm_suite *suite, struct wm_suite_test *test)
{
	struct wm_profile profile;
	wm_profile_init(&profile);
	size_t unread = wm_merge_files(&profile, test->file, test->file_count);
	bool read = unread < test->file_count;
	suite->unread += unread;
	if (wm_profile_is_residual(&profile))
		wm_fail("%s counts only untested paths; run the tests with a program built without -fwaymark-residual",
			test->file[0]);
	if (read) {
		keep_records(test, &profile);
		if (wm_profile_merge(&suite->profile, &profile) != WM_PROFILE_OK)
			wm_no_memory();
	}
	wm_profile_release(&profile);
	return read;
}

static void read_tests(struct wm_suite *suite)
{
	size_t kept = 0;
	wm_profile_init(&suite->profile);
	for (size_t t = 0; t < suite->test_count; t++) {
		struct wm_suite_test test = suite->test[t];
		wm_progress("reading tests", t, suite->test_count);
		if (read_test(suite, &test))
			suite->test[kept++] = test;
		else
			release_test(&test);
	}
	wm_progress_end();
	suite->test_count = kept;
	if (!kept)
		wm_fail("no profile could be read");
}

void wm_suite_read(struct wm_suite *suite)
{
	make_names_unique(suite);
	read_tests(suite);
}

void wm_suite_join(struct wm_suite *suite, enum wm_story_kind kind, struct wm_object *objects, size_t object_count,
	bool any_program)
{
	suite->profile.any_program |= any_program;
	suite->has_story = object_count;
	if (object_count) {
		wm_story_build(&suite->story, kind, &suite->profile, objects, object_count);
		wm_story_need_match(&suite->story, "the set of profiles");
	}
	wm_suite_place(suite);
	(object_count ? collect_from_story : collect_from_profile)(suite);
	settle_paths(suite);
	for (size_t t = 0; t < suite->test_count; t++)
		take_paths(suite, &suite->test[t]);
	count_only(suite);
}

void wm_suite_load(struct wm_suite *suite, struct wm_object *objects, size_t object_count, bool any_program)
{
	wm_suite_read(suite);
	wm_suite_join(suite, WM_STORY_OF_TESTS, objects, object_count, any_program);
}

void wm_suite_release(struct wm_suite *suite)
{
	for (size_t t = 0; t < suite->test_count; t++)
		release_test(&suite->test[t]);
	free(suite->test);
	free(suite->path);
	free(suite->place);
	free(suite->asked);
	if (suite->has_story)
		wm_story_release(&suite->story);
	wm_profile_release(&suite->profile);
	*suite = (struct wm_suite){0};
}

void wm_suite_sets(const struct wm_suite *suite, const uint32_t *number, struct wm_sets *sets, struct wm_arena *arena)
{
	size_t total = 0, *first = WM_NEW(arena, size_t, suite->test_count + 1);
	uint32_t numbers = 0;
	for (size_t t = 0; t < suite->test_count; t++)
		total += suite->test[t].path_count;
	uint32_t *element = WM_NEW(arena, uint32_t, total);
	if (!first || !element)
		wm_no_memory();
	for (size_t i = 0; number && i < suite->path_count; i++)
		numbers += number[i] != WM_NONE;
	for (size_t t = 0; t < suite->test_count; t++) {
		const struct wm_suite_test *test = &suite->test[t];
		first[t + 1] = first[t];
		for (size_t i = 0; i < test->path_count; i++) {
			uint32_t path = number ? number[test->path[i]] : test->path[i];
			if (path != WM_NONE)
				element[first[t + 1]++] = path;
		}
	}
	*sets = (struct wm_sets){
		(uint32_t)suite->test_count, number ? numbers : (uint32_t)suite->path_count, first, element};
}

uint64_t wm_suite_count(const struct wm_suite_test *test, uint32_t path)
{
	const uint32_t *found =
		test->path_count ? bsearch(&path, test->path, test->path_count, sizeof path, by_number) : NULL;
	return found ? test->count[found - test->path] : 0;
}
