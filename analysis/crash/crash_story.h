/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a raw profile says about the end of a process, for `waymark crash` (cmd/cmd_crash.c) and `waymark run`.
 * walked_frames.c does the same for frames that the runtime has found by unwinding the stack, in programs without -fwaymark-crash.
 * crash_code.c reads the marks of the binary (abi/crash.h); crash_story.c turns the frames of a profile into functions and pending
 * paths; fault_place.c finds the lines of faults; view/recording/crash_print.c prints everything.
 */
#ifndef WM_ANALYSIS_CRASH_CRASH_STORY_H
#define WM_ANALYSIS_CRASH_CRASH_STORY_H

#include "analysis/tell/steps.h"
#include "core/probes/pending.h"
#include "elf/machine_code.h"

/* The machine code of a binary and the marks in it. */
struct wm_crash_code {
	struct wm_code code;
	bool open; /* `code` is valid */
	uint64_t first; /* the address of the first byte of the file */
	bool described; /* the calls of the binary say where paths stand (abi/unfinished.h) */
	bool shared; /* the binary is a shared object, as far as is known */
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
/* The lines that a mark has; zeros: it has none. */
struct wm_crash_lines wm_crash_mark_lines(const struct wm_crash_mark *mark);
/* The line of a call site; zeros: not known. */
struct wm_crash_lines wm_crash_code_call(const struct wm_crash_code *code, uint64_t key, uint32_t site);

/* Where a frame stands.  LAST_CALL and ENTERED: what it has done since then is not known. */
enum wm_spot {
	WM_SPOT_FAULT,
	WM_SPOT_CALL,
	WM_SPOT_LAST_CALL,
	WM_SPOT_ENTERED,
	WM_SPOT_FINISHED,
	WM_SPOT_INTERRUPTED, /* at any instruction, by a signal whose handler was running */
};

/* What the caller is to the pending path of a frame, under schemes whose paths cross calls. */
enum wm_caller_role {
	WM_CALLER_APART, /* the call was not crossed, or the path began in the frame and has no context */
	WM_CALLER_PATH, /* both are parts of one path */
	WM_CALLER_CONTEXT, /* the path began in a loop of the frame; the caller is its context */
};

struct wm_crash_step { /* a frame, or a finished path */
	const struct wm_story_function *function; /* NULL: not known; with a trouble, its body may be another */
	enum wm_spot spot;
	uint32_t line; /* of the fault or call, in this function; 0: not known */
	const char *file; /* of the fault; NULL: not known */
	bool near; /* the line of the fault is not known; this one is the nearest that is */
	size_t inlined_count;
	struct wm_code_place *inlined; /* its places in functions that were inlined here, the innermost first */
	const char *callee; /* CALL, LAST_CALL: linkage name; NULL: an indirect call, or none */
	const char *trouble; /* why there is no path: a clause; or NULL */
	struct wm_trail trail; /* of the pending path, in the function alone; without steps if there is a trouble */
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
	bool moved; /* the fault is in an instruction that has no mark; WM_CRASH_SUMS: of a function that is not instrumented */
	struct wm_code_place place; /* … and which, as far as is known */
	size_t path_count;
	struct wm_crash_step *path; /* the newest first */
};

struct wm_crash {
	struct wm_raw_ending ending;
	int status; /* of the process, as wait(2) has it; 0: not known */
	struct wm_story story; /* of the binary alone */
	struct wm_crash_code code;
	struct wm_pending **pending; /* per function of the story, made when it is needed */
	size_t thread_count;
	struct wm_crash_thread *thread; /* that faulted first */
	struct wm_arena arena;
};

/* What can be known without the binary. */
struct wm_crash_notes {
	struct wm_raw_ending ending;
	bool frames; /* some thread has frames */
	bool walked; /* they were found by unwinding, when the signal came (WM_CRASH_SUMS) */
	uint64_t signal; /* that ended it, as the program itself has noted; 0: none */
	bool damaged; /* some threads may be missing: error.text says why */
	struct wm_profile_error error;
};
/* False: the file is no raw profile, or cannot be read: notes->error.text says why. */
bool wm_crash_read_notes(const char *path, struct wm_crash_notes *notes);
/* The object that wrote the profile; NULL: it is none of these. */
struct wm_object *wm_crash_object(struct wm_object *object, size_t count, const struct wm_crash_notes *notes);

/* Reads the frames of a profile whose notes were read.  The object must outlive the result. */
void wm_crash_open(struct wm_crash *crash, const char *path, const struct wm_crash_notes *notes,
	struct wm_object *object, const char *debug_dir);
void wm_crash_release(struct wm_crash *crash);
/* Whether the binary can note frames, as far as is known. */
bool wm_crash_is_recorded(const struct wm_crash *crash);

/* A frame: the innermost has the index 0. */
const struct wm_raw_frame *wm_crash_frame_at(const struct wm_raw_thread *raw, size_t i);
/* Whether the frame is the outermost of those that are known inside a part that is not: its callee is not known. */
bool wm_crash_is_above_gap(const struct wm_raw_thread *raw, size_t i);
/* Finds the function with this tag.  An inline function may have several bodies, one per translation unit, and a frame
 * does not tell which of them it executes: the step then has the first as its function, for its name, and a trouble. */
void wm_crash_find_function(const struct wm_crash *crash, uint32_t tag, struct wm_crash_step *step);
/* walked_frames.c: fills in the frames of a thread from a chunk with WM_CRASH_SUMS. */
void wm_crash_walked(struct wm_crash *crash, struct wm_crash_thread *thread, const struct wm_raw_thread *raw);

/* Fill file, line and inlined of a step whose path is known: of a fault at this address, which is behind the mark, and
 * `near`; of a call site of the last block. */
void wm_crash_place(
	struct wm_crash *crash, struct wm_crash_step *step, const struct wm_crash_mark *mark, uint64_t address);
void wm_crash_place_call(struct wm_crash *crash, struct wm_crash_step *step, uint32_t site);
/* The same for a fault in the callee of such a call, which is not instrumented and was inlined; false: the fault is
 * elsewhere. */
bool wm_crash_place_inside(struct wm_crash *crash, struct wm_crash_step *step, uint64_t address);

/* Builds the steps of a pending path, cut after the line of the fault or call if that is known. */
void wm_crash_steps(struct wm_steps *steps, const struct wm_crash_step *step);
const char *wm_crash_signal(uint64_t signal);
/* The name of a file without its directories; NULL: of NULL. */
const char *wm_crash_last_component(const char *path);
/* "path", "context", or NULL */
const char *wm_caller_role_text(enum wm_caller_role role);
/* "fault", "call", "last call", "entered", "finished", "interrupted" */
const char *wm_spot_text(enum wm_spot spot);
/* Whether the signal is one of those that tell of an error in the program, and not a request to end. */
bool wm_crash_is_crash(uint64_t signal);
/* Whether the signal was sent, by a process or a timer, and does not stand for a fault of an instruction. */
bool wm_crash_was_sent(const struct wm_crash_head *head);

#endif
