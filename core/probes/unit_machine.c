/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/unit_machine.h"

/* An interrupt may push frames and so move them: no pointer to a frame is kept across one. */
static struct wm_unit_frame *top(const struct wm_unit_machine *m)
{
	return &m->frame[m->depth - 1];
}

static const struct wm_unit_program *program(const struct wm_unit_machine *m)
{
	return &m->code->program[top(m)->function];
}

/* From this word on. */
static const uint64_t *table(const struct wm_unit_machine *m, uint32_t word)
{
	return m->code->table[top(m)->function] + word;
}

static struct wm_pair pair_at(const uint64_t *word)
{
	return (struct wm_pair){word[0], word[1]};
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
	return wm_pair_at(wm_pair_plus(frame->sum, pair), frame->x);
}

static void count(struct wm_unit_machine *m, uint64_t id)
{
	if (!(id & WM_POISON))
		m->count(m->closure, id);
}

/* ---- The next path ---------------------------------------------------------------- */

static void restart(struct wm_unit_machine *m, struct wm_pair pair)
{
	struct wm_unit_frame *frame = top(m);
	frame->sum = pair;
	if (!program(m)->scheme->pieces) {
		frame->sum.b += frame->origin;
		return;
	}
	frame->x = *table(m, WM_UNIT_BEHIND_EXIT);
	frame->restarted = true;
}

/* No end of a path that was counted precedes this one. */
static void resume(struct wm_unit_machine *m, struct wm_pair pair)
{
	m->resumed++;
	restart(m, pair);
}

/* ---- Caller and callee --------------------------------------------------------- */

/* What the top frame exchanges with its callee. */
static struct wm_mailbox *with_callee(struct wm_unit_machine *m)
{
	return top(m)->passes ? &top(m)->passed : &m->mailbox;
}

/* What the top frame exchanges with its caller. */
static struct wm_mailbox *with_caller(struct wm_unit_machine *m)
{
	return top(m)->inlined ? &m->frame[m->depth - 2].passed : &m->mailbox;
}

/* Tokens that mean replies have all bits of WM_HELD too. */
static uint64_t without_hold(uint64_t token)
{
	return token < WM_RESTARTED ? token & ~WM_HELD : token;
}

static void save_mailbox(struct wm_unit_machine *m)
{
	top(m)->saved.token = m->mailbox.token;
	if (!m->mailbox.token)
		return;
	interrupt(m);
	top(m)->saved = m->mailbox;
	interrupt(m);
	m->mailbox.token = 0;
}

static void start_root(struct wm_unit_machine *m, bool keeps_mailbox)
{
	if (keeps_mailbox)
		m->mailbox.token = without_hold(m->mailbox.token);
	else if (!top(m)->inlined)
		save_mailbox(m);
	interrupt(m);
	top(m)->origin = *table(m, WM_UNIT_FIRST);
	top(m)->x = 1;
}

/* An inlined callee need not compare tokens: nobody else can be meant. */
static void take_call(struct wm_unit_machine *m, bool keeps_mailbox)
{
	uint64_t token = with_caller(m)->token;
	top(m)->waiting = m->waiting_count;
	if (top(m)->inlined ? token != 0 : token == *table(m, WM_UNIT_TOKEN)) {
		interrupt(m);
		struct wm_unit_frame *frame = top(m);
		frame->crossed = true;
		frame->origin = with_caller(m)->n;
		frame->x = with_caller(m)->x;
		interrupt(m);
		with_caller(m)->token = 0;
	} else {
		start_root(m, keeps_mailbox);
	}
	top(m)->sum = (struct wm_pair){0, top(m)->origin};
}

/* What is missing in ⟨A, B⟩ at a call. */
static struct wm_pair potential(const struct wm_action *action, const uint64_t *site)
{
	return action->flags & WM_LEVEL ? (struct wm_pair){0, 0} : pair_at(site + WM_SITE_POTENTIAL);
}

