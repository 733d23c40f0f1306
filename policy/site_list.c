/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/site_list.h"
#include <errno.h>
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

/* A number that `stop` ends; *text is moved after it.  UINT32_MAX: there is none. */
static uint32_t parse_number(char **text, char stop)
{
	char *end;
	unsigned long number = strtoul(*text, &end, 10);
	bool good = **text >= '0' && **text <= '9' && *end == stop && number < UINT32_MAX;
	*text = good && stop ? end + 1 : end;
	return good ? (uint32_t)number : UINT32_MAX;
}

/* CALLER, CALLER:LINE or CALLER@BLOCK.POSITION.  Linkage names have no colons, but may have an @. */
static bool parse_caller(struct wm_cross_rule *rule, char *word)
{
	char *colon = strchr(word, ':'), *at = colon ? NULL : strrchr(word, '@');
	rule->caller = word;
	if (at) {
		*at++ = 0;
		rule->has_place = true;
		rule->block = parse_number(&at, '.');
		rule->position = parse_number(&at, 0);
		return *word && rule->block != UINT32_MAX && rule->position != UINT32_MAX;
	}
	if (!colon)
		return true;
	*colon++ = 0;
	rule->line = parse_number(&colon, 0);
	return *word && rule->line != UINT32_MAX && rule->line > 0;
}

static bool parse_count(struct wm_cross_rule *rule, const char *word)
{
	char *end;
	errno = 0;
	rule->count = strtoull(word, &end, 10);
	return *word >= '0' && *word <= '9' && !*end && !errno && rule->has_place && !rule->never;
}

/* False: the line is not a rule. */
static bool parse_rule(struct wm_cross_rule *rule, char *line)
{
	line += strspn(line, blanks);
	rule->never = *line == '!' || *line == '-';
	line += rule->never;
	char *first = next_word(&line), *second = next_word(&line), *third = next_word(&line);
	rule->callee = second ? second : first;
	return first && !next_word(&line) && (!second || parse_caller(rule, first)) &&
	       (!third || parse_count(rule, third));
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

bool wm_site_list_parse(struct wm_site_list *list, char *text, char error[300])
{
	uint32_t at = 0;
	*list = (struct wm_site_list){.text = text, .rule = calloc(count_lines(text), sizeof *list->rule)};
	snprintf(error, 300, "out of memory");
	if (!list->rule)
		return false;
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
		struct wm_cross_rule rule = {.at = ++at, .count = 1};
		line[strcspn(line, "#")] = 0;
		if (!line[strspn(line, blanks)])
			continue;
		if (!parse_rule(&rule, line)) {
			snprintf(error, 300,
				"line %u is not [!][CALLER[:LINE]] CALLEE or CALLER@BLOCK.POSITION CALLEE [COUNT]", at);
			return false;
		}
		list->rule[list->count++] = rule;
	}
	return true;
}

void wm_site_list_release(struct wm_site_list *list)
{
	free(list->rule);
	free(list->text);
	*list = (struct wm_site_list){0};
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
	       (!rule->line || has_line(&caller->block[call->block], rule->line)) &&
	       (!rule->has_place || (rule->block == call->block && rule->position == call->position));
}

const struct wm_cross_rule *wm_site_list_find(
	struct wm_site_list *list, const struct wm_map_function *caller, const struct wm_call *call, const char *callee)
{
	const struct wm_cross_rule *found = NULL;
	for (size_t i = 0; i < list->count; i++) {
		if (!matches(&list->rule[i], caller, call, callee))
			continue;
		list->rule[i].matched = true;
		found = &list->rule[i];
	}
	return found;
}

enum wm_cross_choice wm_site_list_choose(
	struct wm_site_list *list, const struct wm_map_function *caller, const struct wm_call *call, const char *callee)
{
	const struct wm_cross_rule *rule = wm_site_list_find(list, caller, call, callee);
	return !rule ? WM_CROSS_BY_WEIGHT : rule->never ? WM_CROSS_NEVER : WM_CROSS_FIRST;
}

struct wm_cross_rule *wm_site_list_target(const struct wm_site_list *list, const struct wm_cross_rule *from,
	const struct wm_map_function *caller, const struct wm_call *call)
{
	for (size_t i = from ? (size_t)(from - list->rule) : 0; i < list->count; i++) {
		struct wm_cross_rule *rule = &list->rule[i];
		if (rule->has_place && !rule->never && matches(rule, caller, call, rule->callee))
			return rule;
	}
	return NULL;
}
