/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/dev/coding_print.h"
#include "support/attempt.h"
#include "support/fail.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *from_name(const struct wm_coded *coded, uint32_t e)
{
	uint32_t from = coded->plan->dag.edge[e].from;
	return from == WM_DAG_START ? "Start" : coded->function->block_name[coded->plan->dag.node_block[from]];
}

/* The name of the target of an edge.  If a path ends on the edge and another begins, the target is the block to which
 * control goes, and *back is "back to "; otherwise *back is "". */
static const char *to_name(const struct wm_coded *coded, uint32_t e, const char **back)
{
	const struct wm_dag_edge *edge = &coded->plan->dag.edge[e];
	*back = edge->kind == WM_EDGE_STOP ? "back to " : "";
	if (edge->kind == WM_EDGE_STOP)
		return coded->function->block_name[coded->plan->graph->edge_to[edge->cfg_edge]];
	return edge->to == WM_DAG_END ? "End" : coded->function->block_name[coded->plan->dag.node_block[edge->to]];
}

static bool is_shown(const struct wm_coded *coded, uint32_t e, struct wm_range range)
{
	return coded->plan->dag.edge[e].kind == WM_EDGE_REAL || range.low > 0 || range.high < range.whole;
}

static int print_symbol(const struct wm_coded *coded, uint32_t e)
{
	const char *back, *to = to_name(coded, e, &back);
	return printf("%s -> %s%s", from_name(coded, e), back, to);
}

static int symbol_width(const struct wm_coded *coded)
{
	size_t widest = 6;
	for (uint32_t e = 0; e < coded->plan->dag.edge_count; e++) {
		const char *back, *to = to_name(coded, e, &back);
		size_t width = strlen(from_name(coded, e)) + 4 + strlen(back) + strlen(to);
		widest = width > widest && width <= 40 ? width : widest;
	}
	return (int)widest;
}

/* "0", "1", "2/3" */
static const char *fraction(uint64_t top, uint64_t bottom, char text[48])
{
	struct wm_fraction f = wm_range_probability((struct wm_range){0, top, bottom});
	snprintf(text, 48, f.bottom == 1 ? "%" PRIu64 : "%" PRIu64 "/%" PRIu64, f.top, f.bottom);
	return text;
}

static const char *range_text(struct wm_range range, char text[100])
{
	char low[48], high[48];
	if (range.low == range.high)
		return "empty";
	snprintf(text, 100, "[%s, %s)", fraction(range.low, range.whole, low), fraction(range.high, range.whole, high));
	return text;
}

/* The model of all edges, and its entropy. */
static const struct wm_range *make_model(const struct wm_coded *coded, double *bits, struct wm_arena *arena)
{
	struct wm_range *range;
	enum wm_status status = coded->preferential ? wm_model_joined(coded->plan, coded->preferential, &range, arena)
						    : wm_model_acyclic(coded->plan, &range, arena);
	if (status == WM_OK)
		status = wm_model_entropy(&coded->plan->dag, range, bits, arena);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "function '%s': %s", coded->function->name, wm_status_text(status));
	return range;
}

void wm_print_model(const struct wm_coded *coded)
{
	struct wm_arena arena;
	double bits;
	char text[100];
	int width = symbol_width(coded);
	wm_arena_init(&arena);
	const struct wm_range *range = make_model(coded, &bits, &arena);
	printf("\n  %-*s  probability  range (entropy of the model: %.6g bits)\n", width, "symbol", bits);
	for (uint32_t e = 0; e < coded->plan->dag.edge_count; e++) {
		if (!is_shown(coded, e, range[e]))
			continue;
		fputs("  ", stdout);
		int used = print_symbol(coded, e);
		printf("%*s  %11s  ", used < width ? width - used : 0, "",
			fraction(range[e].high - range[e].low, range[e].whole, text));
		puts(range_text(range[e], text));
	}
	wm_arena_release(&arena);
}

static void print_symbol_json(const struct wm_coded *coded, uint32_t e)
{
	const char *back, *to = to_name(coded, e, &back);
	printf("\"from\": \"%s\", \"to\": \"%s\"", from_name(coded, e), *back ? "End" : to);
	if (*back)
		printf(", \"back_to\": \"%s\"", to);
}

static void print_range_json(struct wm_range range)
{
	printf(", \"low\": %" PRIu64 ", \"high\": %" PRIu64 ", \"whole\": %" PRIu64, range.low, range.high,
		range.whole);
}

void wm_print_model_json(const struct wm_coded *coded)
{
	struct wm_arena arena;
	double bits;
	const char *before = "";
	wm_arena_init(&arena);
	const struct wm_range *range = make_model(coded, &bits, &arena);
	fputs("   \"model\": [", stdout);
	for (uint32_t e = 0; e < coded->plan->dag.edge_count; e++) {
		if (!is_shown(coded, e, range[e]))
			continue;
		printf("%s\n    {", before);
		print_symbol_json(coded, e);
		print_range_json(range[e]);
		putchar('}');
		before = ",";
	}
	printf("\n   ],\n   \"entropy\": %.9g", bits);
	wm_arena_release(&arena);
}

