/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/dev/probes.h"
#include "core/probes/iteration_window.h"
#include "support/fail.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct print {
	FILE *out;
	char *const *block_name;
	const struct wm_probe_program *program;
	const uint64_t *table; /* of a function that profiles paths across calls */
};

static void put_actions(const struct print *p, const struct wm_probe *probe);

static void put_end(const struct print *p, const char *before, uint32_t end)
{
	if (end == WM_NONE)
		return;
	fprintf(p->out, "%s{", before);
	put_actions(p, &p->program->end[end]);
	fprintf(p->out, "}");
}

static void put_flags(const struct print *p, uint8_t flags)
{
	static const char *const names[] = {
		" spares", " below", " above", " between", " came-in", " inside", " keeps-mailbox", " level"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (flags >> i & 1)
			fprintf(p->out, "%s", names[i]);
}

static void put_trips(const struct print *p, const struct wm_action *action)
{
	const struct wm_trip_loop *loop = &p->program->trip_loop[action->value];
	fprintf(p->out, " loop %" PRId64, action->value);
	if (action->kind != WM_ACTION_TRIP_END)
		return;
	fprintf(p->out, " first %" PRId64, loop->first);
	put_end(p, " ", loop->first_end);
	fprintf(p->out, " again %" PRId64, loop->again);
	put_end(p, " ", loop->again_end);
}

static void put_step(const struct print *p, const struct wm_action *action)
{
	const struct wm_window_step *step = &p->program->step[action->value];
	fprintf(p->out, " loop %u before %" PRId64 "%s after %" PRId64, step->loop, step->before,
		step->known ? " known" : "", step->after);
	if (action->kind != WM_ACTION_ENTER)
		put_end(p, " ", p->program->window[step->loop].end);
}

static void put_pair(const struct print *p, const char *before, uint32_t word)
{
	fprintf(p->out, "%s{%" PRId64 ", %" PRId64 "}", before, (int64_t)p->table[word], (int64_t)p->table[word + 1]);
}

static void put_site(const struct print *p, const struct wm_action *action)
{
	fprintf(p->out, " token %" PRIu64, p->table[action->site + WM_SITE_TOKEN]);
	bool hands_over = action->kind == WM_ACTION_HAND_OVER || action->kind == WM_ACTION_HAND_OVER_LAST;
	if (hands_over)
		put_pair(p, " behind ", action->site + WM_SITE_BEHIND);
	bool potential = hands_over || action->kind == WM_ACTION_TAKE_REPLY;
	if (potential && !(action->flags & WM_LEVEL))
		put_pair(p, " potential ", action->site + WM_SITE_POTENTIAL);
	if (action->kind == WM_ACTION_TAKE_REPLY)
		fprintf(p->out, " edge-value %" PRIu64, p->table[action->site + WM_SITE_EDGE_VALUE]);
}

static void put_action(const struct print *p, const struct wm_action *action)
{
	const struct wm_action_row *row = &wm_action_rows[action->kind];
	fprintf(p->out, "%s", row->text);
	if (row->operands & (WM_HAS_VALUE | WM_HAS_SLOT))
		fprintf(p->out, " %" PRId64, action->value);
	if (row->operands & WM_HAS_RANGE)
		fprintf(p->out, " %u..%u", wm_range_low(action), wm_range_high(action));
	if (row->operands & WM_HAS_REGION)
		fprintf(p->out, " region %u", action->region);
	if (row->operands & WM_HAS_CELL && action->cell != WM_NONE)
		fprintf(p->out, " cell %u", action->cell);
	if (row->operands & WM_HAS_LOOP)
		fprintf(p->out, " loop %u", action->loop);
	if (row->operands & WM_HAS_TRIP)
		put_trips(p, action);
	if (row->operands & WM_HAS_STEP)
		put_step(p, action);
	if (row->operands & WM_HAS_PAIR && !(action->flags & WM_LEVEL))
		put_pair(p, " ", (uint32_t)action->value);
	if (row->operands & WM_HAS_SITE)
		put_site(p, action);
	put_flags(p, action->flags);
	if (row->operands & WM_HAS_END)
		put_end(p, " ", action->end);
}

static void put_actions(const struct print *p, const struct wm_probe *probe)
{
	for (uint32_t i = 0; i < probe->count; i++) {
		fprintf(p->out, "%s", i ? "; " : "");
		put_action(p, &probe->action[i]);
	}
}

static void put_block(const struct print *p, const char *before, uint32_t block, const char *after)
{
	if (p->block_name)
		fprintf(p->out, "%s%s%s", before, p->block_name[block], after);
	else
		fprintf(p->out, "%s%u%s", before, block, after);
}

static void put_line(const struct print *p, const struct wm_probe *probe)
{
	put_actions(p, probe);
	fprintf(p->out, "\n");
}

static void put_events(const struct print *p, const struct wm_graph *graph)
{
	const struct wm_probe_program *program = p->program;
	FILE *out = p->out;
	if (program->entry.count) {
		fprintf(out, "entry: ");
		put_line(p, &program->entry);
	}
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		if (!program->edge[e].count)
			continue;
		put_block(p, "edge ", graph->edge_from[e], " -> ");
		put_block(p, "", graph->edge_to[e], ": ");
		put_line(p, &program->edge[e]);
	}
	for (uint32_t b = 0; b < graph->block_count; b++) {
		if (!program->exit[b].count)
			continue;
		put_block(p, "exit ", b, ": ");
		put_line(p, &program->exit[b]);
	}
}

