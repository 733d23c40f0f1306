/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw profiles: kinds of chunks that a reader does not know, streams, and records of units. */
#include "test/profile/testing.h"

#include "profile/collect.h"
#include "profile/map/map.h"
#include "profile/raw/raw_recording.h"
#include "test/profile/raw_builder.h"

#include <stdlib.h>
#include <string.h>

/* The second is what fits into a chunk of one page, the third into one of two. */
enum { UNKNOWN = 77, PAGE_WORDS = 502, PAGES_WORDS = 1014, STREAM_ENTRIES = PAGE_WORDS + PAGES_WORDS };

/* A function that counts in the main cells, and one that counts in a table. */
static void build(struct raw_builder *builder)
{
	const struct wm_hash_slot slot = {9, 3};
	raw_builder_init(builder);
	raw_builder_function(builder, 1, 1, 0, 2);
	raw_builder_function(builder, 2, 2, WM_FUNC_HASH, 0);
	*raw_builder_cell(builder, 0, 1) = 5;
	raw_builder_table(builder, 1, 2, &slot, 1, 0);
}

static enum wm_profile_status read_built(
	struct raw_builder *builder, struct wm_profile *profile, struct wm_profile_error *error)
{
	struct wm_raw_identity identity;
	size_t size;
	uint8_t *image = raw_builder_image(builder, &size);
	wm_profile_init(profile);
	error->text[0] = 0;
	enum wm_profile_status status = wm_raw_read(profile, &identity, image, size, error);
	free(image);
	raw_builder_release(builder);
	return status;
}

static void check_counts(const struct wm_profile *profile)
{
	const struct wm_profile_function *f = wm_object_find_function(&profile->object[0], 1, 1);
	const struct wm_profile_function *g = wm_object_find_function(&profile->object[0], 2, 2);
	assert_true(f && f->path_count == 1 && f->path[0].id == 1 && f->path[0].count == 5);
	assert_true(g && g->path_count == 1 && g->path[0].id == 9 && g->path[0].count == 3);
}

static void unknown_kind_is_refused_by_name(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	build(&builder);
	raw_builder_words(&builder, UNKNOWN, NULL, 0);
	assert_int_equal(read_built(&builder, &profile, &error), WM_PROFILE_REFUSED);
	assert_string_equal(error.text, "it has a chunk of kind 77, which this waymark does not know: use the waymark "
					"that built the program");
}

static void optional_kind_is_skipped(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	const uint64_t words[] = {WM_TABLE_MAGIC, UINT64_MAX, 3};
	build(&builder);
	raw_builder_words(&builder, UNKNOWN | WM_CHUNK_OPTIONAL, words, 3)->used = UINT64_MAX;
	raw_builder_gap(&builder);
	raw_builder_table(&builder, 1, 2, &(struct wm_hash_slot){70, 1}, 1, 0);
	assert_int_equal(read_built(&builder, &profile, &error), WM_PROFILE_OK);
	assert_int_equal(profile.object[0].function[1].path_count, 2);
	wm_profile_release(&profile);
}

/* Damage to the bit must not hide counts. */
static void known_kind_is_never_skipped(void **state)
{
	(void)state;
	const uint64_t kinds[] = {WM_CHUNK_TABLES | WM_CHUNK_OPTIONAL, WM_CHUNK_STREAM ^ WM_CHUNK_OPTIONAL};
	for (size_t i = 0; i < 2; i++) {
		struct raw_builder builder;
		struct wm_profile profile;
		struct wm_profile_error error;
		build(&builder);
		raw_builder_words(&builder, kinds[i], NULL, 0);
		assert_int_equal(read_built(&builder, &profile, &error), WM_PROFILE_DAMAGED);
		assert_non_null(strstr(error.text, "1 of 2 functions"));
		wm_profile_release(&profile);
	}
}

/* Two streams, entry by entry. */
struct heard {
	uint64_t entry[2][STREAM_ENTRIES];
	size_t count[2], limit; /* limit: of calls */
	uint64_t thread;
};

