/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Traces: facts, following of words, and the file, with small programs in machine code. */
#include "hardware/trace/trace_facts.h"
#include "hardware/trace/trace_file.h"
#include "hardware/trace/trace_follow.h"
#include "hardware/trace/trace_words.h"
#include "profile/base/bytes.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

static void put_block(struct wm_bytes *log, uint64_t number, uint64_t address, size_t insns, const char *code)
{
	uint8_t kind = WM_FACT_BLOCK;
	size_t size = strlen(code);
	wm_bytes_put(log, &kind, 1);
	wm_bytes_put_uleb(log, number);
	wm_bytes_put_uleb(log, address);
	wm_bytes_put_uleb(log, insns);
	wm_bytes_put_uleb(log, size);
	wm_bytes_put(log, code, size);
}

/*
 *   0  1000: nop; je 1010       1  1003: ret            2  1010: nop; jmp 1000
 *   3  2000: ret (a handler)    4  3000: mov; syscall   5  4000: nop; rep movsb   6  4001: rep movsb
 *   7  1011: jmp 1000           8  5000: call *%rax     9  2000: nop; jmp 2000
 */
static void put_program(struct wm_bytes *log)
{
	wm_bytes_init(log);
	put_block(log, 0, 0x1000, 2, "\x90\x74\x0d");
	put_block(log, 1, 0x1003, 1, "\xc3");
	put_block(log, 2, 0x1010, 2, "\x90\xeb\xed");
	put_block(log, 3, 0x2000, 1, "\xc3");
	put_block(log, 4, 0x3000, 2, "\x89\xc8\x0f\x05");
	put_block(log, 5, 0x4000, 2, "\x90\xf3\xa4");
	put_block(log, 6, 0x4001, 1, "\xf3\xa4");
	put_block(log, 7, 0x1011, 1, "\xeb\xed");
	put_block(log, 8, 0x5000, 1, "\xff\xd0");
	put_block(log, 9, 0x2000, 2, "\x90\xeb\xfd");
}

struct seen {
	char text[512];
	size_t used;
};

/* "start:instructions>next", then t taken, d diverted, s signalled, e ended. */
static bool note(void *closure, const struct wm_hw_step *step)
{
	struct seen *seen = closure;
	seen->used += (size_t)snprintf(seen->text + seen->used, sizeof(seen->text) - seen->used, "%x:%u>%x%s%s%s%s ",
		(unsigned)step->block->start, step->end - step->first, (unsigned)step->next, step->taken ? "t" : "",
		step->diverted ? "d" : "", step->signalled ? "s" : "", step->ended ? "e" : "");
	return true;
}

/* The same for the steps of a run. */
static bool note_run(void *closure, const struct wm_hw_run *run)
{
	struct seen *seen = closure;
	uint64_t start = run->start, instructions = 0;
	assert_in_range(run->count, 1, WM_HW_RUN_MAX);
	for (uint32_t i = 0; i < run->count; i++) {
		const struct wm_hw_run_step *step = &run->step[i];
		bool taken = step->taken && step->type != WM_HW_TYPE_COUNT;
		seen->used += (size_t)snprintf(seen->text + seen->used, sizeof(seen->text) - seen->used, "%x:%u>%x%s ",
			(unsigned)start, step->instructions, (unsigned)step->next, taken ? "t" : "");
		start = step->next;
		instructions += step->instructions;
	}
	assert_int_equal(run->instructions, instructions);
	return true;
}

/* Words as text: a number is a block, f a frame access of its last instruction, r the return
 * from a handler, s and S that a signal is delivered to the next block, with two stack
 * pointers, x the end of the thread. */
static size_t parse_words(uint64_t *word, const char *text)
{
	static const unsigned last[] = {1, 0, 1, 0, 1, 1, 0, 0, 0, 1};
	size_t count = 0;
	uint64_t block = 0;
	for (; *text; text++) {
		if (*text >= '0' && *text <= '9')
			word[count++] = block = (uint64_t)(*text - '0');
		else if (*text == 'f')
			word[count++] = wm_word_access(0x7000, 3, block == 8, last[block]);
		else if (*text == 'r')
			word[count++] = wm_word_control(WM_CONTROL_SIGRETURN);
		else if (*text == 's' || *text == 'S')
			word[count++] = wm_word_entry(*text == 's' ? 0x6000 : 0x5800, true);
		else if (*text == 'x')
			word[count++] = wm_word_control(WM_CONTROL_EXIT);
	}
	return count;
}

