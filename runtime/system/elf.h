/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds functions of the C library and of the kernel's vDSO without calling a function that the program may define
 * under the same name, without taking the lock of the dynamic loader and without changing the state of dlerror.  The
 * list of loaded objects is read without a lock, so these functions may be called only while no other thread loads or
 * unloads objects, that is, from constructors.
 */
#ifndef WM_RUNTIME_SYSTEM_ELF_H
#define WM_RUNTIME_SYSTEM_ELF_H

#include <stdint.h>

/* Returns the first definition of `name` in load order, after the main program; NULL: there is none. */
__attribute__((visibility("hidden"))) void *wm_elf_library(const char *name);
__attribute__((visibility("hidden"))) void *wm_elf_vdso(const char *name);

/* getauxval, under a reserved name of the C library, which the program cannot define. */
unsigned long __getauxval(unsigned long type);

#endif