static bool hear(void *closure, const uint64_t *entry, size_t count)
{
	struct heard *heard = closure;
	size_t which = heard->thread != 0;
	assert_true(heard->thread == 0 || heard->thread == UINT64_MAX);
	assert_true(count && count <= STREAM_ENTRIES - heard->count[which]);
	memcpy(heard->entry[which] + heard->count[which], entry, count * sizeof(*entry));
	heard->count[which] += count;
	return --heard->limit > 0;
}

static enum wm_profile_status hear_all(
	const uint8_t *image, size_t size, struct heard *heard, struct wm_profile_error *error)
{
	struct wm_raw_recording recording;
	enum wm_profile_status status = wm_raw_recording_open(&recording, image, size, NULL, 0, error);
	if (status != WM_PROFILE_OK && status != WM_PROFILE_DAMAGED)
		return status;
	for (size_t i = 0; i < recording.stream_count && heard->limit; i++) {
		heard->thread = recording.stream[i].number;
		assert_int_equal(wm_raw_recording_read(&recording, i, hear, heard, error), WM_PROFILE_OK);
	}
	wm_raw_recording_close(&recording);
	return status;
}

static void add_stream(struct raw_builder *builder, uint64_t thread, uint64_t first, size_t count)
{
	uint64_t entry[STREAM_ENTRIES];
	for (size_t i = 0; i < count; i++)
		entry[i] = first + i;
	raw_builder_stream(builder, &(struct wm_raw_chunk){.thread = thread}, entry, count, count);
}

static uint8_t *streams(struct raw_builder *builder, size_t *size)
{
	build(builder);
	add_stream(builder, 0, 100, PAGES_WORDS);
	add_stream(builder, UINT64_MAX, 5, 1);
	raw_builder_gap(builder);
	raw_builder_words(builder, UNKNOWN | WM_CHUNK_OPTIONAL, NULL, 0);
	add_stream(builder, 3, 0, 0);
	add_stream(builder, 0, 100 + PAGES_WORDS, PAGE_WORDS);
	return raw_builder_image(builder, size);
}

static void streams_are_read_back(void **state)
{
	(void)state;
	static struct heard heard;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	struct wm_raw_identity identity;
	size_t size;
	uint8_t *image = streams(&builder, &size);
	heard = (struct heard){.limit = SIZE_MAX};
	assert_int_equal(hear_all(image, size, &heard, &error), WM_PROFILE_OK);
	assert_true(heard.count[0] == STREAM_ENTRIES && heard.count[1] == 1 && heard.entry[1][0] == 5);
	for (size_t i = 0; i < STREAM_ENTRIES; i++)
		assert_int_equal(heard.entry[0][i], 100 + i);
	heard = (struct heard){.limit = 1};
	assert_int_equal(hear_all(image, size, &heard, &error), WM_PROFILE_OK);
	assert_true(heard.count[0] < PAGES_WORDS && !heard.count[1]);
	/* Counts do not depend on them. */
	wm_profile_init(&profile);
	assert_int_equal(wm_raw_read(&profile, &identity, image, size, &error), WM_PROFILE_OK);
	check_counts(&profile);
	wm_profile_release(&profile);
	free(image);
	raw_builder_release(&builder);
}

static void damaged_streams(void **state)
{
	(void)state;
	static struct heard heard;
	struct raw_builder builder;
	struct wm_profile_error error;
	size_t size;
	uint8_t *image = streams(&builder, &size);
	uint64_t first = builder.header.chunks_offset + 4096, used;
	const uint64_t bad[] = {UINT64_MAX, 8192 - sizeof(struct wm_raw_chunk) + 8, 9};
	for (size_t i = 0; i < 3; i++) {
		memcpy(&used, image + first + offsetof(struct wm_raw_chunk, used), 8);
		memcpy(image + first + offsetof(struct wm_raw_chunk, used), &bad[i], 8);
		heard = (struct heard){.limit = SIZE_MAX};
		assert_int_equal(hear_all(image, size, &heard, &error), WM_PROFILE_DAMAGED);
		assert_non_null(strstr(error.text, "streams may lack entries"));
		assert_int_equal(heard.count[0] + heard.count[1], 0);
		memcpy(image + first + offsetof(struct wm_raw_chunk, used), &used, 8);
	}
	for (size_t cut = 0; cut < size; cut += cut < 700 ? 1 : 509) {
		uint8_t *copy = malloc(cut + 1);
		assert_non_null(copy);
		memcpy(copy, image, cut);
		heard = (struct heard){.limit = SIZE_MAX};
		assert_int_not_equal(hear_all(copy, cut, &heard, &error), WM_PROFILE_OK);
		free(copy);
	}
	image[offsetof(struct wm_raw_header, version)] = 3;
	assert_int_equal(hear_all(image, size, &heard, &error), WM_PROFILE_REFUSED);
	free(image);
	raw_builder_release(&builder);
}

