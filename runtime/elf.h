/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of the C library and of the kernel's vDSO, found without calling anything
 * that the program could have replaced, without the loader's lock and without touching
 * dlerror.  The list of loaded objects is read as it stands: call these functions only
 * where no other thread loads or unloads objects, that is from constructors.
 */
#ifndef WM_RUNTIME_ELF_H
#define WM_RUNTIME_ELF_H

#include <stdint.h>

/* The first definition of `name` in load order behind the main program; NULL: none. */
__attribute__((visibility("hidden"))) void *wm_elf_library(const char *name);
__attribute__((visibility("hidden"))) void *wm_elf_vdso(const char *name);

/* getauxval, under the C library's own name for it. */
unsigned long __getauxval(unsigned long type);

#endif
