/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The text is read three times instead of being stored as tokens.  The first reading checks the grammar and computes
 * sizes.  Then, function by function, the second collects the names of the blocks and the third resolves the
 * successors, which may refer to blocks further down.
 */
#include "core/graph/cfgtext.h"
#include <string.h>

/* Keeps every count of things in the text within 32 bits. */
#define MAX_TEXT ((size_t)1 << 31)

enum token_kind { TOKEN_NAME, TOKEN_ARROW, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_NEWLINE, TOKEN_END, TOKEN_BAD };

struct token {
	enum token_kind kind;
	const char *text;
	uint32_t length, line, column;
};

struct reader {
	const char *at, *end, *line_start;
	uint32_t line;
	struct wm_cfg_error *error;
};

/* Room for both names of a sentence and all its words. */
#define MAX_QUOTED 48

static struct token words(const char *text)
{
	return (struct token){.text = text, .length = (uint32_t)strlen(text)};
}

static size_t append_text(char *text, size_t used, size_t room, const char *piece, size_t length)
{
	size_t left = room - 1 - used;
	length = length < left ? length : left;
	memcpy(text + used, piece, length);
	text[used + length] = '\0';
	return used + length;
}

/* In the sentence, @ stands for the next name, in quotes, and % for the next words. */
static enum wm_status fail(const struct reader *reader, const struct token *where, const char *sentence,
	const struct token *first, const struct token *second)
{
	struct wm_cfg_error *error = reader->error;
	size_t used = 0, room = sizeof error->text;
	error->line = where->line;
	error->column = where->column;
	error->text[0] = '\0';
	for (const char *c = sentence; *c; c++) {
		if (*c != '@' && *c != '%') {
			used = append_text(error->text, used, room, c, 1);
			continue;
		}
		uint32_t length = *c == '@' && first->length > MAX_QUOTED ? MAX_QUOTED : first->length;
		used = append_text(error->text, used, room, "'", *c == '@');
		used = append_text(error->text, used, room, first->text, length);
		used = append_text(error->text, used, room, "'", *c == '@');
		first = second;
	}
	return WM_BAD_GRAPH;
}

/* ---- Tokens ------------------------------------------------------------- */

static bool is_name_char(char c)
{
	static const bool in_names[256] = {['a' ... 'z'] = true,
		['A' ... 'Z'] = true,
		['0' ... '9'] = true,
		['_'] = true,
		['.'] = true,
		['$'] = true};
	return in_names[(unsigned char)c];
}

static void skip_blank(struct reader *reader)
{
	while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r'))
		reader->at++;
	if (reader->at < reader->end && *reader->at == '#')
		while (reader->at < reader->end && *reader->at != '\n')
			reader->at++;
}

static enum token_kind read_kind(struct reader *reader)
{
	if (reader->at == reader->end)
		return TOKEN_END;
	char c = *reader->at++;
	if (is_name_char(c)) {
		while (reader->at < reader->end && is_name_char(*reader->at))
			reader->at++;
		return TOKEN_NAME;
	}
	if (c == '-' && reader->at < reader->end && *reader->at == '>') {
		reader->at++;
		return TOKEN_ARROW;
	}
	return c == '\n' ? TOKEN_NEWLINE : c == '[' ? TOKEN_OPEN : c == ']' ? TOKEN_CLOSE : TOKEN_BAD;
}

static struct token read_token(struct reader *reader)
{
	skip_blank(reader);
	struct token token = {
		.text = reader->at, .line = reader->line, .column = (uint32_t)(reader->at - reader->line_start) + 1};
	token.kind = read_kind(reader);
	token.length = (uint32_t)(reader->at - token.text);
	if (token.kind == TOKEN_NEWLINE) {
		reader->line++;
		reader->line_start = reader->at;
	}
	return token;
}

static bool is_word(const struct token *token, const char *word)
{
	return token->kind == TOKEN_NAME && token->length == strlen(word) &&
	       memcmp(token->text, word, token->length) == 0;
}

static enum wm_status unexpected(const struct reader *reader, const struct token *token, const char *wanted)
{
	static const char hex[] = "0123456789abcdef";
	struct token what = words(wanted);
	if (token->kind == TOKEN_NEWLINE || token->kind == TOKEN_END)
		return fail(reader, token, "expected % before the end of the line", &what, NULL);
	if (token->kind != TOKEN_BAD || (*token->text >= ' ' && *token->text <= '~'))
		return fail(reader, token, "expected %, found @", &what, token);
	unsigned char byte = (unsigned char)*token->text;
	struct token code = words((char[]){hex[byte >> 4], hex[byte & 15], '\0'});
	return fail(reader, token, "expected %, found byte 0x%", &what, &code);
}