void print_probe_program(
	FILE *out, char *const *block_name, const struct wm_graph *graph, const struct wm_probe_program *program)
{
	const struct print p = {out, block_name, program, NULL};
	put_events(&p, graph);
	if (program->cold.count) {
		fprintf(out, "cold: ");
		put_line(&p, &program->cold);
	}
}

static void put_call(const struct print *p, const char *when, const struct wm_call *call, const struct wm_probe *probe)
{
	if (!probe->count)
		return;
	put_block(p, when, call->block, "");
	fprintf(p->out, ", call %u: ", call->position);
	put_line(p, probe);
}

/* The pairs of its local indices, and the ids of those that have cells. */
static void put_region(const struct print *p, const struct wm_unit_program *program, uint32_t index)
{
	const struct wm_unit_region *region = &program->regions.region[index];
	const uint64_t *id = p->table + program->first_id + region->first_cell;
	fprintf(p->out, "region %u:", index);
	for (uint32_t i = 0; i < region->paths; i++) {
		put_pair(p, i ? "; " : " ", region->first_pair + 2 * i);
		if (i >= region->entered && id[i - region->entered] != UINT64_MAX)
			fprintf(p->out, " cell of id %" PRIu64, id[i - region->entered]);
	}
	fprintf(p->out, "\n");
}

void print_unit_program(FILE *out, char *const *block_name, const struct wm_probed *probed)
{
	const struct wm_unit_function *function = probed->plan->in_unit;
	const struct wm_unit_program *program = probed->unit;
	const struct print p = {out, block_name, &program->events, probed->table};
	put_events(&p, function->graph);
	for (uint32_t i = 0; i < function->call_count; i++) {
		put_call(&p, "before ", &function->call[i], &program->call[i].before);
		put_call(&p, "after ", &function->call[i], &program->call[i].after);
	}
	for (uint32_t i = 0; i < program->regions.count; i++)
		put_region(&p, program, i);
}

void print_program_json(void (*print)(const void *closure, FILE *out), const void *closure)
{
	char *text = NULL, *rest, *line;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	if (!memory)
		wm_no_memory();
	print(closure, memory);
	fclose(memory);
	fputs(",\n   \"probe_program\": [", stdout);
	rest = text;
	for (const char *before = ""; (line = strsep(&rest, "\n")) && *line; before = ",")
		printf("%s\n    \"%s\"", before, line);
	fputs("\n   ]", stdout);
	free(text);
}
