/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "abi/stream.h"
#include "analysis/replay/recording_view.h"
#include "profile/raw/spool_file.h"
#include "profile/wpp/wpp_build.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/interrupt.h"
#include "support/output.h"
#include "support/progress.h"
#include "support/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_bytes(void *closure, const void *data, size_t size)
{
	struct wm_bytes *bytes = closure;
	wm_bytes_put(bytes, data, size);
	return !bytes->failed;
}

/* A spool file, mapped: it may be larger than the memory.  `data` is NULL if there is none or if it is empty. */
struct spool {
	uint8_t *data;
	size_t size;
};

static void map_spool(struct spool *spool, const char *raw)
{
	char *name = wm_xprintf("%s" WM_SPOOL_SUFFIX, raw);
	struct stat status;
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	*spool = (struct spool){0};
	if (fd < 0 && errno != ENOENT)
		wm_fail("cannot read %s: %s", name, strerror(errno));
	if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
		spool->size = (size_t)status.st_size;
		spool->data = mmap(NULL, spool->size, PROT_READ, MAP_SHARED, fd, 0);
		if (spool->data == MAP_FAILED)
			wm_fail("cannot map %s: %s", name, strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	free(name);
}

static void release_spool(struct spool *spool)
{
	if (spool->data)
		munmap(spool->data, spool->size);
}

static const char *program_of(const struct wm_profile *profile)
{
	return profile->object_count ? profile->object[0].program : "";
}

/* A program that was killed before its first entry has functions that record, and no stream. */
static bool records(const struct wm_raw_recording *recording)
{
	for (uint64_t i = 0; i < recording->func_count; i++)
		if (recording->func[i].flags & WM_FUNC_STREAM)
			return true;
	return false;
}

static void need_streams(const struct wm_raw_recording *recording, const char *path)
{
	if (recording->stream_count)
		return;
	if (records(recording))
		wm_fail("%s is empty: the program ended, or was killed, before it had recorded anything", path);
	wm_fail("%s has no recording; compile with `waymark cc -fwaymark-wpp`", path);
}

/* How far the builder may get. */
static uint64_t most_entries(const struct wm_raw_recording *recording)
{
	uint64_t most = 0;
	for (size_t i = 0; i < recording->stream_count; i++)
		most += recording->stream[i].most_entries;
	return most;
}

static bool goes_on(void *closure, uint64_t entries)
{
	const uint64_t *most = closure;
	return wm_wpp_goes_on("compressing entry", entries, *most);
}

static void add_raw(struct wm_wpp_builder *builder, const char *path, const struct wm_buffer *raw)
{
	struct spool spool;
	struct wm_raw_recording recording;
	struct wm_profile profile;
	struct wm_raw_identity identity;
	struct wm_profile_error error;
	map_spool(&spool, path);
	wm_profile_init(&profile);
	wm_raw_read(&profile, &identity, raw->data, raw->size, &error);
	enum wm_profile_status status =
		wm_raw_recording_open(&recording, raw->data, raw->size, spool.data, spool.size, &error);
	if (status == WM_PROFILE_DAMAGED)
		wm_warn("%s: %s", path, error.text);
	else if (status)
		wm_fail("%s cannot be used: %s", path, error.text);
	need_streams(&recording, path);
	uint64_t most = builder->entries + most_entries(&recording);
	builder->closure = &most;
	builder->goes_on = goes_on;
	status = wm_wpp_builder_add(builder, &recording, program_of(&profile), &error);
	if (status == WM_PROFILE_DAMAGED)
		wm_warn("%s: %s", path, error.text);
	else if (status)
		wm_fail_as(status == WM_PROFILE_NO_MEMORY ? WM_FAILURE_MEMORY : WM_FAILURE_DEFECT, "%s: %s", path,
			error.text);
	builder->goes_on = NULL;
	wm_raw_recording_close(&recording);
	wm_profile_release(&profile);
	release_spool(&spool);
}

static void build_recording(struct wm_bytes *made, char *const *paths, const struct wm_buffer *file, size_t count)
{
	const struct wm_wpp_writer writer = {made, write_bytes};
	struct wm_wpp_builder builder;
	if (wm_wpp_builder_init(&builder, &writer, WM_WPP_CHUNK_SYMBOLS))
		wm_no_memory();
	for (size_t i = 0; i < count; i++)
		add_raw(&builder, paths[i], &file[i]);
	if (wm_wpp_builder_finish(&builder))
		wm_no_memory();
	wm_wpp_builder_release(&builder);
	wm_progress_end();
}

static void check_kinds(char *const *paths, const struct wm_buffer *file, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (wm_wpp_is_recording(file[i].data, file[i].size) && count > 1)
			wm_fail("%s is a recording already and cannot be put together with other files; give the raw "
				"profiles (.wmraw) of all processes instead",
				paths[i]);
		if (!wm_wpp_is_recording(file[i].data, file[i].size) &&
			wm_profile_format(file[i].data, file[i].size) != WM_FORMAT_RAW)
			wm_fail("%s is neither a recording (.wmwpp) nor a raw profile (.wmraw)", paths[i]);
	}
}

/* The recording as a file, from files of either kind; whether it was one before. */
static bool gather(struct wm_bytes *made, char *const *paths, size_t count)
{
	struct wm_buffer *file = wm_xrealloc(NULL, count, sizeof *file);
	wm_bytes_init(made);
	for (size_t i = 0; i < count; i++)
		if (!wm_buffer_read(&file[i], paths[i]))
			wm_fail("cannot read %s: %s", paths[i], strerror(errno));
	check_kinds(paths, file, count);
	bool compressed = wm_wpp_is_recording(file[0].data, file[0].size);
	if (compressed)
		wm_bytes_put(made, file[0].data, file[0].size);
	else
		build_recording(made, paths, file, count);
	if (made->failed)
		wm_no_memory();
	for (size_t i = 0; i < count; i++)
		wm_buffer_release(&file[i]);
	free(file);
	return compressed;
}

void wm_wpp_compress(char *const *paths, size_t count, const char *output)
{
	struct wm_bytes made;
	if (gather(&made, paths, count))
		wm_fail("%s is compressed already; --compress takes raw profiles (.wmraw)", paths[0]);
	wm_write_file(output, made.data, made.size);
	if (wm_interrupt_stopped())
		wm_warn("stopped early: waymark was interrupted; %s has the recording up to there, and says so",
			output);
	wm_bytes_release(&made);
}

void wm_wpp_load(struct wm_wpp *wpp, char *const *paths, size_t count)
{
	struct wm_bytes made;
	struct wm_profile_error error;
	gather(&made, paths, count);
	if (wm_wpp_read(wpp, made.data, made.size, &error) != WM_PROFILE_OK)
		wm_fail("%s cannot be used: %s", paths[0], error.text);
	wm_bytes_release(&made);
}
