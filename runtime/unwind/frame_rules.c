/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/unwind/frame_rules.h"

#include "runtime/system/sys.h"

/* Instructions (DW_CFA).  The first three have an operand in their lower six bits. */
enum {
	ADVANCE = 0x40,
	SAVED = 0x80,
	RESTORE = 0xC0,

	NOP = 0,
	SET_LOCATION,
	ADVANCE1,
	ADVANCE2,
	ADVANCE4,
	SAVED_EXTENDED,
	RESTORE_EXTENDED,
	UNDEFINED,
	SAME,
	REGISTER,
	REMEMBER,
	RESTORE_REMEMBERED,
	CFA,
	CFA_REGISTER,
	CFA_OFFSET,
	CFA_EXPRESSION,
	SAVED_EXPRESSION,
	SAVED_SIGNED,
	CFA_SIGNED,
	CFA_OFFSET_SIGNED,
	OFFSET,
	OFFSET_SIGNED,
	EXPRESSION,
	ARGUMENTS_SIZE = 0x2E,
	SAVED_NEGATIVE,
};

struct interpreter {
	struct wm_rules *rules;
	const struct wm_description *description;
	struct wm_rules_memory *memory;
	struct wm_bytes bytes;
	uint64_t location; /* the row is that of this address */
	unsigned remembered;
};

/* Registers that are not kept, as those of vectors, have no rule. */
static void set_rule(struct interpreter *in, uint64_t number, enum wm_rule_kind kind, int64_t value)
{
	if (number >= WM_REGISTERS)
		return;
	in->rules->kind[number] = (uint8_t)kind;
	in->rules->value[number] = value;
}

static void restore_rule(struct interpreter *in, uint64_t number)
{
	if (number < WM_REGISTERS)
		set_rule(in, number, in->memory->initial.kind[number], in->memory->initial.value[number]);
}

static int64_t scaled(const struct interpreter *in, int64_t offset)
{
	return offset * in->description->data_factor;
}

static int64_t take_offset(struct interpreter *in)
{
	return scaled(in, (int64_t)wm_take_uleb(&in->bytes));
}

static int64_t take_signed_offset(struct interpreter *in)
{
	return scaled(in, wm_take_sleb(&in->bytes));
}

/* An expression is a block: its size and its operations. */
static int64_t take_block(struct interpreter *in)
{
	const uint8_t *block = in->bytes.at;
	uint64_t size = wm_take_uleb(&in->bytes);
	in->bytes.at += size;
	return (int64_t)(uintptr_t)block;
}

static void set_cfa(struct interpreter *in, uint64_t number, int64_t offset)
{
	in->rules->cfa_is_expression = false;
	in->rules->cfa_register = number;
	in->rules->cfa = offset;
}

/* The definition of the CFA is part of the row. */
static bool remember(struct interpreter *in)
{
	if (in->remembered == WM_REMEMBERED)
		return false;
	wm_copy(&in->memory->remembered[in->remembered++], in->rules, sizeof *in->rules);
	return true;
}

static bool restore_remembered(struct interpreter *in)
{
	if (!in->remembered)
		return false;
	wm_copy(in->rules, &in->memory->remembered[--in->remembered], sizeof *in->rules);
	return true;
}

static bool define_cfa(struct interpreter *in, uint8_t code)
{
	uint64_t number = code == CFA || code == CFA_SIGNED || code == CFA_REGISTER ? wm_take_uleb(&in->bytes)
										    : in->rules->cfa_register;
	switch (code) {
	case CFA:
	case CFA_OFFSET:
		set_cfa(in, number, (int64_t)wm_take_uleb(&in->bytes));
		return true;
	case CFA_SIGNED:
	case CFA_OFFSET_SIGNED:
		set_cfa(in, number, take_signed_offset(in));
		return true;
	case CFA_REGISTER:
		set_cfa(in, number, in->rules->cfa);
		return true;
	case CFA_EXPRESSION:
		in->rules->cfa = take_block(in);
		in->rules->cfa_is_expression = true;
		return true;
	}
	return false;
}

