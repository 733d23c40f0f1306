/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Implements waymark.h: a call visits all copies of the runtime (control_record.h).
 *
 * If other threads count during reset or set_file: with `atomic` updates, each count is added either before or after
 * the change.  With other updates, compiled code may hold a count in a register during the change and
 * write the old count back, so other threads should not be inside instrumented code.
 */
#include "abi/tests.h"
#include "runtime/count/untested_callback.h"
#include "runtime/file/name.h"
#include "runtime/file/test_name.h"
#include "runtime/image/base.h"
#include "runtime/image/image.h"
#include "runtime/image/test_marks.h"
#include "runtime/state/control_record.h"
#include "runtime/state/header.h"
#include "runtime/state/lock.h"
#include "runtime/state/state.h"
#include "runtime/state/unseen.h"
#include "runtime/waymark.h"

#include <errno.h>

static int write_snapshot(void)
{
	struct wm_raw_header header;
	wm_copy(&header, wm.image.header, sizeof header);
	header.flags |= WM_RAW_SNAPSHOT | (wm.image.base.size ? WM_RAW_INHERITED : 0);
	header.snapshot = wm.snapshot + 1;
	int error = wm.discard ? 0 : wm_image_write(&header);
	wm.snapshot += !error;
	return error;
}

struct names {
	char pattern[WM_PATH], directory[WM_PATH];
	bool discard;
};

static void save_names(struct names *names)
{
	wm_copy(names->pattern, wm.pattern, WM_PATH);
	wm_copy(names->directory, wm.directory, WM_PATH);
	names->discard = wm.discard;
}

static void restore_names(const struct names *names)
{
	wm_copy(wm.pattern, names->pattern, WM_PATH);
	wm_copy(wm.directory, names->directory, WM_PATH);
	wm.discard = names->discard;
}

static int dump(const char *pattern)
{
	static struct names names;
	uint64_t mask;
	wm_lock(&mask);
	save_names(&names);
	wm_unseen_detect(false);
	int error = !wm.started || !wm.image.header ? -ENODEV : pattern ? wm_name_set(pattern) : 0;
	if (!error)
		error = write_snapshot();
	restore_names(&names);
	wm_unlock(&mask);
	return error;
}

static int reset_locked(void)
{
	struct wm_base base;
	struct wm_raw_header header;
	int error = wm_base_build(&base, WM_THREADS_ALL);
	if (error)
		return error;
	wm_copy(&header, wm.image.header, sizeof header);
	header.epoch++;
	if (wm.image.mapped)
		error = wm_image_move(
			&header, WM_COUNTS_ZERO, &base, wm_image_in_place() ? WM_PUBLISH_REPLACE : WM_PUBLISH_NEW);
	else
		wm_image_restart(&header, &base);
	wm_base_release(&base);
	if (!error)
		wm_test_marks_restart();
	return error;
}

/* The streams of a recording are chunks of the file; they cannot begin again in another one. */
static int refuse_move(void)
{
	if (!wm.started || !wm.image.header)
		return -ENODEV;
	return wm.recording.on ? -ENOTSUP : 0;
}

static int reset_all(void)
{
	uint64_t mask;
	wm_lock(&mask);
	int error = refuse_move();
	if (!error)
		error = reset_locked();
	wm_unlock(&mask);
	return error;
}

/* If the counts are in memory only, there is no file with the old name yet; the counts are written there first. */
static int leave_memory(const struct names *old, const struct names *new)
{
	if (wm.image.mapped || old->discard)
		return 0;
	restore_names(old);
	int error = wm_image_write(wm.image.header);
	restore_names(new);
	return error;
}

