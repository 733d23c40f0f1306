/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/run_crash.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Most processes end normally.  Their profiles are recognised by the header alone. */
static bool ended_normally(const char *path)
{
	struct wm_raw_header header;
	FILE *file = fopen(path, "re");
	bool ended = file && fread(&header, sizeof header, 1, file) == 1 && header.magic == WM_RAW_MAGIC &&
		     header.flags & WM_RAW_ENDED;
	if (file)
		fclose(file);
	return ended;
}

static bool take_profile(struct wm_run_crash *crash, const char *path, const struct wm_run_ending *ending)
{
	*crash = (struct wm_run_crash){0};
	if (ended_normally(path) || !wm_crash_read_notes(path, &crash->notes) || crash->notes.ending.snapshot)
		return false;
	if (crash->notes.ending.pid == (uint64_t)ending->pid && WIFSIGNALED(ending->status))
		crash->status = ending->status;
	/* Other signals ask a program to end. */
	if (crash->notes.walked && !wm_crash_is_crash(crash->notes.signal))
		return false;
	if (!crash->notes.signal && !(crash->notes.frames && crash->status))
		return false;
	crash->path = wm_xstrdup(path);
	return true;
}

void wm_run_crashes_find(
	struct wm_run_crashes *crashes, char *const *path, size_t count, const struct wm_run_ending *ending)
{
	for (size_t i = 0; i < count; i++) {
		WM_XGROW(crashes->crash, crashes->count);
		if (take_profile(&crashes->crash[crashes->count], path[i], ending))
			crashes->count++;
	}
}

bool wm_run_crashes_have(const struct wm_run_crashes *crashes, const char *path)
{
	for (size_t i = 0; i < crashes->count; i++)
		if (strcmp(crashes->crash[i].path, path) == 0)
			return true;
	return false;
}

void wm_run_crashes_release(struct wm_run_crashes *crashes)
{
	for (size_t i = 0; i < crashes->count; i++)
		free(crashes->crash[i].path);
	free(crashes->crash);
	*crashes = (struct wm_run_crashes){0};
}

static void print_frames(
	const struct wm_run_crash *crash, struct wm_object *object, const struct wm_report_options *options, FILE *out)
{
	struct wm_crash all;
	wm_crash_open(&all, crash->path, &crash->notes, object, options->debug_dir);
	all.status = crash->status;
	putc('\n', out);
	wm_crash_text(&all, options, out);
	wm_crash_release(&all);
}

static void print_crash(const struct wm_run_crash *crash, struct wm_object *object,
	const struct wm_report_options *options, bool brief, FILE *out)
{
	if (!object) {
		fprintf(out,
			"\nprocess %" PRIu64 " crashed, but its binary was not found: `waymark crash %s BINARY` prints "
			"where it was\n",
			crash->notes.ending.pid, crash->path);
		return;
	}
	if (!brief)
		print_frames(crash, object, options, out);
	fprintf(out, "\nthe raw profile of process %" PRIu64 " is kept: `waymark crash %s %s` prints %s\n",
		crash->notes.ending.pid, crash->path, object->path, brief ? "where it was" : "this again");
}

static void print_ending(const struct wm_run_crashes *crashes, const struct wm_run_ending *ending, FILE *out)
{
	bool own = false;
	for (size_t i = 0; i < crashes->count; i++)
		own |= crashes->crash[i].notes.ending.pid == (uint64_t)ending->pid;
	if (WIFSIGNALED(ending->status))
		fprintf(out, "\n%s died of SIG%s\n", ending->program,
			wm_crash_signal((uint64_t)WTERMSIG(ending->status)));
	else
		fprintf(out, "\n%s exited with status %d%s\n", ending->program, WEXITSTATUS(ending->status),
			own ? "" : ", and a process that it started crashed");
}

/* Frames are printed for so many processes; of the others, the commands. */
enum { MOST = 10 };

void wm_run_crashes_print(const struct wm_run_crashes *crashes, const struct wm_run_ending *ending,
	struct wm_object *object, size_t object_count, const struct wm_report_options *options, bool brief, FILE *out)
{
	if (!crashes->count)
		return;
	print_ending(crashes, ending, out);
	for (size_t i = 0; i < crashes->count; i++) {
		const struct wm_run_crash *crash = &crashes->crash[i];
		print_crash(
			crash, wm_crash_object(object, object_count, &crash->notes), options, brief || i >= MOST, out);
	}
}
