/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recordings (abi/stream.h). */
#ifndef WM_RUNTIME_COUNT_RECORDING_STREAM_H
#define WM_RUNTIME_COUNT_RECORDING_STREAM_H

#include "runtime/state/state.h"

/* In the constructor: reads the environment and tells the functions their index. */
void wm_stream_start(void);
/* In the destructor: seals what was recorded.  A process with one stream makes no system call here. */
void wm_stream_end(void);
/* In the child of a fork, before it has a run id of its own: notes where the parent's stream was.  The child's first entry then
 * begins a new stream with FORK, PARENT and STAMP; the child of a thread without a stream begins with START. */
void wm_stream_fork(void);
/* Unmaps all buffers; entries that come later get new ones. */
void wm_stream_release(void);

#endif