/* Functions with paths across calls beside others of the same file. */
static void units_are_carried_along(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile, sum, back;
	struct wm_profile_error error;
	uint64_t key = wm_function_key("f", "a.c:main"), other = wm_function_key("g", NULL);
	const struct wm_hash_slot slot = {(UINT64_C(1) << 62) + 3, 4};
	uint8_t *data;
	size_t size;
	build(&builder);
	builder.chunks_size = 0;
	size_t unit = raw_builder_function(&builder, key, 8, WM_FUNC_HASH | WM_FUNC_UNIT, 0);
	size_t array = raw_builder_function(&builder, other, 8, WM_UPDATE_ATOMIC | WM_FUNC_UNIT, 2);
	*raw_builder_cell(&builder, array, 0) = 6;
	raw_builder_table(&builder, unit, 2, &slot, 1, 0);
	assert_int_equal(read_built(&builder, &profile, &error), WM_PROFILE_OK);
	wm_profile_init(&sum);
	wm_profile_init(&back);
	assert_int_equal(wm_profile_merge(&sum, &profile) || wm_profile_merge(&sum, &profile), 0);
	assert_int_equal(wm_indexed_write(&sum, &data, &size), WM_PROFILE_OK);
	assert_int_equal(data[8], 7); /* it has the id of its run */
	assert_int_equal(wm_indexed_read(&back, data, size, &error), WM_PROFILE_OK);
	const struct wm_profile_function *f = wm_object_find_function(&back.object[0], key, 8);
	assert_true(f && f->flags == (WM_FUNC_HASH | WM_FUNC_UNIT) && f->path_count == 1);
	assert_true(f->path[0].id == slot.key && f->path[0].count == 8);
	f = wm_object_find_function(&back.object[0], other, 8);
	assert_true(f && f->flags == (WM_UPDATE_ATOMIC | WM_FUNC_UNIT) && f->path[0].count == 12);
	free(data);
	wm_profile_release(&profile);
	wm_profile_release(&sum);
	wm_profile_release(&back);
}

static void flags_that_no_raw_record_has(void **state)
{
	(void)state;
	const uint32_t flags[] = {WM_FUNC_BRANCHES, WM_FUNC_UNIT | WM_FUNC_FOLLOWS};
	for (size_t i = 0; i < 2; i++) {
		struct raw_builder builder;
		struct wm_profile profile;
		struct wm_profile_error error;
		raw_builder_init(&builder);
		raw_builder_function(&builder, 1, 1, flags[i], 2);
		assert_int_equal(read_built(&builder, &profile, &error), WM_PROFILE_REFUSED);
		assert_string_equal(error.text, "its function table makes no sense");
	}
}

/* Frames: those before the first without a tag are active, those of the overflow page only after a full stack. */
static bool see_thread(void *closure, const struct wm_raw_thread *thread)
{
	struct wm_raw_thread *seen = closure;
	*seen = *thread;
	assert_int_equal(thread->window[0][8], 99);
	assert_true(!thread->overflow || thread->inner[0].kept == 400 + thread->frame_count);
	assert_true(!thread->frame_count || thread->frame[thread->frame_count - 1].tag);
	return true;
}

