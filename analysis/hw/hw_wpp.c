/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/hw/hw_wpp.h"
#include "abi/stream.h"
#include "elf/hw_images.h"
#include "profile/collect.h"
#include "profile/wpp/wpp_build.h"
#include "support/fail.h"
#include "support/output.h"
#include "support/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A grammar has more symbols the longer its thread runs, so that short threads cost little, and fewer the more threads
 * run. */
enum { FEWEST_SYMBOLS = 1 << 12, FIRST_SYMBOLS = 1 << 16 };

struct thread {
	uint32_t stream;
	uint32_t symbols; /* that the grammar may have */
	struct wm_sequitur sequitur;
};

struct wm_hw_wpp {
	struct wm_output output;
	struct wm_wpp_writer writer;
	struct thread **thread; /* by number; NULL: no path of it is known, or it has ended */
	size_t thread_count, live;
	struct wm_hw_pathmap functions; /* the start and the length of paths, without outcomes */
	struct wm_wpp_table table;
};

static void check_written(struct wm_hw_wpp *wpp, enum wm_profile_status status)
{
	if (status == WM_PROFILE_IO)
		wm_output_fail(&wpp->output);
	if (status)
		wm_no_memory();
}

static bool write_bytes(void *closure, const void *data, size_t size)
{
	struct wm_hw_wpp *wpp = closure;
	return fwrite(data, 1, size, wpp->output.file) == size;
}

struct wm_hw_wpp *wm_hw_wpp_new(const char *path)
{
	struct wm_hw_wpp *wpp = wm_xmalloc(sizeof *wpp);
	*wpp = (struct wm_hw_wpp){.writer = {wpp, write_bytes}, .table.kind = WM_WPP_BRANCHES};
	wm_output_open(&wpp->output, path);
	if (wm_hw_pathmap_init(&wpp->functions))
		wm_no_memory();
	check_written(wpp, wm_wpp_write_begin(&wpp->writer));
	return wpp;
}

/* ---- Streams ------------------------------------------------------------------------- */

static void set_symbols(struct wm_hw_wpp *wpp, struct thread *thread, uint32_t symbols)
{
	uint32_t most = WM_WPP_CHUNK_SYMBOLS / (uint32_t)wpp->live;
	symbols = symbols < most ? symbols : most;
	symbols = symbols > FEWEST_SYMBOLS ? symbols : FEWEST_SYMBOLS;
	if (symbols == thread->symbols)
		return;
	wm_sequitur_release(&thread->sequitur);
	thread->symbols = symbols;
	if (wm_sequitur_init(&thread->sequitur, symbols) != WM_OK)
		wm_no_memory();
}

static struct thread *begin_thread(struct wm_hw_wpp *wpp, uint32_t number)
{
	struct wm_wpp_table *table = &wpp->table;
	while (number >= wpp->thread_count) {
		WM_XGROW(wpp->thread, wpp->thread_count);
		wpp->thread[wpp->thread_count++] = NULL;
	}
	struct thread *thread = wpp->thread[number] = wm_xmalloc(sizeof *thread);
	*thread = (struct thread){.stream = table->stream_count};
	WM_XGROW(table->stream, table->stream_count);
	table->stream[table->stream_count++] = (struct wm_wpp_stream){.number = number};
	wpp->live++;
	set_symbols(wpp, thread, FIRST_SYMBOLS);
	return thread;
}

static uint64_t entry_of(struct wm_hw_wpp *wpp, const struct wm_hw_path *path)
{
	const struct wm_hw_finished key = {.path = {.start = path->start, .length = path->length}};
	const struct wm_hw_finished *function = wm_hw_pathmap_find(&wpp->functions, &key.path);
	if (!function) {
		if (wpp->functions.count > WM_STREAM_MAX_FUNCTION || wm_hw_pathmap_add(&wpp->functions, &key))
			wm_no_memory();
		function = &wpp->functions.path[wpp->functions.count - 1];
	}
	return wm_stream_subpath((uint32_t)(function - wpp->functions.path), path->outcomes);
}

