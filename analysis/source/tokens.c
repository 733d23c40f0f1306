/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/source/tokens.h"
#include "core/base/search.h"
#include "support/xalloc.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct stack {
	size_t count;
	size_t *open; /* indices of tokens */
};

struct lexer {
	struct wm_tokens *tokens;
	const char *text;
	size_t at, size;
	uint32_t line;
	bool line_begins; /* only white space so far: # begins a directive */
	struct stack brackets;
	size_t saved_count;
	struct stack *saved; /* per conditional directive that is open: the brackets before it */
};

static char peek(const struct lexer *x, size_t ahead)
{
	return x->at + ahead < x->size ? x->text[x->at + ahead] : 0;
}

static void skip_bytes(struct lexer *x, size_t count)
{
	for (; count && x->at < x->size; count--)
		x->line += x->text[x->at++] == '\n';
}

/* To the end of the line, of which backslashes make the next line a part. */
static void skip_line(struct lexer *x)
{
	while (x->at < x->size && peek(x, 0) != '\n') {
		bool goes_on = peek(x, 0) == '\\' && (peek(x, 1) == '\n' || (peek(x, 1) == '\r' && peek(x, 2) == '\n'));
		skip_bytes(x, goes_on ? 1 + (peek(x, 1) == '\r') + 1 : 1);
	}
}

static void skip_comment(struct lexer *x)
{
	skip_bytes(x, 2);
	while (x->at < x->size && !(peek(x, 0) == '*' && peek(x, 1) == '/'))
		skip_bytes(x, 1);
	skip_bytes(x, 2);
}

static struct stack copy_of(const struct stack *stack)
{
	struct stack copy = {0};
	while (copy.count < stack->count) {
		WM_XGROW(copy.open, copy.count);
		copy.open[copy.count] = stack->open[copy.count];
		copy.count++;
	}
	return copy;
}

static void restore_brackets(struct lexer *x, bool last)
{
	if (!x->saved_count)
		return;
	struct stack *before = &x->saved[x->saved_count - 1];
	if (last) {
		free(before->open);
		x->saved_count--;
		return;
	}
	free(x->brackets.open);
	x->brackets = copy_of(before);
}

static bool follows(const struct lexer *x, const char *word)
{
	return x->size - x->at >= strlen(word) && strncmp(x->text + x->at, word, strlen(word)) == 0;
}

static void directive(struct lexer *x)
{
	skip_bytes(x, 1);
	while (peek(x, 0) == ' ' || peek(x, 0) == '\t')
		skip_bytes(x, 1);
	if (follows(x, "if")) {
		WM_XGROW(x->saved, x->saved_count);
		x->saved[x->saved_count++] = copy_of(&x->brackets);
	} else if (follows(x, "el")) {
		restore_brackets(x, false);
	} else if (follows(x, "endif")) {
		restore_brackets(x, true);
	}
	skip_line(x);
}

static size_t add_token(struct lexer *x, size_t length, enum wm_token_kind kind)
{
	struct wm_tokens *tokens = x->tokens;
	WM_XGROW(tokens->token, tokens->count);
	tokens->token[tokens->count] = (struct wm_token){.start = x->at,
		.length = length,
		.kind = kind,
		.line = x->line,
		.match = WM_NO_TOKEN,
		.inside = x->brackets.count ? x->brackets.open[x->brackets.count - 1] : WM_NO_TOKEN};
	skip_bytes(x, length);
	return tokens->count++;
}

/* The length of a literal that begins `prefix` bytes ahead. */
static size_t literal_length(const struct lexer *x, size_t prefix)
{
	char quote = peek(x, prefix);
	size_t end = prefix + 1;
	while (x->at + end < x->size && peek(x, end) != quote && peek(x, end) != '\n')
		end += peek(x, end) == '\\' ? 2 : 1;
	size_t left = x->size - x->at;
	return end + 1 > left ? left : end + (peek(x, end) == quote);
}

