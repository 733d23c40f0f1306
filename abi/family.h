/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The family of a process: itself, its parent, the parent of its parent and so on, up to the command that `waymark test` has
 * started, at most WM_FAMILY_MOST of them.  If that command is no ancestor, because the process is a daemon, only the process
 * itself.  The runtime writes the family beside a raw profile where WAYMARK_FAMILY has the process id of `waymark test`, which
 * then knows to which test the profile belongs; NAME.wmraw.family belongs to NAME.wmraw.  Per process:
 *
 *     PID START COMMAND-SIZE DIRECTORY-SIZE\n      decimal numbers; START in clock ticks since the machine was booted
 *     the words of its command line, each with a NUL; cut after WM_FAMILY_COMMAND bytes
 *     its current directory; empty: not known
 *     \n
 *
 * A process id can be used again; it and START together are unique.
 */
#ifndef WM_ABI_FAMILY_H
#define WM_ABI_FAMILY_H

#define WM_FAMILY_VARIABLE "WAYMARK_FAMILY"
#define WM_FAMILY_SUFFIX ".family"
enum { WM_FAMILY_MOST = 64, WM_FAMILY_COMMAND = 4096, WM_FAMILY_SIZE = 65536 };

#endif
