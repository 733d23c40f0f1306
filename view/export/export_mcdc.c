/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * MC/DC records of a tracefile of LCOV 2 (analysis/mcdc): two for each condition of an expression with several conditions, one
 * for each of its values,
 *
 *     MCDC:LINE,CONDITIONS,t or f,TAKEN,INDEX,TEXT
 *
 * TAKEN is how often the evaluation was made that shows, with the other one of the pair, that the condition decides alone; 0: no pair
 * shows it.  LCOV tells the expressions of a line apart by their numbers of conditions alone, so of several expressions with
 * the same number only the leftmost is written.  Conditions are left out that abandoned paths may have shown (analysis/tell/abandoned.h).  The copies of an expression in instances of a template are added up.
 */
#include "view/export/export_mcdc.h"
#include "analysis/mcdc/condition_words.h"
#include "analysis/mcdc/mcdc.h"
#include "analysis/tell/abandoned.h"
#include "support/printable.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct wm_mcdc_record {
	char *file;
	uint32_t line, size, column, index;
	uint64_t taken[2]; /* false, true */
	char *text;
};

static int by_expression(const struct wm_mcdc_record *a, const struct wm_mcdc_record *b)
{
	int order = strcmp(a->file, b->file);
	if (order)
		return order;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->size > b->size) - (a->size < b->size);
}

static int by_place(const void *left, const void *right)
{
	const struct wm_mcdc_record *a = left, *b = right;
	int order = by_expression(a, b);
	if (order)
		return order;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static uint64_t taken(const struct wm_mcdc_expression *e, uint32_t c, bool value)
{
	return e->condition[c].shown ? e->evaluation[e->condition[c].pair[value]].count : 0;
}

static void add_condition(struct wm_mcdc_records *records, const struct wm_mcdc_function *mcdc,
	const struct wm_mcdc_expression *e, uint32_t c, struct wm_sources *sources)
{
	const struct wm_story_function *function = mcdc->function;
	const struct wm_map_line *place = &e->expression->operand[0].place;
	struct wm_operand_words words;
	if (!wm_mcdc_can_show(&e->expression->operand[c]))
		return;
	wm_operand_tell(&words, function, e->expression, c, sources);
	WM_XGROW(records->record, records->count);
	records->record[records->count++] =
		(struct wm_mcdc_record){.file = wm_absolute_file(function->module, place->file),
			.line = place->line,
			.size = e->expression->count,
			.column = place->column,
			.index = c,
			.taken = {taken(e, c, words.negated), taken(e, c, !words.negated)},
			.text = wm_one_line(words.text)};
}

static void add_function(
	struct wm_mcdc_records *records, struct wm_story_function *function, struct wm_sources *sources)
{
	struct wm_mcdc_function mcdc;
	struct wm_abandoned abandoned;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_abandoned_find(&abandoned, function, &arena);
	wm_mcdc_analyse(&mcdc, function);
	for (uint32_t i = 0; !mcdc.reason && i < mcdc.expressions.count; i++) {
		const struct wm_mcdc_expression *e = &mcdc.expression[i];
		const struct wm_map_line *place = &e->expression->operand[0].place;
		bool placed = place->line && place->file < function->module->file_count;
		for (uint32_t c = 0;
			placed && !e->expression->obstacle && e->expression->count > 1 && c < e->expression->count; c++)
			if (e->condition[c].shown || !abandoned.count ||
				!abandoned.comes[e->expression->operand[0].block])
				add_condition(records, &mcdc, e, c, sources);
	}
	wm_mcdc_release(&mcdc);
	wm_arena_release(&arena);
}

static void record_release(struct wm_mcdc_record *record)
{
	free(record->file);
	free(record->text);
}

/* Adds up the copies of a condition, and removes expressions that LCOV cannot tell from one before. */
static void merge(struct wm_mcdc_records *records)
{
	size_t kept = 0;
	uint32_t column = 0;
	for (size_t i = 0; i < records->count; i++) {
		struct wm_mcdc_record *record = &records->record[i], *last = kept ? &records->record[kept - 1] : NULL;
		bool same = last && by_expression(last, record) == 0;
		column = same ? column : record->column;
		if (same && by_place(last, record) == 0) {
			last->taken[0] += record->taken[0];
			last->taken[1] += record->taken[1];
		}
		if (same && (record->column != column || by_place(last, record) == 0))
			record_release(record);
		else
			records->record[kept++] = *record;
	}
	records->count = kept;
}

void wm_mcdc_records_build(
	struct wm_mcdc_records *records, struct wm_story *story, const struct wm_function_filter *filter)
{
	struct wm_sources sources = {0};
	*records = (struct wm_mcdc_records){0};
	for (size_t i = 0; i < story->function_count; i++)
		if (wm_filter_passes(filter, &story->function[i]) && !wm_in_system_header(&story->function[i]))
			add_function(records, &story->function[i], &sources);
	if (records->count)
		qsort(records->record, records->count, sizeof *records->record, by_place);
	merge(records);
	wm_sources_release(&sources);
}

void wm_mcdc_records_print(struct wm_mcdc_records *records, const char *file, FILE *out)
{
	size_t found = 0, hit = 0;
	for (; records->next < records->count && strcmp(records->record[records->next].file, file) < 0; records->next++)
		;
	for (; records->next < records->count && strcmp(records->record[records->next].file, file) == 0;
		records->next++) {
		const struct wm_mcdc_record *r = &records->record[records->next];
		for (int value = 1; value >= 0; value--) {
			fprintf(out, "MCDC:%" PRIu32 ",%" PRIu32 ",%c,%" PRIu64 ",%" PRIu32 ",%s\n", r->line, r->size,
				value ? 't' : 'f', r->taken[value], r->index, r->text);
			found++;
			hit += r->taken[value] != 0;
		}
	}
	if (found)
		fprintf(out, "MCF:%zu\nMCH:%zu\n", found, hit);
}

void wm_mcdc_records_release(struct wm_mcdc_records *records)
{
	for (size_t i = 0; i < records->count; i++)
		record_release(&records->record[i]);
	free(records->record);
	*records = (struct wm_mcdc_records){0};
}
