/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Masking MC/DC on diagrams of random expressions, against the definition on their trees and truth tables. */
#include "core/paths/diagram.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 7 };

/* An expression in reverse Polish notation: conditions in order, AND, OR and NOT. */
enum { AND = 100, OR, NOT };
struct formula {
	int word[8 * MOST];
	int length, conditions;
};

static unsigned state_of_random = 1;
static unsigned pick(unsigned below)
{
	state_of_random = state_of_random * 1103515245u + 12345u;
	return (state_of_random >> 16) % below;
}

/* A tree with `leaves` conditions, made by joining neighbours at random. */
static void make_formula(struct formula *f, int leaves)
{
	struct formula part[MOST];
	int count = leaves;
	for (int i = 0; i < leaves; i++)
		part[i] = (struct formula){.word = {i}, .length = 1};
	while (count > 1) {
		int at = (int)pick((unsigned)count - 1);
		struct formula *left = &part[at], *right = &part[at + 1];
		memcpy(left->word + left->length, right->word, (size_t)right->length * sizeof *right->word);
		left->length += right->length;
		left->word[left->length++] = pick(2) ? AND : OR;
		if (!pick(4))
			left->word[left->length++] = NOT;
		memmove(right, right + 1, (size_t)(count - at - 2) * sizeof *right);
		count--;
	}
	*f = part[0];
	f->conditions = leaves;
}

static bool value_of(const struct formula *f, const uint8_t *value)
{
	bool stack[MOST + 1];
	int top = 0;
	for (int i = 0; i < f->length; i++) {
		if (f->word[i] == NOT) {
			stack[top - 1] = !stack[top - 1];
		} else if (f->word[i] < AND) {
			stack[top++] = value[f->word[i]];
		} else {
			top--;
			stack[top - 1] =
				f->word[i] == AND ? stack[top - 1] && stack[top] : stack[top - 1] || stack[top];
		}
	}
	return stack[0];
}

/* The diagram of a formula: after condition c with value v, the first condition on which the outcome still depends, given the
 * values of the conditions before.  In a tree of && and || it does not depend on these values which one it is. */
static void make_diagram(const struct formula *f, uint32_t next[][2])
{
	/* Short-circuit evaluation of every assignment tells the edges that exist. */
	for (int c = 0; c < f->conditions; c++)
		next[c][0] = next[c][1] = UINT32_MAX;
	for (unsigned bits = 0; bits < 1u << f->conditions; bits++) {
		uint8_t value[MOST];
		int last = -1;
		for (int c = 0; c < f->conditions; c++)
			value[c] = bits >> c & 1;
		for (int c = 0; c < f->conditions; c++) {
			bool first = false, other = false;
			uint8_t tried[MOST];
			/* Does the outcome depend on the conditions from c on in a way that c is needed now? */
			for (unsigned rest = 0; rest < 1u << (f->conditions - c - 1); rest++) {
				memcpy(tried, value, sizeof tried);
				for (int r = c + 1; r < f->conditions; r++)
					tried[r] = rest >> (r - c - 1) & 1;
				tried[c] = 0;
				first = value_of(f, tried);
				tried[c] = 1;
				other |= first != value_of(f, tried);
			}
			if (!other)
				continue;
			if (last >= 0)
				next[last][value[last]] = (uint32_t)c;
			last = c;
		}
		if (last >= 0)
			next[last][value[last]] = value_of(f, value) ? WM_OUTCOME_TRUE : WM_OUTCOME_FALSE;
	}
}

static void evaluate(const struct wm_diagram *d, unsigned bits, uint8_t *value)
{
	memset(value, WM_NOT_EVALUATED, d->count);
	for (uint32_t node = 0; !wm_is_outcome(node); node = d->next[node][value[node]])
		value[node] = bits >> node & 1;
}

static bool decides_by_definition(const struct formula *f, const uint8_t *value, int c)
{
	if (value[c] == WM_NOT_EVALUATED)
		return false;
	for (unsigned bits = 0; bits < 1u << f->conditions; bits++) {
		uint8_t full[MOST];
		for (int i = 0; i < f->conditions; i++)
			full[i] = value[i] == WM_NOT_EVALUATED ? bits >> i & 1 : value[i];
		bool before = value_of(f, full);
		full[c] = !full[c];
		if (value_of(f, full) != before)
			return true;
	}
	return false;
}

