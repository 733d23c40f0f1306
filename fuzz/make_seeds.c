/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the seeds in fuzz/corpus: make_seeds CORPUS.  Run it again when a format changes. */
#include "abi/counts.h"
#include "analysis/machine/entry.h"
#include "core/grammar/sequitur.h"
#include "core/graph/cfgtext.h"
#include "core/graph/supergraph.h"
#include "link/link.h"
#include "link/tested_object.h"
#include "profile/base/scheme_name.h"
#include "profile/base/unfinished_paths.h"
#include "profile/branch_paths.h"
#include "profile/collect.h"
#include "profile/map/map.h"
#include "profile/wpp/wpp.h"
#include "profile/wpp/wpp_layout.h"
#include "support/terminal.h"
#include "test/analysis/binary.h"
#include "test/profile/raw_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const char *corpus;

static void save(const char *name, const uint8_t *data, size_t size)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", corpus, name);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
		perror(path);
		exit(1);
	}
}

/* A stored payload as it was before compression: what the targets wrap themselves. */
static void save_payload(const char *name, const uint8_t *data, size_t size)
{
	static uint8_t plain[65536];
	size_t unpacked = ZSTD_decompress(plain, sizeof(plain), data, size);
	if (ZSTD_isError(unpacked))
		save(name, data, size);
	else
		save(name, plain, unpacked);
}

static void map_seed(void)
{
	uint32_t first[] = {0, 2, 3, 4, 4}, from[] = {0, 0, 1, 2}, to[] = {1, 2, 3, 0};
	uint8_t end[] = {WM_END_NONE, WM_END_NONE, WM_END_NONE, WM_END_RETURN}, *blob;
	const char *files[] = {"a.c", "b.h"};
	struct wm_map_line lines[] = {{0, 3, 1}, {1, 9, 2}, {0, 4, 7}};
	struct wm_map_case cases[] = {{0, -1}, {1, 5}};
	struct wm_map_block block[] = {
		{.line_count = 3,
			.line = lines,
			.terminator = WM_TERM_SWITCH,
			.decision = lines[2],
			.case_count = 2,
			.cases = cases,
			.default_edge = 1},
		{.line_count = 1, .line = lines, .default_edge = WM_NONE},
		{.terminator = WM_TERM_BRANCH, .decision = lines[0], .default_edge = WM_NONE},
		{.default_edge = WM_NONE},
	};
	const uint8_t failure[] = {0, WM_CHECK_ASSERT, 0, WM_CHECK_THROW | WM_CHECK_NORETURN};
	struct wm_call calls[] = {{.block = 0, .callee = 2, .may_not_return = true},
		{.block = 0, .position = 1, .callee = WM_NONE, .unwinds = true}, {.block = 3, .callee = 1}};
	const char *outside[] = {"exit"}, *taken[] = {"g"};
	bool crossed[] = {true, false, false}, tree[] = {true, false, true, true, false};
	struct wm_map_unit unit = {crossed, 5, tree};
	struct wm_context contexts[] = {{WM_NONE, 0, WM_NONE, WM_NONE}, {0, 1, 2, 0}, {1, 2, 0, 1}};
	struct wm_mark marks[] = {
		{0, 0, false, 0, false}, {1, 0, false, 1, true}, {0, 0, true, 3, false}, {2, 1, false, 0, true}};
	uint32_t first_mark[] = {0, 3, 3, 4, 4};
	uint8_t kept[] = {WM_INLINE_UNKNOWN_CALLEE, WM_INLINE_REFUSED, WM_INLINE_RECURSIVE};
	struct wm_map_inlined inlined = {{3, contexts, 4, first_mark, marks}, kept};
	calls[1].opaque = true;
	calls[2].tail = true;
	struct wm_map_function function[] = {
		{.name = "f",
			.call_count = 3,
			.call = calls,
			.unit = &unit,
			.inlined = &inlined,
			.scheme = "acyclic",
			.reason = "",
			.line = 2,
			.has_entries = true,
			.graph = {4, 4, first, from, to, end, NULL},
			.block = block,
			.failure = failure},
		{.name = "g",
			.scheme = "acyclic",
			.reason = "it is naked",
			.file = WM_NONE,
			.status = WM_SKIPPED,
			.local = true},
	};
	struct wm_map_alias aliases[] = {{"h", 0, true}};
	struct wm_map_unseen_call unseen[] = {{1, 0}, {1, WM_NONE}, {2, 1}};
	struct wm_map_module module = {.source = "a.c",
		.file_count = 2,
		.file = files,
		.function_count = 2,
		.function = function,
		.outside_count = 1,
		.outside = outside,
		.taken_count = 1,
		.taken = taken,
		.crash_paths = 3,
		.directory = "/some/place",
		.alias_count = 1,
		.alias = aliases,
		.unseen_count = 3,
		.unseen = unseen};
	size_t size;
	if (wm_map_encode(&module, &blob, &size))
		abort();
	save("map/section", blob, size);
	save_payload("map/payload", blob + 32, size - 32);
	free(blob);
}

