/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * LLVM's sample profile in its text form, as clang's manual describes it, for `clang -fprofile-sample-use`.
 *
 * The number of samples of a line is how often the line was executed: that of its most executed block.  Lines are counted
 * from the definition of their function, so lines of other files (macros of headers) and lines before the definition have
 * none.  Maps have no discriminators, so blocks on one line have the count of the line.  A direct call adds how often its
 * callee was called there.
 */
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/export/export.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OFFSET = 0xffff }; /* of lines, in LLVM */

struct sampled_line {
	uint32_t offset;
	uint64_t count;
	size_t call_count;
	struct sampled_call {
		const char *callee;
		uint64_t count;
	} *call;
};

struct sampled {
	const struct wm_flow *flow;
	size_t count;
	struct sampled_line *line;
	size_t unnamed; /* calls of functions whose names the format cannot hold */
};

/* A name with a blank, colon or control character would be read as something else. */
static bool is_plain(const char *name)
{
	for (const unsigned char *at = (const unsigned char *)name; *at; at++)
		if (*at <= ' ' || *at == ':' || *at == 0x7f)
			return false;
	return true;
}

static struct sampled_line *line_at(struct sampled *s, const struct wm_map_line *place)
{
	const struct wm_map_function *map = s->flow->function->map;
	if (!place || !place->line || place->file != map->file || place->line < map->line ||
		place->line - map->line > MOST_OFFSET)
		return NULL;
	uint32_t offset = place->line - map->line;
	for (size_t i = 0; i < s->count; i++)
		if (s->line[i].offset == offset)
			return &s->line[i];
	WM_XGROW(s->line, s->count);
	s->line[s->count] = (struct sampled_line){.offset = offset};
	return &s->line[s->count++];
}

static void add_block(struct sampled *s, uint32_t block)
{
	const struct wm_map_block *info = &s->flow->function->map->block[block];
	for (uint32_t i = 0; i <= info->line_count; i++) {
		bool last = i == info->line_count;
		if (last && info->terminator == WM_TERM_NONE)
			break;
		uint64_t count = wm_flow_line(s->flow, block, i).count;
		struct sampled_line *line = line_at(s, last ? &info->decision : &info->line[i]);
		if (line && line->count < count)
			line->count = count;
	}
}

static void add_call(struct sampled *s, uint32_t site)
{
	const struct wm_story_function *function = s->flow->function;
	const char *callee = wm_map_callee(function->module, &function->map->call[site]);
	uint64_t count = s->flow->ran.block[function->map->call[site].block];
	struct sampled_line *line = callee && count ? line_at(s, wm_call_place(function, site)) : NULL;
	if (!line)
		return;
	if (!is_plain(callee)) {
		s->unnamed++;
		return;
	}
	for (size_t i = 0; i < line->call_count; i++)
		if (strcmp(line->call[i].callee, callee) == 0) {
			line->call[i].count += count;
			return;
		}
	WM_XGROW(line->call, line->call_count);
	line->call[line->call_count++] = (struct sampled_call){callee, count};
}

static int by_offset(const void *left, const void *right)
{
	const struct sampled_line *a = left, *b = right;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

static void print_sampled(const struct sampled *s, FILE *out)
{
	uint64_t total = 0;
	for (size_t i = 0; i < s->count; i++)
		if (__builtin_add_overflow(total, s->line[i].count, &total) || total > INT64_MAX)
			wm_fail("the lines of %s were executed more than 2^63-1 times; use fewer profiles",
				s->flow->function->display);
	fprintf(out, "%s:%" PRIu64 ":%" PRIu64 "\n", s->flow->function->map->name, total, s->flow->ran.entries);
	for (size_t i = 0; i < s->count; i++) {
		const struct sampled_line *line = &s->line[i];
		if (!line->count)
			continue;
		fprintf(out, " %" PRIu32 ": %" PRIu64, line->offset, line->count);
		for (size_t c = 0; c < line->call_count; c++)
			fprintf(out, " %s:%" PRIu64, line->call[c].callee, line->call[c].count);
		fputc('\n', out);
	}
}

/* The number of calls that were left out. */
static size_t write_function(const struct wm_flow *flow, FILE *out)
{
	struct sampled s = {.flow = flow};
	for (uint32_t b = 0; b < flow->function->map->graph.block_count; b++)
		add_block(&s, b);
	for (uint32_t c = 0; c < flow->function->map->call_count; c++)
		add_call(&s, c);
	if (s.count)
		qsort(s.line, s.count, sizeof *s.line, by_offset);
	print_sampled(&s, out);
	for (size_t i = 0; i < s.count; i++)
		free(s.line[i].call);
	free(s.line);
	return s.unnamed;
}

void wm_export_sample(const struct wm_export *export, FILE *out)
{
	size_t functions = 0, calls = 0;
	for (size_t i = 0; i < export->flows->function_count; i++) {
		const struct wm_flow *flow = &export->flows->flow[i];
		if (!flow->known || !flow->ran.entries || !wm_filter_passes(export->filter, flow->function))
			continue;
		if (is_plain(flow->function->map->name))
			calls += write_function(flow, out);
		else
			functions++;
	}
	if (functions || calls)
		wm_warn("%zu function%s and %zu call%s are left out, because the format has no place for names with "
			"blanks, colons or control characters",
			functions, wm_plural(functions), calls, wm_plural(calls));
}
