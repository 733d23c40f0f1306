/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a profiled program may ask of the Waymark runtime.  `waymark cc` finds this
 * header by itself and defines __WAYMARK__; without Waymark, guard the calls with
 * #ifdef __WAYMARK__.  Each call acts on every instrumented object of the process.
 *
 * All functions return 0, or -1 with errno set; none of them exits, and a failure
 * leaves the counters as they were.  Not async-signal-safe, except waymark_reset.
 *
 * waymark_dump may be called while other threads run.  For the other two, threads
 * that count under -fwaymark-update=single or thread should be outside instrumented
 * code: they may hold a sum in a register and write it back after the change.
 */
#ifndef WAYMARK_H
#define WAYMARK_H

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

#ifdef __cplusplus
}
#endif
#endif