/* ---- Lines -------------------------------------------------------------- */

enum line_kind { LINE_FUNCTION, LINE_BLOCK, LINE_END };

/* The head of a line; the calls, then the successors are read one by one after it. */
struct line {
	enum line_kind kind;
	struct token name;
	struct token after; /* what follows what has been read: a bracket, an arrow, or the end of the line */
};

static bool ends_line(const struct token *token)
{
	return token->kind == TOKEN_NEWLINE || token->kind == TOKEN_END;
}

/* What follows '[' up to the callee's name, and ']'. */
static enum wm_status read_callee(struct reader *reader, struct token *callee)
{
	struct token word = read_token(reader);
	if (!is_word(&word, "call"))
		return unexpected(reader, &word, "'call' and a function name");
	*callee = read_token(reader);
	if (callee->kind != TOKEN_NAME)
		return unexpected(reader, callee, "the name of the called function");
	struct token close = read_token(reader);
	return close.kind == TOKEN_CLOSE ? WM_OK : unexpected(reader, &close, "']'");
}

/* False when the line has no further call; *status tells it from an error. */
static bool read_call(struct reader *reader, struct line *line, struct token *callee, enum wm_status *status)
{
	*status = WM_OK;
	if (line->after.kind == TOKEN_OPEN) {
		*status = read_callee(reader, callee);
		line->after = *status == WM_OK ? read_token(reader) : line->after;
		return *status == WM_OK;
	}
	if (line->kind == LINE_BLOCK && line->after.kind != TOKEN_ARROW && !ends_line(&line->after))
		*status = unexpected(reader, &line->after, "'->', '[call' or the end of the line");
	return false;
}

static enum wm_status count_calls(struct reader *reader, struct line *line, uint32_t *count)
{
	struct token callee;
	enum wm_status status;
	*count = 0;
	while (read_call(reader, line, &callee, &status))
		++*count;
	return status;
}

static enum wm_status read_function_line(struct reader *reader, struct line *line)
{
	line->kind = LINE_FUNCTION;
	line->name = read_token(reader);
	if (line->name.kind != TOKEN_NAME)
		return unexpected(reader, &line->name, "a function name");
	line->after = read_token(reader);
	return ends_line(&line->after)
		       ? WM_OK
		       : unexpected(reader, &line->after, "the end of the line after the function name");
}

static enum wm_status read_line(struct reader *reader, struct line *line)
{
	struct token first;
	do
		first = read_token(reader);
	while (first.kind == TOKEN_NEWLINE);
	*line = (struct line){.kind = first.kind == TOKEN_END ? LINE_END : LINE_BLOCK, .name = first};
	if (first.kind == TOKEN_END)
		return WM_OK;
	if (first.kind != TOKEN_NAME)
		return unexpected(reader, &first, "a block name or 'function'");
	if (is_word(&first, "function"))
		return read_function_line(reader, line);
	line->after = read_token(reader);
	return WM_OK;
}

/* False at the end of the line; *status tells it from an error. */
static bool read_successor(struct reader *reader, const struct line *line, struct token *name, enum wm_status *status)
{
	*status = WM_OK;
	if (line->kind != LINE_BLOCK || line->after.kind != TOKEN_ARROW)
		return false;
	*name = read_token(reader);
	if (name->kind == TOKEN_NAME)
		return true;
	if (!ends_line(name))
		*status = unexpected(reader, name, "a successor");
	return false;
}

static enum wm_status count_successors(struct reader *reader, const struct line *line, uint32_t *count)
{
	struct token name;
	enum wm_status status;
	*count = 0;
	while (read_successor(reader, line, &name, &status))
		++*count;
	if (status == WM_OK && *count == 0 && line->after.kind == TOKEN_ARROW)
		status = fail(reader, &line->after, "expected a successor after '->'", NULL, NULL);
	return status;
}

/* Skips what is left of a line whose grammar has been checked. */
static void skip_line(struct reader *reader, const struct line *line)
{
	if (ends_line(&line->after))
		return;
	const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
	reader->at = newline ? newline + 1 : reader->end;
	reader->line += newline != NULL;
	reader->line_start = reader->at;
}

