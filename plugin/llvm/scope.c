/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/llvm/scope.h"
#include <stdio.h>
#include <string.h>

bool wm_is_local(LLVMValueRef ir)
{
	return LLVMGetLinkage(ir) == LLVMInternalLinkage || LLVMGetLinkage(ir) == LLVMPrivateLinkage;
}

static const char *smaller_definition(LLVMValueRef global, const char *best)
{
	size_t size;
	const char *name = LLVMGetValueName2(global, &size);
	bool unique = !LLVMIsDeclaration(global) && LLVMGetLinkage(global) == LLVMExternalLinkage;
	return unique && (!best || strcmp(name, best) < 0) ? name : best;
}

const char *wm_local_scope(LLVMModuleRef module, struct wm_arena *arena)
{
	size_t size, length;
	const char *source = LLVMGetSourceFileName(module, &size), *symbol = NULL;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		symbol = smaller_definition(f, symbol);
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		symbol = smaller_definition(g, symbol);
	const char *slash = symbol ? strrchr(source, '/') : NULL, *file = slash ? slash + 1 : source;
	length = strlen(file) + 1 + (symbol ? strlen(symbol) : 0) + 1;
	char *scope = WM_NEW(arena, char, length);
	if (scope)
		snprintf(scope, length, "%s:%s", file, symbol ? symbol : "");
	return scope;
}
