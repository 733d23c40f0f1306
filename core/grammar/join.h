/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Joins grammars: makes one grammar that generates the sequences of several grammars, one after the other. */
#ifndef WM_CORE_GRAMMAR_JOIN_H
#define WM_CORE_GRAMMAR_JOIN_H

#include "core/grammar/grammar.h"

/* Symbol i of rule 0 generates the sequence of part i.  Without parts, the sequence is empty.  WM_TOO_MANY: there are 2^31 rules or
 * words.  WM_NO_MEMORY.  O(symbols). */
enum wm_status wm_grammar_join(struct wm_grammar *joined, const struct wm_grammar *part, uint32_t count);

#endif
