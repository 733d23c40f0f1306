/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The functions by which a profiled program controls the Waymark runtime.  `waymark cc` finds this header without an
 * option and defines __WAYMARK__.  If the source is also compiled without Waymark, guard the calls with
 * #ifdef __WAYMARK__.  Each function applies to every instrumented object of the process.
 *
 * All functions return 0, or -1 with errno set.  A function that fails leaves the counters unchanged.  No function
 * ends the process.  In a program that runs with more rights than its caller (AT_SECURE) no file is written, and a
 * pattern is refused with EPERM.  Only waymark_reset is async-signal-safe.
 *
 * waymark_dump may be called while other threads run.  When waymark_reset or waymark_set_file is called, threads that
 * count with -fwaymark-update=gs or delta should not be inside instrumented code, because such a thread may hold
 * the value of a counter in a register and write it back after the change.
 */
#ifndef WAYMARK_H
#define WAYMARK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a snapshot of all counts to new raw profiles.  Counting continues.  `pattern` has the format of WAYMARK_FILE;
 * NULL stands for the current pattern.  If a snapshot is merged together with the file of the same run, no count is
 * added twice. */
int waymark_dump(const char *pattern);

/* Sets all counters to zero.  Paths that are open at the time of the call are reported as `inherited`. */
int waymark_reset(void);

/* Continues counting in new files named by `pattern`.  The counts up to the call stay in the old files. */
int waymark_set_file(const char *pattern);

/*
 * Names for the tests of a suite that runs many tests in one process, and for servers that serve many.  `waymark test` then writes
 * a profile per name, as it does for tests that are processes of their own.
 *
 * What the process counts between waymark_test_begin and waymark_test_end belongs to the test `name`: all that completes in this time
 * in any thread of the process, since nobody knows for which test another thread works.  What it counts otherwise belongs to no
 * test.  The sum over all tests and the rest is what the profile counts without names, exactly.  A path that begins
 * in one of these times and ends in another is counted where it ends; there it is reported as `inherited`, and where it began as
 * not finished.
 *
 *   - A test that begins ends the one before it, which may have been left by an exception or by longjmp.
 *   - waymark_test_end without a test does nothing.
 *   - The same name may begin again, also in other processes: all of it belongs to one test.
 *   - A forked child is in the test of its parent, and then has its own.
 *   - A process that crashes, is killed or ends in a test keeps its name.
 *   - Objects that are loaded in a test belong to it.
 *   - waymark_reset and waymark_set_file go on in the same test.  A snapshot of waymark_dump has no names.
 *
 * Each call takes as long as waymark_dump: it follows what the process has counted.  `name` is copied; it has 1 to 1023 bytes (EINVAL,
 * ENAMETOOLONG).  If the call fails because there is no memory or no space (ENOMEM, ENOSPC), counts go on belonging to whom they belonged.
 * Recordings cannot be divided (ENOTSUP).  A process with names adds no counts to a pool; its file stays.
 *
 * Without a call, the environment names the test of a process, from its start on and in forked children: WAYMARK_TEST_NAME has the
 * name, for suites that start a process per test; WAYMARK_TEST_NAME_FILE the path of a file in whose first line the name is, for
 * servers.  The file is read when the process starts and in each forked child; if it is missing or begins with an empty line,
 * WAYMARK_TEST_NAME counts.  It must be a regular file and not a symbolic link, and is not read with more rights than those of the user.  A test that ends
 * is followed by the one that the environment names.
 */
int waymark_test_begin(const char *name);
int waymark_test_end(void);

/* An untested path of a program built with -fwaymark-residual.  `waymark show --path FUNCTION:PATH PROGRAM` prints its
 * source lines. */
struct waymark_untested {
	size_t size; /* of this record; a later version may be longer */
	const char *function; /* linkage name; stays valid while the object is loaded.  Paths across calls end in it */
	uint64_t path; /* the id in reports */
	uint64_t graph_hash;
	uint64_t time_us; /* microseconds since 1970 */
};
typedef void waymark_untested_callback(const struct waymark_untested *path, void *closure);

/* Registers `callback`, which is called when this process takes an untested path for the first time: at the end of
 * the path, once per path and process, in the thread that took the path.  NULL removes the callback.  A forked child
 * inherits the callback, and every untested path is new in the child.  waymark_reset and waymark_set_file do not make
 * paths new again.  Objects that are loaded later use the same callback.
 *
 * The callback may be called wherever instrumented code runs: in a signal handler, before main, inside a malloc that
 * the program defines, or while the program holds locks.  If untested paths may be taken in such places, the callback
 * must do only what is allowed there, such as write() to a log or an addition to an atomic object.  The callback may
 * read everything that the program has written before.  Objects that the callback writes must be volatile or atomic,
 * as for a signal handler, if the program reads them.  The callback must return; the runtime preserves errno.  The
 * paths of the callback itself are counted too, unless it is marked no_profile_instrument_function.  Untested paths
 * that are taken inside the callback, or in a signal handler that interrupts the callback, are counted, but the
 * callback is not called for them.  Another thread may still be inside the old callback when waymark_on_untested
 * returns.  The object that called waymark_on_untested must stay loaded while its callback is registered. */
int waymark_on_untested(waymark_untested_callback *callback, void *closure);

#ifdef __cplusplus
}
#endif
#endif
