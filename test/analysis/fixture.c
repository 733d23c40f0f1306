/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/analysis/fixture.h"

#include <string.h>

static void add(struct wm_graph_builder *builder, uint32_t count, uint32_t first, uint32_t second)
{
	uint32_t successors[2] = {first, second};
	enum wm_end end = count ? WM_END_NONE : WM_END_RETURN;
	assert_int_equal(wm_graph_builder_add(builder, successors, count, end), WM_OK);
}

static void make_graph(struct fixture *fixture, struct wm_graph *graph)
{
	struct wm_graph_builder builder;
	assert_int_equal(wm_graph_builder_init(&builder, &fixture->arena, 6), WM_OK);
	add(&builder, 1, 1, 0);
	add(&builder, 2, 2, 3);
	add(&builder, 1, 4, 0);
	add(&builder, 2, 4, 5);
	add(&builder, 2, 1, 5);
	add(&builder, 0, 0, 0);
	assert_int_equal(wm_graph_builder_finish(&builder, graph), WM_OK);
}

/* Block b stands on line 10 * (b + 1) and the one after it; decisions on the first. */
static void make_blocks(struct fixture *fixture)
{
	for (uint32_t b = 0; b < 6; b++) {
		bool decides = b == 1 || b == 3 || b == 4;
		fixture->line[b][0] = (struct wm_map_line){.file = 0, .line = 10 * (b + 1)};
		fixture->line[b][1] = (struct wm_map_line){.file = 0, .line = 10 * (b + 1) + 1};
		fixture->block[b] = (struct wm_map_block){
			.line_count = decides ? 1 : 2,
			.line = fixture->line[b],
			.terminator = decides ? WM_TERM_BRANCH : WM_TERM_NONE,
			.decision = {.file = 0, .line = decides ? 10 * (b + 1) : 0, .column = 7},
			.default_edge = WM_NONE,
		};
	}
}

static void make_map(struct fixture *fixture)
{
	make_blocks(fixture);
	fixture->file[0] = "walk.c";
	fixture->file[1] = "other.h";
	fixture->function[0] = (struct wm_map_function){.name = "walk",
		.scheme = "acyclic",
		.reason = "",
		.file = 0,
		.line = 9,
		.has_entries = true,
		.block = fixture->block};
	make_graph(fixture, &fixture->function[0].graph);
	fixture->function[0].key = wm_function_key("walk", NULL);
	fixture->function[0].graph_hash = wm_map_graph_hash(&fixture->function[0].graph, "acyclic");
	fixture->function[1] = (struct wm_map_function){.name = "_ZN1a4bareEv",
		.scheme = "acyclic",
		.reason = "it is <naked>",
		.file = WM_NONE,
		.status = WM_SKIPPED};
	fixture->function[1].key = wm_function_key("_ZN1a4bareEv", NULL);
	fixture->module = (struct wm_map_module){.source = "walk.c",
		.file_count = 2,
		.file = fixture->file,
		.function_count = 2,
		.function = fixture->function};
	fixture->object = (struct wm_object){
		.path = (char *)"./walk", .map_path = (char *)"./walk", .build_id = {0xab, 0xcd}, .build_id_size = 2};
	fixture->object.map = (struct wm_map){.module_count = 1, .module = &fixture->module};
}

static void make_profile(struct fixture *fixture)
{
	const struct wm_counted_path paths[4] = {
		{.id = 1, .count = 1}, {.id = 6, .count = 99}, {.id = 7, .count = 1}, {.id = 8, .count = 99}};
	memcpy(fixture->path, paths, sizeof paths);
	fixture->record[0] = (struct wm_profile_function){.key = fixture->function[0].key,
		.graph_hash = fixture->function[0].graph_hash,
		.flags = WM_FUNC_ENTRIES,
		.entries = 1,
		.path_count = 4,
		.path = fixture->path};
	fixture->profile_object = (struct wm_profile_object){
		.build_id = {0xab, 0xcd}, .build_id_size = 2, .function_count = 1, .function = fixture->record};
	fixture->profile = (struct wm_profile){.runs = 1, .object_count = 1, .object = &fixture->profile_object};
}

void fixture_init(struct fixture *fixture)
{
	*fixture = (struct fixture){0};
	wm_arena_init(&fixture->arena);
	make_map(fixture);
	make_profile(fixture);
}

void fixture_join(struct fixture *fixture)
{
	wm_story_build(&fixture->story, WM_STORY_OF_BINARIES, &fixture->profile, &fixture->object, 1);
}

void fixture_release(struct fixture *fixture)
{
	wm_story_release(&fixture->story);
	wm_arena_release(&fixture->arena);
}