static void raw_seed(void)
{
	struct raw_builder builder;
	const struct wm_hash_slot slots[] = {{9, 3}, {1 << 20, 4}};
	size_t size;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, WM_FUNC_ENTRIES | WM_FUNC_RESUMED, 3);
	raw_builder_function(&builder, 3, 3, WM_FUNC_HASH, 0);
	raw_builder_function(&builder, 4, 4, WM_UPDATE_DELTA, 2);
	raw_builder_function(&builder, 5, 5, WM_FUNC_HASH | WM_FUNC_IDS, 2);
	raw_builder_function(&builder, 6, 6, WM_FUNC_HASH | WM_FUNC_RESIDUAL, 0);
	raw_builder_function(&builder, 7, 7, WM_FUNC_FOLLOWS, 2);
	raw_builder_function(&builder, 8, 8, WM_UPDATE_ATOMIC | WM_FUNC_UNIT, 2);
	raw_builder_function(&builder, 9, 9, wm_scheme_name("kiter=70,sequences") << WM_FUNC_SCHEME_SHIFT, 1);
	builder.func[5].cells_offset = builder.func[0].cells_offset + 16;
	*raw_builder_cell(&builder, 0, 0) = 5;
	*raw_builder_cell(&builder, 0, 3) = 5;
	*raw_builder_cell(&builder, 3, 1) = 6;
	raw_builder_table(&builder, 1, 2, slots, 2, 0);
	raw_builder_time(raw_builder_table(&builder, 4, 2, slots, 2, WM_TABLE_TIMES), 9, 1800000000000000);
	raw_builder_ids(&builder, (uint64_t[]){3, 2, UINT64_MAX, 70}, 4);
	raw_builder_cells(&builder, WM_CHUNK_THREAD)[raw_builder_at(&builder, 2, 1)] = 8;
	raw_builder_cells(&builder, WM_CHUNK_BASE)[raw_builder_at(&builder, 0, 0)] = 1;
	raw_builder_stream(&builder, &(struct wm_raw_chunk){.thread = 1}, (uint64_t[]){3, 2, 1}, 3, 2);
	raw_builder_words(&builder, 77 | WM_CHUNK_OPTIONAL, (uint64_t[]){4}, 1);
	builder.header.flags |= WM_RAW_INHERITED;
	uint8_t *image = raw_builder_image(&builder, &size);
	save("raw/pages", image, size);
	free(image);
	raw_builder_release(&builder);
}

