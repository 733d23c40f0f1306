/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tokens of any text, and the conditions and labels at each of them. */
#include "analysis/source/condition.h"
#include "analysis/source/labels.h"
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tokens(const struct wm_tokens *tokens, size_t size)
{
	size_t end = 0;
	for (size_t i = 0; i < tokens->count; i++) {
		const struct wm_token *token = &tokens->token[i];
		CHECK(token->length && token->start >= end && token->start + token->length <= size);
		CHECK(token->match == WM_NO_TOKEN || tokens->token[token->match].match == i);
		CHECK(token->inside == WM_NO_TOKEN || token->inside < i);
		CHECK(wm_tokens_at(tokens, token->start) == i);
		end = token->start + token->length;
	}
}

static void check_extent(const struct wm_tokens *tokens, size_t at, const struct wm_condition *condition)
{
	char text[40];
	CHECK(condition->first < condition->end && condition->end <= tokens->count && condition->first <= at);
	wm_tokens_text(tokens, condition->first, condition->end, text, sizeof text);
	CHECK(strlen(text) < sizeof text);
}

static void check_labels(const struct wm_tokens *tokens, size_t at)
{
	struct wm_map_case cases[] = {{0, 1}, {1, 2}, {1, 3}};
	struct wm_map_block block = {.case_count = 3, .cases = cases, .default_edge = 1};
	char text[40];
	for (uint32_t edge = 0; edge < 2; edge++) {
		wm_labels_in_order(tokens, at, &block, edge, text, sizeof text);
		wm_labels_before(tokens, at, &block, edge, at + 9, text, sizeof text);
	}
	wm_labels_range(tokens, at, text, sizeof text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wm_tokens tokens;
	struct wm_condition condition;
	char *text = malloc(size + 1);
	CHECK(text);
	memcpy(text, data, size);
	wm_tokens_make(&tokens, text, size);
	check_tokens(&tokens, size);
	for (size_t i = 0; i < tokens.count && i < 200; i++) {
		if (wm_condition_expression(&tokens, i, "a", &condition))
			check_extent(&tokens, i, &condition);
		if (wm_condition_operand(&tokens, i, &condition))
			check_extent(&tokens, i, &condition);
		wm_condition_statement(&tokens, i, &condition);
		wm_condition_side(&tokens, i, tokens.count - 1 - i);
		check_labels(&tokens, i);
	}
	wm_condition_statement_ends(&tokens, 1, 3);
	wm_tokens_release(&tokens);
	free(text);
	return 0;
}
