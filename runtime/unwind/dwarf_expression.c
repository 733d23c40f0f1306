/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/unwind/dwarf_expression.h"

#include "runtime/unwind/dwarf_bytes.h"

#define DEPTH 16

/* Operations (DW_OP). */
enum {
	ADDRESS = 0x03,
	DEREFERENCE = 0x06,
	CONST1U = 0x08,
	CONST1S,
	CONST2U,
	CONST2S,
	CONST4U,
	CONST4S,
	CONST8U,
	CONST8S,
	CONSTU,
	CONSTS,
	DUPLICATE,
	DROP,
	OVER,
	PICK,
	SWAP,
	ROTATE,
	AND = 0x1A,
	MINUS = 0x1C,
	MULTIPLY = 0x1E,
	NEGATE,
	NOT,
	OR,
	PLUS,
	PLUS_CONSTANT,
	SHIFT_LEFT,
	SHIFT_RIGHT,
	SHIFT_RIGHT_SIGNED,
	XOR,
	EQUAL = 0x29,
	GREATER_EQUAL,
	GREATER,
	LESS_EQUAL,
	LESS,
	NOT_EQUAL,
	LITERAL = 0x30,
	LITERAL_LAST = 0x4F,
	BASE_REGISTER = 0x70,
	BASE_REGISTER_LAST = 0x8F,
	BASE_REGISTER_EXTENDED = 0x92,
	NOP = 0x96,
};

struct evaluation {
	struct wm_bytes bytes;
	const struct wm_frame *frame;
	struct wm_stack *memory;
	uint64_t value[DEPTH];
	unsigned depth;
};

static bool push(struct evaluation *e, uint64_t value)
{
	if (e->depth == DEPTH)
		return false;
	e->value[e->depth++] = value;
	return true;
}

/* The value below `under` others. */
static bool push_copy(struct evaluation *e, unsigned under)
{
	return under < e->depth && push(e, e->value[e->depth - 1 - under]);
}

static bool push_register(struct evaluation *e, uint64_t number)
{
	int64_t offset = wm_take_sleb(&e->bytes);
	return number < WM_REGISTERS && e->frame->known >> number & 1 &&
	       push(e, e->frame->reg[number] + (uint64_t)offset);
}

static bool push_constant(struct evaluation *e, uint8_t code)
{
	if (code == CONSTU)
		return push(e, wm_take_uleb(&e->bytes));
	if (code == CONSTS)
		return push(e, (uint64_t)wm_take_sleb(&e->bytes));
	unsigned size = 1u << (code - CONST1U) / 2;
	return push(
		e, (code - CONST1U) % 2 ? (uint64_t)wm_take_signed(&e->bytes, size) : wm_take_fixed(&e->bytes, size));
}

static bool combine(uint8_t code, uint64_t a, uint64_t b, uint64_t *result)
{
	switch (code) {
	case AND:
		*result = a & b;
		return true;
	case MINUS:
		*result = a - b;
		return true;
	case MULTIPLY:
		*result = a * b;
		return true;
	case OR:
		*result = a | b;
		return true;
	case PLUS:
		*result = a + b;
		return true;
	case XOR:
		*result = a ^ b;
		return true;
	case SHIFT_LEFT:
		*result = b < 64 ? a << b : 0;
		return true;
	case SHIFT_RIGHT:
		*result = b < 64 ? a >> b : 0;
		return true;
	case SHIFT_RIGHT_SIGNED:
		*result = (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
		return true;
	}
	return false;
}

static bool compare(uint8_t code, int64_t a, int64_t b, uint64_t *result)
{
	switch (code) {
	case EQUAL:
		*result = a == b;
		return true;
	case GREATER_EQUAL:
		*result = a >= b;
		return true;
	case GREATER:
		*result = a > b;
		return true;
	case LESS_EQUAL:
		*result = a <= b;
		return true;
	case LESS:
		*result = a < b;
		return true;
	case NOT_EQUAL:
		*result = a != b;
		return true;
	}
	return false;
}

/* Replaces the two values on top by one. */
static bool execute_binary(struct evaluation *e, uint8_t code)
{
	if (e->depth < 2)
		return false;
	uint64_t b = e->value[--e->depth], *a = &e->value[e->depth - 1];
	return combine(code, *a, b, a) || compare(code, (int64_t)*a, (int64_t)b, a);
}

static bool swap(struct evaluation *e)
{
	if (e->depth < 2)
		return false;
	uint64_t *top = &e->value[e->depth - 1], value = top[0];
	top[0] = top[-1];
	top[-1] = value;
	return true;
}

static bool execute_top(struct evaluation *e, uint8_t code)
{
	if (!e->depth)
		return false;
	uint64_t *top = &e->value[e->depth - 1];
	switch (code) {
	case DEREFERENCE:
		return wm_stack_read(e->memory, *top, top);
	case PLUS_CONSTANT:
		*top += wm_take_uleb(&e->bytes);
		return true;
	case NEGATE:
		*top = -*top;
		return true;
	case NOT:
		*top = ~*top;
		return true;
	case DROP:
		e->depth--;
		return true;
	case SWAP:
		return swap(e);
	}
	return execute_binary(e, code);
}

static bool execute(struct evaluation *e)
{
	uint8_t code = *e->bytes.at++;
	if (code >= LITERAL && code <= LITERAL_LAST)
		return push(e, code - LITERAL);
	if (code >= BASE_REGISTER && code <= BASE_REGISTER_LAST)
		return push_register(e, code - BASE_REGISTER);
	if (code >= CONST1U && code <= CONSTS)
		return push_constant(e, code);
	switch (code) {
	case ADDRESS:
		return push(e, wm_take_fixed(&e->bytes, 8));
	case BASE_REGISTER_EXTENDED:
		return push_register(e, wm_take_uleb(&e->bytes));
	case DUPLICATE:
		return push_copy(e, 0);
	case OVER:
		return push_copy(e, 1);
	case PICK:
		return push_copy(e, *e->bytes.at++);
	case NOP:
		return true;
	}
	return execute_top(e, code);
}

bool wm_expression(const uint8_t *block, const struct wm_frame *frame, const uint64_t *first, struct wm_stack *memory,
	uint64_t *result)
{
	struct evaluation e;
	e.bytes.at = block;
	e.frame = frame;
	e.memory = memory;
	e.depth = 0;
	uint64_t size = wm_take_uleb(&e.bytes);
	e.bytes.end = e.bytes.at + size;
	if (first)
		push(&e, *first);
	while (e.bytes.at < e.bytes.end)
		if (!execute(&e))
			return false;
	if (!e.depth)
		return false;
	*result = e.value[e.depth - 1];
	return true;
}
