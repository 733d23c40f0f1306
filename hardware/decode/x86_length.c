/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The length of x86-64 instructions that capstone does not know.  New instructions are added to the opcode maps that 0f,
 * VEX and EVEX select, whose encodings are regular; one-byte opcodes are all known to capstone.
 */
#include "hardware/decode/isa.h"
#include <string.h>

enum { LENGTH_MAX = 15 };

/* The rest of an encoding after its opcode. */
struct rest {
	bool modrm;
	uint8_t immediate; /* bytes */
};

static bool is_prefix(uint8_t byte)
{
	return memchr("\x66\x67\xf2\xf3\x2e\x36\x3e\x26\x64\x65\xf0", byte, 11) != NULL;
}

/* The map of the opcodes that follow 0f. */
static struct rest rest_of_map_1(uint8_t opcode)
{
	static const char with_byte[] = "\x70\x71\x72\x73\xa4\xac\xba\xc2\xc4\xc5\xc6";
	static const char without_modrm[] = "\x05\x06\x07\x08\x09\x0b\x77\xa0\xa1\xa2\xa8\xa9\xaa";
	if (opcode >= 0x80 && opcode <= 0x8f)
		return (struct rest){false, 4};
	if ((opcode >= 0x30 && opcode <= 0x37) || (opcode >= 0xc8 && opcode <= 0xcf) ||
		memchr(without_modrm, opcode, sizeof(without_modrm) - 1))
		return (struct rest){false, 0};
	return (struct rest){true, memchr(with_byte, opcode, sizeof(with_byte) - 1) != NULL};
}

static struct rest rest_of(unsigned map, uint8_t opcode)
{
	return map == 1 ? rest_of_map_1(opcode) : (struct rest){true, map == 3};
}

/* The opcode at code[*at]: its map, and *at becomes the position of the opcode itself.  0: a one-byte opcode. */
static unsigned find_map(const uint8_t *code, size_t size, size_t *at)
{
	size_t left = size - *at;
	if (code[*at] == 0x0f && left > 2 && (code[*at + 1] == 0x38 || code[*at + 1] == 0x3a)) {
		*at += 2;
		return code[*at - 1] == 0x38 ? 2 : 3;
	}
	size_t skip = code[*at] == 0x0f ? 1 : code[*at] == 0xc5 ? 2 : code[*at] == 0xc4 ? 3 : code[*at] == 0x62 ? 4 : 0;
	if (!skip || left <= skip)
		return 0;
	unsigned map = skip < 3 ? 1 : code[*at + 1] & (skip == 3 ? 0x1f : 7);
	*at += skip;
	return map;
}

/* The ModRM byte at code[0] with its SIB byte and displacement; 0: cut short. */
static size_t operand_length(const uint8_t *code, size_t size)
{
	if (!size)
		return 0;
	unsigned mode = code[0] >> 6, base = code[0] & 7;
	bool sib = mode != 3 && base == 4;
	if (sib && size < 2)
		return 0;
	if (sib)
		base = code[1] & 7;
	size_t displacement = mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0;
	return 1 + sib + displacement;
}

size_t wm_hw_x86_unknown(const uint8_t *code, size_t size, struct wm_hw_insn *insn)
{
	size_t at = 0;
	insn->class = WM_HW_INT_ALU; /* no branch has been added to these maps */
	size = size < LENGTH_MAX ? size : LENGTH_MAX;
	while (at < size && is_prefix(code[at]))
		at++;
	if (at < size && code[at] >> 4 == 4) /* REX */
		at++;
	unsigned map = at < size ? find_map(code, size, &at) : 0;
	if (!map)
		return 0;
	struct rest rest = rest_of(map, code[at++]);
	size_t operand = rest.modrm ? operand_length(code + at, size - at) : 0;
	size_t length = at + operand + rest.immediate;
	return length <= size && (operand || !rest.modrm) ? length : 0;
}
