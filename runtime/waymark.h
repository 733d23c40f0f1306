/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a profiled program may ask of the Waymark runtime.  `waymark cc` finds this
 * header by itself and defines __WAYMARK__; without Waymark, guard the calls with
 * #ifdef __WAYMARK__.  Each call acts on every instrumented object of the process.
 *
 * All functions return 0, or -1 with errno set; none of them exits, and a failure leaves the counters as they were.
 * In a program that runs with more rights than its caller (AT_SECURE) no file is written, and a pattern is refused
 * with EPERM.  Not async-signal-safe, except waymark_reset.
 *
 * waymark_dump may be called while other threads run.  For reset and set_file, threads
 * that count under -fwaymark-update=single or thread should be outside instrumented
 * code: they may hold a sum in a register and write it back after the change.
 */
#ifndef WAYMARK_H
#define WAYMARK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes all counts so far to new raw files and goes on counting.  `pattern` is as
 * WAYMARK_FILE (NULL: the pattern in force).  Merging a snapshot together with
 * the live file of the same run counts nothing twice. */
int waymark_dump(const char *pattern);

/* Sets all counters to zero.  Frames that are open now are `inherited` from here on. */
int waymark_reset(void);

/* From now on counts go to new files named by `pattern`; what was counted until
 * now stays in the old ones. */
int waymark_set_file(const char *pattern);

/* A path that no test took, in a program built with -fwaymark-residual.  `waymark show
 * PROGRAM --path FUNCTION:PATH` prints its source lines. */
struct waymark_untested {
	size_t size; /* of this record; a later version may be longer */
	const char *function; /* linkage name; stays valid while the object is loaded */
	uint64_t path; /* the id in reports */
	uint64_t graph_hash;
	uint64_t time_us; /* microseconds since 1970 */
};
typedef void waymark_untested_callback(const struct waymark_untested *path, void *closure);

/* Has `callback` called each time this process takes an untested path it has not taken
 * before: at the end of the path, once per path and process, in the thread that took it.
 * NULL: nobody.  A forked child inherits the callback and starts anew; waymark_reset
 * and waymark_set_file do not.  Objects that are loaded later call it too.
 *
 * The callback may run wherever instrumented code runs: in a signal handler, before
 * main, inside the program's own malloc, with the program's locks held.  Where untested
 * paths may be taken in such places it must do only what is allowed there (write() to a
 * log; count in an atomic).  It may read whatever the program has written so far; what it
 * writes, the program must read as it reads what a signal handler writes: volatile, or
 * atomic.  It must return, and errno is kept for it.  Its own paths are recorded too
 * unless it is marked no_profile_instrument_function.  Untested paths that are taken
 * inside the callback, or in a signal handler that interrupts it, are counted but not
 * told.  A thread may still be inside the old callback when this returns; the object
 * whose code made the call must stay loaded while it is registered. */
int waymark_on_untested(waymark_untested_callback *callback, void *closure);

#ifdef __cplusplus
}
#endif
#endif
