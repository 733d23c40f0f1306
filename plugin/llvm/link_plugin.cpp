// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// waymark-sites.so: what a linker needs that makes machine code of described calls (stack_maps.h), and nothing else.  The modules have
// been instrumented by the compiler.
#include "plugin/llvm/llvm_version.h"
#include "plugin/llvm/stack_maps.h"
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

using namespace llvm;

static void keep(ModulePassManager &, OptimizationLevel level)
{
	wm_shim_keep_deopt_in_registers(level != OptimizationLevel::O0);
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	if (!wm_version_fits())
		return {0, "waymark-sites", "1", nullptr};
	return {LLVM_PLUGIN_API_VERSION, "waymark-sites", "1", [](PassBuilder &builder) {
			builder.registerFullLinkTimeOptimizationEarlyEPCallback(keep);
			builder.registerOptimizerEarlyEPCallback(keep);
		}};
}