static void frames_are_read_back(void **state)
{
	(void)state;
	static uint64_t words[WM_CRASH_SIZE / 8];
	const size_t most = (WM_CRASH_OVERFLOW - WM_CRASH_FRAMES) / sizeof(struct wm_crash_frame);
	struct wm_crash_head *head = (void *)((uint8_t *)words + sizeof(struct wm_raw_chunk));
	struct wm_crash_frame *frame = (void *)((uint8_t *)words + WM_CRASH_FRAMES);
	for (int full = 0; full < 2; full++) {
		struct raw_builder builder;
		struct wm_raw_thread seen = {0};
		struct wm_raw_ending ending;
		struct wm_profile_error error;
		size_t size, count = full ? most + 5 : 3;
		memset(words, 0, sizeof(words));
		*head = (struct wm_crash_head){.signal = 11,
			.top = WM_CRASH_FRAMES + count * sizeof(*frame),
			.window = {{0, 9}, {0, full ? UINT64_MAX : 3}}};
		for (size_t i = 0; i < count; i++)
			frame[i] = (struct wm_crash_frame){.tag = 7, .site = 1, .kept = 400 + i};
		words[WM_CRASH_STACK / 8 + 1] = 99;
		build(&builder);
		builder.header.flags |= WM_RAW_ENDED;
		raw_builder_words(&builder, WM_CHUNK_CRASH, words + sizeof(struct wm_raw_chunk) / 8,
			(WM_CRASH_SIZE - sizeof(struct wm_raw_chunk)) / 8)
			->thread = 5;
		uint8_t *image = raw_builder_image(&builder, &size);
		assert_int_equal(wm_raw_threads(image, size, see_thread, &seen, &ending, &error), WM_PROFILE_OK);
		assert_int_equal(seen.id, 5);
		assert_int_equal(seen.frame_count, full ? most : 3);
		assert_int_equal(seen.inner_count, full ? 5 : 0);
		assert_int_equal(seen.overflow, full);
		assert_int_equal(seen.head.window[0].size, 9);
		assert_int_equal(seen.head.window[1].size, full ? WM_CRASH_WINDOW : 3);
		assert_true(ending.ended);
		assert_int_not_equal(
			wm_raw_threads(image, size - 4096, see_thread, &seen, &ending, &error), WM_PROFILE_OK);
		free(image);
		raw_builder_release(&builder);
	}
}

/* Found by unwinding: the head says so, and frames at instructions and with unknown sums are frames like others. */
static void walked_frames_are_read_back(void **state)
{
	(void)state;
	static uint64_t words[WM_CRASH_SIZE / 8];
	struct wm_crash_head *head = (void *)((uint8_t *)words + sizeof(struct wm_raw_chunk));
	struct wm_crash_frame *frame = (void *)((uint8_t *)words + WM_CRASH_FRAMES);
	struct wm_crash_frame *inner = (void *)((uint8_t *)words + WM_CRASH_OVERFLOW);
	const size_t most = (WM_CRASH_OVERFLOW - WM_CRASH_FRAMES) / sizeof(*frame),
		     page = (WM_CRASH_STACK - WM_CRASH_OVERFLOW) / sizeof(*frame);
	for (int deep = 0; deep < 2; deep++) {
		struct raw_builder builder;
		struct wm_raw_thread seen = {0};
		struct wm_raw_ending ending;
		struct wm_profile_error error;
		size_t size;
		*head = (struct wm_crash_head){
			.signal = 6, .code = WM_CRASH_CODE | WM_CRASH_SUMS | WM_CRASH_CUT, .top = WM_CRASH_STACK};
		for (size_t i = 0; i < (deep ? most : 2); i++)
			frame[i] = (struct wm_crash_frame){.tag = 7, .site = 1 | WM_SITE_UNKNOWN};
		frame[1] = (struct wm_crash_frame){.kept = 64, .tag = WM_CRASH_INSTRUCTION, .site = WM_STOP_CALL};
		for (size_t i = 0; deep && i < page; i++)
			inner[i] = (struct wm_crash_frame){.tag = 7, .site = 1, .kept = 400 + most + i};
		words[WM_CRASH_STACK / 8 + 1] = 99;
		build(&builder);
		raw_builder_words(&builder, WM_CHUNK_CRASH, words + sizeof(struct wm_raw_chunk) / 8,
			(WM_CRASH_SIZE - sizeof(struct wm_raw_chunk)) / 8);
		uint8_t *image = raw_builder_image(&builder, &size);
		assert_int_equal(wm_raw_threads(image, size, see_thread, &seen, &ending, &error), WM_PROFILE_OK);
		assert_int_equal(seen.head.code, WM_CRASH_CODE | WM_CRASH_SUMS | WM_CRASH_CUT);
		assert_int_equal(seen.frame_count, deep ? most : 2);
		assert_int_equal(seen.inner_count, deep ? page : 0);
		assert_int_equal(seen.overflow, deep);
		free(image);
		raw_builder_release(&builder);
	}
}