static void expect_from(struct wm_follow_sink sink, const char *words, const char *want)
{
	uint64_t word[64];
	struct wm_bytes log;
	struct wm_trace_program program;
	struct seen seen = {.used = 0};
	size_t used;
	sink.closure = &seen;
	put_program(&log);
	assert_int_equal(wm_trace_program_init(&program, WM_HW_X86_64), WM_TRACE_OK);
	assert_int_equal(wm_trace_program_learn(&program, log.data, log.size, &used), WM_TRACE_OK);
	assert_int_equal(used, log.size);
	struct wm_follow *follow = wm_follow_new(&program, &sink);
	assert_int_equal(wm_follow_words(follow, 0, word, parse_words(word, words)), WM_TRACE_OK);
	assert_int_equal(wm_follow_finish(follow), WM_TRACE_OK);
	assert_string_equal(seen.text, want);
	wm_follow_free(follow);
	wm_trace_program_release(&program);
	wm_bytes_release(&log);
}

static void expect(const char *words, const char *want)
{
	expect_from((struct wm_follow_sink){.step = note}, words, want);
	expect_from((struct wm_follow_sink){.step = note, .run = note_run}, words, want);
}

struct totals {
	uint64_t runs, steps, taken, backward;
	uint64_t most; /* runs */
};

static bool add_run(void *closure, const struct wm_hw_run *run)
{
	struct totals *totals = closure;
	totals->runs++;
	totals->steps += run->count;
	for (uint32_t i = 0; i < run->count; i++) {
		totals->taken += run->step[i].taken;
		totals->backward += run->step[i].type == WM_HW_TYPE_BACKWARD;
	}
	return totals->runs < totals->most;
}

/* More words than fit into a run, of a loop over the blocks 0 and 2; then a bad word. */
static void test_long_run(void **state)
{
	enum { WORDS = 2000 };
	uint64_t word[WORDS];
	struct wm_bytes log;
	struct wm_trace_program program;
	struct totals totals = {.most = WORDS};
	struct wm_follow_sink sink = {.step = note, .run = add_run, .closure = &totals};
	size_t used;
	(void)state;
	for (size_t i = 0; i < WORDS; i++)
		word[i] = i == WORDS - 1 ? 99 : i % 2 * 2;
	put_program(&log);
	assert_int_equal(wm_trace_program_init(&program, WM_HW_X86_64), WM_TRACE_OK);
	assert_int_equal(wm_trace_program_learn(&program, log.data, log.size, &used), WM_TRACE_OK);
	struct wm_follow *follow = wm_follow_new(&program, &sink);
	assert_int_equal(wm_follow_words(follow, 0, word, WORDS), WM_TRACE_DAMAGED);
	assert_int_equal(totals.steps, WORDS - 2);
	assert_int_equal(totals.taken, WORDS - 2);
	assert_int_equal(totals.backward, WORDS / 2 - 1);
	assert_true(totals.runs >= WORDS / WM_HW_RUN_MAX);
	assert_int_equal(wm_follow_stats(follow)->steps, WORDS - 2);
	wm_follow_free(follow);
	/* A sink that wants no more gets no more. */
	totals = (struct totals){.most = 2};
	follow = wm_follow_new(&program, &sink);
	assert_int_equal(wm_follow_words(follow, 0, word, WORDS), WM_TRACE_END);
	assert_int_equal(totals.runs, 2);
	wm_follow_free(follow);
	wm_trace_program_release(&program);
	wm_bytes_release(&log);
}

static void test_follow(void **state)
{
	(void)state;
	expect("0201fx", "1000:2>1010t 1010:2>1000t 1000:2>1003 1003:1>1004de ");
	/* The end of a trace ends its threads. */
	expect("02", "1000:2>1010t 1010:2>1013de ");
	/* Iterations of a repeated instruction count once. */
	expect("566", "4000:2>4001 4001:0>4001 4001:0>4003de ");
}