static enum wm_hw_status append_path(void *closure, uint32_t number, const struct wm_hw_path *path)
{
	struct wm_hw_wpp *wpp = closure;
	struct thread *thread = number < wpp->thread_count ? wpp->thread[number] : NULL;
	if (!thread)
		thread = begin_thread(wpp, number);
	if (wm_sequitur_is_full(&thread->sequitur)) {
		check_written(wpp, wm_wpp_close_chunk(&wpp->writer, thread->stream, &thread->sequitur));
		set_symbols(wpp, thread, 2 * thread->symbols);
	}
	wpp->table.stream[thread->stream].length++;
	return wm_sequitur_append(&thread->sequitur, entry_of(wpp, path)) == WM_OK ? WM_HW_OK : WM_HW_NO_MEMORY;
}

static enum wm_hw_status end_thread(void *closure, uint32_t number)
{
	struct wm_hw_wpp *wpp = closure;
	struct thread *thread = number < wpp->thread_count ? wpp->thread[number] : NULL;
	if (!thread)
		return WM_HW_OK;
	check_written(wpp, wm_wpp_close_chunk(&wpp->writer, thread->stream, &thread->sequitur));
	wm_sequitur_release(&thread->sequitur);
	free(thread);
	wpp->thread[number] = NULL;
	wpp->live--;
	return WM_HW_OK;
}

struct wm_hw_path_sink wm_hw_wpp_sink(struct wm_hw_wpp *wpp)
{
	return (struct wm_hw_path_sink){.closure = wpp, .take = append_path, .end = end_thread};
}

/* ---- The table ----------------------------------------------------------------------- */

static void add_objects(struct wm_wpp_table *table, const struct wm_hw_images *images)
{
	table->object = wm_xrealloc(NULL, images->object_count + 1, sizeof *table->object);
	table->object_count = (uint32_t)images->object_count;
	for (size_t i = 0; i < images->count; i++) {
		const struct wm_hw_image *image = &images->image[i];
		struct wm_wpp_object *object = &table->object[image->object];
		const char *slash = strrchr(image->path, '/'), *name = slash ? slash + 1 : image->path;
		*object = (struct wm_wpp_object){.build_id_size = image->code.build_id_size};
		memcpy(object->build_id, image->code.build_id, sizeof object->build_id);
		for (size_t c = 0; name[c] && c < sizeof object->program - 1; c++)
			object->program[c] = (char)(wm_program_byte((uint8_t)name[c]) ? name[c] : '_');
	}
}

static void add_functions(
	struct wm_hw_wpp *wpp, const struct wm_trace_program *program, const struct wm_hw_control *control)
{
	struct wm_wpp_table *table = &wpp->table;
	struct wm_hw_images images = {.program = program};
	uint64_t packed = wm_hw_control_pack(control), ignored;
	size_t count = wpp->functions.count;
	for (size_t i = 0; i < count; i++)
		wm_hw_images_locate(&images, wpp->functions.path[i].path.start, &ignored);
	wm_hw_images_number(&images);
	add_objects(table, &images);
	table->function = wm_xrealloc(NULL, count + 1, sizeof *table->function);
	for (size_t i = 0; i < count; i++) {
		const struct wm_hw_path *path = &wpp->functions.path[i].path;
		struct wm_wpp_function function = {.control = packed, .length = path->length};
		size_t image = wm_hw_images_locate(&images, path->start, &function.start);
		function.object = (uint32_t)images.image[image].object;
		table->function[table->function_count++] = function;
	}
	wm_hw_images_release(&images);
}

void wm_hw_wpp_finish(struct wm_hw_wpp *wpp, const struct wm_trace_program *program,
	const struct wm_hw_control *control, enum wm_wpp_ending ending)
{
	add_functions(wpp, program, control);
	wpp->table.process = wm_xrealloc(NULL, 1, sizeof *wpp->table.process);
	wpp->table.process[wpp->table.process_count++] = (struct wm_wpp_process){.ending = ending};
	check_written(wpp, wm_wpp_write_end(&wpp->writer, &wpp->table));
	wm_output_close(&wpp->output);
	wm_wpp_table_release(&wpp->table);
	wm_hw_pathmap_release(&wpp->functions);
	free(wpp->thread);
	free(wpp);
}
