/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark crash.  crash_code.c reads the marks of the binary (abi/crash.h); crash.c turns the frames of a profile into
 * functions and pending paths; crash_print.c prints them.
 */
#ifndef WM_TOOL_CRASH_H
#define WM_TOOL_CRASH_H

#include "core/probes/pending.h"
#include "tool/hw_code.h"
#include "tool/report.h"
#include "tool/steps.h"

/* The machine code of a binary and the marks in it. */
struct wm_crash_code {
	struct wm_code code;
	bool open; /* `code` is valid */
	uint64_t first; /* the address of the first byte of the file */
	size_t mark_count, site_count;
	struct wm_crash_mark *mark; /* ascending addresses */
	struct wm_crash_mark *site; /* ascending keys and call sites */
};
void wm_crash_code_open(struct wm_crash_code *code, const struct wm_object *object, const char *debug_dir);
void wm_crash_code_release(struct wm_crash_code *code);
/* The mark that begins the code of a block in which the address is, or NULL. */
const struct wm_crash_mark *wm_crash_code_find(const struct wm_crash_code *code, uint64_t address);
/* Where the register of core/probes/pending.h is: the value of a machine register plus *offset.  false: the place is
 * none that is understood. */
bool wm_crash_code_place(const struct wm_crash_mark *mark, enum wm_crash_base *base, int64_t *offset);
/* Whether the address is in the machine code of the binary. */
bool wm_crash_code_has(const struct wm_crash_code *code, uint64_t address);
/* The line of a call site; 0: not known. */
uint32_t wm_crash_code_line(const struct wm_crash_code *code, uint64_t key, uint32_t site);

/* Where a frame stands.  LAST_CALL and ENTERED: what it has done since then is not known. */
enum wm_spot { WM_SPOT_FAULT, WM_SPOT_CALL, WM_SPOT_LAST_CALL, WM_SPOT_ENTERED, WM_SPOT_FINISHED };

/* What the caller is to the pending path of a frame, under schemes whose paths cross calls. */
enum wm_caller_role {
	WM_CALLER_APART, /* the call was not crossed, or the path began in the frame and has no context */
	WM_CALLER_PATH, /* both are parts of one path */
	WM_CALLER_CONTEXT, /* the path began in a loop of the frame; the caller is its context */
};

struct wm_crash_step { /* a frame, or a finished path */
	const struct wm_story_function *function; /* NULL: not known; with a trouble, its body may be another */
	enum wm_spot spot;
	uint32_t line; /* of the fault or call; 0: not known */
	const char *file; /* of the fault; NULL: not known */
	const char *callee; /* CALL, LAST_CALL: linkage name; NULL: an indirect call, or none */
	const char *trouble; /* why there is no path: a clause; or NULL */
	struct wm_block_path path; /* the pending path */
	bool cut; /* its beginning is missing: the path has more iterations than are recorded */
	bool crossed; /* CALL: the scheme crosses the call */
	enum wm_caller_role caller; /* of the next frame outwards */
};

struct wm_crash_thread {
	uint64_t id;
	struct wm_crash_head head;
	size_t frame_count, inner_count;
	struct wm_crash_step *frame; /* innermost first */
	bool overflow; /* after the first inner_count frames others are missing */
	bool moved; /* the fault is in an instruction that has no mark */
	size_t path_count;
	struct wm_crash_step *path; /* the newest first */
};

struct wm_crash {
	struct wm_raw_ending ending;
	struct wm_story story; /* of the binary alone */
	struct wm_crash_code code;
	struct wm_pending **pending; /* per function of the story, made when it is needed */
	size_t thread_count;
	struct wm_crash_thread *thread; /* that faulted first */
	struct wm_arena arena;
};

/* Builds the steps of a pending path, cut after the line of the fault or call if that is known. */
void wm_crash_steps(struct wm_steps *steps, const struct wm_crash_step *step);
const char *wm_crash_signal(uint64_t signal);
/* "path", "context", or NULL */
const char *wm_caller_role_text(enum wm_caller_role role);
/* "fault", "call", "last call", "entered", "finished" */
const char *wm_spot_text(enum wm_spot spot);
void wm_crash_text(const struct wm_crash *crash, const struct wm_report_options *options);
void wm_crash_json(const struct wm_crash *crash);

#endif
