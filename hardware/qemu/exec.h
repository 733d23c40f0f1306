/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that the program starts in its place. */
#ifndef WM_HARDWARE_QEMU_EXEC_H
#define WM_HARDWARE_QEMU_EXEC_H

#include <stdbool.h>
#include <stdint.h>

/* The program calls execve(path, argv, envp) with addresses of its own.  Starts an emulator with
 * this plugin (`plugin` is QEMU's argument) in place of this process and does not return if that succeeds.  True: the file is
 * there, but it is none that an emulator with this plugin can run: a 32-bit program, one of
 * another architecture, one that changes its user.  The caller goes on with the system call. */
bool wm_exec_follow(const char *plugin, const uint64_t call[3]);

#endif
