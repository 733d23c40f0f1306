/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What this machine is called in a store. */
#ifndef WM_SUPPORT_MACHINE_NAME_H
#define WM_SUPPORT_MACHINE_NAME_H

/* 32 hexadecimal digits: a hash of /etc/machine-id, which itself is not to leave the machine (machine-id(5)).  "" if there is no
 * such file.  Release it with free. */
char *wm_machine_name(void);

#endif