/* ---- Sections: the lines of one function --------------------------------- */

struct section {
	struct token name;
	struct reader body;
	uint32_t block_count, call_count, widest;
};

static enum wm_status read_section_line(struct reader *reader, struct line *line, struct section *section)
{
	uint32_t successors, calls;
	if (line->kind == LINE_BLOCK && !section)
		return fail(
			reader, &line->name, "expected 'function NAME' before the first block @", &line->name, NULL);
	if (line->kind != LINE_BLOCK && section && section->block_count == 0)
		return fail(reader, &section->name, "function @ has no blocks", &section->name, NULL);
	if (count_calls(reader, line, &calls) != WM_OK || count_successors(reader, line, &successors) != WM_OK)
		return WM_BAD_GRAPH;
	if (line->kind == LINE_BLOCK) {
		section->block_count++;
		section->call_count += calls;
		section->widest = successors > section->widest ? successors : section->widest;
	}
	return WM_OK;
}

struct sections {
	struct section *section;
	uint32_t count, capacity;
};

static struct section *sections_add(struct sections *sections, struct wm_arena *arena)
{
	struct section *grown =
		wm_arena_grow(arena, sections->section, &sections->capacity, sections->count, sizeof *grown);
	if (!grown)
		return NULL;
	sections->section = grown;
	return &sections->section[sections->count++];
}

/* Checks the grammar of the whole text. */
static enum wm_status read_sections(struct reader reader, struct sections *sections, struct wm_arena *arena)
{
	struct section *section = NULL;
	struct line line;
	do {
		if (read_line(&reader, &line) != WM_OK || read_section_line(&reader, &line, section) != WM_OK)
			return WM_BAD_GRAPH;
		if (line.kind != LINE_FUNCTION)
			continue;
		section = sections_add(sections, arena);
		if (!section)
			return WM_NO_MEMORY;
		*section = (struct section){.name = line.name, .body = reader};
	} while (line.kind != LINE_END);
	return section ? WM_OK : fail(&reader, &line.name, "expected at least one 'function NAME'", NULL, NULL);
}

/* ---- Names --------------------------------------------------------------- */

/* A slot of the table holds an index below the name's hash, so that a look at another
 * name is rare: names of a large graph are all over the memory. */
struct names {
	char **name;
	uint64_t *table;
	uint32_t mask;
	char *pool; /* shared by all names of the text */
};
#define FREE_SLOT UINT64_MAX

static uint32_t hash_name(const char *text, size_t length)
{
	uint64_t hash = 0xCBF29CE484222325ull;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3ull;
	return (uint32_t)(hash ^ hash >> 32);
}

/* Names are short, and most comparisons are of equals: a call would cost more than the loop. */
static bool is_named(const char *name, const char *text, size_t length)
{
	size_t i = 0;
	while (i < length && name[i] == text[i])
		i++;
	return i == length && name[i] == '\0';
}

/* The slot of that name, or the free one where it belongs. */
static uint32_t find_slot(
	char *const *names, const uint64_t *table, uint32_t mask, uint32_t hash, const char *text, size_t length)
{
	uint32_t slot = hash & mask;
	while (table[slot] != FREE_SLOT &&
		(table[slot] >> 32 != hash || !is_named(names[(uint32_t)table[slot]], text, length)))
		slot = (slot + 1) & mask;
	return slot;
}

static bool names_init(struct names *names, uint32_t count, struct wm_arena *arena)
{
	uint32_t size = 4;
	while (size / 2 < count)
		size *= 2;
	names->mask = size - 1;
	names->name = WM_NEW(arena, char *, count);
	names->table = WM_NEW(arena, uint64_t, size);
	if (!names->name || !names->table)
		return false;
	memset(names->table, 0xff, size * sizeof *names->table);
	return true;
}

static char *keep_name(char **pool, const struct token *token)
{
	char *name = *pool;
	memcpy(name, token->text, token->length);
	*pool += token->length + 1;
	return name;
}

/* False when the name is already there. */
static bool names_add(struct names *names, uint32_t index, const struct token *token)
{
	uint32_t hash = hash_name(token->text, token->length);
	uint32_t slot = find_slot(names->name, names->table, names->mask, hash, token->text, token->length);
	if (names->table[slot] != FREE_SLOT)
		return false;
	names->name[index] = keep_name(&names->pool, token);
	names->table[slot] = (uint64_t)hash << 32 | index;
	return true;
}

