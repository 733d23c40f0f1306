/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Recorded traces: the input as a file, and as facts and packed words in frames with true
 * checksums.  Whatever is read is followed, and every step must lie within its block.
 */
#include "hardware/trace/trace_file.h"
#include "hardware/trace/trace_follow.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool check_step(void *closure, const struct wm_hw_step *step)
{
	size_t *steps = closure;
	if (step->first > step->end || step->end > step->block->insn_count)
		abort();
	for (size_t i = 0; i < step->access_count; i++)
		if (step->access[i].insn >= step->block->insn_count)
			abort();
	return ++*steps < 100000;
}

static void read_frames(struct wm_trace_reader *reader, struct wm_trace_program *program, struct wm_follow *follow)
{
	struct wm_trace_frame frame;
	enum wm_trace_status status = WM_TRACE_OK;
	size_t used;
	while (!status && !wm_trace_read(reader, &frame)) {
		if (frame.kind == WM_FRAME_FACTS)
			status = wm_trace_program_learn(program, frame.facts, frame.fact_size, &used);
		else if (frame.kind == WM_FRAME_WORDS)
			status = wm_follow_words(follow, frame.thread % 64, frame.word, frame.word_count);
	}
	wm_follow_finish(follow);
}

static void read_file(FILE *file)
{
	struct wm_trace_reader *reader;
	struct wm_trace_header header;
	struct wm_trace_program program;
	size_t steps = 0;
	if (wm_trace_reader_new(&reader, file, &header))
		return;
	struct wm_follow_sink sink = {.step = check_step, .closure = &steps, .accesses = header.accesses};
	if (!wm_trace_program_init(&program, header.arch)) {
		struct wm_follow *follow = wm_follow_new(&program, &sink);
		if (follow)
			read_frames(reader, &program, follow);
		wm_follow_free(follow);
	}
	wm_trace_program_release(&program);
	wm_trace_reader_free(reader);
}

/* The first byte: architecture and accesses; the second: how much of the rest is facts. */
static void read_sealed(const uint8_t *data, size_t size)
{
	size_t facts = (size - 2) * data[1] / 255, count = (size - 2 - facts) / sizeof(uint64_t);
	struct wm_trace_header header = {.arch = data[0] & 3, .accesses = data[0] & 4};
	uint64_t *word = malloc((count + 1) * sizeof(*word));
	FILE *file = tmpfile();
	struct wm_trace_writer *writer = file && word ? wm_trace_writer_new(file, &header) : NULL;
	if (writer) {
		memcpy(word, data + 2 + facts, count * sizeof(*word));
		/* Small numbers of blocks, so that some exist. */
		for (size_t i = 0; i < count; i++)
			word[i] &= word[i] >> 61 ? UINT64_MAX : 15;
		wm_trace_write_facts(writer, data + 2, facts);
		wm_trace_write_words(writer, 0, word, count);
		wm_trace_writer_end(writer, 0, false);
		rewind(file);
		read_file(file);
	}
	if (file)
		fclose(file);
	free(word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "rb") : NULL;
	if (file) {
		read_file(file);
		fclose(file);
	}
	if (size > 2)
		read_sealed(data, size);
	return 0;
}
