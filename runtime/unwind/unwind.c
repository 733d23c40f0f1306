/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/unwind/unwind.h"

#include "runtime/system/sys.h"
#include "runtime/unwind/dwarf_expression.h"
#include "runtime/unwind/row_cache.h"

#define MOST_SWITCHES 16

void wm_walk_begin(struct wm_walk *walk, const struct wm_frame *frame)
{
	wm_copy(&walk->frame, frame, sizeof *frame);
	walk->stack = wm_stack_at(frame->reg[WM_REGISTER_RSP]);
	walk->object = (struct wm_unwind_object){0, 0, 0};
	walk->switches = 0;
}

/* An address in the instruction at which the activation stands: the return address may already belong to another function. */
static uint64_t place_of(const struct wm_frame *frame)
{
	return frame->reg[WM_REGISTER_RIP] - !frame->exact;
}

static bool describe(struct wm_walk *walk, struct wm_description *description)
{
	uint64_t pc = place_of(&walk->frame);
	return wm_unwind_object_at(&walk->object, pc) && wm_describe(&walk->object, pc, description);
}

static bool is_known(const struct wm_frame *frame, uint64_t number)
{
	return number < WM_REGISTERS && frame->known >> number & 1;
}

static bool find_cfa(struct wm_walk *walk, uint64_t *cfa)
{
	const struct wm_rules *rules = &walk->rules;
	if (rules->cfa_is_expression)
		return wm_expression((const uint8_t *)rules->cfa, &walk->frame, 0, &walk->stack, cfa);
	if (!is_known(&walk->frame, rules->cfa_register))
		return false;
	*cfa = walk->frame.reg[rules->cfa_register] + (uint64_t)rules->cfa;
	return true;
}

/* The value of a register in the caller.  False: it is not known. */
static bool find_register(struct wm_walk *walk, unsigned number, uint64_t cfa, uint64_t *value)
{
	uint64_t operand = (uint64_t)walk->rules.value[number];
	switch ((enum wm_rule_kind)walk->rules.kind[number]) {
	case WM_RULE_NONE:
		*value = number == WM_REGISTER_RSP ? cfa : walk->frame.reg[number];
		return number == WM_REGISTER_RSP || (WM_CALLEE_SAVED >> number & 1 && is_known(&walk->frame, number));
	case WM_RULE_UNDEFINED:
		return false;
	case WM_RULE_SAME:
		*value = walk->frame.reg[number];
		return is_known(&walk->frame, number);
	case WM_RULE_SAVED:
		return wm_stack_read(&walk->stack, cfa + operand, value);
	case WM_RULE_OFFSET:
		*value = cfa + operand;
		return true;
	case WM_RULE_REGISTER:
		*value = operand < WM_REGISTERS ? walk->frame.reg[operand] : 0;
		return is_known(&walk->frame, operand);
	case WM_RULE_SAVED_EXPRESSION:
		return wm_expression((const uint8_t *)operand, &walk->frame, &cfa, &walk->stack, value) &&
		       wm_stack_read(&walk->stack, *value, value);
	case WM_RULE_EXPRESSION:
		return wm_expression((const uint8_t *)operand, &walk->frame, &cfa, &walk->stack, value);
	}
	return false;
}

/* A signal handler may have a stack of its own; everywhere else, callers are farther out on the same stack. */
static bool adopt(struct wm_walk *walk, struct wm_frame *next)
{
	uint64_t old = walk->frame.reg[WM_REGISTER_RSP], sp = next->reg[WM_REGISTER_RSP];
	if (!is_known(next, WM_REGISTER_RIP) || !is_known(next, WM_REGISTER_RSP) || !next->reg[WM_REGISTER_RIP])
		return false;
	if (next->exact) {
		if (walk->switches++ == MOST_SWITCHES)
			return false;
		walk->stack = wm_stack_at(sp);
	} else if (sp <= old) {
		return false;
	}
	wm_copy(&walk->frame, next, sizeof *next);
	return true;
}

/* Of what runs no known code, as after a call of a null pointer, only this is known: it has just been called. */
static bool step_out_of_nowhere(struct wm_walk *walk)
{
	struct wm_frame next;
	uint64_t sp = walk->frame.reg[WM_REGISTER_RSP];
	wm_copy(&next, &walk->frame, sizeof next);
	if (!walk->frame.exact || walk->object.table || !wm_stack_read(&walk->stack, sp, &next.reg[WM_REGISTER_RIP]))
		return false;
	next.reg[WM_REGISTER_RSP] = sp + 8;
	next.exact = false;
	return adopt(walk, &next);
}

/* As the rules say, in place: the CFA is known before registers change. */
static bool step_by_row(struct wm_walk *walk, const struct wm_row *row)
{
	struct wm_frame *frame = &walk->frame;
	uint64_t cfa = frame->reg[row->base] + (uint64_t)(int64_t)row->cfa;
	if (!is_known(frame, row->base) || cfa <= frame->reg[WM_REGISTER_RSP])
		return false;
	frame->known &= WM_CALLEE_SAVED;
	for (unsigned i = 0; i < WM_ROW_REGISTERS; i++) {
		uint32_t bit = 1u << wm_row_register[i];
		if (!(row->saved >> i & 1))
			continue;
		bool read = wm_stack_read(
			&walk->stack, cfa + (uint64_t)(int64_t)row->offset[i], &frame->reg[wm_row_register[i]]);
		frame->known = read ? frame->known | bit : frame->known & ~bit;
	}
	frame->reg[WM_REGISTER_RSP] = cfa;
	frame->known |= 1u << WM_REGISTER_RSP;
	frame->exact = false;
	return is_known(frame, WM_REGISTER_RIP) && frame->reg[WM_REGISTER_RIP];
}

static bool step_by_rules(struct wm_walk *walk)
{
	struct wm_frame next;
	uint64_t cfa;
	next.known = 0;
	if (!describe(walk, &walk->description))
		return step_out_of_nowhere(walk);
	if (walk->description.return_column != WM_REGISTER_RIP ||
		!wm_rules_find(&walk->rules, &walk->description, place_of(&walk->frame), &walk->memory) ||
		!find_cfa(walk, &cfa))
		return false;
	for (unsigned i = 0; i < WM_REGISTERS; i++)
		if (find_register(walk, i, cfa, &next.reg[i]))
			next.known |= 1u << i;
	next.exact = walk->description.is_signal;
	if (!next.exact)
		wm_row_keep(place_of(&walk->frame), &walk->object, &walk->rules);
	return adopt(walk, &next);
}

bool wm_walk_step(struct wm_walk *walk)
{
	const struct wm_row *row = wm_row_find(place_of(&walk->frame));
	return row ? step_by_row(walk, row) : step_by_rules(walk);
}

bool wm_walk_lands(struct wm_walk *walk)
{
	struct wm_description description;
	return describe(walk, &description) && wm_has_landing_pad(&description, place_of(&walk->frame));
}
