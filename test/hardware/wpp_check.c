/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * wpp_check TRACE RECORDING: recomputes the paths of table 5.2 from the branches of a trace, thread by thread, and
 * compares them with a recording of `waymark hw --wpp` of the same run.  No code of the detector is used: a path is a
 * start and a list of outcomes, and there is no path stack but for signals.
 */
#include "abi/stream.h"
#include "analysis/machine/entry.h"
#include "hardware/trace/trace_file.h"
#include "hardware/trace/trace_follow.h"
#include "profile/base/bytes.h"
#include "profile/wpp/wpp.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, NESTED = 64, LIMIT = 32 };

struct path {
	uint64_t start;
	char outcomes[LIMIT + 1]; /* '0' and '1' */
};

struct thread {
	bool begun;
	struct path now, interrupted[NESTED];
	size_t depth;
	struct path *done;
	size_t count, capacity;
};

static struct thread threads[THREADS];
static uint64_t splits, signals;

static _Noreturn __attribute__((format(printf, 1, 2))) void die(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	exit(1);
}

static void begin(struct thread *thread, uint64_t start)
{
	thread->now = (struct path){.start = start};
}

static void finish(struct thread *thread, uint64_t next)
{
	if (thread->count == thread->capacity) {
		thread->capacity = thread->capacity ? 2 * thread->capacity : 1024;
		thread->done = realloc(thread->done, thread->capacity * sizeof *thread->done);
		if (!thread->done)
			die("out of memory");
	}
	thread->done[thread->count++] = thread->now;
	begin(thread, next);
}

static void retire(struct thread *thread, const struct wm_hw_insn *last, uint64_t next, bool taken)
{
	size_t length = strlen(thread->now.outcomes);
	bool jumps = last->branch == WM_HW_CONDITIONAL || last->branch == WM_HW_JUMP;
	bool forward = jumps && next > last->address;
	if (last->branch == WM_HW_CALL || last->branch == WM_HW_CALL_INDIRECT || last->branch == WM_HW_RETURN) {
		finish(thread, next);
		return;
	}
	splits += length == LIMIT;
	if (length < LIMIT)
		thread->now.outcomes[length] = taken ? '1' : '0';
	if (!forward || length == LIMIT)
		finish(thread, next);
}

static void take_signal(struct thread *thread, uint64_t handler)
{
	if (thread->depth == NESTED)
		die("too many signals");
	thread->interrupted[thread->depth++] = thread->now;
	begin(thread, handler);
	signals++;
}

static bool take_step(void *closure, const struct wm_hw_step *step)
{
	(void)closure;
	if (step->thread >= THREADS)
		die("too many threads");
	struct thread *thread = &threads[step->thread];
	if (!thread->begun)
		begin(thread, step->block->start);
	thread->begun = true;
	if (step->returned && thread->depth)
		thread->now = thread->interrupted[--thread->depth];
	if (wm_hw_step_retires_branch(step))
		retire(thread, wm_hw_block_last(step->block), step->next, step->taken);
	if (step->signalled)
		take_signal(thread, step->next);
	return true;
}

static void read_trace(const char *name)
{
	struct wm_trace_reader *reader;
	struct wm_trace_header header;
	struct wm_trace_program program;
	struct wm_trace_frame frame;
	struct wm_bytes facts;
	FILE *file = fopen(name, "rb");
	if (!file || wm_trace_reader_new(&reader, file, &header) || wm_trace_program_init(&program, header.arch))
		die("cannot read %s", name);
	struct wm_follow_sink sink = {.step = take_step};
	struct wm_follow *follow = wm_follow_new(&program, &sink);
	size_t used, all = 0;
	wm_bytes_init(&facts);
	while (follow && wm_trace_read(reader, &frame) == WM_TRACE_OK && frame.kind != WM_FRAME_END) {
		if (frame.kind == WM_FRAME_WORDS) {
			if (wm_follow_words(follow, frame.thread, frame.word, frame.word_count))
				die("%s is damaged", name);
			continue;
		}
		wm_bytes_put(&facts, frame.facts, frame.fact_size);
		if (wm_trace_program_learn(&program, facts.data + all, facts.size - all, &used))
			die("%s is damaged", name);
		all += used;
	}
	wm_follow_finish(follow);
	wm_follow_free(follow);
	wm_trace_program_release(&program);
	wm_trace_reader_free(reader);
	wm_bytes_release(&facts);
	fclose(file);
}

