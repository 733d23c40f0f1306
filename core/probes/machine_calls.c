/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/machine.h"
#include <assert.h>

/* An interrupt may push frames and so move them: no pointer to a frame is kept across one. */
static struct wm_frame *top(const struct wm_machine *m)
{
	return wm_machine_top(m);
}

static const struct wm_unit_program *program(const struct wm_machine *m)
{
	return wm_machine_probed(m)->unit;
}

/* From this word on. */
static const uint64_t *table(const struct wm_machine *m, uint32_t word)
{
	return wm_machine_probed(m)->table + word;
}

static struct wm_pair pair_at(const uint64_t *word)
{
	return (struct wm_pair){word[0], word[1]};
}

/* ---- Numbers ------------------------------------------------------------------ */

/* Of the path so far, with a pair that is still to be added. */
static uint64_t number(const struct wm_frame *frame, struct wm_pair pair)
{
	return wm_pair_at(wm_pair_plus(frame->pair, pair), frame->x);
}

static void count_by(struct wm_machine *m, enum wm_unit_end end, uint64_t id)
{
	if (!(id & WM_POISON))
		wm_machine_count(m, top(m)->function, end, id, 1);
}

static void count(struct wm_machine *m, uint64_t id)
{
	count_by(m, WM_UNIT_END, id);
}

/* ---- The next path ---------------------------------------------------------------- */

static void restart(struct wm_machine *m, struct wm_pair pair)
{
	struct wm_frame *frame = top(m);
	frame->pair = pair;
	if (!program(m)->scheme->pieces) {
		frame->pair.b += frame->origin;
		return;
	}
	frame->x = *table(m, WM_UNIT_BEHIND_EXIT);
	frame->restarted = true;
}

/* No end of a path that was counted precedes this one. */
static void resume(struct wm_machine *m, struct wm_pair pair)
{
	m->resumed++;
	restart(m, pair);
}

/* ---- Caller and callee --------------------------------------------------------- */

/* What the top frame exchanges with its callee. */
static struct wm_mailbox *with_callee(struct wm_machine *m)
{
	return top(m)->passes ? &top(m)->passed : &m->mailbox;
}

/* What the top frame exchanges with its caller. */
static struct wm_mailbox *with_caller(struct wm_machine *m)
{
	return top(m)->inlined ? &m->frame[m->depth - 2].passed : &m->mailbox;
}

/* Tokens that mean replies have all bits of WM_HELD too. */
static uint64_t without_hold(uint64_t token)
{
	return token < WM_RESTARTED ? token & ~WM_HELD : token;
}

static void save_mailbox(struct wm_machine *m)
{
	top(m)->saved.token = m->mailbox.token;
	if (!m->mailbox.token)
		return;
	wm_machine_interrupt(m);
	top(m)->saved = m->mailbox;
	wm_machine_interrupt(m);
	m->mailbox.token = 0;
}

static void start_root(struct wm_machine *m, bool keeps_mailbox)
{
	if (keeps_mailbox)
		m->mailbox.token = without_hold(m->mailbox.token);
	else if (!top(m)->inlined)
		save_mailbox(m);
	wm_machine_interrupt(m);
	top(m)->origin = *table(m, WM_UNIT_FIRST);
	top(m)->x = 1;
}

/* An inlined callee need not compare tokens: nobody else can be meant. */
static void take_call(struct wm_machine *m, bool keeps_mailbox)
{
	uint64_t token = with_caller(m)->token;
	top(m)->waiting = m->waiting_count;
	if (top(m)->inlined ? token != 0 : token == *table(m, WM_UNIT_TOKEN)) {
		wm_machine_interrupt(m);
		struct wm_frame *frame = top(m);
		frame->crossed = true;
		frame->origin = with_caller(m)->n;
		frame->x = with_caller(m)->x;
		wm_machine_interrupt(m);
		with_caller(m)->token = 0;
	} else {
		start_root(m, keeps_mailbox);
	}
	top(m)->pair = (struct wm_pair){0, top(m)->origin};
}

/* What is missing in ⟨A, B⟩ at a call. */
static struct wm_pair potential(const struct wm_action *action, const uint64_t *site)
{
	return action->flags & WM_LEVEL ? (struct wm_pair){0, 0} : pair_at(site + WM_SITE_POTENTIAL);
}

static void hand_over(struct wm_machine *m, const struct wm_action *action, const uint64_t *site)
{
	uint64_t n = number(top(m), potential(action, site));
	if (!site[WM_SITE_TOKEN]) {
		if (program(m)->scheme->cuts || action->kind == WM_ACTION_HAND_OVER_LAST)
			count(m, n);
		return;
	}
	with_callee(m)->token = site[WM_SITE_TOKEN];
	wm_machine_interrupt(m);
	with_callee(m)->n = n;
	wm_machine_interrupt(m);
	with_callee(m)->x = wm_pair_at(pair_at(site + WM_SITE_BEHIND), top(m)->x);
}

