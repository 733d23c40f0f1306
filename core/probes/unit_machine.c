/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/unit_machine.h"
#include <string.h>

/* An interrupt may push frames and so move them: no pointer to a frame is kept across one. */
static struct wm_unit_frame *top(const struct wm_unit_machine *m)
{
	return &m->frame[m->depth - 1];
}

static const struct wm_unit_program *program(const struct wm_unit_machine *m)
{
	return &m->program[top(m)->function];
}

static void interrupt(struct wm_unit_machine *m)
{
	if (m->interrupt)
		m->interrupt(m->closure);
}

/* ---- Numbers ------------------------------------------------------------------ */

/* Of the path so far, with a pair that is still to be added. */
static uint64_t number(const struct wm_unit_frame *frame, struct wm_pair pair)
{
	struct wm_pair sum = {frame->sum.a + pair.a, frame->sum.b + pair.b};
	return frame->base + wm_pair_at(sum, frame->x);
}

static void count(struct wm_unit_machine *m, uint64_t id)
{
	if (!top(m)->poisoned)
		m->count(m->closure, id);
}

/* ---- Caller and callee --------------------------------------------------------- */

static void start_root(struct wm_unit_machine *m)
{
	struct wm_unit_frame *frame = top(m);
	frame->saved = m->mailbox;
	interrupt(m);
	m->mailbox = (struct wm_mailbox){.token = 0};
	frame = top(m);
	frame->base = program(m)->first;
	frame->x = 1;
	frame->came_poisoned = !program(m)->root;
}

static void take_call(struct wm_unit_machine *m)
{
	if (m->mailbox.token == program(m)->token) {
		interrupt(m);
		struct wm_unit_frame *frame = top(m);
		frame->crossed = true;
		frame->base = m->mailbox.n;
		frame->x = m->mailbox.x;
		frame->came_poisoned = m->mailbox.poisoned;
		interrupt(m);
		m->mailbox.token = 0;
	} else {
		start_root(m);
	}
	struct wm_unit_frame *frame = top(m);
	frame->poisoned = frame->came_poisoned;
	frame->origin = frame->base;
	frame->sum = (struct wm_pair){0, 0};
}

static void hand_over(struct wm_unit_machine *m, const struct wm_unit_site *site)
{
	m->mailbox.replied = false;
	interrupt(m);
	m->mailbox.n = number(top(m), site->potential);
	interrupt(m);
	m->mailbox.x = wm_pair_at(site->behind, top(m)->x);
	m->mailbox.poisoned = top(m)->poisoned;
	interrupt(m);
	m->mailbox.token = site->token;
}

static void take_reply(struct wm_unit_machine *m, const struct wm_unit_site *site)
{
	struct wm_unit_frame *frame = top(m);
	frame->sum = (struct wm_pair){-site->potential.a, -site->potential.b};
	if (!m->mailbox.replied) {
		m->abandoned += !frame->poisoned;
		frame->poisoned = true;
	} else {
		frame->base = m->mailbox.reply;
		frame->poisoned = m->mailbox.reply_poisoned;
		if (m->mailbox.reply_restarted) {
			frame->base += site->edge_value;
			frame->x = program(m)->behind_exit;
			frame->restarted = true;
		}
	}
	interrupt(m);
	m->mailbox.token = 0;
	m->mailbox.replied = false;
}

static void restore_mailbox(struct wm_unit_machine *m)
{
	if (!top(m)->crossed)
		m->mailbox = top(m)->saved;
}

static void reply(struct wm_unit_machine *m, struct wm_pair pair)
{
	const struct wm_unit_frame *frame = top(m);
	uint64_t id = number(frame, pair);
	if (frame->crossed) {
		m->mailbox.reply = id;
		m->mailbox.reply_restarted = frame->restarted;
		m->mailbox.reply_poisoned = frame->poisoned;
		interrupt(m);
		m->mailbox.replied = true;
	} else if (program(m)->root) {
		count(m, id + (frame->restarted ? program(m)->exit_value : 0));
	}
	interrupt(m);
	restore_mailbox(m);
}

/* ---- The next path ---------------------------------------------------------------- */

static void resume(struct wm_unit_machine *m, struct wm_pair pair)
{
	struct wm_unit_frame *frame = top(m);
	frame->base = frame->origin;
	frame->poisoned = frame->came_poisoned;
	frame->sum = pair;
}

static void restart(struct wm_unit_machine *m, struct wm_pair pair)
{
	struct wm_unit_frame *frame = top(m);
	frame->base = program(m)->first_piece;
	frame->x = program(m)->behind_exit;
	frame->restarted = true;
	frame->poisoned = false;
	frame->sum = pair;
}

/* ---- Events ------------------------------------------------------------------------ */

