/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/source/condition.h"
#include "core/base/search.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const not_marks[] = {"!", "not", NULL};
static const char *const members[] = {".", "->", NULL};

/* ---- What a token is ---------------------------------------------------------------------- */

static const struct {
	const char *const *spelling;
	int precedence;
} operators[] = {
	{(const char *const[]){"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL}, 2},
	{(const char *const[]){"||", "or", NULL}, 4},
	{(const char *const[]){"&&", "and", NULL}, 5},
	{(const char *const[]){"|", "bitor", NULL}, 6},
	{(const char *const[]){"^", "xor", NULL}, 7},
	{(const char *const[]){"&", "bitand", NULL}, 8},
	{(const char *const[]){"==", "!=", "not_eq", NULL}, 9},
	{(const char *const[]){"<", ">", "<=", ">=", NULL}, 10},
	{(const char *const[]){"<=>", NULL}, 11},
	{(const char *const[]){"<<", ">>", NULL}, 12},
	{(const char *const[]){"+", "-", NULL}, 13},
	{(const char *const[]){"*", "/", "%", NULL}, 14},
	{(const char *const[]){".*", "->*", NULL}, 15},
};
enum { ASSIGNMENT = 2, RELATION = 10 };

/* 0: no binary operator has this spelling. */
static int precedence(const struct wm_tokens *tokens, size_t at)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (wm_token_in(tokens, at, operators[i].spelling))
			return operators[i].precedence;
	return 0;
}

/* A keyword after which an expression or a statement begins. */
static bool is_leading_word(const struct wm_tokens *tokens, size_t at)
{
	static const char *const words[] = {"return", "case", "else", "do", "throw", "goto", "co_return", "co_yield",
		"co_await", "sizeof", "if", "while", "for", "switch", "constexpr", "and", "or", "not", "bitand",
		"bitor", "xor", "not_eq", "delete", "new", "__extension__", NULL};
	return wm_token_in(tokens, at, words);
}

/* The parenthesis of if, while, for, switch or catch. */
static bool is_header(const struct wm_tokens *tokens, size_t open)
{
	static const char *const words[] = {"if", "while", "for", "switch", "catch", "constexpr", NULL};
	return open > 0 && open < tokens->count && wm_token_is(tokens, open, "(") &&
	       wm_token_in(tokens, open - 1, words);
}

/* Whether an operand can end with the token, so that an operator after it is binary or postfix. */
static bool ends_operand(const struct wm_tokens *tokens, size_t at)
{
	static const char *const steps[] = {"++", "--", NULL};
	while (at > 0 && wm_token_in(tokens, at, steps))
		at--;
	if (at >= tokens->count)
		return false;
	const struct wm_token *token = &tokens->token[at];
	if (token->kind == WM_TOKEN_WORD)
		return !is_leading_word(tokens, at);
	if (token->kind != WM_TOKEN_PUNCTUATOR)
		return true;
	return wm_token_is(tokens, at, "]") || (wm_token_is(tokens, at, ")") && !is_header(tokens, token->match));
}

static bool is_binary(const struct wm_tokens *tokens, size_t at)
{
	return at > 0 && precedence(tokens, at) && ends_operand(tokens, at - 1);
}

static bool is_opening(const struct wm_tokens *tokens, size_t at)
{
	static const char *const marks[] = {"(", "[", "{", NULL};
	return wm_token_in(tokens, at, marks);
}

static bool is_closing(const struct wm_tokens *tokens, size_t at)
{
	static const char *const marks[] = {")", "]", "}", NULL};
	return wm_token_in(tokens, at, marks);
}

/* What separates expressions of any precedence. */
static bool is_separator(const struct wm_tokens *tokens, size_t at)
{
	static const char *const marks[] = {";", ",", "?", ":", NULL};
	return wm_token_in(tokens, at, marks);
}

/* Whether an operand of && ends before the token. */
static bool is_end_of_condition(const struct wm_tokens *tokens, size_t at)
{
	static const char *const marks[] = {"&&", "||", "and", "or", NULL};
	return at >= tokens->count || is_separator(tokens, at) || is_closing(tokens, at) ||
	       wm_token_in(tokens, at, marks);
}

/* ---- The extent of an expression --------------------------------------------------------- */

/* The first token of the expression of a binary operator; WM_NO_TOKEN: brackets do not match. */
static size_t left_end(const struct wm_tokens *tokens, size_t operator)
{
	size_t at = operator;
	int level = precedence(tokens, operator);
	while (at > 0) {
		size_t before = at - 1;
		if (is_separator(tokens, before) || is_opening(tokens, before) || wm_token_is(tokens, before, "}"))
			return at;
		if (is_closing(tokens, before)) {
			size_t open = tokens->token[before].match;
			if (open == WM_NO_TOKEN)
				return WM_NO_TOKEN;
			if (is_header(tokens, open))
				return at;
			at = open;
			continue;
		}
		bool leading = tokens->token[before].kind == WM_TOKEN_WORD && is_leading_word(tokens, before) &&
			       !precedence(tokens, before) && !wm_token_is(tokens, before, "not");
		if (leading || (is_binary(tokens, before) && precedence(tokens, before) < level))
			return at;
		at = before;
	}
	return at;
}

/* The index after the last token.  A second relation is not an operator but the bracket of a template. */
static size_t right_end(const struct wm_tokens *tokens, size_t operator)
{
	int level = precedence(tokens, operator);
	size_t at = operator+ 1;
	while (at < tokens->count && !is_separator(tokens, at) && !is_closing(tokens, at)) {
		if (is_opening(tokens, at)) {
			if (tokens->token[at].match == WM_NO_TOKEN)
				return WM_NO_TOKEN;
			at = tokens->token[at].match + 1;
			continue;
		}
		int next = is_binary(tokens, at) ? precedence(tokens, at) : 0;
		if (next && next != RELATION && (next < level || (next == level && level != ASSIGNMENT)))
			return at;
		if (next == RELATION && next < level)
			return at;
		at++;
	}
	return at;
}

/* Where the chain of members, calls and elements begins whose part the token is. */
static size_t chain_start(const struct wm_tokens *tokens, size_t at)
{
	while (at < tokens->count) {
		if (is_closing(tokens, at)) {
			at = tokens->token[at].match;
			if (at == WM_NO_TOKEN || at == 0 || !ends_operand(tokens, at - 1) ||
				wm_token_is(tokens, at, "{"))
				return at;
			at--;
		} else if (at > 1 && (wm_token_in(tokens, at - 1, members) || wm_token_is(tokens, at - 1, "::"))) {
			if (!ends_operand(tokens, at - 2))
				return at - 1;
			at -= 2;
		} else {
			return at;
		}
	}
	return WM_NO_TOKEN;
}

/* After the angle brackets of a cast of C++; the same token if there are none. */
static size_t after_cast(const struct wm_tokens *tokens, size_t at)
{
	static const char *const casts[] = {"static_cast", "dynamic_cast", "reinterpret_cast", "const_cast", NULL};
	if (at == 0 || !wm_token_in(tokens, at - 1, casts) || !wm_token_is(tokens, at, "<"))
		return at;
	for (int depth = 0; at < tokens->count; at++) {
		depth +=
			wm_token_is(tokens, at, "<") - wm_token_is(tokens, at, ">") - 2 * wm_token_is(tokens, at, ">>");
		if (depth <= 0)
			return at + 1;
	}
	return at;
}

/* The index after members, calls and elements. */
static size_t after_postfix(const struct wm_tokens *tokens, size_t at)
{
	static const char *const steps[] = {"++", "--", NULL};
	at = after_cast(tokens, at);
	while (at < tokens->count) {
		if (wm_token_is(tokens, at, "(") || wm_token_is(tokens, at, "["))
			at = tokens->token[at].match == WM_NO_TOKEN ? tokens->count : tokens->token[at].match + 1;
		else if (wm_token_in(tokens, at, members) || wm_token_is(tokens, at, "::"))
			at += 2;
		else if (wm_token_in(tokens, at, steps))
			at++;
		else
			break;
	}
	return at < tokens->count ? at : tokens->count;
}

/* The index after a unary expression; WM_NO_TOKEN: there is none. */
static size_t after_unary(const struct wm_tokens *tokens, size_t at)
{
	static const char *const prefixes[] = {"!", "not", "~", "-", "+", "*", "&", "++", "--", "::", NULL};
	for (;;) {
		while (wm_token_in(tokens, at, prefixes))
			at++;
		if (at >= tokens->count)
			return WM_NO_TOKEN;
		const struct wm_token *token = &tokens->token[at];
		if (!wm_token_is(tokens, at, "("))
			return token->kind == WM_TOKEN_PUNCTUATOR || is_leading_word(tokens, at)
				       ? WM_NO_TOKEN
				       : after_postfix(tokens, at + 1);
		if (token->match == WM_NO_TOKEN)
			return WM_NO_TOKEN;
		size_t after = token->match + 1;
		bool cast = after < tokens->count &&
			    (tokens->token[after].kind != WM_TOKEN_PUNCTUATOR || wm_token_is(tokens, after, "(") ||
				    wm_token_in(tokens, after, not_marks));
		if (!cast || precedence(tokens, after))
			return after_postfix(tokens, after);
		at = after;
	}
}

/* ---- Macros ---------------------------------------------------------------------------------- */

/* LLVM appends digits to names that are not unique, and ".addr" and ".i" to those of parameters and of inlined code. */
static bool is_appended(const char *rest)
{
	while (*rest) {
		if (isdigit((unsigned char)*rest))
			rest++;
		else if (strncmp(rest, ".addr", 5) == 0)
			rest += 5;
		else if (strncmp(rest, ".i", 2) == 0)
			rest += 2;
		else
			return false;
	}
	return true;
}

/* A linkage name of C++ contains names after their lengths. */
static bool is_mangled_of(const char *name, const char *word, size_t length)
{
	char digits[24];
	size_t count = 0;
	for (size_t n = length; n; n /= 10)
		digits[count++] = (char)('0' + n % 10);
	for (const char *at = strchr(name, 'Z'); at && *at; at++) {
		size_t i = 0;
		while (i < count && at[i] == digits[count - 1 - i])
			i++;
		if (i == count && !isdigit((unsigned char)at[-1]) && strncmp(at + count, word, length) == 0)
			return true;
	}
	return false;
}

static bool names(const struct wm_tokens *tokens, size_t at, const char *name)
{
	const struct wm_token *token = &tokens->token[at];
	const char *word = tokens->text + token->start;
	if (token->kind != WM_TOKEN_WORD)
		return false;
	if (strncmp(name, "_Z", 2) == 0)
		return is_mangled_of(name, word, token->length);
	return strncmp(name, word, token->length) == 0 && is_appended(name + token->length);
}

/* Whether the expression has the name outside of its arguments and subscripts. */
static bool has_name(const struct wm_tokens *tokens, size_t first, size_t end, const char *name)
{
	for (size_t i = first; *name && i < end; i++) {
		bool arguments = i > first && is_opening(tokens, i) && ends_operand(tokens, i - 1);
		if (arguments && tokens->token[i].match != WM_NO_TOKEN)
			i = tokens->token[i].match;
		else if (names(tokens, i, name))
			return true;
	}
	return false;
}

/* ---- Conditions ------------------------------------------------------------------------------ */

static bool find_unary(const struct wm_tokens *tokens, size_t at, const char *name, struct wm_condition *condition)
{
	bool word = tokens->token[at].kind == WM_TOKEN_WORD && !wm_token_in(tokens, at, not_marks);
	bool member = at > 0 && wm_token_in(tokens, at - 1, members), postfix = false;
	if (wm_token_is(tokens, at, "++") || wm_token_is(tokens, at, "--"))
		postfix = at > 0 && ends_operand(tokens, at - 1);
	condition->first = member || postfix ? chain_start(tokens, postfix ? at - 1 : at) : at;
	if (condition->first == WM_NO_TOKEN)
		return false;
	condition->end = after_unary(tokens, condition->first);
	if (condition->end == WM_NO_TOKEN || condition->end <= at || !is_end_of_condition(tokens, condition->end))
		return false;
	return !word || member || has_name(tokens, condition->first, condition->end, name);
}

static bool find_binary(const struct wm_tokens *tokens, size_t at, struct wm_condition *condition)
{
	condition->first = left_end(tokens, at);
	condition->end = right_end(tokens, at);
	return condition->first != WM_NO_TOKEN && condition->end != WM_NO_TOKEN && condition->first < at &&
	       condition->end > at + 1;
}

/* Whether the token closes the parentheses of a cast of C before an operand. */
static bool ends_cast(const struct wm_tokens *tokens, size_t at)
{
	size_t open = wm_token_is(tokens, at, ")") ? tokens->token[at].match : WM_NO_TOKEN;
	return open != WM_NO_TOKEN && !is_header(tokens, open) && (!open || !ends_operand(tokens, open - 1));
}

void wm_condition_enlarge(const struct wm_tokens *tokens, struct wm_condition *condition)
{
	for (;;) {
		size_t before = condition->first - 1, first = condition->first, end = condition->end;
		if (!first)
			return;
		if (ends_cast(tokens, before)) {
			condition->first = tokens->token[before].match;
			continue;
		}
		bool negates = wm_token_in(tokens, before, not_marks);
		bool group = wm_token_is(tokens, before, "(") && tokens->token[before].match == end &&
			     !is_header(tokens, before) && (!before || !ends_operand(tokens, before - 1));
		if (!negates && !(group && is_end_of_condition(tokens, end + 1)))
			return;
		condition->first = before;
		condition->end += group;
		condition->negated ^= negates;
	}
}

/* Whether only } and else are before the token on its line. */
static bool begins_line(const struct wm_tokens *tokens, size_t at)
{
	static const char *const before[] = {"}", "else", "do", "{", NULL};
	uint32_t line = tokens->token[at].line;
	while (at > 0 && tokens->token[at - 1].line == line)
		if (!wm_token_in(tokens, --at, before))
			return false;
	return true;
}

/* The keyword of a header. */
static size_t statement_word(const struct wm_tokens *tokens, size_t open)
{
	return open - 1 - wm_token_is(tokens, open - 1, "constexpr");
}

/* The header that a condition is in: the opening parenthesis, or WM_NO_TOKEN. */
static size_t header_of(const struct wm_tokens *tokens, size_t at)
{
	static const char *const statements[] = {"if", "while", "for", NULL};
	size_t open = wm_token_in(tokens, at, statements) ? at + 1 : tokens->token[at].inside;
	open += wm_token_is(tokens, open, "constexpr");
	while (open < tokens->count && wm_token_is(tokens, open, "(") && !is_header(tokens, open))
		open = tokens->token[open].inside;
	bool found = open < tokens->count && wm_token_is(tokens, open, "(") && tokens->token[open].match != WM_NO_TOKEN;
	return found && wm_token_in(tokens, statement_word(tokens, open), statements) ? open : WM_NO_TOKEN;
}

/* The part of a header that is the condition: between the first two semicolons of a for, after that of an if. */
static void condition_of(const struct wm_tokens *tokens, size_t open, struct wm_condition *condition)
{
	size_t close = tokens->token[open].match, semicolons = 0;
	bool loop = wm_token_is(tokens, statement_word(tokens, open), "for");
	condition->first = open + 1;
	condition->end = close;
	for (size_t i = open + 1; i < close; i++) {
		if (!wm_token_is(tokens, i, ";") || tokens->token[i].inside != open)
			continue;
		if (semicolons++ == 0)
			condition->first = i + 1;
		else if (loop && semicolons == 2)
			condition->end = i;
	}
}

bool wm_condition_statement(const struct wm_tokens *tokens, size_t at, struct wm_condition *condition)
{
	size_t open = at < tokens->count ? header_of(tokens, at) : WM_NO_TOKEN;
	if (open == WM_NO_TOKEN)
		return false;
	size_t word = statement_word(tokens, open);
	*condition = (struct wm_condition){0};
	condition_of(tokens, open, condition);
	condition->whole =
		tokens->token[word].line == tokens->token[tokens->token[open].match].line && begins_line(tokens, word);
	return at == word || (condition->first <= at && at < condition->end);
}

/* Whether an operand of && can begin after the token. */
static bool is_begin_of_condition(const struct wm_tokens *tokens, size_t at)
{
	static const char *const marks[] = {"&&", "||", "}", NULL};
	if (wm_token_is(tokens, at, ")"))
		return tokens->token[at].match != WM_NO_TOKEN && is_header(tokens, tokens->token[at].match);
	return is_separator(tokens, at) || is_opening(tokens, at) || precedence(tokens, at) == ASSIGNMENT ||
	       is_leading_word(tokens, at) || wm_token_in(tokens, at, marks);
}

bool wm_condition_expression(
	const struct wm_tokens *tokens, size_t at, const char *name, struct wm_condition *condition)
{
	struct wm_condition statement;
	if (at >= tokens->count)
		return false;
	*condition = (struct wm_condition){0};
	bool found =
		is_binary(tokens, at) ? find_binary(tokens, at, condition) : find_unary(tokens, at, name, condition);
	if (!found)
		return false;
	wm_condition_enlarge(tokens, condition);
	if (condition->first && !is_begin_of_condition(tokens, condition->first - 1))
		return false;
	condition->whole = wm_condition_statement(tokens, condition->first, &statement) && statement.whole &&
			   statement.first == condition->first && statement.end == condition->end;
	return true;
}

bool wm_condition_operand(const struct wm_tokens *tokens, size_t at, struct wm_condition *condition)
{
	*condition = (struct wm_condition){.first = at};
	if (at >= tokens->count || tokens->token[at].kind != WM_TOKEN_WORD)
		return false;
	condition->end = after_unary(tokens, at);
	if (condition->end == WM_NO_TOKEN || !is_end_of_condition(tokens, condition->end))
		return false;
	wm_condition_enlarge(tokens, condition);
	return !condition->first || is_begin_of_condition(tokens, condition->first - 1);
}

bool wm_condition_right(const struct wm_tokens *tokens, size_t at, struct wm_condition *condition)
{
	static const char *const marks[] = {"&&", "||", "and", "or", NULL};
	if (at >= tokens->count || !wm_token_in(tokens, at, marks))
		return false;
	*condition = (struct wm_condition){.first = at + 1, .end = right_end(tokens, at)};
	return condition->end != WM_NO_TOKEN && condition->end > condition->first;
}

bool wm_condition_balance(const struct wm_tokens *tokens, size_t *first, size_t *end)
{
	for (size_t i = *first; i < *end; i++) {
		size_t match = tokens->token[i].match;
		if (!is_opening(tokens, i) && !is_closing(tokens, i))
			continue;
		if (match == WM_NO_TOKEN)
			return false;
		if (match >= *end)
			*end = match + 1;
		if (match < *first)
			i = *first = match;
	}
	bool part = wm_token_is(tokens, *first, "(") && tokens->token[*first].match + 1 < *end;
	while (part && *first > 0 && wm_token_in(tokens, *first - 1, not_marks))
		--*first;
	return true;
}

/* ---- The statements of a condition ---------------------------------------------------------- */

enum { DEEPEST = 100 };

/* The index after the statement that begins with a token; WM_NO_TOKEN: not known. */
static size_t after_statement(const struct wm_tokens *tokens, size_t at, unsigned depth)
{
	static const char *const headed[] = {"if", "while", "for", "switch", NULL};
	if (at >= tokens->count || depth > DEEPEST)
		return WM_NO_TOKEN;
	if (wm_token_is(tokens, at, "{"))
		return tokens->token[at].match == WM_NO_TOKEN ? WM_NO_TOKEN : tokens->token[at].match + 1;
	if (wm_token_is(tokens, at, "do"))
		at = after_statement(tokens, at + 1, depth + 1);
	if (wm_token_in(tokens, at, headed)) {
		bool choice = wm_token_is(tokens, at, "if");
		size_t open = at + 1 + wm_token_is(tokens, at + 1, "constexpr");
		size_t close = wm_token_is(tokens, open, "(") ? tokens->token[open].match : WM_NO_TOKEN;
		if (close == WM_NO_TOKEN)
			return WM_NO_TOKEN;
		size_t after = after_statement(tokens, close + 1, depth + 1);
		return choice && wm_token_is(tokens, after, "else") ? after_statement(tokens, after + 1, depth + 1)
								    : after;
	}
	while (at < tokens->count && !wm_token_is(tokens, at, ";")) {
		if (is_closing(tokens, at))
			return WM_NO_TOKEN;
		if (is_opening(tokens, at) && tokens->token[at].match == WM_NO_TOKEN)
			return WM_NO_TOKEN;
		at = is_opening(tokens, at) ? tokens->token[at].match + 1 : at + 1;
	}
	return at < tokens->count ? at + 1 : WM_NO_TOKEN;
}

/* The body of do { … } while. */
static bool is_in_do(const struct wm_tokens *tokens, size_t word, size_t target)
{
	if (!wm_token_is(tokens, word, "while") || !word || !wm_token_is(tokens, word - 1, "}"))
		return false;
	size_t open = tokens->token[word - 1].match;
	return open != WM_NO_TOKEN && open && wm_token_is(tokens, open - 1, "do") && open <= target && target < word;
}

enum wm_side wm_condition_side(const struct wm_tokens *tokens, size_t at, size_t target)
{
	size_t open = at < tokens->count && target < tokens->count ? header_of(tokens, at) : WM_NO_TOKEN;
	if (open == WM_NO_TOKEN)
		return WM_SIDE_UNKNOWN;
	size_t word = statement_word(tokens, open), body = tokens->token[open].match + 1;
	if (is_in_do(tokens, word, target))
		return WM_SIDE_HOLDS;
	size_t after = after_statement(tokens, body, 0);
	if (after == WM_NO_TOKEN)
		return WM_SIDE_UNKNOWN;
	if (body <= target && target < after)
		return WM_SIDE_HOLDS;
	if (!wm_token_is(tokens, word, "if") || !wm_token_is(tokens, after, "else"))
		return WM_SIDE_UNKNOWN;
	size_t end = after_statement(tokens, after + 1, 0);
	return end != WM_NO_TOKEN && after < target && target < end ? WM_SIDE_FAILS : WM_SIDE_UNKNOWN;
}

bool wm_condition_statement_ends(const struct wm_tokens *tokens, uint32_t first, uint32_t last)
{
	static const char *const ends[] = {";", "{", "}", NULL};
	size_t i;
	WM_LOWER_BOUND(i, 0, tokens->count, tokens->token[i].line < first);
	for (; i < tokens->count && tokens->token[i].line < last; i++)
		if (wm_token_in(tokens, i, ends))
			return true;
	return i == tokens->count;
}