static void hand_over(struct wm_unit_machine *m, const struct wm_action *action, const uint64_t *site)
{
	uint64_t n = number(top(m), potential(action, site));
	if (!site[WM_SITE_TOKEN]) {
		if (program(m)->scheme->cuts || action->kind == WM_ACTION_HAND_OVER_LAST)
			count(m, n);
		return;
	}
	with_callee(m)->token = site[WM_SITE_TOKEN];
	interrupt(m);
	with_callee(m)->n = n;
	interrupt(m);
	with_callee(m)->x = wm_pair_at(pair_at(site + WM_SITE_BEHIND), top(m)->x);
}

/* A reply other than WM_REPLIED, or none. */
static uint64_t take_other_reply(struct wm_unit_machine *m, const uint64_t *site, bool is_poisoned)
{
	if (with_callee(m)->token != WM_RESTARTED) {
		m->abandoned += !is_poisoned;
		return WM_POISON;
	}
	top(m)->x = *table(m, WM_UNIT_BEHIND_EXIT);
	top(m)->restarted = true;
	return with_callee(m)->n + site[WM_SITE_EDGE_VALUE];
}

/* After a call that was stepped over, the mailbox is empty. */
static void take_reply(struct wm_unit_machine *m, const struct wm_action *action, const uint64_t *site)
{
	bool replied = with_callee(m)->token == WM_REPLIED;
	if (!replied && !site[WM_SITE_TOKEN]) {
		if (program(m)->scheme->cuts)
			restart(m, pair_at(site + WM_SITE_START));
		return;
	}
	struct wm_pair missing = potential(action, site);
	bool is_poisoned = number(top(m), missing) & WM_POISON;
	uint64_t n = replied ? with_callee(m)->n : take_other_reply(m, site, is_poisoned);
	top(m)->sum = wm_pair_minus((struct wm_pair){0, n}, missing);
	interrupt(m);
	with_callee(m)->token = 0;
}

static void restore_mailbox(struct wm_unit_machine *m)
{
	uint64_t token = top(m)->saved.token;
	if (!token)
		return;
	m->mailbox.token = without_hold(token);
	interrupt(m);
	m->mailbox.n = top(m)->saved.n;
	m->mailbox.x = top(m)->saved.x;
}

static void hold(struct wm_unit_machine *m, uint64_t held)
{
	if (m->mailbox.token && !(m->mailbox.token & WM_HELD))
		m->mailbox.token |= held;
}

static void reply(struct wm_unit_machine *m, struct wm_pair pair)
{
	uint64_t id = number(top(m), pair);
	if (top(m)->crossed) {
		with_caller(m)->token = top(m)->restarted ? WM_RESTARTED : WM_REPLIED;
		interrupt(m);
		with_caller(m)->n = id;
		return;
	}
	count(m, id + (top(m)->restarted ? *table(m, WM_UNIT_EXIT_VALUE) : 0));
	interrupt(m);
	restore_mailbox(m);
}

static void empty_mailbox(struct wm_unit_machine *m)
{
	m->mailbox.token = 0;
}

/* ---- Pending paths ------------------------------------------------------------------- */

/* Counts the paths of activations that are gone. */
static void count_waiting(struct wm_unit_machine *m, uint32_t from)
{
	while (m->waiting_count > from) {
		uint64_t id = m->waiting[m->waiting_count - 1];
		m->waiting[m->waiting_count - 1] = WM_POISON;
		m->waiting_count--;
		count(m, id);
	}
}

/* Without memory the path is not noted. */
static bool has_room_to_wait(struct wm_unit_machine *m)
{
	uint32_t i = m->waiting_capacity;
	uint64_t *grown = wm_arena_grow(m->arena, m->waiting, &m->waiting_capacity, m->waiting_count, sizeof *grown);
	m->waiting = grown ? grown : m->waiting;
	for (; i < m->waiting_capacity; i++)
		m->waiting[i] = WM_POISON;
	return grown;
}