static void decides_as_defined(void **state)
{
	(void)state;
	unsigned decided = 0, masked = 0;
	for (int round = 0; round < 400; round++) {
		struct formula f;
		uint32_t next[MOST][2];
		make_formula(&f, 1 + (int)pick(MOST));
		make_diagram(&f, next);
		struct wm_diagram d = {(uint32_t)f.conditions, next};
		assert_true(wm_diagram_is_valid(&d));
		for (unsigned bits = 0; bits < 1u << f.conditions; bits++) {
			uint8_t value[MOST], full[MOST], work[MOST];
			evaluate(&d, bits, value);
			for (int c = 0; c < f.conditions; c++)
				full[c] = bits >> c & 1;
			assert_int_equal(wm_diagram_outcome(&d, value) == WM_OUTCOME_TRUE, value_of(&f, full));
			for (int c = 0; c < f.conditions; c++) {
				bool decides = wm_diagram_decides(&d, value, (uint32_t)c, work);
				assert_int_equal(decides, decides_by_definition(&f, value, c));
				decided += decides;
				masked += !decides && value[c] != WM_NOT_EVALUATED;
			}
		}
	}
	assert_true(decided > 1000 && masked > 1000);
}

/* A pair of unique-cause MC/DC is one of masking MC/DC. */
static void unique_pairs_are_pairs(void **state)
{
	(void)state;
	unsigned found = 0;
	for (int round = 0; round < 100; round++) {
		struct formula f;
		uint32_t next[MOST][2];
		make_formula(&f, 2 + (int)pick(MOST - 2));
		make_diagram(&f, next);
		struct wm_diagram d = {(uint32_t)f.conditions, next};
		for (unsigned i = 0; i < 1u << f.conditions; i++)
			for (unsigned j = 0; j < i; j++) {
				uint8_t a[MOST], b[MOST], work[MOST];
				evaluate(&d, i, a);
				evaluate(&d, j, b);
				uint32_t c = wm_diagram_unique_pair(&d, a, b);
				if (wm_is_outcome(c))
					continue;
				assert_true(a[c] != b[c] && wm_diagram_outcome(&d, a) != wm_diagram_outcome(&d, b));
				assert_true(wm_diagram_decides(&d, a, c, work) && wm_diagram_decides(&d, b, c, work));
				found++;
			}
	}
	assert_true(found > 1000);
}

/* Every evaluation is listed once. */
static void lists_evaluations(void **state)
{
	(void)state;
	for (int round = 0; round < 100; round++) {
		struct formula f;
		uint32_t next[MOST][2];
		bool seen[1 << MOST] = {0};
		unsigned steps = 0, distinct = 0;
		uint8_t value[MOST], other[MOST];
		make_formula(&f, 1 + (int)pick(MOST));
		make_diagram(&f, next);
		struct wm_diagram d = {(uint32_t)f.conditions, next};
		memset(value, WM_NOT_EVALUATED, sizeof value);
		while (wm_diagram_step(&d, value)) {
			unsigned bits = 0;
			for (int c = 0; c < f.conditions; c++)
				bits |= (value[c] == 1) << c;
			evaluate(&d, bits, other);
			assert_memory_equal(value, other, (size_t)f.conditions);
			assert_false(seen[bits]);
			seen[bits] = true;
			steps++;
		}
		for (unsigned bits = 0; bits < 1u << f.conditions; bits++) {
			unsigned ones = 0;
			evaluate(&d, bits, other);
			for (int c = 0; c < f.conditions; c++)
				ones |= (other[c] == 1) << c;
			distinct += ones == bits;
		}
		assert_int_equal(steps, distinct);
	}
}

static void refuses_bad_diagrams(void **state)
{
	(void)state;
	uint32_t back[2][2] = {{1, WM_OUTCOME_TRUE}, {0, WM_OUTCOME_FALSE}};
	uint32_t outside[1][2] = {{1, WM_OUTCOME_TRUE}};
	uint32_t lost[2][2] = {{WM_OUTCOME_FALSE, WM_OUTCOME_TRUE}, {WM_OUTCOME_FALSE, WM_OUTCOME_TRUE}};
	assert_false(wm_diagram_is_valid(&(struct wm_diagram){2, back}));
	assert_false(wm_diagram_is_valid(&(struct wm_diagram){1, outside}));
	assert_false(wm_diagram_is_valid(&(struct wm_diagram){2, lost}));
	assert_false(wm_diagram_is_valid(&(struct wm_diagram){0, lost}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(decides_as_defined),
		cmocka_unit_test(unique_pairs_are_pairs), cmocka_unit_test(lists_evaluations),
		cmocka_unit_test(refuses_bad_diagrams)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