struct pieces_seen {
	size_t frames, pieces;
	uint64_t sum;
};

static bool see_pieces(void *closure, const struct wm_raw_thread *thread)
{
	struct pieces_seen *seen = closure;
	*seen = (struct pieces_seen){.frames = thread->frame_count};
	for (size_t i = 0; i < thread->frame_count; i++)
		for (uint32_t j = 0; j < thread->frame[i].piece_count; j++, seen->pieces++)
			seen->sum += (seen->pieces + 1) * thread->frame[i].piece[j];
	return true;
}

static struct pieces_seen read_slots(const struct wm_crash_frame *slot, size_t count)
{
	static uint64_t words[WM_CRASH_SIZE / 8];
	struct raw_builder builder;
	struct pieces_seen seen = {0};
	struct wm_raw_ending ending;
	struct wm_profile_error error;
	size_t size;
	memset(words, 0, sizeof(words));
	memcpy((uint8_t *)words + WM_CRASH_FRAMES, slot, count * sizeof(*slot));
	build(&builder);
	raw_builder_words(&builder, WM_CHUNK_CRASH, words + sizeof(struct wm_raw_chunk) / 8,
		(WM_CRASH_SIZE - sizeof(struct wm_raw_chunk)) / 8);
	uint8_t *image = raw_builder_image(&builder, &size);
	assert_int_equal(wm_raw_threads(image, size, see_pieces, &seen, &ending, &error), WM_PROFILE_OK);
	free(image);
	raw_builder_release(&builder);
	return seen;
}

/* Earlier pieces: none, one, three, in an order that the sum tells; unused slots are skipped; damage ends the stack. */
static void pieces_are_read_back(void **state)
{
	(void)state;
	struct wm_crash_frame slot[] = {{1, 7, 1}, {2, 7, 1}, {10, WM_CRASH_MORE + 1, 0}, {0, WM_CRASH_MORE, 0},
		{3, 7, 1}, {20, WM_CRASH_MORE + 3, 0}, {30, 40, 0}, {4, 7, 1}};
	struct pieces_seen seen = read_slots(slot, 8);
	assert_int_equal(seen.frames, 4);
	assert_int_equal(seen.pieces, 4);
	assert_int_equal(seen.sum, 10 + 2 * 20 + 3 * 30 + 4 * 40);
	slot[5].tag = WM_CRASH_MORE + WM_CRASH_PIECES + 1;
	seen = read_slots(slot, 8);
	assert_int_equal(seen.frames, 3);
	assert_int_equal(seen.pieces, 1);
	slot[0].tag = WM_CRASH_MORE + 1;
	assert_int_equal(read_slots(slot, 8).frames, 0);
}

/* A chunk of another size is damage. */
static void short_frames_are_damage(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_raw_thread seen = {0};
	struct wm_raw_ending ending;
	struct wm_profile_error error;
	size_t size;
	build(&builder);
	raw_builder_words(&builder, WM_CHUNK_CRASH, NULL, 0);
	uint8_t *image = raw_builder_image(&builder, &size);
	assert_int_equal(wm_raw_threads(image, size, see_thread, &seen, &ending, &error), WM_PROFILE_DAMAGED);
	assert_int_equal(seen.frame_count, 0);
	free(image);
	raw_builder_release(&builder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_kind_is_refused_by_name),
		cmocka_unit_test(optional_kind_is_skipped),
		cmocka_unit_test(known_kind_is_never_skipped),
		cmocka_unit_test(streams_are_read_back),
		cmocka_unit_test(damaged_streams),
		cmocka_unit_test(frames_are_read_back),
		cmocka_unit_test(walked_frames_are_read_back),
		cmocka_unit_test(pieces_are_read_back),
		cmocka_unit_test(short_frames_are_damage),
		cmocka_unit_test(units_are_carried_along),
		cmocka_unit_test(flags_that_no_raw_record_has),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
