/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/operands.h"
#include "cmd/commands.h"
#include "cmd/report_options.h"
#include "support/fail.h"
#include "view/recording/crash_print.h"

static const char usage[] = "usage: waymark crash [options] PROFILE BINARY...\n"
			    "\n"
			    "Tells where each frame of a program was when it died, and how the frame got there.\n"
			    "The profile is the .wmraw file of the program; the binary is the program or shared\n"
			    "object that the file is of.  With -fwaymark-crash, every frame has its path, also\n"
			    "after SIGKILL and in the other threads.\n";

static void open_crash(struct wm_crash *crash, const char *path, struct wm_binaries *binaries, const char *debug_dir)
{
	struct wm_crash_notes notes;
	if (!wm_crash_read_notes(path, &notes))
		wm_fail("cannot use %s: %s", path, notes.error.text);
	if (notes.damaged)
		wm_warn("%s: %s", path, notes.error.text);
	struct wm_object *object = wm_crash_object(binaries->object, binaries->count, &notes);
	if (!object)
		wm_fail("the profile is of another build than %s: give the very binary that ran, as its build-id tells",
			binaries->object[0].path);
	wm_crash_open(crash, path, &notes, object, debug_dir);
	if (!notes.frames && !wm_crash_is_recorded(crash))
		wm_fail("%s has no frames, and %s does not record any: build it with -fwaymark-crash", path,
			object->path);
	/* A program that ends normally leaves no frames. */
	if (!notes.frames && !notes.ending.ended && crash->code.described && !crash->code.mark_count &&
		!crash->code.site_count)
		wm_fail("%s has no frames: the signal that ended the program was SIGKILL or could not be noted; build "
			"it "
			"with -fwaymark-crash, which records frames before that",
			path);
	if (!notes.frames && !notes.ending.ended)
		wm_fail("%s has no frames: no thread was in a function of %s that makes calls", path, object->path);
}

int wm_cmd_crash(int argc, char **argv)
{
	struct wm_report_options options;
	struct wm_operands operands = {0};
	struct wm_binaries binaries;
	struct wm_crash crash;
	struct wm_option source[WM_SOURCE_OPTIONS];
	wm_report_options_init(&options);
	wm_source_option_table(source, &options);
	const struct wm_option own[] = {
		WM_FLAG("json", &options.json, "print as JSON (schema waymark.crash/1)"),
		{0},
	};
	int first = wm_parse_options(&(struct wm_syntax){.usage = usage, .table = {own, source}}, argc, argv);
	wm_operands_take(&operands, argv + first, argc - first);
	wm_operands_check(&operands, "waymark crash");
	if (operands.profile_count > 1)
		wm_fail("one profile at a time, as in `waymark crash %s %s`", operands.profile[0], operands.binary[0]);
	wm_binaries_open(&binaries, &operands, options.debug_dir);
	open_crash(&crash, operands.profile[0], &binaries, options.debug_dir);
	if (options.json)
		wm_crash_json(&crash);
	else
		wm_crash_text(&crash, &options, stdout);
	wm_crash_release(&crash);
	wm_binaries_release(&binaries);
	wm_operands_release(&operands);
	return 0;
}
