/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a branch or switch tests: a value (core/graph/facts.h), and for each successor the integers with which it is taken.
 */
#ifndef WM_PLUGIN_CONDITIONS_TESTED_VALUE_H
#define WM_PLUGIN_CONDITIONS_TESTED_VALUE_H

#include "core/graph/facts.h"
#include "plugin/llvm/shim.h"

/* Ascending ranges that do not meet.  If more are needed, nothing is known: `count` is 0. */
enum { WM_MOST_RANGES = 8, WM_MOST_LEAVES = 8 };
struct wm_ranges {
	uint32_t count;
	struct wm_value_range range[WM_MOST_RANGES];
};

/* A value that is computed in one block.  Two of them are the same if their hashes are. */
struct wm_tested_value {
	uint64_t hash;
	LLVMValueRef instruction; /* whose result it is; NULL: it is the order of two operands */
	/* What it is computed from: loads in the block itself, and instructions whose results are taken as they are.  The same
	 * value has its leaves in the same order everywhere. */
	uint32_t leaf_count;
	LLVMValueRef leaf[WM_MOST_LEAVES];
	/* The order of two operands: the hash of the order of the second and the first, and the leaves of the first. */
	uint64_t mirrored_hash;
	uint32_t first_leaves;
};

/* Whether a leaf of a value in the block is a load of it, so that the value changes with the memory. */
bool wm_leaf_is_load(LLVMValueRef leaf, LLVMBasicBlockRef block);
/* Identifies an address that is computed in the block from nothing that changes; 0: it is not such an address. */
uint64_t wm_address_hash(LLVMValueRef address, LLVMBasicBlockRef block);

/* Whether a store writes another member of the structure of which the load reads one.  Both find the structure by the same
 * expression, so this holds as long as nothing changes that expression. */
bool wm_is_other_member(LLVMValueRef store, LLVMValueRef load);

/* What an instruction tests: a value, and for each of two successors of a branch the integers with which it is taken. */
struct wm_branch_test {
	struct wm_tested_value value;
	struct wm_ranges when[2];
};
/* Returns how many values a conditional branch tests; a comparison for equality is a test of signed and unsigned order. */
uint32_t wm_branch_tests(LLVMValueRef branch, struct wm_branch_test test[2]);
/* The same test of the order of the operands the other way round. */
void wm_branch_test_mirror(struct wm_branch_test *test);

/* The value that a switch tests; wm_switch_ranges are integers of it.  false: nothing that can be followed. */
bool wm_switch_value(LLVMValueRef ir, struct wm_tested_value *value);
/* The integers with which the operand of the switch is one of the labels, which ascend, or, if `others`, none of them. */
struct wm_ranges wm_switch_ranges(LLVMValueRef ir, const int64_t *label, uint32_t count, bool others);

#endif
