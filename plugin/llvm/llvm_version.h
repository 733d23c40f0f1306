/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The plugin shares the classes of the LLVM that loads it, whose layout every version changes, while the version of LLVM's plugin
 * interface is the same in most.  So the versions of LLVM are compared before anything else is done.
 */
#ifndef WM_PLUGIN_LLVM_LLVM_VERSION_H
#define WM_PLUGIN_LLVM_LLVM_VERSION_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the LLVM that loads the plugin is the one for which it was compiled.  If not, a sentence on stderr says so. */
bool wm_version_fits(void);

#ifdef __cplusplus
}
#endif

#endif