/* The instructions that begin with a register. */
static bool define_register(struct interpreter *in, uint8_t code)
{
	uint64_t number = wm_take_uleb(&in->bytes);
	switch (code) {
	case SAVED_EXTENDED:
		set_rule(in, number, WM_RULE_SAVED, take_offset(in));
		return true;
	case SAVED_SIGNED:
		set_rule(in, number, WM_RULE_SAVED, take_signed_offset(in));
		return true;
	case SAVED_NEGATIVE:
		set_rule(in, number, WM_RULE_SAVED, -take_offset(in));
		return true;
	case OFFSET:
		set_rule(in, number, WM_RULE_OFFSET, take_offset(in));
		return true;
	case OFFSET_SIGNED:
		set_rule(in, number, WM_RULE_OFFSET, take_signed_offset(in));
		return true;
	case REGISTER:
		set_rule(in, number, WM_RULE_REGISTER, (int64_t)wm_take_uleb(&in->bytes));
		return true;
	case SAVED_EXPRESSION:
		set_rule(in, number, WM_RULE_SAVED_EXPRESSION, take_block(in));
		return true;
	case EXPRESSION:
		set_rule(in, number, WM_RULE_EXPRESSION, take_block(in));
		return true;
	case UNDEFINED:
		set_rule(in, number, WM_RULE_UNDEFINED, 0);
		return true;
	case SAME:
		set_rule(in, number, WM_RULE_SAME, 0);
		return true;
	case RESTORE_EXTENDED:
		restore_rule(in, number);
		return true;
	}
	return false;
}

static void advance(struct interpreter *in, uint64_t by)
{
	in->location += by * in->description->code_factor;
}

static bool execute_other(struct interpreter *in, uint8_t code)
{
	switch (code) {
	case NOP:
		return true;
	case SET_LOCATION:
		return false; /* its encoding is that of the CIE; no compiler writes it */
	case ADVANCE1:
	case ADVANCE2:
	case ADVANCE4:
		advance(in, wm_take_fixed(&in->bytes, 1u << (code - ADVANCE1)));
		return true;
	case REMEMBER:
		return remember(in);
	case RESTORE_REMEMBERED:
		return restore_remembered(in);
	case ARGUMENTS_SIZE:
		wm_take_uleb(&in->bytes);
		return true;
	case CFA:
	case CFA_REGISTER:
	case CFA_OFFSET:
	case CFA_EXPRESSION:
	case CFA_SIGNED:
	case CFA_OFFSET_SIGNED:
		return define_cfa(in, code);
	}
	return define_register(in, code);
}

static bool execute(struct interpreter *in)
{
	uint8_t code = *in->bytes.at++, operand = code & 0x3F;
	switch (code & 0xC0) {
	case ADVANCE:
		advance(in, operand);
		return true;
	case SAVED:
		set_rule(in, operand, WM_RULE_SAVED, take_offset(in));
		return true;
	case RESTORE:
		restore_rule(in, operand);
		return true;
	}
	return execute_other(in, code);
}

static void clear(struct wm_rules *rules)
{
	for (unsigned i = 0; i < WM_REGISTERS; i++)
		rules->kind[i] = WM_RULE_NONE;
	rules->cfa_is_expression = false;
	rules->cfa_register = WM_REGISTERS;
	rules->cfa = 0;
}

bool wm_rules_find(
	struct wm_rules *rules, const struct wm_description *description, uint64_t pc, struct wm_rules_memory *memory)
{
	struct interpreter in = {rules, description, memory, description->initial, description->start, 0};
	clear(rules);
	while (in.bytes.at < in.bytes.end)
		if (!execute(&in))
			return false;
	wm_copy(&memory->initial, rules, sizeof *rules);
	in.bytes = description->rows;
	while (in.bytes.at < in.bytes.end && in.location <= pc)
		if (!execute(&in))
			return false;
	return true;
}
