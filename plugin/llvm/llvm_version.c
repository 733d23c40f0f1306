/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/llvm/llvm_version.h"
#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>
#include <stdio.h>

#pragma weak LLVMGetVersion /* LLVM 16 */

bool wm_version_fits(void)
{
	unsigned major = 0, minor = 0, patch;
	char text[32] = "before 16";
	if (LLVMGetVersion) {
		LLVMGetVersion(&major, &minor, &patch);
		snprintf(text, sizeof text, "%u.%u", major, minor);
	}
	if (major == LLVM_VERSION_MAJOR && minor == LLVM_VERSION_MINOR)
		return true;
	fprintf(stderr, "waymark: the plugin is for LLVM %d.%d and cannot be used here, with LLVM %s: use clang %d\n",
		LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR, text, LLVM_VERSION_MAJOR);
	return false;
}