static void test_signals(void **state)
{
	(void)state;
	/* Between two blocks: the branch retires when the handler has returned. */
	expect("0s3f4r2", "1000:0>2000ds 2000:1>3000t 1000:2>1010t 1010:2>1013de ");
	/* In the middle of a block: each instruction counts once, and there is no branch before
	 * the rest has run. */
	expect("2s3f4r70", "1010:0>2000ds 2000:1>3000t 1010:1>1011d 1011:1>1000t 1000:2>1003de ");
	/* A second signal that waited for the return of the first one's handler. */
	expect("0s3f4rs3f4r2", "1000:0>2000ds 2000:1>3000t 1000:0>2000ds 2000:1>3000t 1000:2>1010t 1010:2>1013de ");
	/* Between a return, or an indirect call, and its target. */
	expect("1fs3f4r0", "1003:0>2000ds 2000:1>3000t 1003:1>1000t 1000:2>1003de ");
	expect("8fs3f4r0", "5000:0>2000ds 2000:1>3000t 5000:1>1000t 1000:2>1003de ");
	/* A return that did not run: its load faulted. */
	expect("1s3f4r1f0", "1003:0>2000ds 2000:1>3000t 1003:0>1003d 1003:1>1000t 1000:2>1003de ");
	/* An indirect call of a function that is also a handler is a call. */
	expect("8f3f0", "5000:1>2000t 2000:1>1000t 1000:2>1003de ");
	/* A jump to the start of the handler is no delivery; another signal then is. */
	expect("0s9s9S3f4rs9", "1000:0>2000ds 2000:2>2000t 2000:0>2000ds 2000:1>3000t 2000:2>2000t 2000:2>2003de ");
}

static void test_bad_words(void **state)
{
	static const uint64_t bad[] = {10, UINT64_C(4) << 61, UINT64_C(2) << 61 | 99};
	struct wm_bytes log;
	struct wm_trace_program program;
	struct seen seen = {.used = 0};
	struct wm_follow_sink sink = {.step = note, .closure = &seen};
	size_t used;
	(void)state;
	put_program(&log);
	assert_int_equal(wm_trace_program_init(&program, WM_HW_X86_64), WM_TRACE_OK);
	assert_int_equal(wm_trace_program_learn(&program, log.data, log.size, &used), WM_TRACE_OK);
	struct wm_follow *follow = wm_follow_new(&program, &sink);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(wm_follow_words(follow, 0, &bad[i], 1), WM_TRACE_DAMAGED);
	/* An access of an instruction that the block does not have. */
	const uint64_t words[] = {1, wm_word_access(0x7000, 3, false, 1)};
	assert_int_equal(wm_follow_words(follow, 0, words, 2), WM_TRACE_DAMAGED);
	wm_follow_free(follow);
	wm_trace_program_release(&program);
	wm_bytes_release(&log);
}

static void test_facts(void **state)
{
	struct wm_bytes log;
	struct wm_trace_program program;
	size_t used;
	(void)state;
	put_program(&log);
	/* A fact that is not complete waits for the rest. */
	assert_int_equal(wm_trace_program_init(&program, WM_HW_X86_64), WM_TRACE_OK);
	assert_int_equal(wm_trace_program_learn(&program, log.data, 9, &used), WM_TRACE_OK);
	assert_int_equal(program.block_count, used ? 1 : 0);
	size_t first = used;
	assert_int_equal(wm_trace_program_learn(&program, log.data + first, log.size - first, &used), WM_TRACE_OK);
	assert_int_equal(program.block_count, 10);
	/* A block out of order makes no sense. */
	assert_int_equal(wm_trace_program_learn(&program, log.data, log.size, &used), WM_TRACE_DAMAGED);
	wm_trace_program_release(&program);
	assert_int_equal(wm_trace_program_init(&program, 77), WM_TRACE_FOREIGN);
	wm_bytes_release(&log);
}

/* The sizes of instructions lead past one that is not known, to the branch of the block. */
static void test_sizes(void **state)
{
	static const uint8_t good[] = "\3\0\x80\x20\3\1\1\2\x06\x06\x74\x10",
			     bad[] = "\3\1\x80\x20\3\1\0\2\x06\x74\x10";
	struct wm_trace_program program;
	size_t used;
	(void)state;
	assert_int_equal(wm_trace_program_init(&program, WM_HW_X86_64), WM_TRACE_OK);
	for (size_t size = 0; size < sizeof(good) - 1; size++) {
		assert_int_equal(wm_trace_program_learn(&program, good, size, &used), WM_TRACE_OK);
		assert_int_equal(used, 0);
	}
	assert_int_equal(wm_trace_program_learn(&program, good, sizeof(good) - 1, &used), WM_TRACE_OK);
	const struct wm_trace_block *block = wm_trace_program_block(&program, 0);
	assert_int_equal(program.block_count, 1);
	assert_int_equal(program.unknown_insns, 2);
	assert_int_equal(block->branch, WM_HW_CONDITIONAL);
	assert_int_equal(block->target, 0x1014);
	assert_int_equal(block->last, 0x1002);
	/* An instruction without bytes makes no sense. */
	assert_int_equal(wm_trace_program_learn(&program, bad, sizeof(bad) - 1, &used), WM_TRACE_DAMAGED);
	wm_trace_program_release(&program);
}

