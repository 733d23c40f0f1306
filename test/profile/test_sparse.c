/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw profiles with holes, and many of one build: what is not read again changes no count. */
#include "test/profile/testing.h"

#include "abi/unfinished.h"
#include "analysis/join/merge_files.h"
#include "profile/raw/raw_file.h"
#include "profile/raw/sparse.h"
#include "support/xalloc.h"
#include "test/profile/raw_builder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KINDS = 5, FUNCTIONS = 12, MOST_EXTENTS = 4096 };

static uint64_t random_state = 1;

static uint64_t draw(uint64_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % below;
}

/* Some cells that are not zero, most far from the next. */
static void fill_cells(uint64_t *cell, uint64_t count)
{
	for (uint64_t i = draw(50); i < count; i += 1 + draw(700))
		cell[i] = 1 + draw(1000);
}

/* Functions of all kinds with cells; `build` is which ones. */
static void add_functions(struct raw_builder *builder, uint64_t build)
{
	static const uint32_t flags[KINDS] = {0, WM_FUNC_ENTRIES, WM_FUNC_ENTRIES | WM_FUNC_RESUMED,
		WM_FUNC_HASH | WM_FUNC_ENTRIES, WM_UPDATE_GS | WM_FUNC_ENTRIES};
	for (uint64_t i = 0; i < FUNCTIONS; i++)
		raw_builder_function(
			builder, 100 * build + i, i, flags[(i + build) % KINDS], (uint32_t)(1 + i * i * 40));
	size_t follower = raw_builder_function(builder, 100 * build + 50, 1, WM_FUNC_FOLLOWS, 0);
	builder->func[follower].cells_offset = builder->func[2].cells_offset;
	builder->func[follower].cell_count = builder->func[2].cell_count;
}

static size_t hashed(const struct raw_builder *builder)
{
	size_t f = 0;
	while (!(builder->func[f].flags & WM_FUNC_HASH))
		f++;
	return f;
}

/* Records between which most are not used. */
static void add_unfinished(struct raw_builder *builder)
{
	static struct wm_unfinished record[900];
	memset(record, 0, sizeof record);
	for (size_t i = draw(300); i < 900; i += 1 + draw(400))
		record[i] = (struct wm_unfinished){
			(uint32_t)(1 + draw(FUNCTIONS)), (uint32_t)(1 + draw(9)), draw(99), 1 + draw(9)};
	raw_builder_unfinished(builder, record, 900);
}

static uint8_t *make_image(uint64_t build, uint64_t run, size_t *size)
{
	struct raw_builder builder;
	const struct wm_hash_slot slot[] = {{3, 1 + draw(9)}, {9, 1}};
	raw_builder_init(&builder);
	add_functions(&builder, build);
	builder.header.run_id_low = run;
	fill_cells(builder.cells, builder.header.cells_size / 8);
	if (draw(2))
		fill_cells(raw_builder_cells(&builder, WM_CHUNK_THREAD), builder.header.cells_size / 8);
	for (uint64_t gaps = draw(3); gaps; gaps--)
		raw_builder_gap(&builder);
	if (draw(2)) {
		builder.header.flags |= WM_RAW_INHERITED;
		fill_cells(raw_builder_cells(&builder, WM_CHUNK_BASE), builder.header.cells_size / 8);
	}
	raw_builder_table(&builder, hashed(&builder), 2, slot, 2, 0);
	if (draw(2))
		add_unfinished(&builder);
	builder.func[draw(FUNCTIONS)].lost = draw(4) / 3;
	uint8_t *image = raw_builder_image(&builder, size);
	raw_builder_release(&builder);
	return image;
}

/* Extents that need not begin or end where a cell does. */
static size_t find_extents(struct wm_extent *extent, const uint8_t *image, size_t size)
{
	size_t count = 0;
	for (size_t at = 0; at < size && count < MOST_EXTENTS; at++) {
		size_t end = at, last = at;
		if (!image[at] && draw(2000))
			continue;
		for (; end < size && end - last < 24 + draw(64); end++)
			last = image[end] ? end : last;
		extent[count++] = (struct wm_extent){at, end};
		at = end - 1;
	}
	return count;
}

static void check_same(const struct wm_profile *a, const struct wm_profile *b)
{
	uint8_t *x, *y;
	size_t x_size, y_size;
	assert_int_equal(wm_indexed_write(a, &x, &x_size), WM_PROFILE_OK);
	assert_int_equal(wm_indexed_write(b, &y, &y_size), WM_PROFILE_OK);
	assert_int_equal(x_size, y_size);
	assert_memory_equal(x, y, x_size);
	free(x);
	free(y);
}

