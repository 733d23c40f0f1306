/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The bytes describe functions, not their text: every input becomes graph text that is correct, in one of the many
 * ways in which it may be written.  It must parse to the graph that the bytes describe; then everything core/ does
 * with graphs and units follows (check_graph.h, check_unit.h).  fuzz_cfg, which changes the text itself, finds a graph only now and then.
 */
#include "fuzz/check_graph.h"
#include "fuzz/check_unit.h"
#include <stdarg.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FUNCTIONS = 3, MAX_BLOCKS = 16, MAX_SUCCESSORS = 2 * MAX_BLOCKS, MAX_TEXT = 1 << 15 };

struct function {
	uint32_t block_count, style;
	uint32_t successor_count[MAX_BLOCKS], successor[MAX_BLOCKS][MAX_SUCCESSORS];
	uint32_t calls[MAX_BLOCKS];
};

struct input {
	const uint8_t *at, *end;
};

/* The next byte below a limit; zeros follow the last one. */
static uint32_t take(struct input *input, uint32_t limit)
{
	return input->at < input->end ? *input->at++ % limit : 0;
}

static void connect(struct function *f, uint32_t from, uint32_t to)
{
	if (f->successor_count[from] < MAX_SUCCESSORS)
		f->successor[from][f->successor_count[from]++] = to;
}

/* Every block but the first is the successor of an earlier one, so none is unreachable. */
static void describe(struct function *f, struct input *input)
{
	*f = (struct function){.block_count = 1 + take(input, MAX_BLOCKS), .style = take(input, 4)};
	for (uint32_t b = 1; b < f->block_count; b++)
		connect(f, take(input, b), b);
	for (uint32_t b = 0; b < f->block_count; b++) {
		f->calls[b] = take(input, 4) == 3 ? 1 + take(input, 3) : 0;
		for (uint32_t more = take(input, 3); more; more--)
			connect(f, b, take(input, f->block_count));
	}
}

struct text {
	size_t size;
	char data[MAX_TEXT];
};

__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	text->size += (size_t)vsnprintf(text->data + text->size, MAX_TEXT - text->size, format, arguments);
	va_end(arguments);
	CHECK(text->size < MAX_TEXT);
}

static void name(const struct function *f, uint32_t block, char out[32])
{
	static const char *const styles[] = {"v%u", "%u", "block.%u", "$_%u.cold"};
	snprintf(out, 32, styles[f->style], block);
}

static const char *blank(struct input *input)
{
	static const char *const blanks[] = {" ", "\t", "  ", " \r "};
	return blanks[take(input, 4)];
}

static const char *line_end(struct input *input)
{
	static const char *const ends[] = {"\n", "\r\n", " # v1 -> [\n", "\n\n# function x\n\t\n"};
	return ends[take(input, 4)];
}

static void write_block(struct text *text, const struct function *f, uint32_t b, struct input *input)
{
	char word[32];
	name(f, b, word);
	print(text, "%s", word);
	for (uint32_t i = 0; i < f->calls[b]; i++)
		print(text, "%s[call%sf%u]", blank(input), blank(input), take(input, 4));
	for (uint32_t i = 0; i < f->successor_count[b]; i++) {
		name(f, f->successor[b][i], word);
		print(text, "%s%s%s", i ? "" : " ->", blank(input), word);
	}
	print(text, "%s", line_end(input));
}

/* A successor listed twice counts once, at its first place. */
static void check_successors(const struct function *f, const struct wm_graph *graph, uint32_t b)
{
	uint32_t edge = graph->first_edge[b];
	for (uint32_t i = 0; i < f->successor_count[b]; i++) {
		uint32_t before = 0;
		while (f->successor[b][before] != f->successor[b][i])
			before++;
		if (before < i)
			continue;
		CHECK(edge < graph->first_edge[b + 1] && graph->edge_to[edge] == f->successor[b][i]);
		edge++;
	}
	CHECK(edge == graph->first_edge[b + 1]);
}

/* Callees are f0, f1, and so on, of which the file has the first few. */
static void check_calls(const struct function *f, const struct wm_cfg *cfg, uint32_t index)
{
	const struct wm_unit_function *in_unit = &cfg->unit.function[index];
	uint32_t call = 0;
	for (uint32_t b = 0; b < f->block_count; b++) {
		CHECK(f->calls[b] == 0 || wm_unit_first_call(in_unit, b) == call);
		for (uint32_t i = 0; i < f->calls[b]; i++, call++) {
			CHECK(in_unit->call[call].block == b && in_unit->call[call].position == i);
			uint32_t callee = (uint32_t)(cfg->function[index].callee[call][1] - '0');
			CHECK(in_unit->call[call].callee == (callee < cfg->function_count ? callee : WM_NONE));
		}
	}
	CHECK(call == in_unit->call_count);
}

static void check_parsed(const struct function *f, const struct wm_cfg_function *parsed)
{
	char word[32];
	CHECK(parsed->graph.block_count == f->block_count);
	for (uint32_t b = 0; b < f->block_count; b++) {
		name(f, b, word);
		CHECK(!strcmp(word, parsed->block_name[b]));
		check_successors(f, &parsed->graph, b);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct function function[MAX_FUNCTIONS];
	static struct text text;
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error = {0};
	if (size == 0)
		return 0;
	struct input input = {data + 1, data + size};
	text.size = 0;
	uint32_t count = 1 + take(&input, MAX_FUNCTIONS);
	for (uint32_t i = 0; i < count; i++) {
		describe(&function[i], &input);
		print(&text, "function%sf%u%s", blank(&input), i, line_end(&input));
		for (uint32_t b = 0; b < function[i].block_count; b++)
			write_block(&text, &function[i], b, &input);
	}
	wm_arena_init(&arena);
	CHECK(wm_cfg_parse(&cfg, text.data, text.size, &error, &arena) == WM_OK && cfg.function_count == count);
	for (uint32_t i = 0; i < count; i++) {
		check_parsed(&function[i], &cfg.function[i]);
		check_calls(&function[i], &cfg, i);
		check_function(&cfg.function[i], data, size, &arena);
	}
	check_unit(&cfg.unit, data, size, &arena);
	wm_arena_release(&arena);
	return 0;
}