static int move_to_new_name(void)
{
	struct wm_base base;
	struct wm_raw_header header;
	int error = wm_base_build(&base, WM_THREADS_ALL);
	if (error)
		return error;
	wm_copy(&header, wm.image.header, sizeof header);
	wm_new_run(&header);
	if (wm.image.mapped) {
		error = wm_image_move(&header, WM_COUNTS_ZERO, &base, wm.discard ? WM_PUBLISH_NEVER : WM_PUBLISH_NEW);
	} else {
		wm_image_restart(&header, &base);
		if (!wm.discard)
			wm_image_move(wm.image.header, WM_COUNTS_KEEP, &wm.image.base, WM_PUBLISH_NEW);
	}
	wm_base_release(&base);
	return error;
}

static int set_file_locked(const char *pattern)
{
	static struct names old, new;
	save_names(&old);
	int error = wm_name_set(pattern);
	save_names(&new);
	if (!error)
		error = leave_memory(&old, &new);
	if (!error)
		error = move_to_new_name();
	if (error)
		restore_names(&old);
	else
		wm_test_marks_restart();
	return error;
}

static int set_file(const char *pattern)
{
	uint64_t mask;
	wm_lock(&mask);
	int error = refuse_move();
	if (!error)
		error = set_file_locked(pattern);
	wm_unlock(&mask);
	if (!error)
		wm_name_check();
	return error;
}

__attribute__((visibility("hidden"))) const struct wm_control __wm_control = {
	WM_ABI_VERSION,
	dump,
	reset_all,
	set_file,
	&wm.warned,
	wm_untested_set,
	&wm.untested,
	&wm.error_stream,
	&wm.threads.distances,
};

/* An object without instrumented code, and one whose constructor has not run yet, keep the name for objects that are loaded later. */
static int set_test(const char *name)
{
	uint64_t mask;
	wm_lock(&mask);
	bool nothing = !name && !wm_test_name_open();
	wm_test_name_set(name);
	int error = nothing ? 0 : refuse_move();
	if (!error && !nothing)
		error = wm_test_mark(wm_test_name());
	wm_unlock(&mask);
	return error;
}

__attribute__((visibility("hidden"))) const struct wm_test_control __wm_test_control = {
	WM_ABI_VERSION,
	set_test,
	wm_test_name_open,
};

struct request {
	enum { DUMP, RESET, SET_FILE } what;
	const char *pattern;
	int error;
};

/* An object without instrumented code returns -ENODEV, which is not an error.  If an object fails, the other objects
 * are visited all the same. */
static int serve(const struct wm_control *control, void *data)
{
	struct request *request = data;
	int error = request->what == DUMP    ? control->dump(request->pattern)
		    : request->what == RESET ? control->reset()
					     : control->set_file(request->pattern);
	if (error && error != -ENODEV && !request->error)
		request->error = error;
	return 0;
}

static int result(int error)
{
	if (!error)
		return 0;
	errno = -error;
	return -1;
}

static int answer(struct request request)
{
	wm_each_control(serve, &request);
	return result(request.error);
}

__attribute__((visibility("default"))) int waymark_dump(const char *pattern)
{
	return answer((struct request){DUMP, pattern, 0});
}

__attribute__((visibility("default"))) int waymark_reset(void)
{
	return answer((struct request){RESET, NULL, 0});
}

__attribute__((visibility("default"))) int waymark_set_file(const char *pattern)
{
	return answer((struct request){SET_FILE, pattern, 0});
}

struct test_request {
	const char *name;
	int error;
};

static int serve_test(const struct wm_test_control *control, void *data)
{
	struct test_request *request = data;
	int error = control->set(request->name);
	if (error && error != -ENODEV && !request->error)
		request->error = error;
	return 0;
}

static int answer_test(struct test_request request)
{
	wm_each_test_control(serve_test, &request);
	return result(request.error);
}

__attribute__((visibility("default"))) int waymark_test_begin(const char *name)
{
	if (!name || !*name)
		return result(-EINVAL);
	if (wm_length(name) > WM_TEST_NAME_MOST)
		return result(-ENAMETOOLONG);
	return answer_test((struct test_request){name, 0});
}

__attribute__((visibility("default"))) int waymark_test_end(void)
{
	return answer_test((struct test_request){NULL, 0});
}
