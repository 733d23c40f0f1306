/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The rules of a grammar in few bytes.
 *
 * The rules are written in the order of the sequence: where a rule is used for the first time, its body is written in
 * place of its number.  Every other symbol is coded in two steps: the first word that it generates, given the last word
 * that was generated before it, and then the symbol among those that begin with this word.  Few subpaths can follow a
 * subpath, so the first step takes few bits, and the second has fewer symbols to choose from.  Frequencies are those of the
 * symbols so far (range_coder.h).
 */
#ifndef WM_PROFILE_WPP_WPP_PACK_H
#define WM_PROFILE_WPP_WPP_PACK_H

#include "core/grammar/grammar.h"
#include "profile/base/bytes.h"

/* Only rule 0 may be empty; rules that are not used are left out.  false: no memory.  O(symbols · log symbols). */
bool wm_wpp_pack(struct wm_bytes *out, const struct wm_grammar *grammar);
/* Fills in rules and symbols of a grammar that has its words.  At most `most` symbols are made.  WM_BAD_GRAPH: the bytes are not a
 * grammar.  WM_NO_MEMORY.  The grammar is to be released in every case. */
enum wm_status wm_wpp_unpack(struct wm_cursor *in, struct wm_grammar *grammar, uint64_t most);

#endif
