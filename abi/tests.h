/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names of tests in a raw profile: chunks of the kind WM_CHUNK_TEST, the *marks*.  A mark is written where the process begins or ends a
 * test.  What the process counts after a mark belongs to the name in it, up to the next mark; what it has counted before the
 * first mark belongs to no test.  After the header of the chunk, up to `used` bytes:
 *
 *     the name; `thread` bytes; none: the process is in no test
 *     groups of abi/counts.h, without times and names of paths: what the process has counted between the mark before and this one
 *
 * `sequence` is the checksum of these bytes, with zeros up to a multiple of eight.  0: the mark was being written when the process
 * died, and does not count.  What was counted after the last mark is what the whole file counts without all these groups: so a
 * process that dies keeps the name of its test, and a reader that skips the chunks counts the same.
 */
#ifndef WM_ABI_TESTS_H
#define WM_ABI_TESTS_H

/* The name of the test to which a process belongs from its start on, and a file in whose first line that name is. */
#define WM_TEST_NAME_VARIABLE "WAYMARK_TEST_NAME"
#define WM_TEST_FILE_VARIABLE "WAYMARK_TEST_NAME_FILE"
enum { WM_TEST_NAME_MOST = 1023 }; /* bytes */

#endif