/* R"x( … )x" */
static size_t raw_length(const struct lexer *x, size_t prefix)
{
	const char *from = x->text + x->at + prefix + 1, *end = x->text + x->size;
	const char *open = memchr(from, '(', (size_t)(end - from));
	size_t name = open ? (size_t)(open - from) : 17;
	for (const char *at = open; name <= 16 && at < end; at++)
		if (*at == ')' && (size_t)(end - at) > name + 1 && strncmp(at + 1, from, name) == 0 &&
			at[name + 1] == '"')
			return (size_t)(at - (x->text + x->at)) + name + 2;
	return literal_length(x, prefix);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t number_length(const struct lexer *x)
{
	size_t length = 1;
	for (;; length++) {
		char c = peek(x, length), before = peek(x, length - 1);
		bool sign = (c == '+' || c == '-') && before && strchr("eEpP", before) && peek(x, 1) != 'x' &&
			    peek(x, 1) != 'X';
		bool separator = c == '\'' && is_word(peek(x, length + 1));
		if (!is_word(c) && c != '.' && !sign && !separator)
			return length;
	}
}

static void word(struct lexer *x)
{
	size_t length = 0;
	while (is_word(peek(x, length)))
		length++;
	char quote = peek(x, length), last = peek(x, length - 1);
	bool prefix = length <= 3 && (quote == '"' || quote == '\'') && memchr("uULR8", last, 5);
	if (prefix)
		add_token(x, last == 'R' && quote == '"' ? raw_length(x, length) : literal_length(x, length),
			WM_TOKEN_LITERAL);
	else
		add_token(x, length, WM_TOKEN_WORD);
}

static size_t mark_length(const struct lexer *x)
{
	static const char *const longer[] = {"<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--", "<<", ">>",
		"<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", ".*", "##"};
	for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
		if (follows(x, longer[i]))
			return strlen(longer[i]);
	return 1;
}

static void close_bracket(struct lexer *x, size_t index)
{
	struct wm_token *token = x->tokens->token;
	if (!x->brackets.count)
		return;
	size_t open = x->brackets.open[--x->brackets.count];
	token[index].inside = token[open].inside;
	token[index].match = open;
	token[open].match = index;
}

static void lex_mark(struct lexer *x)
{
	char c = peek(x, 0);
	size_t index = add_token(x, mark_length(x), WM_TOKEN_PUNCTUATOR);
	if (strchr("([{", c)) {
		WM_XGROW(x->brackets.open, x->brackets.count);
		x->brackets.open[x->brackets.count++] = index;
	} else if (strchr(")]}", c)) {
		close_bracket(x, index);
	}
}

static void lex_token(struct lexer *x)
{
	char c = peek(x, 0), second = peek(x, 1);
	bool begins = x->line_begins;
	if (isspace((unsigned char)c) || c == '\\' || !c) {
		x->line_begins |= c == '\n';
		skip_bytes(x, 1);
	} else if (c == '/' && second == '*') {
		skip_comment(x);
	} else if (c == '/' && second == '/') {
		skip_line(x);
	} else if (c == '#' && begins) {
		directive(x);
	} else {
		x->line_begins = false;
		if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)second)))
			add_token(x, number_length(x), WM_TOKEN_NUMBER);
		else if (is_word(c))
			word(x);
		else if (c == '"' || c == '\'')
			add_token(x, literal_length(x, 0), WM_TOKEN_LITERAL);
		else
			lex_mark(x);
	}
}

void wm_tokens_make(struct wm_tokens *tokens, const char *text, size_t size)
{
	struct lexer x = {.tokens = tokens, .text = text, .size = size, .line = 1, .line_begins = true};
	*tokens = (struct wm_tokens){.text = text};
	while (x.at < x.size)
		lex_token(&x);
	while (x.saved_count)
		restore_brackets(&x, true);
	free(x.saved);
	free(x.brackets.open);
}

void wm_tokens_release(struct wm_tokens *tokens)
{
	free(tokens->token);
	*tokens = (struct wm_tokens){0};
}

size_t wm_tokens_at(const struct wm_tokens *tokens, size_t offset)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, tokens->count, tokens->token[i].start + tokens->token[i].length <= offset);
	return i < tokens->count && tokens->token[i].start <= offset ? i : WM_NO_TOKEN;
}

bool wm_token_is(const struct wm_tokens *tokens, size_t index, const char *spelling)
{
	if (index >= tokens->count)
		return false;
	const struct wm_token *token = &tokens->token[index];
	return token->length == strlen(spelling) && strncmp(tokens->text + token->start, spelling, token->length) == 0;
}

bool wm_token_in(const struct wm_tokens *tokens, size_t index, const char *const *spelling)
{
	for (; *spelling; spelling++)
		if (wm_token_is(tokens, index, *spelling))
			return true;
	return false;
}

void wm_tokens_text(const struct wm_tokens *tokens, size_t first, size_t end, char *text, size_t size)
{
	static const char more[] = " ...";
	size_t used = 0;
	text[0] = 0;
	for (size_t i = first; i < end && i < tokens->count; i++) {
		const struct wm_token *token = &tokens->token[i];
		bool space = i > first && token[-1].start + token[-1].length < token->start;
		size_t room = i + 1 < end ? sizeof more : 1;
		if (used + space + token->length + room > size) {
			if (used + sizeof more <= size)
				memcpy(text + used, more, sizeof more);
			return;
		}
		if (space)
			text[used++] = ' ';
		for (size_t c = 0; c < token->length; c++) {
			unsigned char byte = (unsigned char)tokens->text[token->start + c];
			text[used++] = byte < ' ' || byte == 0x7f ? ' ' : (char)byte;
		}
		text[used] = 0;
	}
}
