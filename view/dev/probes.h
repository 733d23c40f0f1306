/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A probe program as readable text: one line per event that has actions. */
#ifndef WM_VIEW_DEV_PROBES_H
#define WM_VIEW_DEV_PROBES_H

#include "core/probes/unit_program.h"
#include <stdio.h>

/*
 *     entry: set 0
 *     edge a -> b: add 2; count 1 {guess 7 cell 3; lookup; cold}
 *     exit c: count-at 4 {cell 4}
 *     cold: hash; call
 * The actions at the end of a path are in braces after its count.  "spares" means that the next action is skipped if
 * the first action of the end stops the end.  `block_name` has a name per block; NULL: blocks are named by their
 * indices.
 */
void print_probe_program(
	FILE *out, char *const *block_name, const struct wm_graph *graph, const struct wm_probe_program *program);
/* The same for a function of a unit; "before" and "after" a call name its block and position:
 *     before d, call 0: hand-over token 2 behind {1, 4} level
 */
void print_unit_program(FILE *out, char *const *block_name, const struct wm_probed *probed);
/* ,"probe_program": with one string per line of what `print` writes; names and numbers need no escapes. */
void print_program_json(void (*print)(const void *closure, FILE *out), const void *closure);

#endif