/* The functions of the table name addresses in files: each stands for one address of the run. */
static uint64_t *run_address;

static void compare(const struct wm_wpp *wpp, uint64_t entry, const struct path *want)
{
	uint32_t f = wm_stream_function(entry);
	struct wm_hw_control control;
	struct wm_hw_path path;
	char outcomes[LIMIT + 1] = "";
	if (f >= wpp->table.function_count || !wm_hw_wpp_path(&wpp->table.function[f], entry, &path, &control))
		die("an entry of the recording makes no sense");
	for (uint32_t i = 0; i < path.length; i++)
		outcomes[i] = path.outcomes >> i & 1 ? '1' : '0';
	if (!run_address[f])
		run_address[f] = want->start;
	if (run_address[f] != want->start || strcmp(outcomes, want->outcomes) != 0)
		die("the recording has %s from %llx where the trace has %s from %llx", outcomes,
			(unsigned long long)run_address[f], want->outcomes, (unsigned long long)want->start);
}

static void compare_streams(const struct wm_wpp *wpp)
{
	struct wm_grammar_index index;
	struct wm_grammar_reader reader;
	uint32_t word;
	uint64_t paths = 0, streams = 0;
	if (wm_grammar_index_make(&index, &wpp->grammar) || wm_grammar_reader_init(&reader, &wpp->grammar, &index))
		die("out of memory");
	wm_grammar_reader_seek(&reader, 0);
	for (uint32_t s = 0; s < wpp->table.stream_count; s++) {
		const struct wm_wpp_stream *stream = &wpp->table.stream[s];
		const struct thread *thread = &threads[stream->number];
		if (stream->number >= THREADS || stream->length != thread->count)
			die("stream %u has %llu entries instead of %zu", s, (unsigned long long)stream->length,
				thread->count);
		for (size_t i = 0; i < thread->count && wm_grammar_reader_next(&reader, &word); i++)
			compare(wpp, wpp->grammar.word[word], &thread->done[i]);
		paths += thread->count;
	}
	for (size_t i = 0; i < THREADS; i++)
		streams += threads[i].count != 0;
	if (streams != wpp->table.stream_count)
		die("%u streams instead of %llu", wpp->table.stream_count, (unsigned long long)streams);
	printf("%llu paths %llu threads %llu signals %llu splits\n", (unsigned long long)paths,
		(unsigned long long)streams, (unsigned long long)signals, (unsigned long long)splits);
	wm_grammar_reader_release(&reader);
	wm_grammar_index_release(&index);
}

/* Different functions of the table are different starts or lengths. */
static void compare_functions(const struct wm_wpp *wpp)
{
	const struct wm_wpp_function *function = wpp->table.function;
	for (uint32_t f = 1; f < wpp->table.function_count; f++)
		for (uint32_t g = 0; g < f; g++)
			if (run_address[f] == run_address[g] && function[f].length == function[g].length)
				die("two functions of the recording are the same");
}

int main(int argc, char **argv)
{
	static uint8_t data[1 << 24];
	struct wm_wpp wpp;
	struct wm_profile_error error;
	if (argc != 3)
		die("usage: wpp_check TRACE RECORDING");
	read_trace(argv[1]);
	FILE *file = fopen(argv[2], "rb");
	size_t size = file ? fread(data, 1, sizeof data, file) : 0;
	if (wm_wpp_read(&wpp, data, size, &error) || wpp.table.kind != WM_WPP_BRANCHES)
		die("%s is no recording of waymark hw", argv[2]);
	run_address = calloc(wpp.table.function_count + 1, sizeof *run_address);
	if (!run_address)
		die("out of memory");
	compare_streams(&wpp);
	compare_functions(&wpp);
	free(run_address);
	wm_wpp_release(&wpp);
	fclose(file);
	return 0;
}
