/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/cross.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

/* Cuts the next word out of *rest; NULL: there is none. */
static char *next_word(char **rest)
{
	*rest += strspn(*rest, blanks);
	char *word = *rest;
	*rest += strcspn(*rest, blanks);
	if (**rest)
		*(*rest)++ = 0;
	return *word ? word : NULL;
}

/* CALLER or CALLER:LINE.  Linkage names have no colons. */
static bool parse_caller(struct wm_cross_rule *rule, char *word)
{
	char *colon = strchr(word, ':'), *end;
	rule->caller = word;
	if (!colon)
		return true;
	*colon++ = 0;
	unsigned long line = strtoul(colon, &end, 10);
	rule->line = (uint32_t)line;
	return *word && *colon >= '0' && *colon <= '9' && !*end && line > 0 && line < UINT32_MAX;
}

/* False: the line is not a rule. */
static bool parse_rule(struct wm_cross_rule *rule, char *line)
{
	line += strspn(line, blanks);
	rule->never = *line == '!' || *line == '-';
	line += rule->never;
	char *first = next_word(&line), *second = next_word(&line);
	rule->callee = second ? second : first;
	return first && !next_word(&line) && (!second || parse_caller(rule, first));
}

static size_t count_lines(const char *text)
{
	size_t count = 1;
	while ((text = strchr(text, '\n'))) {
		count++;
		text++;
	}
	return count;
}

bool wm_cross_list_parse(struct wm_cross_list *list, char *text, char error[300])
{
	uint32_t at = 0;
	*list = (struct wm_cross_list){.text = text, .rule = calloc(count_lines(text), sizeof *list->rule)};
	snprintf(error, 300, "out of memory");
	if (!list->rule)
		return false;
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
		struct wm_cross_rule rule = {.at = ++at};
		line[strcspn(line, "#")] = 0;
		if (!line[strspn(line, blanks)])
			continue;
		if (!parse_rule(&rule, line)) {
			snprintf(error, 300, "line %u is not [!][CALLER[:LINE]] CALLEE", at);
			return false;
		}
		list->rule[list->count++] = rule;
	}
	return true;
}

void wm_cross_list_release(struct wm_cross_list *list)
{
	free(list->rule);
	free(list->text);
	*list = (struct wm_cross_list){0};
}

static bool has_line(const struct wm_map_block *block, uint32_t line)
{
	for (uint32_t i = 0; i < block->line_count; i++)
		if (block->line[i].line == line)
			return true;
	return false;
}

static bool matches(const struct wm_cross_rule *rule, const struct wm_map_function *caller, const struct wm_call *call,
	const char *callee)
{
	return !fnmatch(rule->callee, callee, 0) && (!rule->caller || !fnmatch(rule->caller, caller->name, 0)) &&
	       (!rule->line || has_line(&caller->block[call->block], rule->line));
}

enum wm_cross_choice wm_cross_list_choose(struct wm_cross_list *list, const struct wm_map_function *caller,
	const struct wm_call *call, const char *callee)
{
	enum wm_cross_choice choice = WM_CROSS_BY_WEIGHT;
	for (size_t i = 0; i < list->count; i++) {
		if (!matches(&list->rule[i], caller, call, callee))
			continue;
		list->rule[i].matched = true;
		choice = list->rule[i].never ? WM_CROSS_NEVER : WM_CROSS_FIRST;
	}
	return choice;
}
