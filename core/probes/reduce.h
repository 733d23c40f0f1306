/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The values of a program in the width of its register: with 32 bits every value is an immediate. */
#ifndef WM_CORE_PROBES_REDUCE_H
#define WM_CORE_PROBES_REDUCE_H

#include "core/paths/pack.h"
#include "core/probes/program.h"

/* Reduces the values that a program placed with pack->value adds up, and the sums of its regions, to
 * `width` bits, sign-extended. */
void wm_reduce_program(const struct wm_pack *pack, const struct wm_graph *graph, struct wm_probe_program *program);

#endif
