/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_SUPPORT_RESOURCE_H
#define WM_SUPPORT_RESOURCE_H

/* The directory of the running executable, and the path of a file that belongs to it.  In the build tree such files are
 * beside the command; in an installation they are in ../lib/waymark and ../share/waymark. */
const char *wm_exe_dir(void);
char *wm_resource(const char *name); /* ends in wm_fail if the file is missing */

#endif
