/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/md5.h"
#include <math.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 64, LENGTH_AT = 56 };

static uint32_t rotate(uint32_t x, unsigned by)
{
	return x << by | x >> (32 - by);
}

static uint32_t word_at(const uint8_t *byte)
{
	return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

/* The four functions of the RFC with the index of the word that round i uses. */
static uint32_t mix(unsigned i, uint32_t b, uint32_t c, uint32_t d, unsigned *word)
{
	switch (i / 16) {
	case 0:
		*word = i;
		return (b & c) | (~b & d);
	case 1:
		*word = (5 * i + 1) % 16;
		return (d & b) | (~d & c);
	case 2:
		*word = (3 * i + 5) % 16;
		return b ^ c ^ d;
	}
	*word = 7 * i % 16;
	return c ^ (b | ~d);
}

static void add_block(uint32_t state[4], const uint8_t *block)
{
	static const uint8_t shift[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	for (unsigned i = 0, word; i < ROUNDS; i++) {
		uint32_t f = mix(i, b, c, d, &word);
		uint32_t sine = (uint32_t)(int64_t)floor(fabs(sin(i + 1.0)) * 4294967296.0);
		f += a + sine + word_at(block + 4 * word);
		a = d;
		d = c;
		c = b;
		b += rotate(f, shift[i / 16][i % 4]);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void wm_md5(const void *data, size_t size, uint8_t sum[WM_MD5_SIZE])
{
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	uint8_t last[2 * BLOCK] = {0};
	size_t whole = size / BLOCK * BLOCK, rest = size - whole;
	for (size_t i = 0; i < whole; i += BLOCK)
		add_block(state, (const uint8_t *)data + i);
	if (rest)
		memcpy(last, (const uint8_t *)data + whole, rest);
	last[rest] = 0x80;
	size_t end = rest < LENGTH_AT ? BLOCK : 2 * BLOCK;
	for (size_t i = 0; i < 8; i++)
		last[end - 8 + i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
	for (size_t i = 0; i < end; i += BLOCK)
		add_block(state, last + i);
	for (size_t i = 0; i < WM_MD5_SIZE; i++)
		sum[i] = (uint8_t)(state[i / 4] >> 8 * (i % 4));
}