static void run_action(struct wm_unit_machine *m, const struct wm_action *action)
{
	uint32_t index = (uint32_t)action->value;
	struct wm_pair pair = {0, 0};
	if (wm_action_rows[action->kind].operands & WM_HAS_PAIR)
		pair = program(m)->pair[index];
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_TAKE_CALL:
		take_call(m);
		break;
	case WM_ACTION_SET_PAIR:
		top(m)->sum = pair;
		break;
	case WM_ACTION_ADD_PAIR:
		top(m)->sum.a += pair.a;
		top(m)->sum.b += pair.b;
		break;
	case WM_ACTION_HAND_OVER:
		hand_over(m, &program(m)->site[index]);
		break;
	case WM_ACTION_TAKE_REPLY:
		take_reply(m, &program(m)->site[index]);
		break;
	case WM_ACTION_COUNT_PAIR:
		count(m, number(top(m), pair));
		break;
	case WM_ACTION_REPLY:
		reply(m, pair);
		break;
	case WM_ACTION_QUIT:
		restore_mailbox(m);
		break;
	case WM_ACTION_CATCH:
		m->mailbox.token = 0;
		m->mailbox.replied = false;
		break;
	case WM_ACTION_RESUME:
		resume(m, pair);
		break;
	case WM_ACTION_RESTART:
		restart(m, pair);
		break;
		WM_EVENT_ACTIONS(WM_CASE)
		WM_END_ACTIONS(WM_CASE)
		break;
	}
}

static void run(struct wm_unit_machine *m, const struct wm_probe *probe)
{
	interrupt(m);
	for (uint32_t i = 0; i < probe->count; i++) {
		run_action(m, &probe->action[i]);
		interrupt(m);
	}
}

static bool has_room(struct wm_unit_machine *m)
{
	if (m->depth < m->capacity)
		return true;
	uint32_t capacity = m->capacity ? 2 * m->capacity : 16;
	struct wm_unit_frame *larger = WM_NEW(m->arena, struct wm_unit_frame, capacity);
	if (!larger)
		return false;
	if (m->depth)
		memcpy(larger, m->frame, m->depth * sizeof *larger);
	m->frame = larger;
	m->capacity = capacity;
	return true;
}

static void arrive(struct wm_unit_machine *m, uint32_t block)
{
	top(m)->block = block;
	top(m)->call = wm_unit_first_call(&m->unit->function[top(m)->function], block);
}

enum wm_status wm_unit_machine_enter(struct wm_unit_machine *m, uint32_t function)
{
	if (!has_room(m))
		return WM_NO_MEMORY;
	m->frame[m->depth++] = (struct wm_unit_frame){.function = function};
	arrive(m, 0);
	run(m, &program(m)->events.entry);
	return WM_OK;
}

uint32_t wm_unit_machine_next_call(const struct wm_unit_machine *m)
{
	const struct wm_unit_function *function = &m->unit->function[top(m)->function];
	uint32_t call = top(m)->call;
	return call < function->call_count && function->call[call].block == top(m)->block ? call : WM_NONE;
}

void wm_unit_machine_call(struct wm_unit_machine *m)
{
	run(m, &program(m)->call[top(m)->call].before);
}

void wm_unit_machine_go_on(struct wm_unit_machine *m)
{
	run(m, &program(m)->call[top(m)->call].after);
	top(m)->call++;
}

static void take_edge(struct wm_unit_machine *m, uint32_t edge)
{
	run(m, &program(m)->events.edge[edge]);
	arrive(m, m->unit->function[top(m)->function].graph->edge_to[edge]);
}

enum wm_status wm_unit_machine_step(struct wm_unit_machine *m, uint32_t next_block)
{
	uint32_t edge = wm_graph_find_edge(m->unit->function[top(m)->function].graph, top(m)->block, next_block);
	if (edge == WM_NONE)
		return WM_BAD_PATH;
	take_edge(m, edge);
	return WM_OK;
}

enum wm_status wm_unit_machine_leave(struct wm_unit_machine *m)
{
	if (m->unit->function[top(m)->function].graph->end[top(m)->block] == WM_END_NONE)
		return WM_BAD_PATH;
	run(m, &program(m)->events.exit[top(m)->block]);
	m->depth--;
	return WM_OK;
}

void wm_unit_machine_unwind(struct wm_unit_machine *m)
{
	m->depth--;
}

enum wm_status wm_unit_machine_catch(struct wm_unit_machine *m)
{
	const struct wm_unit_function *function = &m->unit->function[top(m)->function];
	const struct wm_graph *graph = function->graph;
	uint32_t block = top(m)->block, call = wm_unit_machine_next_call(m), last = graph->first_edge[block + 1];
	if (call == WM_NONE || !function->call[call].unwinds || last == graph->first_edge[block])
		return WM_BAD_PATH;
	take_edge(m, last - 1);
	return WM_OK;
}
