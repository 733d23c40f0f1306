/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/unwind/row_cache.h"

#include "runtime/system/elf.h"

#include <sys/auxv.h>

#define ROWS 128u

const uint8_t wm_row_register[WM_ROW_REGISTERS] = {WM_REGISTER_RBX, WM_REGISTER_RBP, 12, 13, 14, 15, WM_REGISTER_RIP};

static struct wm_row rows[ROWS];

static struct wm_row *place_of(uint64_t pc)
{
	return &rows[(pc ^ pc >> 7) % ROWS];
}

const struct wm_row *wm_row_find(uint64_t pc)
{
	const struct wm_row *row = place_of(pc);
	return pc && row->pc == pc ? row : 0;
}

static bool contains(const struct wm_unwind_object *object, uint64_t address)
{
	return address >= object->start && address < object->end;
}

static bool stays(const struct wm_unwind_object *object)
{
	return contains(object, (uintptr_t)rows) || contains(object, __getauxval(AT_PHDR));
}

static bool is_small(int64_t number)
{
	return number == (int32_t)number;
}

/* Registers that a function need not keep have no rule but in signal frames. */
static bool is_simple(const struct wm_rules *rules)
{
	uint32_t kept = WM_CALLEE_SAVED | 1u << WM_REGISTER_RIP;
	for (unsigned i = 0; i < WM_REGISTERS; i++) {
		bool saved = rules->kind[i] == WM_RULE_SAVED && kept >> i & 1 && is_small(rules->value[i]);
		bool same = rules->kind[i] == WM_RULE_NONE && i != WM_REGISTER_RIP;
		if (!saved && !same)
			return false;
	}
	return !rules->cfa_is_expression && rules->cfa_register < WM_REGISTERS && is_small(rules->cfa);
}

void wm_row_keep(uint64_t pc, const struct wm_unwind_object *object, const struct wm_rules *rules)
{
	if (!is_simple(rules) || !stays(object))
		return;
	struct wm_row *row = place_of(pc);
	row->saved = 0;
	for (unsigned i = 0; i < WM_ROW_REGISTERS; i++) {
		row->saved |= (uint8_t)((rules->kind[wm_row_register[i]] == WM_RULE_SAVED) << i);
		row->offset[i] = (int32_t)rules->value[wm_row_register[i]];
	}
	row->cfa = (int32_t)rules->cfa;
	row->base = (uint8_t)rules->cfa_register;
	row->pc = pc;
}
