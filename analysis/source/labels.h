/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The labels of a switch as the source writes them. */
#ifndef WM_ANALYSIS_SOURCE_LABELS_H
#define WM_ANALYSIS_SOURCE_LABELS_H

#include "analysis/source/tokens.h"
#include "profile/map/map.h"

/*
 * The labels that lead to out-edge `ordinal` of a block that ends in a switch: "case RED, 7 ... 9, default".  `at` is the token
 * of the switch.  False if the labels in the text are not those of the block, as when macros make labels.
 *
 * wm_labels_in_order is for graphs as clang emits them: the cases of the block are in the order of the labels.
 * wm_labels_before is for other graphs: `target` is a token of the code that the edge leads to, and the labels before that code
 * must be as many as the edge has cases.  `default` is not added for WM_NONE.
 */
bool wm_labels_in_order(const struct wm_tokens *tokens, size_t at, const struct wm_map_block *block, uint32_t ordinal,
	char *text, size_t size);
bool wm_labels_before(const struct wm_tokens *tokens, size_t at, const struct wm_map_block *block, uint32_t ordinal,
	size_t target, char *text, size_t size);
/* The label of a range directly before the code at token `target`, in the innermost switch around it. */
bool wm_labels_range(const struct wm_tokens *tokens, size_t target, char *text, size_t size);

#endif
