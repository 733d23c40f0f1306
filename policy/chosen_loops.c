/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/chosen_loops.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The list ----------------------------------------------------------------- */

static bool read_number(const char *text, uint32_t most, uint32_t *value)
{
	char *end;
	unsigned long read = strtoul(text, &end, 10);
	*value = (uint32_t)read;
	return *text >= '0' && *text <= '9' && !*end && read >= 1 && read <= most;
}

/* Functions may have colons in their names: what counts are the last two. */
static bool parse_choice(struct wm_loop_choice *choice, char *word)
{
	char *k = strrchr(word, ':');
	if (!k)
		return false;
	*k++ = 0;
	char *line = strrchr(word, ':');
	if (!line || line == word)
		return false;
	*line++ = 0;
	choice->function = word;
	return read_number(line, UINT32_MAX - 1, &choice->line) && read_number(k, WM_MAX_K, &choice->k);
}

static void drop_comments(char *text)
{
	for (bool comment = false; *text; text++) {
		comment = *text != '\n' && (comment || *text == '#');
		if (comment)
			*text = ' ';
	}
}

bool wm_loop_choices_parse(struct wm_loop_choices *choices, char *text, char error[300])
{
	static const char separators[] = ", \t\r\n";
	*choices = (struct wm_loop_choices){.text = text};
	choices->choice = calloc(strlen(text) / 2 + 1, sizeof *choices->choice);
	snprintf(error, 300, "out of memory");
	if (!choices->choice)
		return false;
	drop_comments(text);
	char *rest, *copy = strdup(text);
	for (char *word = strtok_r(text, separators, &rest), *at; copy && word;
		word = strtok_r(NULL, separators, &rest)) {
		at = copy + (word - text);
		at[strcspn(at, separators)] = 0;
		if (!parse_choice(&choices->choice[choices->count++], word)) {
			snprintf(error, 300,
				"'%.100s' is no choice of a loop: expected FUNCTION:LINE:K, K from 1 to %d", at,
				WM_MAX_K);
			free(copy);
			return false;
		}
	}
	free(copy);
	return copy != NULL;
}

void wm_loop_choices_release(struct wm_loop_choices *choices)
{
	free(choices->text);
	free(choices->choice);
}

/* ---- A function's loops ---------------------------------------------------------- */

static uint32_t line_of(const struct wm_map_block *block)
{
	for (uint32_t i = 0; i < block->line_count; i++)
		if (block->line[i].line)
			return block->line[i].line;
	return block->decision.line;
}

/* The line of the head that stands on `line` or is the first after it; 0: none is. */
static uint32_t nearest_line(const struct wm_map_function *function, const struct wm_dfs *dfs, uint32_t line)
{
	uint32_t best = 0;
	for (uint32_t b = 0; b < function->graph.block_count; b++) {
		uint32_t at = dfs->is_head[b] ? line_of(&function->block[b]) : 0;
		if (at >= line && (!best || at < best))
			best = at;
	}
	return best;
}

struct text {
	char *data;
	size_t used, size;
};

static void name_heads(
	struct text *text, const struct wm_map_function *function, const struct wm_dfs *dfs, uint32_t line, uint32_t k)
{
	for (uint32_t b = 0; b < function->graph.block_count; b++)
		if (dfs->is_head[b] && line_of(&function->block[b]) == line)
			text->used +=
				(size_t)snprintf(text->data + text->used, text->size - text->used, ",%u:%u", b, k);
}

const char *wm_loop_choices_scheme(const struct wm_loop_choices *choices, const char *scheme,
	const struct wm_map_function *function, const struct wm_loop_choice **missed, struct wm_arena *arena)
{
	struct wm_dfs dfs;
	struct text text = {.used = strlen(scheme)};
	size_t matching = 0;
	*missed = NULL;
	for (size_t i = 0; i < choices->count; i++)
		matching += !fnmatch(choices->choice[i].function, function->name, 0);
	if (!matching)
		return scheme;
	/* Two numbers of at most ten digits for every block and choice. */
	text.size = text.used + 1 + matching * 24 * function->graph.block_count;
	text.data = WM_NEW(arena, char, text.size);
	if (!text.data || wm_dfs_run(&dfs, &function->graph, arena) != WM_OK)
		return NULL;
	memcpy(text.data, scheme, text.used + 1);
	for (size_t i = 0; i < choices->count; i++) {
		const struct wm_loop_choice *choice = &choices->choice[i];
		if (fnmatch(choice->function, function->name, 0))
			continue;
		uint32_t line = nearest_line(function, &dfs, choice->line);
		if (line)
			name_heads(&text, function, &dfs, line, choice->k);
		else if (!*missed)
			*missed = choice;
	}
	return text.data;
}
