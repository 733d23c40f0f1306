/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The code is a number in the interval [low, low + range), whose first bytes are written once the range is too small to
 * divide.  An addition to `low` may carry into bytes that are written already, which are still in memory.
 */
#include "profile/wpp/range_coder.h"

#include <stdlib.h>
#include <string.h>

/* Below this, a byte is shifted out.  Totals are below 2^32, so a part of the range is never 0. */
#define LEAST_RANGE (UINT64_C(1) << 48)

/* ---- Alphabets ------------------------------------------------------------------------ */

void wm_alphabet_release(struct wm_alphabet *alphabet)
{
	free(alphabet->sum);
	*alphabet = (struct wm_alphabet){0};
}

static bool make_room(struct wm_alphabet *alphabet)
{
	uint32_t capacity = alphabet->capacity ? 2 * alphabet->capacity : 4;
	uint32_t *sum = realloc(alphabet->sum, ((size_t)capacity + 1) * sizeof *sum);
	if (!sum)
		return false;
	memset(sum + alphabet->capacity + 1, 0, (capacity - alphabet->capacity) * sizeof *sum);
	sum[0] = 0;
	sum[capacity] = (uint32_t)alphabet->total;
	alphabet->sum = sum;
	alphabet->capacity = capacity;
	return true;
}

static void add_symbol(struct wm_alphabet *alphabet, uint32_t symbol)
{
	for (uint32_t i = symbol + 1; i <= alphabet->capacity; i += i & -i)
		alphabet->sum[i]++;
	alphabet->total++;
}

bool wm_alphabet_append(struct wm_alphabet *alphabet)
{
	if (alphabet->count == alphabet->capacity && !make_room(alphabet))
		return false;
	add_symbol(alphabet, alphabet->count++);
	return true;
}

static uint64_t sum_below(const struct wm_alphabet *alphabet, uint32_t symbol)
{
	uint64_t sum = 0;
	for (uint32_t i = symbol; i; i &= i - 1)
		sum += alphabet->sum[i];
	return sum;
}

/* The symbol in whose part of the total `at` lies. */
static uint32_t find_symbol(const struct wm_alphabet *alphabet, uint64_t at)
{
	uint32_t symbol = 0;
	for (uint32_t step = alphabet->capacity; step; step /= 2)
		if (symbol + step < alphabet->count && alphabet->sum[symbol + step] <= at)
			at -= alphabet->sum[symbol += step];
	return symbol;
}

/* ---- The code ------------------------------------------------------------------------- */

void wm_range_encoder_init(struct wm_range_coder *coder, struct wm_bytes *out)
{
	*coder = (struct wm_range_coder){.out = out, .range = UINT64_MAX};
}

static void shift(struct wm_range_coder *coder)
{
	const uint8_t byte = coder->out ? (uint8_t)(coder->low >> 56) : wm_cursor_u8(coder->in);
	coder->low <<= 8;
	if (coder->out)
		wm_bytes_put(coder->out, &byte, 1);
	else
		coder->low |= byte;
}

void wm_range_encoder_finish(struct wm_range_coder *coder)
{
	for (int i = 0; i < 8; i++)
		shift(coder);
}

/* When decoding, `low` is how far the code is above the beginning of the interval. */
void wm_range_decoder_init(struct wm_range_coder *coder, struct wm_cursor *in)
{
	*coder = (struct wm_range_coder){.in = in, .range = UINT64_MAX};
	for (int i = 0; i < 8; i++)
		shift(coder);
}

static void carry(struct wm_bytes *out)
{
	size_t i = out->size;
	while (!out->failed && i && !++out->data[--i])
		continue;
}

static void narrow(struct wm_range_coder *coder, uint64_t begin, uint64_t size)
{
	if (!coder->out)
		coder->low -= begin;
	else if (__builtin_add_overflow(coder->low, begin, &coder->low))
		carry(coder->out);
	for (coder->range = size; coder->range < LEAST_RANGE; coder->range <<= 8)
		shift(coder);
}

static uint64_t decoded_part(const struct wm_range_coder *coder, uint64_t part, uint64_t total)
{
	uint64_t at = coder->low / part;
	return at < total ? at : total - 1;
}

uint32_t wm_range_code(struct wm_range_coder *coder, struct wm_alphabet *alphabet, uint32_t symbol)
{
	uint64_t part = coder->range / alphabet->total;
	if (!coder->out)
		symbol = find_symbol(alphabet, decoded_part(coder, part, alphabet->total));
	uint64_t below = sum_below(alphabet, symbol), frequency = sum_below(alphabet, symbol + 1) - below;
	narrow(coder, below * part, frequency * part);
	add_symbol(alphabet, symbol);
	return symbol;
}

static uint32_t code_u16(struct wm_range_coder *coder, uint32_t number)
{
	uint64_t part = coder->range >> 16;
	if (!coder->out)
		number = (uint32_t)decoded_part(coder, part, 1u << 16);
	narrow(coder, number * part, part);
	return number;
}

uint32_t wm_range_code_u32(struct wm_range_coder *coder, uint32_t number)
{
	uint32_t high = code_u16(coder, number >> 16);
	return high << 16 | code_u16(coder, number & 0xFFFF);
}