static void marks_seed(void)
{
	struct raw_builder builder;
	const uint8_t first[] = {WM_GROUP_TABLE, 1, 2, 9, 0, WM_GROUP_CELLS, 3, 2, 1, 3, 0};
	const uint8_t second[] = {WM_GROUP_CELLS, 3, 1, 0};
	size_t size;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, WM_FUNC_ENTRIES, 3);
	raw_builder_function(&builder, 3, 3, WM_FUNC_HASH, 0);
	for (uint32_t i = 0; i < 4; i++)
		*raw_builder_cell(&builder, 0, i) = 5;
	raw_builder_table(&builder, 1, 2, &(struct wm_hash_slot){9, 3}, 1, 0);
	raw_builder_mark(&builder, "first", NULL, 0);
	raw_builder_mark(&builder, "", first, sizeof first);
	raw_builder_mark(&builder, "second", second, sizeof second);
	uint8_t *image = raw_builder_image(&builder, &size);
	save("raw/marks", image, size);
	free(image);
	raw_builder_release(&builder);
}

/* The program has ended: counts behind a chunk that they replace, and before one that a destructor has added. */
static void unfinished_seed(void)
{
	struct raw_builder builder;
	/* As struct wm_unfinished: function and site, sum, count. */
	const uint64_t records[] = {
		1 | (uint64_t)3 << 32, 40, 2, 0, 0, 0, 2 | (uint64_t)(WM_SITE_BLOCK | 5) << 32, 1, 1};
	const uint8_t groups[] = {WM_GROUP_UNFINISHED, 0, 2, 3, 40, 1, 4, 0, 0, WM_GROUP_UNFINISHED, 1, 1, 7, 1, 0,
		WM_GROUP_CELLS, 4, 3, 0};
	size_t size;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, WM_FUNC_ENTRIES, 3);
	raw_builder_function(&builder, 3, 3, WM_FUNC_HASH, 0);
	raw_builder_words(&builder, WM_CHUNK_UNFINISHED, records, 9);
	builder.header.condensed = raw_builder_counts(&builder, groups, sizeof groups, 0);
	raw_builder_words(&builder, WM_CHUNK_UNFINISHED, records, 6);
	raw_builder_mark(&builder, "first", NULL, 0);
	raw_builder_mark(&builder, "", groups, sizeof groups);
	uint8_t *image = raw_builder_image(&builder, &size);
	save("raw/unfinished", image, size);
	free(image);
	raw_builder_release(&builder);
}

static void pool_seed(void)
{
	struct raw_builder builder;
	const struct wm_raw_run run[] = {{1, 2, 0, 1700000000, 42}, {3, 4, 1, 1700000001, 43}};
	/* Inherited: cell 0; then cells 4 and 0, an id of function 1, and an unfinished path of function 0. */
	const uint8_t byte[] = {WM_GROUP_CELLS, 4, 2, 0, WM_GROUP_TABLE, 1, 7, 90, 0, WM_GROUP_CELLS, 1, 3, 3, 5, 0,
		WM_GROUP_UNFINISHED, 0, 3, 2, 9, 0};
	size_t size;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, WM_FUNC_ENTRIES, 3);
	raw_builder_function(&builder, 3, 3, WM_FUNC_HASH, 0);
	raw_builder_runs(&builder, run, 1, (struct raw_builder_groups){byte, sizeof byte, 4});
	raw_builder_runs(&builder, run + 1, 1, (struct raw_builder_groups){byte + 4, sizeof byte - 4, 0});
	builder.header.flags |= WM_RAW_POOL;
	builder.header.run_id_low = builder.header.run_id_high = 0;
	uint8_t *image = raw_builder_image(&builder, &size);
	save("raw/pool", image, size);
	free(image);
	raw_builder_release(&builder);
}

