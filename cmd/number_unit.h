/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_CMD_NUMBER_UNIT_H
#define WM_CMD_NUMBER_UNIT_H

#include "analysis/graphfile/unitgraph.h"
#include "view/dev/number.h"

/* waymark number for a scheme of paths across calls.  If more than `most` paths begin in a function and no limit is given,
 * they are not listed, and the command fails. */
void wm_number_unit(const struct wm_number_options *options, uint64_t most, struct wm_graph_file *file);

#endif
