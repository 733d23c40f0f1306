/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The frames of -fwaymark-crash (abi/crash.h) in IR: taking and dropping.
 *
 * While a module is instrumented, both are messages: calls of functions that do not exist and that access no memory which
 * other code knows, so that they hinder no optimisation.  After inlining, wm_frames_lower replaces them.  Where a function
 * was inlined into one that has a frame, its frame is the next one, so its address is known and needs no test; a few frames
 * share one test (WM_CRASH_SLACK).  This needs to know how many frames of the machine function are taken at a message,
 * whichever way led there.  Where that is not so, every frame is taken like the frame of a function that was not inlined.
 *
 * A signal handler takes frames between any two instructions.  So __wm_crash_top is increased before the tag is stored, and
 * decreased after the tag was cleared; all these accesses are volatile.
 */
#ifndef WM_PLUGIN_FRAMES_H
#define WM_PLUGIN_FRAMES_H

#include "plugin/emission.h"

/* Takes a frame at the position of the builder; its address.  `pieces`: how many earlier pieces the frame has room for. */
LLVMValueRef wm_frame_take(struct wm_emission *e, uint32_t tag, uint32_t pieces);
void wm_frame_drop(struct wm_emission *e, LLVMValueRef frame, uint32_t pieces);
/* After a landing pad and a second return of setjmp: drops the frames after this one. */
void wm_frame_unwind(struct wm_emission *e, LLVMValueRef frame, uint32_t pieces);
/* The size of a frame in bytes. */
uint32_t wm_frame_size(uint32_t pieces);

/* Replaces all messages of a module.  Returns whether there were any. */
bool wm_frames_lower(LLVMModuleRef module);

#endif