/* The frames of two threads: one has faulted in a frame of the overflow page, the other is in its second frame. */
static void crash_seed(void)
{
	struct raw_builder builder;
	static union {
		uint8_t byte[WM_CRASH_SIZE];
		uint64_t word[WM_CRASH_SIZE / 8];
	} chunk;
	const size_t start = sizeof(struct wm_raw_chunk);
	struct wm_crash_head *head = (void *)(chunk.byte + start);
	struct wm_crash_frame *frame = (void *)(chunk.byte + WM_CRASH_FRAMES);
	size_t size;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, 0, 3);
	frame[0] = (struct wm_crash_frame){.tag = 1, .site = 1, .kept = 2};
	frame[1] = (struct wm_crash_frame){.tag = 1, .site = WM_SITE_BLOCK | 2};
	raw_builder_words(&builder, WM_CHUNK_CRASH, chunk.word + start / 8, (WM_CRASH_SIZE - start) / 8)->thread = 7;
	*head = (struct wm_crash_head){
		.signal = 11, .pc = 64, .top = WM_CRASH_OVERFLOW + sizeof *frame, .next = 16, .window = {{64, 256}}};
	head->path[0] = (struct wm_crash_path){.tag = 1, .block = 2, .value = 1};
	for (size_t i = 2; i <= (WM_CRASH_OVERFLOW - WM_CRASH_FRAMES) / sizeof *frame; i++)
		frame[i] = frame[0];
	frame[2] = (struct wm_crash_frame){.tag = WM_CRASH_MORE + 3, .kept = 1};
	raw_builder_words(&builder, WM_CHUNK_CRASH, chunk.word + start / 8, (WM_CRASH_SIZE - start) / 8)->thread = 8;
	uint8_t *image = raw_builder_image(&builder, &size);
	save("raw/crash", image, size);
	free(image);
	raw_builder_release(&builder);
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, 0, 3);
	memset(&chunk, 0, sizeof chunk);
	*head = (struct wm_crash_head){.signal = 6, .code = WM_CRASH_CODE | WM_CRASH_SUMS, .top = WM_CRASH_STACK};
	frame[0] = (struct wm_crash_frame){.tag = 1, .site = 1, .kept = 2};
	frame[1] = (struct wm_crash_frame){.tag = 1, .site = WM_SITE_BLOCK | WM_SITE_UNKNOWN | 2};
	frame[2] = (struct wm_crash_frame){.tag = WM_CRASH_INSTRUCTION, .site = WM_STOP_CALL, .kept = 64};
	raw_builder_words(&builder, WM_CHUNK_CRASH, chunk.word + start / 8, (WM_CRASH_SIZE - start) / 8)->thread = 7;
	image = raw_builder_image(&builder, &size);
	save("raw/crash_sums", image, size);
	free(image);
	raw_builder_release(&builder);
}

/* Without the padding to pages, which a fuzzer would mutate in vain. */
static void small_raw_seed(void)
{
	struct wm_raw_header header = {.magic = WM_RAW_MAGIC,
		.version = WM_ABI_VERSION,
		.header_size = sizeof(header),
		.func_offset = sizeof(header),
		.func_count = 3,
		.cells_offset = sizeof(header) + 3 * sizeof(struct wm_raw_func),
		.cells_size = 48};
	struct wm_raw_func func[3] = {{.key = 1, .cell_count = 3, .flags = WM_FUNC_ENTRIES},
		{.key = 2, .cells_offset = 24, .cell_count = 3},
		{.key = 3, .cells_offset = 16, .cell_count = 2, .flags = WM_FUNC_FOLLOWS}};
	const uint64_t cells[6] = {3, 1, 2, 0, 0, 9};
	uint8_t image[sizeof(header) + sizeof(func) + sizeof(cells)];
	header.chunks_offset = sizeof(image);
	memcpy(image, &header, sizeof(header));
	memcpy(image + sizeof(header), func, sizeof(func));
	memcpy(image + sizeof(header) + sizeof(func), cells, sizeof(cells));
	raw_image_seal(image);
	save("raw/small", image, sizeof(image));
}

