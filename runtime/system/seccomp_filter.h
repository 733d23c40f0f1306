/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The seccomp filters that the program has installed.  A filter may end the program for a system call that the program itself does
 * not need, so the runtime asks its copy of the filters before each of its own calls (wm_system_call).
 *
 * Filters that were there when the program started are not known, and neither are those that are installed by a `syscall`
 * instruction of the program.  What is known holds for all threads, although a filter may be that of one thread only,
 * or of a child of vfork; the latter is forgotten when the child does not use the memory any more.
 */
#ifndef WM_RUNTIME_SYSTEM_SECCOMP_FILTER_H
#define WM_RUNTIME_SYSTEM_SECCOMP_FILTER_H

#include <stdbool.h>
#include <stddef.h>

/* Some filter is known. */
extern __attribute__((visibility("hidden"))) bool wm_filter_any;
/* What a system call is to return without being made: -errno; 0: it may be made. */
__attribute__((visibility("hidden"))) long wm_filter_answer(const long call[7]);

/* What the program asks of the kernel: prctl(PR_SET_SECCOMP). */
#define WM_FILTER_NONE ((size_t)-1)
struct sock_fprog;
/* Before the filter is installed.  guest: by a process that shares the memory of its parent, as a child of vfork does; the filter
 * is then forgotten when that process ends or calls exec.  Returns what to remove if the kernel refuses the filter;
 * WM_FILTER_NONE: it will refuse it. */
__attribute__((visibility("hidden"))) size_t wm_filter_add(
	unsigned long mode, const struct sock_fprog *program, bool guest);
__attribute__((visibility("hidden"))) void wm_filter_remove(size_t index);
/* In the child of a fork: `thread` called fork, or could not be asked for its id (<= 0).  Filters of other processes that shared
 * the memory are not those of the child. */
__attribute__((visibility("hidden"))) void wm_filter_forked(int thread);

#endif
