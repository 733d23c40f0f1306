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
 * A signal handler takes frames between any two instructions.  So wm_thread.crash_top is increased before the tag is stored, and
 * decreased after the tag was cleared; all these accesses are volatile.
 *
 * The interpreter has no such frames.  What can go wrong, and what test/situations looks for at every place of all small
 * situations, and with a signal after every instruction:
 *   - The number of taken frames is wrong: after a landing pad, a second return, a frame that only some ways take, a tail call,
 *     which drops the frame before the callee takes its own.  Then a frame is written over another one, or a gap ends the stack.
 *   - A group of frames crosses the end of a page, where only the runtime knows the next address.
 *   - The slots for earlier pieces of a large frame are not cleared, and look like frames later.
 *   - A signal handler takes a frame that is about to be taken.
 */
#ifndef WM_PLUGIN_CRASH_FRAMES_H
#define WM_PLUGIN_CRASH_FRAMES_H

#include "plugin/actions/emission.h"

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