static void indexed_seed(void)
{
	struct wm_profile profile;
	uint8_t *data;
	size_t size;
	wm_profile_init(&profile);
	profile.runs = 2;
	struct wm_profile_object *object = wm_profile_append_object(&profile, (const uint8_t *)"\1\2\3", 3);
	if (!object || !(object->function = calloc(2, sizeof(*object->function))))
		abort();
	object->function_count = object->function_capacity = 2;
	object->function[0] = (struct wm_profile_function){
		.key = 100, .graph_hash = 5, .flags = WM_FUNC_ENTRIES, .entries = 3, .doubt = WM_DOUBT_LOST, .lost = 2};
	object->function[1] = (struct wm_profile_function){.key = 200, .graph_hash = 6, .base_entries = 7};
	if (!wm_function_append(&object->function[0], 0, 8, 0) || !wm_function_append(&object->function[0], 70, 1, 0) ||
		!wm_function_append(&object->function[1], 3, 0, 4) || wm_indexed_write(&profile, &data, &size))
		abort();
	save("indexed/file", data, size);
	save("indexed/sections", data + 24, size - 24);
	save_payload("indexed/payload", data + 24 + 24 + 2 + 24, size - 24 - 24 - 2 - 24);
	free(data);
	object->function[1].flags |= WM_FUNC_HASH | WM_FUNC_RESIDUAL;
	object->function[1].path[0].first_seen = 1800000000000000;
	object->function[1].path[0].pid = 42;
	if (wm_indexed_write(&profile, &data, &size))
		abort();
	save("indexed/residual", data, size);
	save_payload("indexed/residual-payload", data + 24 + 24 + 2 + 24, size - 24 - 24 - 2 - 24);
	free(data);
	object->runs = 2;
	object->program[0] = 'a';
	if (!wm_object_append_doubtful(object, &(struct wm_doubtful_run){1700000000, 42, WM_DOUBT_LOST}) ||
		wm_indexed_write(&profile, &data, &size))
		abort();
	save("indexed/program", data, size);
	save_payload("indexed/program-payload", data + 24 + 24 + 3 + 24, size - 24 - 24 - 3 - 24);
	free(data);
	object->function[0].flags |= WM_FUNC_UNIT;
	if (wm_indexed_write(&profile, &data, &size))
		abort();
	save("indexed/unit", data, size);
	free(data);
	object->function[0].scheme = wm_scheme_name("context=pending");
	object->function[1].scheme = wm_scheme_name("kiter=70,sequences");
	if (wm_indexed_write(&profile, &data, &size))
		abort();
	save("indexed/named", data, size);
	free(data);
	object->function[0].scheme = object->function[1].scheme = WM_SCHEME_UNNAMED;
	object->function[0].flags = WM_FUNC_BRANCHES;
	object->function[0].path[1].id = (uint64_t)3 << 32 | 5;
	if (wm_indexed_write(&profile, &data, &size))
		abort();
	save("indexed/branches-4", data, size);
	free(data);
	wm_profile_release(&profile);
}

static void indexed_unfinished_seed(void)
{
	const struct wm_unfinished_path path[] = {
		{0, 1, 1}, {7, 300, 1}, {UINT64_MAX, 2, 70}, {5, 1, WM_SITE_BLOCK | 3}};
	struct wm_profile profile;
	uint8_t *data;
	size_t size;
	wm_profile_init(&profile);
	profile.runs = 1;
	struct wm_profile_object *object = wm_profile_append_object(&profile, (const uint8_t *)"\1\2\3", 3);
	if (!object || !(object->function = calloc(2, sizeof(*object->function))))
		abort();
	object->function_count = object->function_capacity = 2;
	object->function[0] = (struct wm_profile_function){.key = 100, .graph_hash = 5};
	object->function[1] = (struct wm_profile_function){.key = 200, .scheme = wm_scheme_name("acyclic")};
	for (size_t i = 0; i < 6; i++)
		if (!wm_unfinished_append(&object->function[i / 4], &path[i % 4]))
			abort();
	if (!wm_function_append(&object->function[1], 3, 4, 0) || wm_indexed_write(&profile, &data, &size))
		abort();
	save("indexed/unfinished", data, size);
	save_payload("indexed/unfinished-payload", data + 24 + 24 + 4 + 24, size - 24 - 24 - 4 - 24);
	free(data);
	wm_profile_release(&profile);
}

