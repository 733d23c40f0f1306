/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Extensions of the map, and maps of version 1, written out byte by byte (doc/formats.md). */
#include "test/profile/testing.h"

#include "profile/map/identity.h"
#include "profile/map/map.h"
#include "profile/map/map_layout.h"
#include "profile/map/unit_identity.h"

#include <stdlib.h>
#include <string.h>

/* Source "a", no files, one function `f` of two blocks in which the first leads to the second. */
#define ONE_FUNCTION "\1a\0\1\0\1f\7acyclic\0\2\1\20\0\0\1\0\0"

/* On the heap in its exact size, so that ASan sees every byte read beyond it. */
static enum wm_status decode(
	uint32_t version, const char *payload, uint32_t size, struct wm_map *map, struct wm_arena *arena)
{
	char error[160];
	const uint64_t magic = WM_MAP_MAGIC;
	const uint32_t words[4] = {version, 0, size, size};
	uint8_t *blob = malloc(WM_MAP_HEADER_SIZE + size);
	assert_non_null(blob);
	memcpy(blob, &magic, 8);
	memcpy(blob + 8, words, sizeof(words));
	memcpy(blob + WM_MAP_HEADER_SIZE, payload, size);
	uint64_t sum = wm_map_blob_checksum(blob, size);
	memcpy(blob + WM_MAP_CHECKSUM_OFFSET, &sum, 8);
	enum wm_status status = wm_map_decode(map, blob, WM_MAP_HEADER_SIZE + size, error, arena);
	free(blob);
	return status;
}
#define DECODE(version, text) decode(version, text, sizeof(text) - 1, &map, &arena)

static void version_1_has_no_extensions(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_map map;
	wm_arena_init(&arena);
	assert_int_equal(DECODE(1, ONE_FUNCTION), WM_OK);
	assert_string_equal(map.module[0].function[0].name, "f");
	assert_int_equal(map.module[0].function[0].graph.edge_count, 1);
	assert_int_equal(map.module[0].function[0].call_count, 0);
	assert_int_equal(DECODE(1, ONE_FUNCTION "\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\0"), WM_OK);
	assert_int_equal(DECODE(2, ONE_FUNCTION "\0"), WM_BAD_GRAPH);
	wm_arena_release(&arena);
}

static void unknown_extensions_are_skipped(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_map map;
	wm_arena_init(&arena);
	/* Kind 99 before and after the call sites: puts and an indirect call in block 0, f in block 1. */
	assert_int_equal(DECODE(4, ONE_FUNCTION "\3\143\3xyz\1\15\1\4puts\3\1\2\0\0\4\1\143\0"), WM_OK);
	const struct wm_map_module *module = &map.module[0];
	const struct wm_call *call = module->function[0].call;
	assert_int_equal(module->function[0].call_count, 3);
	assert_true(call[0].block == 0 && call[0].position == 0 && call[0].may_not_return && !call[0].unwinds);
	assert_true(call[1].block == 0 && call[1].position == 1 && call[2].block == 1 && call[2].position == 0);
	assert_string_equal(wm_map_callee(module, &call[0]), "puts");
	assert_null(wm_map_callee(module, &call[1]));
	assert_string_equal(wm_map_callee(module, &call[2]), "f");
	wm_arena_release(&arena);
}

