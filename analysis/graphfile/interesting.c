/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/graphfile/interesting.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct word {
	const char *text;
	size_t length;
};

struct reader {
	const struct wm_interesting *file;
	const struct wm_cfg_function *wanted, *current;
	const struct wm_plan *plan;
	const char *line; /* its first character */
	uint32_t line_number;
	struct word *word;
	uint32_t *block;
	size_t word_count;
	uint64_t *id;
	size_t id_count;
};

#define FAIL(r, w, format, ...) \
	wm_fail("%s:%u:%zu: " format, (r)->file->path, (r)->line_number, (size_t)((w)->text - (r)->line) + 1, \
		__VA_ARGS__)

void wm_interesting_load(struct wm_interesting *interesting, const char *path, const struct wm_cfg *cfg)
{
	*interesting = (struct wm_interesting){.path = strcmp(path, "-") == 0 ? "<stdin>" : path, .cfg = cfg};
	if (!wm_buffer_read(&interesting->text, path))
		wm_fail("cannot read %s: %s", path, strerror(errno));
}

void wm_interesting_release(struct wm_interesting *interesting)
{
	wm_buffer_release(&interesting->text);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void add_word(struct reader *r, const char *text, size_t length)
{
	WM_XGROW(r->word, r->word_count);
	WM_XGROW(r->block, r->word_count);
	r->word[r->word_count++] = (struct word){text, length};
}

/* Splits the line into words; returns the beginning of the next line. */
static const char *split_line(struct reader *r, const char *at, const char *end)
{
	const char *stop = memchr(at, '\n', (size_t)(end - at)), *next = stop ? stop + 1 : end;
	stop = stop ? stop : end;
	const char *comment = memchr(at, '#', (size_t)(stop - at));
	stop = comment ? comment : stop;
	r->word_count = 0;
	while (at < stop) {
		const char *begin = at;
		while (at < stop && !is_space(*at))
			at++;
		if (at > begin)
			add_word(r, begin, (size_t)(at - begin));
		while (at < stop && is_space(*at))
			at++;
	}
	return next;
}

static bool word_is(const struct word *word, const char *text)
{
	return strlen(text) == word->length && memcmp(word->text, text, word->length) == 0;
}

/* The function exists: the whole file is checked when it is read for the first function. */
static void change_function(struct reader *r)
{
	const struct wm_cfg *cfg = r->file->cfg;
	const struct word *name = &r->word[1];
	r->current = word_is(name, r->wanted->name) ? r->wanted : NULL;
	if (r->wanted != &cfg->function[0])
		return;
	for (uint32_t f = 0; f < cfg->function_count; f++)
		if (word_is(name, cfg->function[f].name))
			return;
	FAIL(r, name, "the graph file has no function '%.*s'", (int)name->length, name->text);
}

static bool is_number(const struct word *word)
{
	for (size_t i = 0; i < word->length; i++)
		if (word->text[i] < '0' || word->text[i] > '9')
			return false;
	return true;
}

static uint64_t read_id(struct reader *r)
{
	const struct word *word = &r->word[0];
	uint64_t id = 0, paths = r->plan->numbering.path_count;
	for (size_t i = 0; i < word->length; i++)
		if (__builtin_mul_overflow(id, 10, &id) ||
			__builtin_add_overflow(id, (uint64_t)(word->text[i] - '0'), &id))
			id = UINT64_MAX, i = word->length;
	if (id >= paths)
		FAIL(r, word, "function '%s' has no path %.*s; ids are below %" PRIu64, r->current->name,
			(int)word->length, word->text, paths);
	return id;
}

static uint64_t read_blocks(struct reader *r)
{
	const struct word *last = &r->word[r->word_count - 1];
	uint64_t id = 0;
	for (size_t i = 0; i < r->word_count; i++) {
		const struct word *word = &r->word[i];
		r->block[i] = wm_cfg_find_block(r->current, word->text, word->length);
		if (r->block[i] == WM_NONE)
			FAIL(r, word, "function '%s' has no block '%.*s'", r->current->name, (int)word->length,
				word->text);
		if (i && wm_graph_find_edge(&r->current->graph, r->block[i - 1], r->block[i]) == WM_NONE)
			FAIL(r, word, "block '%s' of function '%s' has no successor '%.*s'",
				r->current->block_name[r->block[i - 1]], r->current->name, (int)word->length,
				word->text);
	}
	enum wm_status status = wm_plan_encode(r->plan, r->block, (uint32_t)r->word_count, &id);
	if (status == WM_UNKNOWN)
		FAIL(r, last, "several paths end in '%.*s'; name the block that follows it as well", (int)last->length,
			last->text);
	if (status != WM_OK)
		FAIL(r, &r->word[0], "no path of function '%s' has these blocks from start to end", r->current->name);
	return id;
}

static void read_path(struct reader *r)
{
	WM_XGROW(r->id, r->id_count);
	bool number = r->word_count == 1 && is_number(&r->word[0]);
	r->id[r->id_count++] = number ? read_id(r) : read_blocks(r);
}

static void read_line(struct reader *r)
{
	if (r->word_count == 2 && word_is(&r->word[0], "function"))
		change_function(r);
	else if (r->word_count && r->current == r->wanted)
		read_path(r);
}

void wm_interesting_set(const struct wm_interesting *interesting, const struct wm_cfg_function *function,
	const struct wm_plan *plan, struct wm_path_set *set, struct wm_arena *arena)
{
	struct reader r = {
		.file = interesting, .wanted = function, .plan = plan, .current = &interesting->cfg->function[0]};
	const char *at = (const char *)interesting->text.data, *end = at + interesting->text.size;
	while (at < end) {
		r.line = at;
		r.line_number++;
		at = split_line(&r, at, end);
		read_line(&r);
	}
	if (wm_path_set_make(set, plan, r.id, r.id_count, arena) != WM_OK)
		wm_no_memory();
	free(r.word);
	free(r.block);
	free(r.id);
}