/* Paths of machine code, of two metrics. */
static void indexed_branches_seed(void)
{
	const struct wm_branch_path path[] = {
		{9, 0x401000, 2, 1, 0, 4}, {9, 0x401000, 3, 5, 0, 7}, {9, 0x401000, 3, 5, 1, 70}};
	struct wm_profile profile;
	uint8_t *data;
	size_t size;
	wm_profile_init(&profile);
	profile.runs = 1;
	struct wm_profile_object *object = wm_profile_append_object(&profile, (const uint8_t *)"\1\2\3", 3);
	if (!object)
		abort();
	for (size_t i = 0; i < sizeof path / sizeof *path; i++)
		if (!wm_object_append_branches(object, &path[i]))
			abort();
	if (wm_indexed_write(&profile, &data, &size))
		abort();
	save("indexed/branches", data, size);
	save_payload("indexed/branches-payload", data + 24 + 24 + 3 + 24, size - 24 - 24 - 3 - 24);
	free(data);
	wm_profile_release(&profile);
}

static bool put(void *closure, const void *data, size_t size)
{
	wm_bytes_put(closure, data, size);
	return true;
}

static void make_grammar(struct wm_grammar *grammar)
{
	struct wm_sequitur sequitur;
	if (wm_sequitur_init(&sequitur, 64) != WM_OK)
		abort();
	for (const char *text = "abcabcabdabcabd"; *text; text++)
		if (wm_sequitur_append(&sequitur, (uint64_t)*text << 32) != WM_OK)
			abort();
	if (wm_sequitur_close(&sequitur, grammar) != WM_OK)
		abort();
	wm_sequitur_release(&sequitur);
}

/* A file, and its two payloads; the one of the chunk after the length of the stream (fuzz_wpp.c). */
static void wpp_seed(void)
{
	struct wm_wpp_object object = {.build_id = "\1\2", .build_id_size = 2, .program = "p"};
	struct wm_wpp_function function = {.key = 5, .graph_hash = 6};
	struct wm_wpp_process process = {9, 10, WM_WPP_END_OTHER};
	struct wm_wpp_stream stream = {0, 1, 15, 7, 8};
	const struct wm_wpp_table table = {1, 1, 1, 1, &object, &function, &process, &stream, WM_WPP_SUBPATHS};
	struct wm_grammar grammar;
	struct wm_bytes file;
	const struct wm_wpp_writer writer = {&file, put};
	uint8_t chunk[4096] = {15};
	wm_bytes_init(&file);
	make_grammar(&grammar);
	if (wm_wpp_write_begin(&writer) || wm_wpp_write_chunk(&writer, 0, &grammar))
		abort();
	const uint8_t *stored = file.data + WM_WPP_HEADER_SIZE + WM_WPP_SECTION_SIZE;
	size_t end = file.size, size = (size_t)(file.data + end - stored);
	size = ZSTD_decompress(chunk + 1, sizeof(chunk) - 1, stored, size);
	save("wpp/chunk", chunk, 1 + size);
	if (wm_wpp_write_end(&writer, &table))
		abort();
	save("wpp/file", file.data, file.size);
	save_payload("wpp/table", file.data + end + WM_WPP_SECTION_SIZE, file.size - end - WM_WPP_SECTION_SIZE);
	wm_bytes_release(&file);
	wm_grammar_release(&grammar);
}