static void bad_extensions(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_map map;
	wm_arena_init(&arena);
	/* No calls at all is fine; so the others fail for what is wrong with them. */
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\1\2\0\0"), WM_OK);
	/* An extension longer than what follows; a missing one; bytes after the last. */
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\143\4xyz"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\2\143\3xyz"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\143\3xyz\0"), WM_BAD_GRAPH);
	/* Call sites: cut short, too long, twice. */
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\1\1\0\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\1\3\0\0\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\2\1\2\0\0\1\2\0\0"), WM_BAD_GRAPH);
	/* No block 2; no callee 1; a call after an invoke. */
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\1\4\0\1\10\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\1\4\0\1\0\2"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\1\6\0\2\2\0\0\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\1\6\0\2\2\0\4\0"), WM_OK);
	/* Paths across calls: none; no bytes for the bits; bytes left; twice; before the call sites. */
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\2\2\0\0"), WM_OK);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\2\2\0\2"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\2\3\0\0\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\2\2\2\0\0\2\2\0\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\2\2\2\0\0\1\2\0\0"), WM_BAD_GRAPH);
	/* Aliases: one of function 0; of function 1, which does not exist; bytes left; twice. */
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\4\4\1\1g\1"), WM_OK);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\4\4\1\1g\2"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\4\5\1\1g\1\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\2\4\4\1\1g\1\4\4\1\1g\1"), WM_BAD_GRAPH);
	/* Finished paths for crashes: 16; none; too many; bytes left; twice. */
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\7\1\20"), WM_OK);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\7\1\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\7\1\21"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\7\2\20\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\2\7\1\1\7\1\1"), WM_BAD_GRAPH);
	/* Checksums: of the main file; cut short; too long; bytes left; twice. */
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\14\3\2xy"), WM_OK);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\14\3\3xy"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\14\42\41abcdefghijklmnopqrstuvwxyz0123456"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\14\4\2xy\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\2\14\3\2xy\14\3\2xy"), WM_BAD_GRAPH);
	/* Code of the function; cut short; bytes left; twice. */
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\20\4abcd"), WM_OK);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\20\3abc"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\20\5abcd\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\2\20\4abcd\20\4abcd"), WM_BAD_GRAPH);
	wm_arena_release(&arena);
}

/* Failures of checks: none; of an assert and a sanitizer on the only edge; of no kind; of an edge that does not exist; twice
 * the same edge; cut short; bytes left; listed twice. */
static void failures(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_map map;
	wm_arena_init(&arena);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\0"), WM_OK);
	assert_null(map.module[0].function[0].failure);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\21\1\0"), WM_OK);
	assert_null(map.module[0].function[0].failure);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\21\2\1\3"), WM_OK);
	assert_int_equal(map.module[0].function[0].failure[0], WM_CHECK_ASSERT | WM_CHECK_SANITIZER);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\21\2\1\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\21\2\1\21"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\21\3\2\1\1"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\21\1\1"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\21\2\0\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\2\21\2\1\1\21\2\1\1"), WM_BAD_GRAPH);
	wm_arena_release(&arena);
}

/* Truth values: none; a choice; in a block that does not exist; a choice that is joined; a branch on a constant, where there is no
 * branch; an operand without a join; of an unknown kind; bytes left. */
static void truth_values(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_map map;
	wm_arena_init(&arena);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\0"), WM_OK);
	assert_false(map.module[0].has_values);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\16\1\0"), WM_OK);
	assert_true(map.module[0].has_values);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\16\4\1\4\0\0"), WM_OK);
	assert_int_equal(map.module[0].function[0].value_count, 1);
	assert_int_equal(map.module[0].function[0].value[0].kind, WM_VALUE_CHOICE);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\16\5\1\204\100\0\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\16\4\1\4\1\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\16\4\1\5\0\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\16\4\1\0\0\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\16\4\1\6\0\0"), WM_BAD_GRAPH);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\16\2\0\0"), WM_BAD_GRAPH);
	wm_arena_release(&arena);
}

/* Without a file of its own, the source of a function is that of the main file. */
static void checksums(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_map map;
	const struct wm_map_checksum sum = {.size = 2, .byte = "xy"};
	wm_arena_init(&arena);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\14\3\2xy"), WM_OK);
	assert_true(map.module[0].function[0].source == wm_source_of_file("dir/a", &sum));
	assert_true(map.module[0].function[0].source != wm_source_of_file("b", &sum));
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\14\1\0"), WM_OK);
	assert_true(map.module[0].function[0].source == 0);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\0"), WM_OK);
	assert_true(map.module[0].function[0].source == 0);
	/* The code of the function, with and without a checksum of its file. */
	assert_int_equal(DECODE(4, ONE_FUNCTION "\2\14\3\2xy\20\4\5\0\0\0"), WM_OK);
	assert_true(map.module[0].function[0].source == wm_source_of_file("dir/a", &sum));
	assert_int_equal(map.module[0].function[0].code, 5);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\1\20\4\5\0\0\0"), WM_OK);
	assert_true(map.module[0].function[0].source == 0 && wm_map_source(&map.module[0].function[0]) == 5);
	wm_arena_release(&arena);
}

