/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The link step and what is read back, on random units that are spread over modules. */
#include "analysis/join/units.h"
#include "core/probes/unit_program.h"
#include "link/link.h"
#include "profile/map/unit_identity.h"
#include "support/fail.h"
#include "test/analysis/binary.h"
#include "test/core/random_unit.h"
#include "test/core/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODULES = 3 };

static const char *const sources[MODULES] = {"a.c", "b.c", "c.c"};

/* Functions spread over modules, in a random order. */
static void spread(
	struct test_module *module, const struct unit_sample *s, struct random *random, struct wm_arena *arena)
{
	uint32_t *order = WM_NEW(arena, uint32_t, s->unit.function_count);
	for (uint32_t f = 0; f < s->unit.function_count; f++) {
		uint32_t other = random_below(random, f + 1);
		order[f] = order[other];
		order[other] = f;
	}
	for (uint32_t m = 0; m < MODULES; m++) {
		uint32_t *member = WM_NEW(arena, uint32_t, s->unit.function_count);
		module[m] = (struct test_module){.source = sources[m],
			.member = member,
			.taken = WM_NEW(arena, const char *, s->unit.function_count)};
	}
	for (uint32_t i = 0; i < s->unit.function_count; i++) {
		struct test_module *to = &module[random_below(random, MODULES)];
		((uint32_t *)to->member)[to->count++] = order[i];
		if (s->entry[order[i]])
			to->taken[to->taken_count++] = s->unit.function[order[i]].name;
	}
}

static char *make_file(struct unit_sample *s, const struct wm_scheme *scheme, struct random *random, bool stripped)
{
	struct test_module module[MODULES];
	struct wm_map_module map[MODULES];
	char *path = strdup("/tmp/waymark-unit-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	spread(module, s, random, &s->arena);
	for (uint32_t m = 0; m < MODULES; m++)
		test_module_describe(&map[m], &s->unit, &module[m], scheme, &s->arena);
	test_binary_write(&(struct test_binary){.module_count = MODULES, .module = map, .stripped = stripped}, path);
	return path;
}

static void link_file(char *path)
{
	struct wm_link_step step = {.output = path};
	wm_link_step_run(&step, &(struct stat){0});
}

struct read_back {
	struct wm_arena arena;
	struct wm_object object;
	struct wm_units units;
};

static void read_back(struct read_back *back, const char *path)
{
	wm_arena_init(&back->arena);
	assert_int_equal(wm_object_open(&back->object, path, NULL, &back->arena), WM_OBJECT_OK);
	wm_units_read(&back->units, &back->object, &back->arena);
	assert_string_equal(back->units.trouble, "");
}

static void release(struct read_back *back)
{
	wm_object_release(&back->object);
	wm_arena_release(&back->arena);
}

static uint32_t find(const struct wm_unit *unit, const char *name)
{
	uint32_t f = 0;
	while (f < unit->function_count && strcmp(unit->function[f].name, name) != 0)
		f++;
	return f;
}

/* The numbering that follows from the unit itself. */
static void expect_plan(struct unit_sample *s, const struct wm_scheme *scheme, const struct wm_unit_plan *got)
{
	struct wm_unit_plan plan;
	bool *entry = WM_NEW(&s->arena, bool, s->unit.function_count);
	for (uint32_t f = 0; f < s->unit.function_count; f++)
		entry[f] = s->entry[f] || strcmp(s->unit.function[f].name, "main") == 0;
	struct wm_unit_request request = {.unit = &s->unit, .scheme = scheme, .share = WM_UNIT_SHARE, .entry = entry};
	assert_int_equal(wm_unit_plan_make(&plan, &request, &s->arena), WM_OK);
	assert_int_equal(got->path_count, plan.path_count);
	assert_int_equal(got->crossed, plan.crossed);
	for (uint32_t f = 0; f < s->unit.function_count; f++) {
		const struct wm_pairs *wanted = plan.function[f].pairs,
				      *other = got->function[find(got->unit, s->unit.function[f].name)].pairs;
		assert_int_equal(other->root, wanted->root);
		assert_int_equal(other->first, wanted->first);
		assert_int_equal(other->first_piece, wanted->first_piece);
		for (uint32_t i = 0; i < s->unit.function[f].call_count; i++)
			assert_int_equal(other->site[i].crossing == WM_CROSSED, wanted->site[i].crossing == WM_CROSSED);
	}
}

static void test_whole(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct unit_sample s;
		struct random random = {seed};
		uint64_t hash[2];
		const struct wm_scheme *scheme = crossing_schemes[seed % 4];
		unit_sample_init(&s, seed);
		for (uint32_t order = 0; order < 2; order++) {
			struct read_back back;
			char *path = make_file(&s, scheme, &random, false);
			link_file(path);
			read_back(&back, path);
			assert_int_equal(back.units.count, 1);
			const struct wm_binary_unit *unit = back.units.unit[0];
			assert_true(unit->linked);
			expect_plan(&s, scheme, &unit->plan);
			hash[order] = unit->hash;
			for (uint32_t f = 0; f < unit->unit.function_count; f++)
				assert_int_equal(wm_units_of(&back.units, unit->member[f].map)->function, f);
			release(&back);
			unlink(path);
			free(path);
		}
		assert_int_equal(hash[0], hash[1]);
		unit_sample_release(&s);
	}
}

/* A file of a random unit, as the compiler writes it. */
struct one_file {
	struct unit_sample sample;
	char *path;
};

static void one_file_init(struct one_file *one)
{
	struct random random = {7};
	unit_sample_init(&one->sample, 3);
	one->path = make_file(&one->sample, unit_scheme("context"), &random, false);
}

static void one_file_release(struct one_file *one)
{
	unlink(one->path);
	free(one->path);
	unit_sample_release(&one->sample);
}

/* Without a link step, modules are units. */
static void test_alone(void **state)
{
	(void)state;
	struct one_file one;
	struct read_back back;
	one_file_init(&one);
	read_back(&back, one.path);
	uint32_t functions = 0;
	for (uint32_t i = 0; i < back.units.count; i++) {
		assert_false(back.units.unit[i]->linked);
		assert_non_null(back.units.unit[i]->module);
		assert_int_equal(back.units.unit[i]->plan.crossed, 0);
		functions += back.units.unit[i]->unit.function_count;
	}
	assert_int_equal(functions, one.sample.unit.function_count);
	release(&back);
	one_file_release(&one);
}

/* Numbers that are not those of the map are refused. */
static void test_foreign(void **state)
{
	(void)state;
	struct one_file one;
	struct read_back back;
	one_file_init(&one);
	link_file(one.path);
	FILE *file = fopen(one.path, "r+b");
	uint64_t wrong = 1;
	/* The first record of the compiler follows the headers; its second word is the hash. */
	fseek(file, 64 + 56 + 8, SEEK_SET);
	fwrite(&wrong, sizeof wrong, 1, file);
	fclose(file);
	wm_arena_init(&back.arena);
	assert_int_equal(wm_object_open(&back.object, one.path, NULL, &back.arena), WM_OBJECT_OK);
	wm_units_read(&back.units, &back.object, &back.arena);
	assert_int_equal(back.units.count, 0);
	assert_string_not_equal(back.units.trouble, "");
	release(&back);
	one_file_release(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole), cmocka_unit_test(test_alone), cmocka_unit_test(test_foreign)};
	wm_command_name = "cc";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
