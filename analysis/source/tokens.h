/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tokens of a C or C++ file, with their brackets matched: just enough to find the extent of an expression.
 *
 * Comments and preprocessor directives are no tokens, and macros are not expanded.  Of the alternatives of a conditional
 * directive, each begins with the brackets that were open before the first.  Any text can be read: a bracket without a
 * partner has none, and a literal ends at the end of its line at the latest.
 */
#ifndef WM_ANALYSIS_SOURCE_TOKENS_H
#define WM_ANALYSIS_SOURCE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_token_kind {
	WM_TOKEN_WORD, /* an identifier or a keyword */
	WM_TOKEN_NUMBER,
	WM_TOKEN_LITERAL, /* a string or a character */
	WM_TOKEN_PUNCTUATOR, /* a punctuator: the longest that fits, such as <<= */
};

#define WM_NO_TOKEN SIZE_MAX
struct wm_token {
	size_t start, length; /* bytes of the text */
	enum wm_token_kind kind;
	uint32_t line; /* from 1 on */
	size_t match; /* of a bracket: the other one; otherwise WM_NO_TOKEN */
	size_t inside; /* the innermost open bracket around the token, or WM_NO_TOKEN */
};
struct wm_tokens {
	const char *text;
	size_t count;
	struct wm_token *token;
};

/* The text must stay. */
void wm_tokens_make(struct wm_tokens *tokens, const char *text, size_t size);
void wm_tokens_release(struct wm_tokens *tokens);

/* The token that contains a byte of the text, or WM_NO_TOKEN. */
size_t wm_tokens_at(const struct wm_tokens *tokens, size_t offset);
/* Whether there is such a token, with this spelling. */
bool wm_token_is(const struct wm_tokens *tokens, size_t index, const char *spelling);
/* The same for one of several spellings, which end with NULL. */
bool wm_token_in(const struct wm_tokens *tokens, size_t index, const char *const *spelling);
/* Tokens first … end - 1 as one line: white space and comments become one space.  Text for which there is no room is
 * replaced by " ...". */
void wm_tokens_text(const struct wm_tokens *tokens, size_t first, size_t end, char *text, size_t size);

#endif
