/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/source/labels.h"
#include "support/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Clang adds the values of a range to the switch up to this size. */
enum { MOST_OF_RANGE = 64 };

struct label {
	size_t word, first, end; /* the token `case` or `default`; the tokens of the value, before the colon */
	size_t dots; /* of a range: the token `...`; otherwise WM_NO_TOKEN */
	bool known, is_default; /* known: `low` and `high` are the values */
	int64_t low, high;
	uint32_t cases; /* how many cases of the block it is */
};
struct labels {
	size_t count;
	struct label *label;
};

/* ---- Values ----------------------------------------------------------------------------------- */

static bool character(const char *text, size_t length, int64_t *value)
{
	static const char letters[] = "abfnrtv0'\"\\?", bytes[] = "\a\b\f\n\r\t\v\0'\"\\?";
	if (length == 3 && text[0] == '\'')
		*value = (signed char)text[1];
	else if (length == 4 && text[0] == '\'' && text[1] == '\\' && text[2] && strchr(letters, text[2]))
		*value = bytes[strchr(letters, text[2]) - letters];
	else
		return false;
	return true;
}

static bool parse_number(const char *text, size_t length, int64_t *value)
{
	char digits[40], *end;
	size_t used = 0;
	for (size_t i = 0; i < length; i++) {
		if (used + 1 >= sizeof digits)
			return false;
		if (text[i] != '\'')
			digits[used++] = text[i];
	}
	digits[used] = 0;
	bool binary = used > 2 && digits[0] == '0' && (digits[1] | 32) == 'b';
	*value = (int64_t)strtoull(binary ? digits + 2 : digits, &end, binary ? 2 : 0);
	return strspn(end, "uUlLzZ") == strlen(end);
}

/* The value of a literal, with or without a minus. */
static bool literal(const struct wm_tokens *tokens, size_t first, size_t end, int64_t *value)
{
	bool minus = end - first == 2 && wm_token_is(tokens, first, "-");
	first += minus;
	if (end - first != 1)
		return false;
	const struct wm_token *token = &tokens->token[first];
	const char *text = tokens->text + token->start;
	bool found = token->kind == WM_TOKEN_LITERAL  ? character(text, token->length, value)
		     : token->kind == WM_TOKEN_NUMBER ? parse_number(text, token->length, value)
						      : false;
	*value = minus ? (int64_t)(0 - (uint64_t)*value) : *value;
	return found;
}

/* The compiler extends values of 32 bits with their sign. */
static bool same_value(int64_t written, int64_t value)
{
	return written == value || (int32_t)(uint32_t)written == value;
}

/* ---- Labels ------------------------------------------------------------------------------------- */

static void add_label(const struct wm_tokens *tokens, struct labels *labels, size_t word, size_t colon)
{
	struct label label = {.word = word,
		.first = word + 1,
		.end = colon,
		.dots = WM_NO_TOKEN,
		.is_default = wm_token_is(tokens, word, "default")};
	for (size_t i = label.first; i < colon; i++)
		if (wm_token_is(tokens, i, "..."))
			label.dots = i;
	if (label.dots == WM_NO_TOKEN)
		label.known = literal(tokens, label.first, colon, &label.low), label.high = label.low;
	else
		label.known = literal(tokens, label.first, label.dots, &label.low) &&
			      literal(tokens, label.dots + 1, colon, &label.high);
	WM_XGROW(labels->label, labels->count);
	labels->label[labels->count++] = label;
}

/* The colon after a value, which may contain ?: */
static size_t colon_of(const struct wm_tokens *tokens, size_t at, size_t end)
{
	for (size_t choices = 0; at < end; at++) {
		if (wm_token_is(tokens, at, "?"))
			choices++;
		else if (wm_token_is(tokens, at, ":") && !choices--)
			return at;
		else if (wm_token_is(tokens, at, ";"))
			break;
	}
	return WM_NO_TOKEN;
}

/* The brace that opens the body of a switch. */
static size_t body_of(const struct wm_tokens *tokens, size_t at)
{
	if (!wm_token_is(tokens, at, "switch") || !wm_token_is(tokens, at + 1, "("))
		return WM_NO_TOKEN;
	size_t close = tokens->token[at + 1].match;
	bool body = close != WM_NO_TOKEN && wm_token_is(tokens, close + 1, "{");
	return body && tokens->token[close + 1].match != WM_NO_TOKEN ? close + 1 : WM_NO_TOKEN;
}

static struct labels find_labels(const struct wm_tokens *tokens, size_t body)
{
	struct labels labels = {0};
	size_t end = tokens->token[body].match;
	for (size_t i = body + 1; i < end; i++) {
		size_t inner = body_of(tokens, i), colon = WM_NO_TOKEN;
		if (inner != WM_NO_TOKEN)
			i = tokens->token[inner].match;
		else if (wm_token_is(tokens, i, "case") || wm_token_is(tokens, i, "default"))
			colon = colon_of(tokens, i + 1, end);
		if (colon != WM_NO_TOKEN) {
			add_label(tokens, &labels, i, colon);
			i = colon;
		}
	}
	return labels;
}

/* The number of values in a range; 0: too many for the switch. */
static uint32_t range_size(const struct label *label)
{
	uint64_t more = (uint64_t)label->high - (uint64_t)label->low;
	return label->high >= label->low && more < MOST_OF_RANGE ? (uint32_t)more + 1 : 0;
}

