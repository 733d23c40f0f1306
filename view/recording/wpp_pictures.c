/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Timelines of a recording: time against functions, for each thread.  For readers without scripts there is a picture that cannot
 * be zoomed.
 */
#include "core/grammar/time_columns.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/recording/wpp_view.h"
#include "view/report/timeline.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROWS = 24, /* functions in a picture */
	COLUMNS = 240, /* of the picture */
	FINE = 8, /* columns of the timeline for each of them */
	FEW = 8, /* streams with such timelines; others have the columns of the picture */
	STREAMS = 32, /* pictures on the page */
	CELL_WIDTH = 4,
	CELL_HEIGHT = 15,
	LABELS = 240,
};

struct cost {
	uint32_t function;
	uint64_t cost;
};

struct pictures {
	const struct wm_wpp_view *view;
	FILE *out;
	uint64_t *weight; /* per word */
	uint32_t *row; /* per word */
	struct cost *shown; /* the functions of the rows, by falling cost */
	uint32_t row_count;
};

/* ---- Rows ------------------------------------------------------------------------------- */

static int by_cost(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

static bool is_known(const struct pictures *p, uint32_t word)
{
	uint32_t function = wm_wpp_function(p->view, p->view->wpp.grammar.word[word]);
	return p->weight[word] && p->weight[word] != WM_HOT_NEVER && function < p->view->wpp.table.function_count;
}

static void find_costs(struct pictures *p)
{
	const struct wm_grammar *grammar = &p->view->wpp.grammar;
	uint32_t functions = p->view->wpp.table.function_count;
	p->shown = wm_xmalloc((functions + 1) * sizeof *p->shown);
	for (uint32_t f = 0; f < functions; f++)
		p->shown[f] = (struct cost){f, 0};
	for (uint32_t r = 0; r < grammar->rule_count; r++)
		for (size_t s = grammar->first[r]; s < grammar->first[r + 1]; s++) {
			uint32_t symbol = grammar->symbol[s];
			if (!(symbol & WM_GRAMMAR_RULE) && is_known(p, symbol))
				p->shown[wm_wpp_function(p->view, grammar->word[symbol])].cost +=
					p->view->index.frequency[r] * p->weight[symbol];
		}
	qsort(p->shown, functions, sizeof *p->shown, by_cost);
	while (p->row_count < functions && p->row_count < ROWS && p->shown[p->row_count].cost)
		p->row_count++;
}

static void place_words(struct pictures *p)
{
	const struct wm_grammar *grammar = &p->view->wpp.grammar;
	p->row = wm_xmalloc((grammar->word_count + 1) * sizeof *p->row);
	for (uint32_t w = 0; w < grammar->word_count; w++) {
		p->row[w] = p->row_count;
		for (uint32_t r = 0; r < p->row_count && is_known(p, w); r++)
			if (p->shown[r].function == wm_wpp_function(p->view, grammar->word[w]))
				p->row[w] = r;
		if (p->weight[w] == WM_HOT_NEVER)
			p->weight[w] = 0;
	}
}

/* ---- The picture ------------------------------------------------------------------------ */

static void draw_row(struct pictures *p, uint32_t row, const uint64_t *cell, uint64_t column_cost)
{
	FILE *out = p->out;
	int y = (int)row * CELL_HEIGHT;
	char *name = wm_wpp_function_name(p->view, p->shown[row].function);
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LABELS - 6, y + CELL_HEIGHT - 3);
	wm_html_print(out, "%s</text>\n", name);
	free(name);
	for (uint32_t first = 0, end; first < COLUMNS; first = end) {
		double share = (double)cell[first] / (double)column_cost;
		for (end = first + 1; end < COLUMNS && cell[end] == cell[first];)
			end++;
		if (cell[first])
			fprintf(out,
				"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill-opacity=\"%.3f\"><title>%.1f "
				"%%</title></rect>\n",
				LABELS + (int)first * CELL_WIDTH, y, (int)(end - first) * CELL_WIDTH, CELL_HEIGHT - 1,
				share > 1 ? 1 : 0.08 + 0.92 * share, 100 * (share > 1 ? 1 : share));
	}
}