/* ---- Functions ----------------------------------------------------------- */

/* The calls of a block; their callees are found when all functions are known. */
static void define_calls(struct reader *reader, struct line *line, uint32_t block, char **pool,
	const struct wm_cfg_function *function, struct wm_unit_function *in_unit)
{
	struct token callee;
	enum wm_status status;
	for (uint32_t position = 0; read_call(reader, line, &callee, &status); position++) {
		function->callee[in_unit->call_count] = keep_name(pool, &callee);
		in_unit->call[in_unit->call_count++] =
			(struct wm_call){.block = block, .position = position, .callee = WM_NONE};
	}
}

static enum wm_status define_blocks(const struct section *section, struct names *names,
	const struct wm_cfg_function *function, struct wm_unit_function *in_unit)
{
	struct reader reader = section->body;
	for (uint32_t b = 0; b < section->block_count; b++) {
		struct line line;
		if (read_line(&reader, &line) != WM_OK)
			return WM_BAD_GRAPH;
		if (!names_add(names, b, &line.name))
			return fail(&reader, &line.name, "block @ is defined twice in function @", &line.name,
				&section->name);
		define_calls(&reader, &line, b, &names->pool, function, in_unit);
		skip_line(&reader, &line);
	}
	return WM_OK;
}

/* Most blocks have the one below them among their successors: it is tried first. */
static uint32_t find_successor(
	const struct wm_cfg_function *function, const struct wm_graph_builder *builder, const struct token *name)
{
	uint32_t below = builder->graph.block_count + 1;
	if (below < builder->block_capacity && is_named(function->block_name[below], name->text, name->length))
		return below;
	return wm_cfg_find_block(function, name->text, name->length);
}

static enum wm_status add_block(struct reader *reader, const struct section *section, struct wm_graph_builder *builder,
	const struct wm_cfg_function *function, uint32_t *successor)
{
	struct line line;
	struct token name;
	uint32_t count = 0;
	enum wm_status status = read_line(reader, &line);
	while (status == WM_OK && read_call(reader, &line, &name, &status))
		continue;
	while (status == WM_OK && read_successor(reader, &line, &name, &status)) {
		successor[count] = find_successor(function, builder, &name);
		if (successor[count++] == WM_NONE)
			return fail(reader, &name, "block @ is not defined in function @", &name, &section->name);
	}
	return status == WM_OK ? wm_graph_builder_add(builder, successor, count, count ? WM_END_NONE : WM_END_RETURN)
			       : status;
}

static enum wm_status build_graph(
	const struct section *section, struct wm_cfg_function *function, struct wm_arena *arena)
{
	struct wm_graph_builder builder;
	struct reader reader = section->body;
	uint32_t *successor = WM_NEW(arena, uint32_t, section->widest);
	enum wm_status status = successor ? wm_graph_builder_init(&builder, arena, section->block_count) : WM_NO_MEMORY;
	for (uint32_t b = 0; b < section->block_count && status == WM_OK; b++)
		status = add_block(&reader, section, &builder, function, successor);
	return status == WM_OK ? wm_graph_builder_finish(&builder, &function->graph) : status;
}

static enum wm_status fail_unreachable(const struct section *section, uint32_t block)
{
	struct reader reader = section->body;
	struct line line;
	for (uint32_t b = 0; b <= block; b++) {
		if (read_line(&reader, &line) != WM_OK)
			return WM_BAD_GRAPH;
		skip_line(&reader, &line);
	}
	return fail(&reader, &line.name, "block @ cannot be reached from the entry of function @", &line.name,
		&section->name);
}

static enum wm_status check_reachable(
	const struct section *section, const struct wm_graph *graph, struct wm_arena *arena)
{
	uint32_t *queue = WM_NEW(arena, uint32_t, graph->block_count), count = 1;
	bool *reached = WM_NEW(arena, bool, graph->block_count);
	if (!queue || !reached)
		return WM_NO_MEMORY;
	reached[0] = true;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t e = graph->first_edge[queue[i]]; e < graph->first_edge[queue[i] + 1]; e++) {
			uint32_t to = graph->edge_to[e];
			if (!reached[to])
				queue[count++] = to;
			reached[to] = true;
		}
	}
	for (uint32_t b = 0; b < graph->block_count && count < graph->block_count; b++)
		if (!reached[b])
			return fail_unreachable(section, b);
	return WM_OK;
}