/* Two functions are of one source if either half is known and equal. */
static void halves_of_sources(void **state)
{
	(void)state;
	static const struct {
		uint64_t file[2];
		uint32_t code[2];
		bool same;
	} rows[] = {
		{{UINT64_C(7) << 32, UINT64_C(7) << 32}, {1, 1}, true},
		{{UINT64_C(7) << 32, UINT64_C(7) << 32}, {1, 2}, true},
		{{UINT64_C(7) << 32, UINT64_C(8) << 32}, {1, 1}, true},
		{{UINT64_C(7) << 32, UINT64_C(8) << 32}, {1, 2}, false},
		{{UINT64_C(7) << 32, 0}, {1, 0}, false},
		{{0, 0}, {0, 0}, false},
		{{0, 0}, {1, 1}, true},
		/* The low half of what wm_source_of_file() returns is that of no code. */
		{{UINT64_C(7) << 32 | 5, UINT64_C(8) << 32 | 5}, {1, 2}, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t a = wm_source_pack(rows[i].file[0], rows[i].code[0]),
			 b = wm_source_pack(rows[i].file[1], rows[i].code[1]);
		assert_int_equal(wm_same_source(a, b), rows[i].same);
		assert_int_equal(wm_same_source(b, a), rows[i].same);
		assert_int_equal(wm_same_source(wm_common_source(a, b), a), rows[i].same);
		const struct wm_function_identity x = {1, 2, a}, y = {1, 2, b};
		assert_int_equal(wm_same_function(&x, &y, false), rows[i].same);
		assert_true(wm_same_function(&x, &y, true));
	}
	/* A profile of an older version has the whole hash of the file. */
	const struct wm_map_checksum sum = {.size = 2, .byte = "xy"};
	uint64_t file = wm_source_of_file("dir/a.c", &sum);
	assert_true(wm_same_source(file, wm_source_pack(file, 99)));
	assert_true(wm_source_is_of_file(wm_source_pack(file, 99), file));
	assert_false(wm_source_is_of_file(wm_source_pack(0, (uint32_t)file), file));
}

/* Two calls, the second an opaque tail call and the first crossed, then a tree of edges 0 and 2 of 3; the address of g is taken. */
static void paths_across_calls(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_map map;
	wm_arena_init(&arena);
	assert_int_equal(DECODE(4, ONE_FUNCTION "\2\1\6\0\2\0\0\6\0\2\5\1\1g\4\126"), WM_OK);
	const struct wm_map_module *module = &map.module[0];
	const struct wm_map_function *f = &module->function[0];
	assert_int_equal(module->taken_count, 1);
	assert_string_equal(module->taken[0], "g");
	assert_true(f->call_count == 2 && !f->call[0].opaque && f->call[1].opaque);
	assert_true(!f->call[0].tail && f->call[1].tail);
	assert_true(f->unit->crossed[0] && !f->unit->crossed[1] && f->unit->edge_count == 3);
	assert_true(f->unit->tree[0] && !f->unit->tree[1] && f->unit->tree[2]);
	uint64_t layout = wm_unit_layout(module, f);
	f->unit->tree[1] = true;
	assert_true(wm_unit_layout(module, f) != layout);
	f->unit->tree[1] = false;
	f->call[0].opaque = true;
	assert_true(wm_unit_layout(module, f) != layout);
	f->call[0].opaque = false;
	assert_true(wm_unit_layout(module, f) == layout);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_1_has_no_extensions),
		cmocka_unit_test(unknown_extensions_are_skipped),
		cmocka_unit_test(bad_extensions),
		cmocka_unit_test(checksums),
		cmocka_unit_test(halves_of_sources),
		cmocka_unit_test(failures),
		cmocka_unit_test(truth_values),
		cmocka_unit_test(paths_across_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
