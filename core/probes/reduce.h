/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reduces the values of a program to the width of its register.  With 32 bits, every value is an immediate operand.
 */
#ifndef WM_CORE_PROBES_REDUCE_H
#define WM_CORE_PROBES_REDUCE_H

#include "core/preferential/pack.h"
#include "core/probes/program.h"

/* Reduces the values of a program that was placed with pack->value, and the sums of its regions, to pack->width bits,
 * sign-extended. */
void wm_reduce_program(const struct wm_pack *pack, const struct wm_graph *graph, struct wm_probe_program *program);

#endif