/* How many cases each label is, if there are `total`.  At most one range can have bounds that are not literals. */
static bool count_cases(struct labels *labels, uint32_t total)
{
	struct label *open = NULL;
	uint64_t sum = 0;
	for (size_t i = 0; i < labels->count; i++) {
		struct label *label = &labels->label[i];
		bool range = label->dots != WM_NO_TOKEN;
		if (range && !label->known && open)
			return false;
		open = range && !label->known ? label : open;
		label->cases = label->is_default ? 0 : !range ? 1 : label->known ? range_size(label) : 0;
		sum += label->cases;
	}
	if (open && total >= sum)
		open->cases = (uint32_t)(total - sum);
	return open ? total >= sum : total == sum;
}

static void append_label(const struct wm_tokens *tokens, const struct label *label, char *text, size_t size)
{
	size_t used = strlen(text);
	snprintf(text + used, size - used, "%s", used ? ", " : "case ");
	used = strlen(text);
	wm_tokens_text(tokens, label->first, label->end, text + used, size - used);
}

static void append_default(const struct wm_map_block *block, uint32_t ordinal, char *text, size_t size)
{
	size_t used = strlen(text);
	if (block->default_edge == ordinal)
		snprintf(text + used, size - used, "%sdefault", used ? ", " : "");
}

/* Whether the cases of a label lead to one edge and have its value. */
static bool fits(const struct label *label, const struct wm_map_case *cases)
{
	for (uint32_t i = 0; i < label->cases; i++) {
		int64_t value = (int64_t)((uint64_t)label->low + i);
		if (cases[i].edge_ordinal != cases->edge_ordinal ||
			(label->known && !same_value(value, cases[i].value)))
			return false;
	}
	return true;
}

bool wm_labels_in_order(const struct wm_tokens *tokens, size_t at, const struct wm_map_block *block, uint32_t ordinal,
	char *text, size_t size)
{
	size_t body = body_of(tokens, at);
	if (body == WM_NO_TOKEN)
		return false;
	struct labels labels = find_labels(tokens, body);
	bool right = count_cases(&labels, block->case_count);
	const struct wm_map_case *cases = block->cases;
	text[0] = 0;
	for (size_t i = 0; i < labels.count && right; i++) {
		const struct label *label = &labels.label[i];
		right = fits(label, cases);
		if (label->cases && right && cases->edge_ordinal == ordinal)
			append_label(tokens, label, text, size);
		cases += label->cases;
	}
	append_default(block, ordinal, text, size);
	free(labels.label);
	return right && text[0];
}

/* The labels directly before the code that contains a token: first … end - 1. */
static size_t group_before(const struct labels *labels, size_t target, size_t *first)
{
	size_t end = 0;
	while (end < labels->count && labels->label[end].end < target)
		end++;
	*first = end;
	while (*first > 0 && (*first == end || labels->label[*first - 1].end + 1 == labels->label[*first].word))
		--*first;
	return end;
}

static bool has_value(const struct wm_map_block *block, uint32_t ordinal, int64_t written)
{
	for (uint32_t i = 0; i < block->case_count; i++)
		if (block->cases[i].edge_ordinal == ordinal && same_value(written, block->cases[i].value))
			return true;
	return false;
}

bool wm_labels_before(const struct wm_tokens *tokens, size_t at, const struct wm_map_block *block, uint32_t ordinal,
	size_t target, char *text, size_t size)
{
	size_t body = body_of(tokens, at), first;
	if (body == WM_NO_TOKEN || target <= body || target >= tokens->token[body].match)
		return false;
	struct labels labels = find_labels(tokens, body);
	size_t end = group_before(&labels, target, &first), wanted = 0, found = 0;
	bool right = end > first, standard = false;
	for (uint32_t i = 0; i < block->case_count; i++)
		wanted += block->cases[i].edge_ordinal == ordinal;
	text[0] = 0;
	for (size_t i = first; i < end && right; i++) {
		const struct label *label = &labels.label[i];
		bool range = label->dots != WM_NO_TOKEN;
		right = label->is_default || (range ? label->known && range_size(label) : true);
		right = right && (!label->known || (has_value(block, ordinal, label->low) &&
							   has_value(block, ordinal, label->high)));
		standard |= label->is_default;
		found += label->is_default ? 0 : range ? range_size(label) : 1;
		if (!label->is_default)
			append_label(tokens, label, text, size);
	}
	append_default(block, ordinal, text, size);
	free(labels.label);
	return right && found == wanted && standard == (block->default_edge == ordinal);
}

bool wm_labels_range(const struct wm_tokens *tokens, size_t target, char *text, size_t size)
{
	size_t body = target < tokens->count ? tokens->token[target].inside : WM_NO_TOKEN, first, ranges = 0;
	while (body < tokens->count) {
		size_t close = body > 0 ? body - 1 : WM_NO_TOKEN;
		size_t open = wm_token_is(tokens, close, ")") ? tokens->token[close].match : WM_NO_TOKEN;
		if (open != WM_NO_TOKEN && open && body_of(tokens, open - 1) == body)
			break;
		body = tokens->token[body].inside;
	}
	if (body >= tokens->count)
		return false;
	struct labels labels = find_labels(tokens, body);
	size_t end = group_before(&labels, target, &first);
	text[0] = 0;
	for (size_t i = first; i < end; i++) {
		bool large =
			labels.label[i].dots != WM_NO_TOKEN && !(labels.label[i].known && range_size(&labels.label[i]));
		ranges += large;
		if (large)
			append_label(tokens, &labels.label[i], text, size);
	}
	free(labels.label);
	return ranges == 1;
}