static void random_words(uint64_t *word, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		word[i] = seed >> 62 == 0   ? seed >> 32 & 0xfff
			  : seed >> 60 == 4 ? wm_word_control(WM_CONTROL_SIGRETURN)
			  : seed >> 60 == 5 ? wm_word_entry(seed >> 8, seed & 1)
					    : wm_word_access(seed >> 16, seed & 7, seed & 8, seed >> 4 & 511);
	}
}

static void test_file(void **state)
{
	enum { WORDS = 20000 };
	uint64_t *word = malloc(WORDS * sizeof(*word));
	struct wm_trace_header header = {.arch = WM_HW_AARCH64, .accesses = true}, got;
	struct wm_trace_reader *reader;
	struct wm_trace_frame frame;
	size_t read[2] = {0};
	FILE *file = tmpfile();
	(void)state;
	random_words(word, WORDS, 1);
	struct wm_trace_writer *writer = wm_trace_writer_new(file, &header);
	assert_true(wm_trace_write_facts(writer, (const uint8_t *)"facts", 5));
	for (size_t i = 0; i < WORDS; i += WORDS / 10)
		assert_true(wm_trace_write_words(writer, i / (WORDS / 10) % 2, word + i, WORDS / 10));
	assert_true(wm_trace_writer_end(writer, 0x8b, true));
	rewind(file);
	assert_int_equal(wm_trace_reader_new(&reader, file, &got), WM_TRACE_OK);
	assert_int_equal(got.arch, header.arch);
	assert_true(got.accesses);
	assert_int_equal(wm_trace_read(reader, &frame), WM_TRACE_OK);
	assert_int_equal(frame.kind, WM_FRAME_FACTS);
	assert_memory_equal(frame.facts, "facts", 5);
	size_t at = 0;
	while (!wm_trace_read(reader, &frame) && frame.kind == WM_FRAME_WORDS) {
		assert_memory_equal(frame.word, word + at, frame.word_count * sizeof(*word));
		at += frame.word_count;
		read[frame.thread] += frame.word_count;
	}
	assert_int_equal(read[0], WORDS / 2);
	assert_int_equal(read[1], WORDS / 2);
	assert_int_equal(frame.kind, WM_FRAME_END);
	assert_int_equal(frame.status, 0x8b);
	assert_true(frame.in_part);
	assert_int_equal(wm_trace_read(reader, &frame), WM_TRACE_END);
	wm_trace_reader_free(reader);
	fclose(file);
	free(word);
}

/* Any byte that changes is noticed, and so is any cut. */
static void test_damage(void **state)
{
	uint8_t image[4096];
	uint64_t word[100];
	struct wm_trace_header header = {.arch = WM_HW_X86_64};
	FILE *file = fmemopen(image, sizeof(image), "w+b");
	(void)state;
	random_words(word, COUNT(word), 2);
	struct wm_trace_writer *writer = wm_trace_writer_new(file, &header);
	assert_true(wm_trace_write_words(writer, 0, word, COUNT(word)));
	assert_true(wm_trace_writer_end(writer, 0, false));
	size_t size = (size_t)ftell(file);
	fclose(file);
	for (size_t i = 0; i < 2 * size; i++) {
		bool cut = i >= size;
		if (!cut)
			image[i] ^= 0x10;
		struct wm_trace_reader *reader = NULL;
		struct wm_trace_frame frame;
		FILE *damaged = fmemopen(image, cut ? i - size + 1 : size, "rb");
		enum wm_trace_status status = wm_trace_reader_new(&reader, damaged, &header);
		while (!status)
			status = wm_trace_read(reader, &frame);
		bool whole = i + 1 == 2 * size;
		/* The architecture and the flags are for the caller to judge. */
		if (!(i >= 12 && i < WM_TRACE_HEADER_SIZE))
			assert_int_equal(status == WM_TRACE_END, whole);
		wm_trace_reader_free(reader);
		fclose(damaged);
		if (!cut)
			image[i] ^= 0x10;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_long_run),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_bad_words),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