/* The place is taken before the number is written: a signal handler in between uses the places after it. */
static void wait_for_call(struct wm_unit_machine *m, struct wm_pair pair)
{
	count_waiting(m, top(m)->waiting);
	if (!has_room_to_wait(m))
		return;
	m->waiting_count++;
	interrupt(m);
	m->waiting[top(m)->waiting] = number(top(m), pair);
}

static void end_wait(struct wm_unit_machine *m)
{
	if (m->waiting_count > top(m)->waiting)
		m->waiting[top(m)->waiting] = WM_POISON;
	interrupt(m);
	count_waiting(m, top(m)->waiting);
}

/* ---- Events ------------------------------------------------------------------------ */

static void add(struct wm_unit_machine *m, struct wm_pair pair)
{
	top(m)->sum = wm_pair_plus(top(m)->sum, pair);
}

static struct wm_pair local_pair(const struct wm_unit_machine *m, const struct wm_unit_region *region, uint32_t index)
{
	return pair_at(table(m, region->first_pair + 2 * index));
}

static void count_local(struct wm_unit_machine *m, const struct wm_unit_region *region, uint32_t index)
{
	if (index < region->entered)
		count(m, number(top(m), local_pair(m, region, index)));
	else
		count(m, *table(m, program(m)->first_id + region->first_cell + index - region->entered));
}

static void leave_region(struct wm_unit_machine *m, const struct wm_unit_region *region, uint32_t index)
{
	if (index >= region->entered)
		restart(m, (struct wm_pair){0, 0});
	add(m, local_pair(m, region, index));
}

static void run_in_region(struct wm_unit_machine *m, const struct wm_action *action)
{
	const struct wm_unit_region *region = &program(m)->regions.region[action->region];
	uint32_t value = (uint32_t)action->value, index = top(m)->local + value;
	if (action->kind == WM_ACTION_REGION_SET)
		top(m)->local = value;
	else if (action->kind == WM_ACTION_REGION_ADD)
		top(m)->local = index;
	else if (action->kind == WM_ACTION_REGION_COUNT)
		count_local(m, region, index);
	else
		leave_region(m, region, index);
}