/* A recording of `waymark hw`: the words of the grammar are those of the functions 'a' - 1 to 'd' - 1. */
static void branches_seed(void)
{
	struct wm_wpp_object object = {.build_id = "\1\2", .build_id_size = 2, .program = "p"};
	struct wm_wpp_function function['d'];
	struct wm_wpp_process process = {0};
	struct wm_wpp_stream stream = {.length = 15};
	const struct wm_wpp_table table = {1, 'd', 1, 1, &object, function, &process, &stream, WM_WPP_BRANCHES};
	struct wm_grammar grammar;
	struct wm_bytes file;
	const struct wm_wpp_writer writer = {&file, put};
	for (uint32_t f = 0; f < 'd'; f++)
		function[f] = (struct wm_wpp_function){
			.start = 16 * f, .control = wm_hw_control_pack(&wm_hw_whole_program), .length = f % 33};
	wm_bytes_init(&file);
	make_grammar(&grammar);
	if (wm_wpp_write_begin(&writer) || wm_wpp_write_chunk(&writer, 0, &grammar) ||
		wm_wpp_write_end(&writer, &table))
		abort();
	save("wpp/branches", file.data, file.size);
	wm_bytes_release(&file);
	wm_grammar_release(&grammar);
}

/* A seed in which the fuzzer finds no set would be in vain. */
static void check_tested(const char *path)
{
	struct wm_links links;
	if (!wm_links_open(&links, path) || !wm_tested_put(&links, (const uint64_t[]){0, 1, 2}, 3))
		abort();
	wm_links_close(&links);
}

/* Figures 4 to 9 of TR 1382 in two files, before and after the link step, and with a set of tested paths. */
static void links_seed(void)
{
	static const char text[] = "function main\na -> b\nb -> c h\nc -> d e\nd [call pow] -> e\ne -> f g\n"
				   "f [call pow] -> g\ng -> b\nh\nfunction pow\ni -> j\nj -> k l\nk -> j\nl\n";
	static const uint32_t caller = 0, callee = 1;
	const struct test_module part[] = {{.source = "main.c", .count = 1, .member = &caller},
		{.source = "pow.c", .count = 1, .member = &callee}};
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	struct wm_map_module module[2];
	char path[4096];
	wm_arena_init(&arena);
	if (wm_cfg_parse(&cfg, text, sizeof text - 1, &error, &arena) != WM_OK)
		abort();
	for (size_t i = 0; i < 2; i++)
		test_module_describe(&module[i], &cfg.unit, &part[i], &wm_scheme_piecewise, &arena);
	for (size_t i = 0; i < 3; i++) {
		static const char *const names[] = {"alone", "whole", "tested"};
		snprintf(path, sizeof path, "%s/links/%s", corpus, names[i]);
		test_binary_write(&(struct test_binary){2, module, false, i == 2 ? 3 : 0}, path);
		if (i)
			wm_link_step_run(&(struct wm_link_step){.output = path}, &(struct stat){0});
	}
	check_tested(path);
	wm_arena_release(&arena);
}

/* A seed of another target with the head of fuzz_library.c.  `wrapped`: it is the payload of a map. */
static void library_seed(const char *from, const char *to, bool wrapped)
{
	static uint8_t seed[65536];
	char path[4096];
	const uint8_t head[] = {wrapped, 3, 0, 0, 0, 0, 0, 0, 0};
	snprintf(path, sizeof path, "%s/%s", corpus, from);
	FILE *file = fopen(path, "rb");
	if (!file)
		abort();
	memcpy(seed, head, sizeof head);
	size_t size = fread(seed + sizeof head, 1, sizeof seed - sizeof head, file);
	fclose(file);
	save(to, seed, sizeof head + size);
}

int main(int argc, char **argv)
{
	wm_terminal_use();
	if (argc != 2) {
		fprintf(stderr, "usage: make_seeds CORPUS\n");
		return 1;
	}
	corpus = argv[1];
	map_seed();
	links_seed();
	library_seed("links/alone", "library/links-alone", false);
	library_seed("links/whole", "library/links-whole", false);
	library_seed("map/payload", "library/map-payload", true);
	raw_seed();
	marks_seed();
	unfinished_seed();
	pool_seed();
	crash_seed();
	small_raw_seed();
	indexed_seed();
	indexed_unfinished_seed();
	indexed_branches_seed();
	wpp_seed();
	branches_seed();
	return 0;
}
