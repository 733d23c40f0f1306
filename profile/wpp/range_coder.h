/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arithmetic coding with adaptive frequencies: a symbol that was coded n times out of N takes about log2(N / n) bits.
 *
 * The same calls encode and decode, so that both sides keep the same frequencies:
 *
 *     wm_range_encoder_init(&coder, &bytes);          wm_range_decoder_init(&coder, &cursor);
 *     wm_range_code(&coder, &alphabet, symbol);       symbol = wm_range_code(&coder, &alphabet, 0);
 *     wm_range_encoder_finish(&coder);                … coder.in->failed: the input is damaged
 *
 * Bytes that are not the output of an encoder are decoded to some symbols, and never to a symbol that is not in the
 * alphabet.  The decoder reads exactly as many bytes as the encoder has written.
 */
#ifndef WM_PROFILE_WPP_RANGE_CODER_H
#define WM_PROFILE_WPP_RANGE_CODER_H

#include "profile/base/bytes.h"

/* The symbols 0 … count-1 and how often each was coded: a Fenwick tree (Fenwick 1994) of `capacity` + 1 sums. */
struct wm_alphabet {
	uint32_t count, capacity; /* capacity is 0 or a power of two */
	uint64_t total;
	uint32_t *sum;
};
/* Frees what the alphabet owns; all fields become 0.  An alphabet that is all zeros has no symbol. */
void wm_alphabet_release(struct wm_alphabet *alphabet);
/* Appends a symbol with the frequency 1.  false: no memory, nothing has changed.  O(log count), amortised. */
bool wm_alphabet_append(struct wm_alphabet *alphabet);

struct wm_range_coder {
	struct wm_bytes *out; /* NULL: it decodes */
	struct wm_cursor *in;
	uint64_t low, range;
};
void wm_range_encoder_init(struct wm_range_coder *coder, struct wm_bytes *out);
void wm_range_encoder_finish(struct wm_range_coder *coder);
void wm_range_decoder_init(struct wm_range_coder *coder, struct wm_cursor *in);
/* Encodes or decodes a symbol of an alphabet, which must have one, and counts it.  O(log count). */
uint32_t wm_range_code(struct wm_range_coder *coder, struct wm_alphabet *alphabet, uint32_t symbol);
/* The same for a number of 32 bits that is as likely as any other. */
uint32_t wm_range_code_u32(struct wm_range_coder *coder, uint32_t number);

#endif
