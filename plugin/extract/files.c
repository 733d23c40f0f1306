/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/extract/files.h"
#include "core/base/error.h"
#include "core/base/grow.h"
#include "core/graph/graph.h"
#include "plugin/extract/checksum.h"
#include "policy/file_names.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_ASKED, OF_USER, OF_SYSTEM };

static char *text_of(const char *text, unsigned size)
{
	return strndup(text ? text : "", size);
}

/* Heap; NULL: no memory. */
static char *path_of(LLVMMetadataRef file)
{
	unsigned directory_size = 0, name_size = 0;
	const char *directory_text = LLVMDIFileGetDirectory(file, &directory_size);
	const char *name_text = LLVMDIFileGetFilename(file, &name_size);
	char *directory = text_of(directory_text, directory_size), *name = text_of(name_text, name_size);
	char *path = directory && name ? wm_file_name_settle(directory, name) : NULL;
	free(directory);
	free(name);
	return path;
}

static void add_unit(struct wm_files *files, LLVMMetadataRef unit)
{
	LLVMMetadataRef file =
		LLVMGetMetadataKind(unit) == LLVMDICompileUnitMetadataKind ? LLVMDIScopeGetFile(unit) : NULL;
	unsigned size = 0;
	const char *directory = file ? LLVMDIFileGetDirectory(file, &size) : NULL;
	char *path = file ? path_of(file) : NULL;
	if (directory && size && !files->directory)
		files->directory = text_of(directory, size);
	if (path)
		wm_system_headers_add_source(&files->headers, path);
	free(path);
}

void wm_files_init(struct wm_files *files, LLVMModuleRef module, bool with_system)
{
	unsigned count = LLVMGetNamedMetadataNumOperands(module, "llvm.dbg.cu");
	LLVMValueRef *unit = calloc(count + 1, sizeof(LLVMValueRef));
	*files = (struct wm_files){.has_debug_info = count > 0, .with_system = with_system};
	if (unit && count)
		LLVMGetNamedMetadataOperands(module, "llvm.dbg.cu", unit);
	for (unsigned i = 0; unit && i < count; i++)
		add_unit(files, LLVMValueAsMetadata(unit[i]));
	files->headers.working_directory = files->directory;
	free(unit);
}

void wm_files_release(struct wm_files *files)
{
	for (uint32_t i = 0; i < files->count; i++)
		free(files->name[i]);
	free(files->name);
	free(files->is_system);
	free(files->sum);
	free(files->directory);
	wm_system_headers_release(&files->headers);
	*files = (struct wm_files){0};
}

static uint32_t index_of(struct wm_files *files, char *path)
{
	for (uint32_t i = files->count; i-- > 0;)
		if (!strcmp(files->name[i], path))
			return i;
	return WM_NONE;
}

uint32_t wm_files_index(struct wm_files *files, LLVMMetadataRef file)
{
	if (file == files->last_file)
		return files->last_index;
	char *path = path_of(file);
	uint32_t index = path ? index_of(files, path) : WM_NONE;
	bool fresh = path && index == WM_NONE && WM_GROW(files->name, files->count) &&
		     WM_GROW(files->is_system, files->count) && WM_GROW(files->sum, files->count);
	if (fresh) {
		index = files->count++;
		files->name[index] = path;
		files->is_system[index] = NOT_ASKED;
		files->sum[index] = wm_checksum_of_file(file, path);
	} else {
		free(path);
	}
	files->last_file = index == WM_NONE ? NULL : file;
	files->last_index = index;
	return index;
}

/* The file of the first instruction whose line is known; NULL: there is none. */
static LLVMMetadataRef first_file(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
			if (location && LLVMDILocationGetLine(location))
				return LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
		}
	return NULL;
}

/* The initialiser of a variable is a function without a line, in the main file; the variable may be in a header. */
static LLVMMetadataRef file_of(LLVMValueRef function)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	LLVMMetadataRef file = subprogram && !LLVMDISubprogramGetLine(subprogram) ? first_file(function) : NULL;
	return file || !subprogram ? file : LLVMDIScopeGetFile(subprogram);
}

/* The headers of clang itself, for vector instructions, forbid debug information for their functions. */
static bool is_of_compiler(LLVMValueRef function)
{
	return LLVMGetLinkage(function) == LLVMInternalLinkage && wm_shim_has(function, "alwaysinline");
}

bool wm_files_in_system_header(struct wm_files *files, LLVMValueRef function)
{
	if (files->with_system)
		return false;
	LLVMMetadataRef file = file_of(function);
	uint32_t index = file ? wm_files_index(files, file) : WM_NONE;
	if (index == WM_NONE)
		return files->has_debug_info && is_of_compiler(function);
	if (files->is_system[index] == NOT_ASKED)
		files->is_system[index] =
			wm_system_headers_contain(&files->headers, files->name[index]) ? OF_SYSTEM : OF_USER;
	return files->is_system[index] == OF_SYSTEM;
}