static void draw(struct pictures *p, const uint64_t *cell, uint64_t total)
{
	FILE *out = p->out;
	fprintf(out,
		"<div class=\"wide\"><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" "
		"role=\"img\" style=\"font:11px ui-monospace,monospace\"><g fill=\"currentColor\">\n",
		LABELS + COLUMNS * CELL_WIDTH, p->row_count * CELL_HEIGHT, LABELS + COLUMNS * CELL_WIDTH);
	for (uint32_t r = 0; r < p->row_count; r++)
		draw_row(p, r, cell + (size_t)r * COLUMNS, total / COLUMNS + 1);
	fputs("</g></svg></div>\n", out);
}

static void write_timeline(
	struct pictures *p, const uint64_t *cell, uint32_t columns, uint64_t total, const char *label)
{
	struct wm_timeline timeline;
	wm_timeline_begin(&timeline, "blocks", total, columns);
	for (uint32_t r = 0; r < p->row_count; r++) {
		char *name = wm_wpp_function_name(p->view, p->shown[r].function);
		wm_timeline_row(&timeline, name, cell + (size_t)r * columns, total / columns + 1);
		free(name);
	}
	wm_timeline_end(&timeline, label, p->out);
}

/* Adds up the columns of the timeline to those of the picture; in the arena. */
static uint64_t *coarse_cells(const struct pictures *p, const uint64_t *cell, uint32_t columns, struct wm_arena *arena)
{
	uint64_t *sum = WM_NEW(arena, uint64_t, (size_t)p->row_count *COLUMNS + 1);
	if (!sum)
		wm_no_memory();
	memset(sum, 0, (size_t)p->row_count * COLUMNS * sizeof *sum);
	for (size_t r = 0; r < p->row_count; r++)
		for (uint32_t c = 0; c < columns; c++)
			sum[r * COLUMNS + c / (columns / COLUMNS)] += cell[r * columns + c];
	return sum;
}

static void draw_stream(struct pictures *p, uint32_t stream)
{
	const struct wm_wpp_view *view = p->view;
	const struct wm_wpp_stream *told = &view->wpp.table.stream[stream];
	struct wm_arena arena;
	uint64_t *cell, total;
	const struct wm_timeline_query query = {.grammar = &view->wpp.grammar,
		.index = &view->index,
		.weight = p->weight,
		.row = p->row,
		.row_count = p->row_count,
		.column_count = stream < FEW ? COLUMNS * FINE : COLUMNS,
		.from = view->start[stream],
		.to = view->start[stream] + told->length};
	wm_arena_init(&arena);
	enum wm_status status = wm_timeline_make(&query, &cell, &total, &arena);
	if (status == WM_TOO_MANY)
		wm_fail("the recording executes more than 2^63 blocks, which is too many to be added up");
	if (status != WM_OK)
		wm_no_memory();
	char *label = wm_xprintf("Stream %" PRIu64 " of process %u", told->number, told->process);
	fprintf(p->out, "<h2>%s</h2>\n<p class=\"soft\">%s entries, %s blocks</p>\n", label, wm_thousands(told->length),
		wm_thousands(total));
	write_timeline(p, cell, query.column_count, total, label);
	fputs("<noscript>\n", p->out);
	draw(p, coarse_cells(p, cell, query.column_count, &arena), total);
	fputs("</noscript>\n", p->out);
	free(label);
	wm_arena_release(&arena);
}

void wm_wpp_pictures(const struct wm_wpp_view *view, FILE *out)
{
	struct pictures p = {.view = view, .out = out, .weight = wm_wpp_weights(view)};
	uint32_t streams = view->wpp.table.stream_count;
	find_costs(&p);
	place_words(&p);
	for (uint32_t s = 0; s < streams && s < STREAMS; s++)
		draw_stream(&p, s);
	if (streams > STREAMS)
		fprintf(out, "<p class=\"note\">%u more threads are not drawn.</p>\n", streams - STREAMS);
	fputs("<script src=\"timeline.js\"></script>\n", out);
	free(p.shown);
	free(p.row);
	free(p.weight);
}