/* A reply other than WM_REPLIED, or none. */
static uint64_t take_other_reply(struct wm_machine *m, const uint64_t *site, bool is_poisoned)
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
static void take_reply(struct wm_machine *m, const struct wm_action *action, const uint64_t *site)
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
	top(m)->pair = wm_pair_minus((struct wm_pair){0, n}, missing);
	wm_machine_interrupt(m);
	with_callee(m)->token = 0;
}

static void restore_mailbox(struct wm_machine *m)
{
	uint64_t token = top(m)->saved.token;
	if (!token)
		return;
	m->mailbox.token = without_hold(token);
	wm_machine_interrupt(m);
	m->mailbox.n = top(m)->saved.n;
	m->mailbox.x = top(m)->saved.x;
}

static void hold(struct wm_machine *m, uint64_t held)
{
	if (m->mailbox.token && !(m->mailbox.token & WM_HELD))
		m->mailbox.token |= held;
}

static void reply(struct wm_machine *m, struct wm_pair pair)
{
	uint64_t id = number(top(m), pair);
	if (top(m)->crossed) {
		with_caller(m)->token = top(m)->restarted ? WM_RESTARTED : WM_REPLIED;
		wm_machine_interrupt(m);
		with_caller(m)->n = id;
		return;
	}
	count(m, id + (top(m)->restarted ? *table(m, WM_UNIT_EXIT_VALUE) : 0));
	wm_machine_interrupt(m);
	restore_mailbox(m);
}

static void empty_mailbox(struct wm_machine *m)
{
	m->mailbox.token = 0;
}

/* ---- Pending paths ------------------------------------------------------------------- */

/* Counts the paths of activations that are gone, as the runtime does. */
static void count_waiting(struct wm_machine *m, uint32_t from)
{
	while (m->waiting_count > from) {
		struct wm_waiting path = m->waiting[--m->waiting_count];
		m->waiting[m->waiting_count].id = WM_POISON;
		if (!(path.id & WM_POISON))
			wm_machine_count(m, path.function, WM_UNIT_COLD_END, path.id, 1);
	}
}

/* Without memory the path is not noted. */
static bool has_room_to_wait(struct wm_machine *m)
{
	uint32_t i = m->waiting_capacity;
	struct wm_waiting *grown =
		wm_arena_grow(m->arena, m->waiting, &m->waiting_capacity, m->waiting_count, sizeof *grown);
	m->waiting = grown ? grown : m->waiting;
	for (; i < m->waiting_capacity; i++)
		m->waiting[i].id = WM_POISON;
	return grown;
}

/* The place is taken before the number is written: a signal handler in between uses the places after it. */
static void wait_for_call(struct wm_machine *m, struct wm_pair pair)
{
	count_waiting(m, top(m)->waiting);
	if (!has_room_to_wait(m))
		return;
	m->waiting_count++;
	wm_machine_interrupt(m);
	m->waiting[top(m)->waiting] = (struct wm_waiting){top(m)->function, number(top(m), pair)};
}

static void end_wait(struct wm_machine *m)
{
	if (m->waiting_count > top(m)->waiting)
		m->waiting[top(m)->waiting].id = WM_POISON;
	wm_machine_interrupt(m);
	count_waiting(m, top(m)->waiting);
}

/* ---- Actions ----------------------------------------------------------------------- */

static void add(struct wm_machine *m, struct wm_pair pair)
{
	top(m)->pair = wm_pair_plus(top(m)->pair, pair);
}

static struct wm_pair local_pair(const struct wm_machine *m, const struct wm_unit_region *region, uint32_t index)
{
	return pair_at(table(m, region->first_pair + 2 * index));
}

/* Of a path that began inside, the compiler knows the cell; in a residual build it does not know whether the path is
 * tested. */
static void count_local(struct wm_machine *m, const struct wm_unit_region *region, uint32_t index)
{
	const struct wm_probed *probed = wm_machine_probed(m);
	uint32_t cell = region->first_cell + index - region->entered;
	if (index < region->entered) {
		count_by(m, WM_UNIT_COLD_END, number(top(m), local_pair(m, region, index)));
	} else if (probed->counting->residual) {
		count(m, *table(m, program(m)->first_id + cell));
	} else {
		m->counts_in = top(m)->function;
		m->counters.cell(m->counters.closure, cell, 1);
	}
}

static void leave_region(struct wm_machine *m, const struct wm_unit_region *region, uint32_t index)
{
	if (index >= region->entered)
		restart(m, (struct wm_pair){0, 0});
	add(m, local_pair(m, region, index));
}

static void run_in_region(struct wm_machine *m, const struct wm_action *action)
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

void wm_machine_run_across(struct wm_machine *m, const struct wm_action *action)
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
		assert(!"an action that is not about paths across calls");
		break;
	}
}

bool wm_machine_waits(const struct wm_machine *m)
{
	return m->waiting_count > top(m)->waiting && !(m->waiting[top(m)->waiting].id & WM_POISON);
}

void wm_machine_end(struct wm_machine *m)
{
	count_waiting(m, 0);
}