static void run_action(struct wm_unit_machine *m, const struct wm_action *action)
{
	uint16_t operands = wm_action_rows[action->kind].operands;
	const uint64_t *site = table(m, operands & WM_HAS_SITE ? action->site : 0);
	bool has_pair = operands & WM_HAS_PAIR && !(action->flags & WM_LEVEL);
	struct wm_pair pair = has_pair ? pair_at(table(m, (uint32_t)action->value)) : (struct wm_pair){0, 0};
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_TAKE_CALL:
		take_call(m, action->flags & WM_KEEPS_MAILBOX);
		break;
	case WM_ACTION_ADD_PAIR:
		add(m, pair);
		break;
	case WM_ACTION_HAND_OVER:
	case WM_ACTION_HAND_OVER_LAST:
		hand_over(m, action, site);
		break;
	case WM_ACTION_TAKE_REPLY:
		take_reply(m, action, site);
		break;
	case WM_ACTION_COUNT_PAIR:
		count(m, number(top(m), pair));
		break;
	case WM_ACTION_REPLY:
		reply(m, pair);
		break;
	case WM_ACTION_HOLD:
		hold(m, pair.a);
		break;
	case WM_ACTION_QUIT:
		restore_mailbox(m);
		break;
	case WM_ACTION_CATCH:
		empty_mailbox(m);
		break;
	case WM_ACTION_RESTART:
		restart(m, pair);
		break;
	case WM_ACTION_RESUME:
		resume(m, pair);
		break;
	case WM_ACTION_RESTART_IF:
		if (site[WM_SITE_TOKEN])
			resume(m, pair);
		break;
	case WM_ACTION_ADD_UNLESS:
		if (!site[WM_SITE_TOKEN])
			add(m, pair);
		break;
	case WM_ACTION_COUNT_UNLESS:
		if (!site[WM_SITE_TOKEN])
			count(m, number(top(m), pair));
		break;
	case WM_ACTION_WAIT:
		wait_for_call(m, pair);
		break;
	case WM_ACTION_WAIT_UNLESS:
		if (!site[WM_SITE_TOKEN])
			wait_for_call(m, pair);
		break;
	case WM_ACTION_WAITED:
		end_wait(m);
		break;
	case WM_ACTION_WAITED_UNLESS:
		if (!site[WM_SITE_TOKEN])
			end_wait(m);
		break;
	case WM_ACTION_LEFT:
		count_waiting(m, top(m)->waiting);
		break;
	case WM_ACTION_REGION_SET:
	case WM_ACTION_REGION_ADD:
	case WM_ACTION_REGION_COUNT:
	case WM_ACTION_REGION_LEAVE:
		run_in_region(m, action);
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

static void arrive(struct wm_unit_machine *m, uint32_t block)
{
	top(m)->block = block;
	top(m)->call = wm_unit_first_call(&m->unit->function[top(m)->function], block);
}

static enum wm_status enter(struct wm_unit_machine *m, uint32_t function, bool inlined)
{
	struct wm_unit_frame *grown = wm_arena_grow(m->arena, m->frame, &m->capacity, m->depth, sizeof *grown);
	if (!grown)
		return WM_NO_MEMORY;
	m->frame = grown;
	m->frame[m->depth++] = (struct wm_unit_frame){.function = function, .inlined = inlined};
	arrive(m, 0);
	run(m, &program(m)->events.entry);
	return WM_OK;
}

enum wm_status wm_unit_machine_enter(struct wm_unit_machine *m, uint32_t function)
{
	return enter(m, function, false);
}

enum wm_status wm_unit_machine_enter_inlined(struct wm_unit_machine *m, uint32_t function)
{
	return enter(m, function, true);
}

uint32_t wm_unit_machine_next_call(const struct wm_unit_machine *m)
{
	const struct wm_unit_function *function = &m->unit->function[top(m)->function];
	uint32_t call = top(m)->call;
	return call < function->call_count && function->call[call].block == top(m)->block ? call : WM_NONE;
}

static void call(struct wm_unit_machine *m, bool inlined)
{
	top(m)->passes = inlined;
	run(m, &program(m)->call[top(m)->call].before);
}

void wm_unit_machine_call(struct wm_unit_machine *m)
{
	call(m, false);
}

void wm_unit_machine_call_inlined(struct wm_unit_machine *m)
{
	call(m, true);
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

enum wm_status wm_unit_machine_stick(struct wm_unit_machine *m)
{
	const struct wm_unit_function *function = &m->unit->function[top(m)->function];
	uint32_t last = wm_unit_machine_next_call(m);
	if (function->graph->end[top(m)->block] == WM_END_NONE)
		return WM_BAD_PATH;
	if (last != WM_NONE && wm_unit_is_last_call(function, last))
		call(m, false);
	run(m, &program(m)->events.exit[top(m)->block]);
	return WM_OK;
}

enum wm_status wm_unit_machine_leave(struct wm_unit_machine *m)
{
	enum wm_status status = wm_unit_machine_stick(m);
	m->depth -= status == WM_OK;
	return status;
}

void wm_unit_machine_unwind(struct wm_unit_machine *m)
{
	m->depth--;
}

bool wm_unit_machine_waits(const struct wm_unit_machine *m)
{
	return m->waiting_count > top(m)->waiting && !(m->waiting[top(m)->waiting] & WM_POISON);
}

void wm_unit_machine_end(struct wm_unit_machine *m)
{
	count_waiting(m, 0);
}

void wm_unit_machine_return_again(struct wm_unit_machine *m, const struct wm_unit_frame *saved)
{
	*top(m) = *saved;
	empty_mailbox(m);
	count_waiting(m, top(m)->waiting);
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
