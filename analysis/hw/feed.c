/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/hw/hw.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/interrupt.h"
#include "support/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void check_memory(enum wm_hw_status status)
{
	switch (status) {
	case WM_HW_OK:
		return;
	case WM_HW_NO_MEMORY:
		wm_no_memory();
	case WM_HW_BAD_CONFIG:
		wm_fail("the configuration is not valid: the entries of a table are its ways times a power of two, "
			"counters have 1 to 32 bits, and paths 1 to 32 branches");
	}
}

void wm_hw_feed_init(struct wm_hw_feed *feed, const struct wm_hw_options *options)
{
	*feed = (struct wm_hw_feed){.options = options};
	struct wm_hw_analysis_config analysis = options->analysis;
	if (options->wpp) {
		feed->sequence = wm_hw_wpp_new(options->wpp);
		analysis.sink = wm_hw_wpp_sink(feed->sequence);
	}
	check_memory(wm_hw_analysis_init(&feed->analysis, &analysis));
}

void wm_hw_feed_release(struct wm_hw_feed *feed)
{
	wm_follow_free(feed->follow);
	wm_trace_program_release(&feed->program);
	wm_hw_analysis_release(&feed->analysis);
}

static bool take_step(void *closure, const struct wm_hw_step *step)
{
	struct wm_hw_feed *feed = closure;
	check_memory(wm_hw_analysis_step(&feed->analysis, step));
	if (feed->listener.step)
		feed->listener.step(feed->listener.closure, step);
	feed->limited = feed->options->limit && feed->analysis.instructions >= feed->options->limit;
	return !feed->limited;
}

static bool take_run(void *closure, const struct wm_hw_run *run)
{
	struct wm_hw_feed *feed = closure;
	uint64_t limit = feed->options->limit ? feed->options->limit : UINT64_MAX;
	check_memory(wm_hw_analysis_run(&feed->analysis, run, limit));
	feed->limited = feed->analysis.instructions >= limit;
	return !feed->limited;
}

static void open_record(struct wm_hw_feed *feed, const struct wm_trace_header *header)
{
	wm_output_open(&feed->record, feed->options->record);
	feed->writer = wm_trace_writer_new(feed->record.file, header);
	if (!feed->writer)
		wm_no_memory();
}

/* Whether the feed took less than the program executed before it ended. */
static bool is_in_part(const struct wm_hw_feed *feed)
{
	return feed->limited || feed->interrupted || feed->damaged || feed->recorded_in_part;
}

static void close_record(struct wm_hw_feed *feed)
{
	if (!wm_trace_writer_end(feed->writer, feed->status, is_in_part(feed)))
		wm_output_fail(&feed->record);
	wm_output_close(&feed->record);
	feed->writer = NULL;
}

void wm_hw_feed_begin(struct wm_hw_feed *feed, const struct wm_trace_header *header)
{
	enum wm_trace_status status = wm_trace_program_init(&feed->program, header->arch);
	if (status == WM_TRACE_FOREIGN)
		wm_fail("the trace is of an architecture that this waymark does not know");
	bool runs = wm_hw_analysis_takes_runs(&feed->analysis) && !feed->listener.step;
	struct wm_follow_sink sink = {.step = take_step,
		.run = runs ? take_run : NULL,
		.closure = feed,
		.accesses = header->accesses && !runs};
	feed->follow = status ? NULL : wm_follow_new(&feed->program, &sink);
	if (!feed->follow)
		wm_no_memory();
	if (feed->options->record)
		open_record(feed, header);
}

static void learn_facts(struct wm_hw_feed *feed, const uint8_t *data, size_t size, size_t *used)
{
	enum wm_trace_status status = wm_trace_program_learn(&feed->program, data, size, used);
	if (status == WM_TRACE_NO_MEMORY)
		wm_no_memory();
	if (status)
		wm_fail("the trace is damaged: its description of the code is inconsistent");
}

void wm_hw_feed_facts(struct wm_hw_feed *feed, const uint8_t *log, size_t size)
{
	size_t used;
	const uint8_t *more = log + feed->facts_used;
	if (size == feed->facts_used)
		return;
	learn_facts(feed, more, size - feed->facts_used, &used);
	if (feed->writer && !wm_trace_write_facts(feed->writer, more, used))
		wm_output_fail(&feed->record);
	feed->facts_used += used;
}