static enum wm_status read_function(const struct section *section, char **pool, struct wm_cfg_function *function,
	struct wm_unit_function *in_unit, struct wm_arena *arena)
{
	struct names names = {.pool = *pool};
	function->callee = WM_NEW(arena, char *, section->call_count);
	in_unit->call = WM_NEW(arena, struct wm_call, section->call_count);
	if (!function->callee || !in_unit->call || !names_init(&names, section->block_count, arena))
		return WM_NO_MEMORY;
	function->block_name = names.name;
	function->table = names.table;
	function->table_mask = names.mask;
	in_unit->name = function->name;
	in_unit->graph = &function->graph;
	enum wm_status status = define_blocks(section, &names, function, in_unit);
	*pool = names.pool;
	if (status == WM_OK)
		status = build_graph(section, function, arena);
	return status == WM_OK ? check_reachable(section, &function->graph, arena) : status;
}

static enum wm_status read_functions(
	const struct section *sections, struct names *names, struct wm_cfg *cfg, struct wm_arena *arena)
{
	for (uint32_t f = 0; f < cfg->function_count; f++) {
		const struct section *section = &sections[f];
		if (!names_add(names, f, &section->name))
			return fail(
				&section->body, &section->name, "function @ is defined twice", &section->name, NULL);
		cfg->function[f].name = names->name[f];
		enum wm_status status =
			read_function(section, &names->pool, &cfg->function[f], &cfg->unit.function[f], arena);
		if (status != WM_OK)
			return status;
	}
	return WM_OK;
}

static void find_callees(const struct names *names, const struct wm_cfg *cfg)
{
	for (uint32_t f = 0; f < cfg->function_count; f++) {
		const struct wm_unit_function *function = &cfg->unit.function[f];
		for (uint32_t i = 0; i < function->call_count; i++) {
			const char *name = cfg->function[f].callee[i];
			size_t length = strlen(name);
			function->call[i].callee = (uint32_t)names->table[find_slot(
				names->name, names->table, names->mask, hash_name(name, length), name, length)];
			function->call[i].opaque = function->call[i].callee == WM_NONE;
		}
	}
}

enum wm_status wm_cfg_parse(
	struct wm_cfg *cfg, const char *text, size_t size, struct wm_cfg_error *error, struct wm_arena *arena)
{
	struct reader reader = {.at = text, .end = text + size, .line_start = text, .line = 1, .error = error};
	struct wm_cfg made;
	if (size >= MAX_TEXT)
		return fail(
			&reader, &(struct token){.line = 1, .column = 1}, "the text is larger than 2 GiB", NULL, NULL);
	struct sections sections = {0};
	enum wm_status status = read_sections(reader, &sections, arena);
	if (status != WM_OK)
		return status;
	made.function_count = sections.count;
	made.function = WM_NEW(arena, struct wm_cfg_function, made.function_count);
	made.unit.function_count = made.function_count;
	made.unit.function = WM_NEW(arena, struct wm_unit_function, made.function_count);
	/* Every name kept is followed by another character of the text or by its end. */
	struct names names = {.pool = WM_NEW(arena, char, size + 1)};
	if (!made.function || !made.unit.function || !names.pool || !names_init(&names, made.function_count, arena))
		return WM_NO_MEMORY;
	status = read_functions(sections.section, &names, &made, arena);
	if (status != WM_OK)
		return status;
	find_callees(&names, &made);
	*cfg = made;
	return WM_OK;
}

uint32_t wm_cfg_find_block(const struct wm_cfg_function *function, const char *name, size_t length)
{
	uint32_t hash = hash_name(name, length);
	return (uint32_t)function
		->table[find_slot(function->block_name, function->table, function->table_mask, hash, name, length)];
}

enum wm_status wm_cfg_index_blocks(struct wm_cfg_function *function, struct wm_arena *arena)
{
	struct names names;
	if (!names_init(&names, function->graph.block_count, arena))
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < function->graph.block_count; b++) {
		const char *name = function->block_name[b];
		uint32_t hash = hash_name(name, strlen(name));
		names.table[find_slot(function->block_name, names.table, names.mask, hash, name, strlen(name))] =
			(uint64_t)hash << 32 | b;
	}
	function->table = names.table;
	function->table_mask = names.mask;
	return WM_OK;
}