/* ---- One path --------------------------------------------------------------------------- */

/* Encodes the path and decodes the resulting number.  If the steps of both differ, there is a bug. */
static void code(const struct wm_coded *coded, uint64_t id, struct wm_coding *coding, struct wm_arena *arena)
{
	struct wm_path path = {0};
	struct wm_coding encoded = {0};
	const struct wm_plan *plan = coded->plan;
	*coding = (struct wm_coding){0};
	if (wm_dag_decode(&plan->dag, &plan->numbering, id, &path, arena) != WM_OK ||
		wm_coding_encode(&encoded, plan, coded->preferential, &path, arena) != WM_OK ||
		wm_coding_decode(coding, plan, coded->preferential, encoded.id, arena) != WM_OK ||
		coding->length != path.length)
		wm_bug("path %" PRIu64 " of function '%s' cannot be coded", id, coded->function->name);
	for (uint32_t i = 0; i < path.length; i++)
		if (coding->step[i].edge != path.edge[i])
			wm_bug("path %" PRIu64 " of function '%s' is decoded as another", id, coded->function->name);
}

static void print_encoding(const struct wm_coded *coded, const struct wm_coding *coding)
{
	char text[100];
	int width = symbol_width(coded);
	printf("        encode from [0, %" PRIu64 ")\n", coding->size);
	for (uint32_t i = 0; i < coding->length; i++) {
		const struct wm_coding_step *step = &coding->step[i];
		if (!is_shown(coded, step->edge, step->range))
			continue;
		fputs("          ", stdout);
		int used = print_symbol(coded, step->edge);
		printf("%*s  %-12s  [%" PRIu64 ", %" PRIu64 ")\n", used < width ? width - used : 0, "",
			range_text(step->range, text), step->interval.low, step->interval.high);
	}
}

/* Calls `print` for the symbols that step i is chosen from, each with the interval that it would leave and with
 * the number of symbols before it. */
static void for_each_choice(const struct wm_coded *coded, const struct wm_coding *coding, uint32_t i,
	void (*print)(const struct wm_coded *, const struct wm_coding_step *, uint32_t))
{
	const struct wm_dag *dag = &coded->plan->dag;
	const struct wm_coding before = {coding->plan, coding->preferential, coding->size, coding->id, i, coding->step};
	uint32_t node = dag->edge[coding->step[i].edge].from, count = 0;
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
		struct wm_coding_step step = wm_coding_next(&before, e);
		if (step.range.low < step.range.high)
			print(coded, &step, count++);
	}
}

static void print_choice(const struct wm_coded *coded, const struct wm_coding_step *step, uint32_t before)
{
	const char *back, *to = to_name(coded, step->edge, &back);
	printf("%s%s%s [%" PRIu64 ", %" PRIu64 ")", before ? ", " : "          ", back, to, step->interval.low,
		step->interval.high);
}

void wm_print_coding(const struct wm_coded *coded, uint64_t id)
{
	struct wm_arena arena;
	struct wm_coding coding;
	wm_arena_init(&arena);
	code(coded, id, &coding, &arena);
	print_encoding(coded, &coding);
	printf("        decode %" PRIu64 "\n", coding.id);
	for (uint32_t i = 0; i < coding.length; i++) {
		if (!is_shown(coded, coding.step[i].edge, coding.step[i].range))
			continue;
		for_each_choice(coded, &coding, i, print_choice);
		fputs(": ", stdout);
		print_symbol(coded, coding.step[i].edge);
		putchar('\n');
	}
	wm_arena_release(&arena);
}

static void print_interval_json(struct wm_interval interval)
{
	printf(", \"interval\": [%" PRIu64 ", %" PRIu64 "]}", interval.low, interval.high);
}

static void print_choice_json(const struct wm_coded *coded, const struct wm_coding_step *step, uint32_t before)
{
	fputs(before ? ", {" : "{\"choices\": [{", stdout);
	print_symbol_json(coded, step->edge);
	print_interval_json(step->interval);
}

void wm_print_coding_json(const struct wm_coded *coded, uint64_t id)
{
	struct wm_arena arena;
	struct wm_coding coding;
	const char *before = "";
	wm_arena_init(&arena);
	code(coded, id, &coding, &arena);
	printf("\"size\": %" PRIu64 ", \"encode\": [", coding.size);
	for (uint32_t i = 0; i < coding.length; i++) {
		if (!is_shown(coded, coding.step[i].edge, coding.step[i].range))
			continue;
		printf("%s{", before);
		print_symbol_json(coded, coding.step[i].edge);
		print_range_json(coding.step[i].range);
		print_interval_json(coding.step[i].interval);
		before = ", ";
	}
	fputs("], \"decode\": [", stdout);
	before = "";
	for (uint32_t i = 0; i < coding.length; i++) {
		if (!is_shown(coded, coding.step[i].edge, coding.step[i].range))
			continue;
		fputs(before, stdout);
		for_each_choice(coded, &coding, i, print_choice_json);
		fputs("], ", stdout);
		print_symbol_json(coded, coding.step[i].edge);
		putchar('}');
		before = ", ";
	}
	putchar(']');
	wm_arena_release(&arena);
}