static enum wm_profile_status check_image(const uint8_t *image, size_t size, struct wm_raw_table *table)
{
	static struct wm_extent extent[MOST_EXTENTS];
	struct wm_profile dense, sparse;
	struct wm_raw_identity one, other;
	struct wm_profile_error why = {""}, error = {""};
	struct wm_profile_image holes = {image, size, extent, find_extents(extent, image, size)};
	wm_profile_init(&dense);
	wm_profile_init(&sparse);
	enum wm_profile_status status = wm_raw_read(&dense, &one, image, size, &why);
	assert_int_equal(wm_raw_read_image(&sparse, &other, &holes, table, &error), status);
	assert_string_equal(error.text, why.text);
	check_same(&dense, &sparse);
	if (!status)
		wm_raw_table_summed(table);
	wm_profile_release(&dense);
	wm_profile_release(&sparse);
	return status;
}

/* Cut, or with a byte that is another. */
static void damage(uint8_t *image, size_t *size)
{
	size_t header = sizeof(struct wm_raw_header) + FUNCTIONS * sizeof(struct wm_raw_func);
	if (draw(2))
		*size -= draw(*size);
	else
		image[draw(2) ? draw(header) : draw(*size)] ^= (uint8_t)(1 + draw(255));
}

/* Files of two builds, now and then a damaged one, with the table of the file before. */
static void holes_and_tables_of_others_change_no_count(void **state)
{
	(void)state;
	struct wm_raw_table *table = wm_raw_table_new();
	unsigned seen[WM_PROFILE_NO_MEMORY + 1] = {0};
	for (uint64_t run = 1; run <= 400; run++) {
		size_t size;
		uint8_t *image = make_image(1 + draw(6) / 5, run, &size);
		if (!draw(4))
			damage(image, &size);
		seen[check_image(image, size, table)]++;
		free(image);
	}
	assert_true(seen[WM_PROFILE_OK] && seen[WM_PROFILE_DAMAGED] && seen[WM_PROFILE_REFUSED]);
	wm_raw_table_free(table);
}

/* A file of 64 GB, of which a few pages are not a hole. */
static char *save_huge(uint64_t run, uint64_t count)
{
	enum { FIRST = 4096 };
	const uint64_t cells = UINT64_C(64) << 30;
	struct wm_raw_func func = {.key = 1, .graph_hash = 1, .cells_offset = cells - 64, .cell_count = 8};
	struct raw_builder builder;
	char *name = wm_xprintf("/tmp/wm-test-sparse-%d-%d.wmraw", (int)getpid(), (int)run);
	uint8_t start[sizeof builder.header + sizeof func];
	raw_builder_init(&builder);
	builder.header.run_id_low = run;
	builder.header.func_count = 1;
	builder.header.func_offset = sizeof builder.header;
	builder.header.cells_offset = FIRST;
	builder.header.cells_size = cells;
	builder.header.chunks_offset = builder.header.file_size = FIRST + cells;
	memcpy(start, &builder.header, sizeof builder.header);
	memcpy(start + sizeof builder.header, &func, sizeof func);
	raw_image_seal(start);
	int fd = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
	assert_int_equal(write(fd, start, sizeof start), sizeof start);
	assert_int_equal(pwrite(fd, &count, 8, (off_t)(FIRST + cells - 8)), 8);
	assert_int_equal(close(fd), 0);
	return name;
}

static void time_and_memory_follow_what_was_written(void **state)
{
	(void)state;
	struct wm_profile profile;
	char *path[] = {save_huge(1, 5), save_huge(2, 7)};
	wm_profile_init(&profile);
	assert_int_equal(wm_merge_files(&profile, path, 2), 0);
	assert_int_equal(profile.runs, 2);
	assert_int_equal(profile.object->function->path[0].count, 12);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(unlink(path[i]), 0);
		free(path[i]);
	}
	wm_profile_release(&profile);
}

static void runs_are_counted_once_in_any_order(void **state)
{
	(void)state;
	struct wm_profile sum, one;
	wm_profile_init(&sum);
	for (uint64_t i = 0; i < 300; i++) {
		struct wm_run_id id = {.high = 1, .low = 1 + i * 77 % 100}, first;
		wm_profile_init(&one);
		one.run_id = &id;
		one.run_id_count = one.run_id_capacity = 1;
		assert_int_equal(wm_profile_shared_runs(&sum, &one, &first), i >= 100);
		assert_int_equal(wm_profile_merge(&sum, &one), WM_PROFILE_OK);
	}
	assert_int_equal(sum.run_id_count, 100);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(sum.run_id[i].low, i + 1);
	wm_profile_release(&sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holes_and_tables_of_others_change_no_count),
		cmocka_unit_test(time_and_memory_follow_what_was_written),
		cmocka_unit_test(runs_are_counted_once_in_any_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