bool wm_hw_feed_words(struct wm_hw_feed *feed, uint32_t thread, const uint64_t *word, size_t count)
{
	if (feed->writer && !wm_trace_write_words(feed->writer, thread, word, count))
		wm_output_fail(&feed->record);
	if (feed->listener.progress)
		feed->listener.progress(feed);
	switch (wm_follow_words(feed->follow, thread, word, count)) {
	case WM_TRACE_OK:
		return true;
	case WM_TRACE_END:
		return false;
	case WM_TRACE_DAMAGED:
		wm_fail("the trace is damaged: thread %u executes code that the trace does not describe", thread);
	case WM_TRACE_NO_MEMORY:
	case WM_TRACE_FOREIGN:
	case WM_TRACE_OTHER_VERSION:
	case WM_TRACE_IO:
		break;
	}
	wm_no_memory();
}

void wm_hw_feed_end(struct wm_hw_feed *feed, int status)
{
	feed->status = status;
	if (!feed->limited)
		wm_follow_finish(feed->follow);
	check_memory(wm_hw_analysis_finish(&feed->analysis));
	if (feed->listener.finish)
		feed->listener.finish(feed->listener.closure);
	if (feed->writer)
		close_record(feed);
	if (feed->sequence)
		wm_hw_wpp_finish(feed->sequence, &feed->program, &feed->options->analysis.detector.control,
			WIFEXITED(status) && !is_in_part(feed) ? WM_WPP_END_EXIT : WM_WPP_END_OTHER);
	feed->sequence = NULL;
}

/* A fact may begin in one frame and end in the next. */
static void take_facts(struct wm_hw_feed *feed, struct wm_buffer *rest, const struct wm_trace_frame *frame)
{
	size_t used;
	rest->data = wm_xrealloc(rest->data, rest->size + frame->fact_size + 1, 1);
	memcpy(rest->data + rest->size, frame->facts, frame->fact_size);
	rest->size += frame->fact_size;
	learn_facts(feed, rest->data, rest->size, &used);
	memmove(rest->data, rest->data + used, rest->size - used);
	rest->size -= used;
}

static enum wm_trace_status read_frames(struct wm_hw_feed *feed, struct wm_trace_reader *reader, int *exit_status)
{
	struct wm_buffer rest = {0};
	struct wm_trace_frame frame;
	enum wm_trace_status status = WM_TRACE_END;
	while (!(feed->interrupted = wm_interrupted()) && !(status = wm_trace_read(reader, &frame))) {
		feed->trace_read = wm_trace_reader_position(reader);
		if (frame.kind == WM_FRAME_FACTS)
			take_facts(feed, &rest, &frame);
		else if (frame.kind == WM_FRAME_END)
			*exit_status = frame.status, feed->recorded_in_part = frame.in_part;
		else if (!wm_hw_feed_words(feed, frame.thread, frame.word, frame.word_count))
			break;
	}
	free(rest.data);
	return status;
}

static void check_header(const char *path, enum wm_trace_status status)
{
	switch (status) {
	case WM_TRACE_OK:
		return;
	case WM_TRACE_FOREIGN:
		wm_fail("%s is no trace of a program; `waymark hw --record FILE` makes one", path);
	case WM_TRACE_OTHER_VERSION:
		wm_fail("%s is a trace of another version of Waymark; record it again", path);
	case WM_TRACE_DAMAGED:
	case WM_TRACE_END:
		wm_fail("%s is truncated inside its header; record it again", path);
	case WM_TRACE_IO:
		wm_fail("cannot read %s: %s", path, strerror(errno));
	case WM_TRACE_NO_MEMORY:
		wm_no_memory();
	}
}

void wm_hw_feed_file(struct wm_hw_feed *feed, const char *path)
{
	struct wm_trace_reader *reader = NULL;
	struct wm_trace_header header;
	struct stat info;
	int exit_status = 0;
	wm_interrupt_catch();
	FILE *file = fopen(path, "rbe");
	if (!file)
		wm_fail("cannot read %s: %s", path, strerror(errno));
	check_header(path, wm_trace_reader_new(&reader, file, &header));
	if (feed->options->accesses && !header.accesses)
		wm_fail("%s does not have the memory accesses that the model of the machine needs; record it again, "
			"with "
			"--metrics",
			path);
	wm_hw_feed_begin(feed, &header);
	feed->trace_size = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
	enum wm_trace_status status = read_frames(feed, reader, &exit_status);
	feed->damaged = status == WM_TRACE_DAMAGED || status == WM_TRACE_IO;
	if (status == WM_TRACE_IO)
		wm_warn("cannot read all of %s: %s; only the part before the damage is used", path, strerror(errno));
	if (status == WM_TRACE_DAMAGED)
		wm_warn("%s is damaged or truncated; only the part before the damage is used", path);
	if (status == WM_TRACE_NO_MEMORY)
		wm_no_memory();
	wm_trace_reader_free(reader);
	fclose(file);
	wm_hw_feed_end(feed, exit_status);
}
