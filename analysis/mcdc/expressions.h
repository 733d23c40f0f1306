/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The boolean expressions of a function, found in its graph.
 *
 * Clang evaluates the operands of && and || one after another and gives the branches of one expression the same targets: those
 * of its outcomes, which belong to no other expression, and the blocks in which a further operand is evaluated.  So branches
 * with a common target belong to one expression.  An expression that is used as a value ends in a block where its value is
 * joined (wm_map_value); if the value of one expression is the last operand of another, or if a branch on the value follows, they
 * are one expression.  The operands of ?: in a condition belong to it, too, with the condition of ?:.  A condition without &&, || and
 * ?: is an expression of one condition.
 *
 * What is not understood is not analysed: `obstacle` then says why.
 */
#ifndef WM_ANALYSIS_MCDC_EXPRESSIONS_H
#define WM_ANALYSIS_MCDC_EXPRESSIONS_H

#include "core/paths/diagram.h"
#include "profile/map/map.h"

enum wm_operand_kind {
	WM_OPERAND_BRANCH, /* `block` ends in a branch on the condition */
	WM_OPERAND_TOLD, /* `block` computes the condition; the branch at the end of `teller` tells its value */
	WM_OPERAND_UNSEEN, /* `block` computes the condition, and no branch depends on it: its value is not observed */
	WM_OPERAND_CONSTANT, /* the condition is the constant `truth` */
};

struct wm_operand {
	enum wm_operand_kind kind;
	uint32_t block;
	/* BRANCH: true_edge of `block`; TOLD: the ordinal of the out-edge of `teller` that is taken if the condition is true. */
	uint32_t true_edge;
	uint32_t teller; /* TOLD */
	bool truth; /* CONSTANT */
	const struct wm_map_value *value; /* what the map says of a condition that is no branch of clang's; or NULL */
	struct wm_map_line place; /* line 0: unknown */
	const char *name; /* as wm_map_condition.name */
};

struct wm_expression {
	uint32_t count;
	struct wm_operand *operand; /* in the order of evaluation */
	struct wm_diagram diagram; /* of these; empty if there is an obstacle */
	const char *obstacle; /* why the expression is not analysed: one clause, or NULL */
	bool used_as_value; /* its outcome is a value, not the choice of a branch */
};

/* Per block: the expression and the operand that its branch tests. */
struct wm_expression_place {
	uint32_t expression, operand; /* WM_NONE: none */
	uint32_t
		choice; /* the first of the expressions that it contains without a branch; the others follow; WM_NONE: none */
};

struct wm_expressions {
	uint32_t count;
	/* In the order of their first blocks; then conditions of ?: for which clang does not branch, in the order of theirs. */
	struct wm_expression *expression;
	struct wm_expression_place *at; /* per block */
};

/* Memory is in the arena.  WM_NO_MEMORY.  The stage of the function must be `source`, and has_values true for its module.
 * O(blocks · (log blocks + largest part of an expression)). */
enum wm_status wm_expressions_find(
	struct wm_expressions *expressions, const struct wm_map_function *function, struct wm_arena *arena);

#endif
