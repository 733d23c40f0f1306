/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/across/across.h"
#include "plugin/across/across_table.h"
#include "plugin/across/mailbox.h"
#include "plugin/across/waiting_calls.h"
#include <assert.h>
#include <string.h>

/* ---- Words and registers ------------------------------------------------------------ */

static void create_registers(struct wm_emission *e)
{
	static const char *const names[WM_ACROSS_REGISTERS] = {"waymark.x", "waymark.a", "waymark.b", "waymark.origin",
		"waymark.restarted", "waymark.token", "waymark.saved.n", "waymark.saved.x", "waymark.waiting",
		"waymark.crossed", "waymark.local"};
	for (unsigned i = 0; i < WM_ACROSS_REGISTERS; i++)
		e->unit.reg[i] = wm_new_alloca(e, e->emitter->i64, names[i]);
}

enum wm_status wm_across_create(struct wm_emission *e)
{
	enum wm_status status = wm_table_create_links(e);
	if (status == WM_OK)
		create_registers(e);
	return status;
}

size_t wm_across_registers(const struct wm_emission *e, LLVMValueRef *variable)
{
	memcpy(variable, e->unit.reg, sizeof e->unit.reg);
	return WM_ACROSS_REGISTERS;
}

static LLVMValueRef get(struct wm_emission *e, enum wm_across_register which)
{
	return wm_load(e, e->emitter->i64, e->unit.reg[which]);
}

static void set_register(struct wm_emission *e, enum wm_across_register which, LLVMValueRef value)
{
	LLVMBuildStore(e->builder, value, e->unit.reg[which]);
}

static void set_constant(struct wm_emission *e, enum wm_across_register which, uint64_t value)
{
	set_register(e, which, wm_constant(e->emitter, value));
}

static LLVMValueRef add(struct wm_emission *e, LLVMValueRef left, LLVMValueRef right)
{
	return LLVMBuildAdd(e->builder, left, right, "");
}

/* A word of the table, whose index is a value. */
static LLVMValueRef word_at(struct wm_emission *e, LLVMValueRef at)
{
	LLVMValueRef value =
		wm_load(e, e->emitter->i64, LLVMBuildGEP2(e->builder, e->emitter->i64, e->unit.table, &at, 1, ""));
	LLVMSetMetadata(value, LLVMGetMDKindIDInContext(e->emitter->context, "invariant.load", 14),
		LLVMMDNodeInContext(e->emitter->context, NULL, 0));
	return value;
}

static LLVMValueRef word(struct wm_emission *e, uint32_t index)
{
	bool fixed = wm_unit_word_is_fixed(e->across->program, index);
	return fixed ? wm_constant(e->emitter, e->across->word[index]) : word_at(e, wm_constant(e->emitter, index));
}

static void add_pair(struct wm_emission *e, uint32_t pair)
{
	set_register(e, WM_REGISTER_A, add(e, get(e, WM_REGISTER_A), word(e, pair)));
	set_register(e, WM_REGISTER_B, add(e, get(e, WM_REGISTER_B), word(e, pair + 1)));
}

/* a·x + b */
static LLVMValueRef linear(struct wm_emission *e, LLVMValueRef a, LLVMValueRef x, LLVMValueRef b)
{
	return add(e, LLVMBuildMul(e->builder, a, x, ""), b);
}

/* (A + a)·x + B + b; `level`: the pair is ⟨0, 0⟩ */
static LLVMValueRef number(struct wm_emission *e, uint32_t pair, bool level)
{
	LLVMValueRef a = get(e, WM_REGISTER_A), b = get(e, WM_REGISTER_B);
	if (!level) {
		a = add(e, a, word(e, pair));
		b = add(e, b, word(e, pair + 1));
	}
	return linear(e, a, get(e, WM_REGISTER_X), b);
}

static bool is_level(const struct wm_action *action)
{
	return action->flags & WM_LEVEL;
}

static void count_path(struct wm_emission *e, LLVMValueRef id, LLVMValueRef before)
{
	wm_emit_end(e, WM_UNIT_END, (struct wm_total){id, 0}, wm_constant(e->emitter, 1), before);
}

/* The same out of line: an inline probe would keep addresses and constants in registers throughout the loop around it. */
static void count_seldom(struct wm_emission *e, LLVMValueRef id, LLVMValueRef before)
{
	wm_emit_end(e, WM_UNIT_COLD_END, (struct wm_total){id, 0}, wm_constant(e->emitter, 1), before);
}

/* if (condition) { HERE }, before which the builder is positioned */
static void begin_if(struct wm_emission *e, LLVMValueRef condition, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(condition, before));
}

static bool has_pieces(const struct wm_emission *e)
{
	return e->across->program->scheme->pieces;
}

static bool has_cuts(const struct wm_emission *e)
{
	return e->across->program->scheme->cuts;
}

/* ---- Caller and callee ------------------------------------------------------------------ */

/* Whether LLVM may still inline calls, so that caller and callee exchange messages (mailbox.h). */
static bool sends_messages(const struct wm_emission *e)
{
	return !e->emitter->promote;
}

/* Whether the function was crossed into. */
static LLVMValueRef is_crossed(struct wm_emission *e)
{
	if (sends_messages(e))
		return LLVMBuildIsNotNull(e->builder, get(e, WM_REGISTER_CROSSED), "");
	return LLVMBuildICmp(e->builder, LLVMIntEQ, get(e, WM_REGISTER_TOKEN), word(e, WM_UNIT_TOKEN), "");
}

static void enter_crossed(struct wm_emission *e)
{
	if (sends_messages(e)) {
		set_register(e, WM_REGISTER_ORIGIN, get(e, WM_REGISTER_SAVED_N));
		set_register(e, WM_REGISTER_X, get(e, WM_REGISTER_SAVED_X));
		return;
	}
	set_register(e, WM_REGISTER_ORIGIN, wm_read_mail(e, WM_MAIL_N));
	set_register(e, WM_REGISTER_X, wm_read_mail(e, WM_MAIL_X));
	wm_empty_mailbox(e);
}

static bool keeps_mailbox(const struct wm_emission *e)
{
	return e->program->entry.action[0].flags & WM_KEEPS_MAILBOX;
}

/* Of the tokens with WM_HELD, only those that mean replies are not below WM_RESTARTED. */
static LLVMValueRef is_held(struct wm_emission *e, LLVMValueRef token)
{
	return LLVMBuildICmp(e->builder, LLVMIntSLT, token, wm_constant(e->emitter, WM_RESTARTED), "");
}

static LLVMValueRef without_hold(struct wm_emission *e, LLVMValueRef token)
{
	return LLVMBuildAnd(e->builder, token, wm_constant(e->emitter, ~WM_HELD), "");
}

/* The mailbox is saved, or a message in it is no longer held. */
static void enter_root(struct wm_emission *e, LLVMValueRef token, LLVMValueRef before)
{
	set_register(e, WM_REGISTER_ORIGIN, word(e, WM_UNIT_FIRST));
	set_constant(e, WM_REGISTER_X, 1);
	if (e->function->has_entries)
		wm_increment_cell(e, wm_constant(e->emitter, 0));
	if (sends_messages(e) && !keeps_mailbox(e))
		return;
	begin_if(e, keeps_mailbox(e) ? is_held(e, token) : LLVMBuildIsNotNull(e->builder, token, ""), before);
	if (keeps_mailbox(e)) {
		wm_write_mail(e, WM_MAIL_TOKEN, without_hold(e, token));
		return;
	}
	set_register(e, WM_REGISTER_SAVED_N, wm_read_mail(e, WM_MAIL_N));
	set_register(e, WM_REGISTER_SAVED_X, wm_read_mail(e, WM_MAIL_X));
	wm_empty_mailbox(e);
}

/* All words of the mailbox, which is emptied.  Returns the token of another function, or 0. */
static LLVMValueRef take_message(struct wm_emission *e)
{
	struct wm_taken taken = wm_message_take(e, word(e, WM_UNIT_TOKEN), keeps_mailbox(e));
	set_register(e, WM_REGISTER_CROSSED, LLVMBuildZExt(e->builder, taken.crossed, e->emitter->i64, ""));
	set_register(e, WM_REGISTER_SAVED_N, taken.n);
	set_register(e, WM_REGISTER_SAVED_X, taken.x);
	return taken.found;
}

static void take_call(struct wm_emission *e, LLVMValueRef before)
{
	LLVMValueRef token = sends_messages(e) ? take_message(e) : wm_read_mail(e, WM_MAIL_TOKEN), crossed, root;
	set_register(e, WM_REGISTER_TOKEN, token);
	if (e->across->program->scheme->pending)
		wm_waiting_enter(e);
	wm_shim_if_likely_else(is_crossed(e), before, &crossed, &root);
	LLVMPositionBuilderBefore(e->builder, crossed);
	enter_crossed(e);
	LLVMPositionBuilderBefore(e->builder, root);
	enter_root(e, token, root);
	LLVMPositionBuilderBefore(e->builder, before);
	set_constant(e, WM_REGISTER_RESTARTED, 0);
	set_constant(e, WM_REGISTER_A, 0);
	set_register(e, WM_REGISTER_B, get(e, WM_REGISTER_ORIGIN));
}

static void set_restarted(struct wm_emission *e)
{
	set_register(e, WM_REGISTER_X, word(e, WM_UNIT_BEHIND_EXIT));
	set_constant(e, WM_REGISTER_RESTARTED, ~(uint64_t)0);
}

static void restart_path(struct wm_emission *e, uint32_t pair)
{
	LLVMValueRef b = word(e, pair + 1);
	set_register(e, WM_REGISTER_A, word(e, pair));
	set_register(e, WM_REGISTER_B, has_pieces(e) ? b : add(e, b, get(e, WM_REGISTER_ORIGIN)));
	if (has_pieces(e))
		set_restarted(e);
}

/* Where control is if the call is crossed; *over is where it is otherwise. */
static void begin_crossed(struct wm_emission *e, uint32_t site, LLVMValueRef before, LLVMValueRef *over)
{
	LLVMValueRef token = word(e, site + WM_SITE_TOKEN), crossed;
	wm_shim_if_likely_else(LLVMBuildIsNotNull(e->builder, token, ""), before, &crossed, over);
	LLVMPositionBuilderBefore(e->builder, crossed);
}

static void count_unless(struct wm_emission *e, uint32_t pair, bool level, uint32_t site, LLVMValueRef before)
{
	LLVMValueRef token = word(e, site + WM_SITE_TOKEN);
	LLVMValueRef at = wm_shim_if_unlikely(LLVMBuildIsNull(e->builder, token, ""), before);
	LLVMPositionBuilderBefore(e->builder, at);
	count_path(e, number(e, pair, level), at);
	LLVMPositionBuilderBefore(e->builder, before);
}

/* A message comes last: if the call is inlined, nothing separates it from the entry of the callee. */
static void hand_over(struct wm_emission *e, const struct wm_action *action, LLVMValueRef before)
{
	uint32_t site = action->site;
	bool counts = has_cuts(e) || action->kind == WM_ACTION_HAND_OVER_LAST;
	LLVMValueRef over = NULL;
	if (!sends_messages(e))
		begin_crossed(e, site, before, &over);
	else if (counts)
		count_unless(e, site + WM_SITE_POTENTIAL, is_level(action), site, before);
	LLVMValueRef n = number(e, site + WM_SITE_POTENTIAL, is_level(action));
	LLVMValueRef x =
		linear(e, word(e, site + WM_SITE_BEHIND), get(e, WM_REGISTER_X), word(e, site + WM_SITE_BEHIND + 1));
	if (sends_messages(e))
		wm_message_put(e, word(e, site + WM_SITE_TOKEN), n, x);
	else
		wm_put_mail(e, word(e, site + WM_SITE_TOKEN), n, x);
	if (!over || !counts)
		return;
	LLVMPositionBuilderBefore(e->builder, over);
	count_path(e, number(e, site + WM_SITE_POTENTIAL, is_level(action)), over);
}

/* The callee has returned the number n: ⟨A, B⟩ = ⟨0, n⟩ - φ. */
static void set_reply(struct wm_emission *e, const struct wm_action *action, LLVMValueRef n)
{
	uint32_t potential = action->site + WM_SITE_POTENTIAL;
	bool level = is_level(action);
	set_register(e, WM_REGISTER_A,
		level ? wm_constant(e->emitter, 0) : LLVMBuildNeg(e->builder, word(e, potential), ""));
	set_register(e, WM_REGISTER_B, level ? n : LLVMBuildSub(e->builder, n, word(e, potential + 1), ""));
}

/* A path that began in the callee or below: where it can go on depends on all callers.  `n` NULL: it is in the mailbox. */
static void take_restarted(
	struct wm_emission *e, const struct wm_action *action, struct wm_taken_reply reply, LLVMValueRef before)
{
	LLVMValueRef is_restarted =
		LLVMBuildICmp(e->builder, LLVMIntEQ, reply.token, wm_constant(e->emitter, WM_RESTARTED), "");
	begin_if(e, is_restarted, before);
	LLVMValueRef n = reply.n ? reply.n : wm_read_mail(e, WM_MAIL_N);
	set_reply(e, action, add(e, n, word(e, action->site + WM_SITE_EDGE_VALUE)));
	set_restarted(e);
}

/* Everything but n, if that is in the mailbox. */
static struct wm_taken_reply read_reply(struct wm_emission *e, uint32_t site)
{
	if (sends_messages(e))
		return wm_message_take_reply(e, word(e, site + WM_SITE_TOKEN));
	LLVMValueRef token = wm_read_mail(e, WM_MAIL_TOKEN), replied = wm_constant(e->emitter, WM_REPLIED);
	return (struct wm_taken_reply){LLVMBuildICmp(e->builder, LLVMIntEQ, token, replied, ""), token, NULL};
}

/* After a call that was stepped over, the mailbox is empty, so a reply need not be checked against the site. */
static void take_reply(struct wm_emission *e, const struct wm_action *action, LLVMValueRef before)
{
	struct wm_taken_reply reply = read_reply(e, action->site);
	LLVMValueRef replied, other, over;
	wm_shim_if_likely_else(reply.replied, before, &replied, &other);
	LLVMPositionBuilderBefore(e->builder, replied);
	set_reply(e, action, reply.n ? reply.n : wm_read_mail(e, WM_MAIL_N));
	if (!reply.n)
		wm_empty_mailbox(e);
	LLVMPositionBuilderBefore(e->builder, other);
	begin_crossed(e, action->site, other, &over);
	LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->builder));
	set_reply(e, action, wm_constant(e->emitter, WM_POISON));
	if (has_pieces(e))
		take_restarted(e, action, reply, end);
	LLVMPositionBuilderBefore(e->builder, end);
	if (!reply.n)
		wm_empty_mailbox(e);
	LLVMPositionBuilderBefore(e->builder, over);
	if (has_cuts(e))
		restart_path(e, action->site + WM_SITE_START);
}

/* Of a frame that was not crossed into. */
static void restore_mailbox(struct wm_emission *e, LLVMValueRef before)
{
	if (keeps_mailbox(e))
		return;
	LLVMValueRef token = get(e, WM_REGISTER_TOKEN);
	begin_if(e, LLVMBuildIsNotNull(e->builder, token, ""), before);
	token = LLVMBuildSelect(e->builder, is_held(e, token), without_hold(e, token), token, "");
	wm_put_mail(e, token, get(e, WM_REGISTER_SAVED_N), get(e, WM_REGISTER_SAVED_X));
}

static void hold(struct wm_emission *e, uint32_t pair, LLVMValueRef before)
{
	LLVMValueRef token = wm_read_mail(e, WM_MAIL_TOKEN);
	begin_if(e, LLVMBuildICmp(e->builder, LLVMIntSGT, token, wm_constant(e->emitter, 0), ""), before);
	wm_write_mail(e, WM_MAIL_TOKEN, LLVMBuildOr(e->builder, token, word(e, pair), ""));
}

static void quit(struct wm_emission *e, LLVMValueRef before)
{
	LLVMValueRef root = wm_shim_if_unlikely(LLVMBuildNot(e->builder, is_crossed(e), ""), before);
	LLVMPositionBuilderBefore(e->builder, root);
	restore_mailbox(e, root);
}

static LLVMValueRef id_at_exit(struct wm_emission *e, LLVMValueRef id)
{
	if (!has_pieces(e))
		return id;
	LLVMValueRef restarted = get(e, WM_REGISTER_RESTARTED);
	return add(e, id, LLVMBuildAnd(e->builder, restarted, word(e, WM_UNIT_EXIT_VALUE), ""));
}

/* WM_REPLIED or WM_RESTARTED */
static LLVMValueRef reply_token(struct wm_emission *e)
{
	_Static_assert(WM_RESTARTED == WM_REPLIED + ~(uint64_t)0, "`restarted` is added");
	LLVMValueRef replied = wm_constant(e->emitter, WM_REPLIED);
	return has_pieces(e) ? add(e, get(e, WM_REGISTER_RESTARTED), replied) : replied;
}

static void reply(struct wm_emission *e, const struct wm_action *action, LLVMValueRef before)
{
	LLVMValueRef id = number(e, (uint32_t)action->value, is_level(action)), crossed, root;
	wm_shim_if_likely_else(is_crossed(e), before, &crossed, &root);
	LLVMPositionBuilderBefore(e->builder, crossed);
	if (!sends_messages(e))
		wm_put_mail(e, reply_token(e), id, NULL);
	LLVMPositionBuilderBefore(e->builder, root);
	count_path(e, id_at_exit(e, id), root);
	restore_mailbox(e, root);
	LLVMPositionBuilderBefore(e->builder, before);
	if (sends_messages(e))
		wm_message_reply(e, is_crossed(e), reply_token(e), id);
}

/* ---- Landing pads ---------------------------------------------------------------------- */

static void begin_if_token(struct wm_emission *e, uint32_t site, bool crossed, LLVMValueRef before)
{
	LLVMValueRef token = word(e, site + WM_SITE_TOKEN);
	LLVMValueRef condition =
		crossed ? LLVMBuildIsNotNull(e->builder, token, "") : LLVMBuildIsNull(e->builder, token, "");
	begin_if(e, condition, before);
}

/* The path in flight ended in the callee.  One that no other path's end begins is counted as resumed. */
static void resume(struct wm_emission *e, uint32_t pair)
{
	restart_path(e, pair);
	if (e->function->has_resumed)
		wm_increment_cell(e, wm_constant(e->emitter, e->function->has_entries));
}

static void wait_unless(struct wm_emission *e, uint32_t pair, uint32_t site, LLVMValueRef before)
{
	begin_if_token(e, site, false, before);
	wm_waiting_wait(e, number(e, pair, false));
}

/* ---- Regions ------------------------------------------------------------------------------ */

static LLVMValueRef plus(struct wm_emission *e, LLVMValueRef value, uint64_t number)
{
	return add(e, value, wm_constant(e->emitter, number));
}

/* A + a and B + b, where ⟨a, b⟩ is the pair of a local path. */
struct local_sum {
	LLVMValueRef a, b;
};

static struct local_sum add_local_pair(struct wm_emission *e, const struct wm_unit_region *region, LLVMValueRef index)
{
	LLVMValueRef at = plus(e, LLVMBuildShl(e->builder, index, wm_constant(e->emitter, 1), ""), region->first_pair);
	return (struct local_sum){add(e, get(e, WM_REGISTER_A), word_at(e, at)),
		add(e, get(e, WM_REGISTER_B), word_at(e, plus(e, at, 1)))};
}

/* *inside is where control is if the path began inside the region. */
static void begin_outside(struct wm_emission *e, const struct wm_unit_region *region, LLVMValueRef index,
	LLVMValueRef before, LLVMValueRef *inside)
{
	LLVMValueRef outside, entered = wm_constant(e->emitter, region->entered);
	wm_shim_if_likely_else(LLVMBuildICmp(e->builder, LLVMIntUGE, index, entered, ""), before, inside, &outside);
	LLVMPositionBuilderBefore(e->builder, outside);
}

/* In a residual build, paths that began inside are looked up too, because the compiler does not know which are tested. */
static void count_local(
	struct wm_emission *e, const struct wm_unit_region *region, LLVMValueRef index, LLVMValueRef before)
{
	LLVMValueRef inside, cell = plus(e, index, (uint64_t)region->first_cell - region->entered);
	begin_outside(e, region, index, before, &inside);
	struct local_sum sum = add_local_pair(e, region, index);
	count_seldom(e, linear(e, sum.a, get(e, WM_REGISTER_X), sum.b),
		LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->builder)));
	LLVMPositionBuilderBefore(e->builder, inside);
	if (e->counting->residual)
		count_path(e, word_at(e, plus(e, cell, e->across->program->first_id)), inside);
	else
		wm_increment_cell(e, plus(e, cell, e->header_cells));
}

static void leave_region(
	struct wm_emission *e, const struct wm_unit_region *region, LLVMValueRef index, LLVMValueRef before)
{
	LLVMValueRef inside;
	begin_outside(e, region, index, before, &inside);
	LLVMPositionBuilderBefore(e->builder, inside);
	set_constant(e, WM_REGISTER_A, 0);
	set_constant(e, WM_REGISTER_B, 0);
	set_restarted(e);
	LLVMPositionBuilderBefore(e->builder, before);
	struct local_sum sum = add_local_pair(e, region, index);
	set_register(e, WM_REGISTER_A, sum.a);
	set_register(e, WM_REGISTER_B, sum.b);
}

static void region_action(struct wm_emission *e, const struct wm_action *action, LLVMValueRef before)
{
	const struct wm_unit_region *region = &e->across->program->regions.region[action->region];
	LLVMValueRef index = plus(e, get(e, WM_REGISTER_LOCAL), (uint64_t)action->value);
	if (action->kind == WM_ACTION_REGION_ADD)
		set_register(e, WM_REGISTER_LOCAL, index);
	else if (action->kind == WM_ACTION_REGION_COUNT)
		count_local(e, region, index, before);
	else
		leave_region(e, region, index, before);
}

/* ---- Actions ------------------------------------------------------------------------------ */

void wm_across_action(struct wm_emission *e, const struct wm_action *action, LLVMValueRef before)
{
	uint32_t pair = (uint32_t)action->value, site = action->site;
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_TAKE_CALL:
		take_call(e, before);
		break;
	case WM_ACTION_ADD_PAIR:
		add_pair(e, pair);
		break;
	case WM_ACTION_HAND_OVER:
	case WM_ACTION_HAND_OVER_LAST:
		hand_over(e, action, before);
		break;
	case WM_ACTION_TAKE_REPLY:
		take_reply(e, action, before);
		break;
	case WM_ACTION_COUNT_PAIR:
		count_path(e, number(e, pair, is_level(action)), before);
		break;
	case WM_ACTION_REPLY:
		reply(e, action, before);
		break;
	case WM_ACTION_HOLD:
		hold(e, pair, before);
		break;
	case WM_ACTION_QUIT:
		if (e->across->program->scheme->pending)
			wm_waiting_end(e, before);
		quit(e, before);
		break;
	case WM_ACTION_CATCH:
		wm_empty_mailbox(e);
		break;
	case WM_ACTION_RESTART:
		restart_path(e, pair);
		break;
	case WM_ACTION_RESUME:
		resume(e, pair);
		break;
	case WM_ACTION_RESTART_IF:
		begin_if_token(e, site, true, before);
		resume(e, pair);
		break;
	case WM_ACTION_ADD_UNLESS:
		begin_if_token(e, site, false, before);
		add_pair(e, pair);
		break;
	case WM_ACTION_COUNT_UNLESS:
		count_unless(e, pair, false, site, before);
		break;
	case WM_ACTION_WAIT:
		wm_waiting_wait(e, number(e, pair, false));
		break;
	case WM_ACTION_WAIT_UNLESS:
		wait_unless(e, pair, site, before);
		break;
	case WM_ACTION_WAITED:
		wm_waiting_waited(e);
		break;
	case WM_ACTION_WAITED_UNLESS:
		begin_if_token(e, site, false, before);
		wm_waiting_waited(e);
		break;
	case WM_ACTION_LEFT:
		wm_waiting_left(e);
		break;
	case WM_ACTION_REGION_SET:
		set_constant(e, WM_REGISTER_LOCAL, (uint64_t)action->value);
		break;
	case WM_ACTION_REGION_ADD:
	case WM_ACTION_REGION_COUNT:
	case WM_ACTION_REGION_LEAVE:
		region_action(e, action, before);
		break;
		WM_EVENT_ACTIONS(WM_CASE)
		WM_END_ACTIONS(WM_CASE)
		assert(!"an action that no unit has");
		break;
	}
}

/* The other registers do not change after the entry. */
void wm_across_return_again(struct wm_emission *e, LLVMValueRef call,
	void (*keep)(struct wm_emission *e, LLVMValueRef call, LLVMValueRef variable, LLVMTypeRef type))
{
	static const enum wm_across_register changing[] = {
		WM_REGISTER_X, WM_REGISTER_A, WM_REGISTER_B, WM_REGISTER_RESTARTED, WM_REGISTER_LOCAL};
	size_t count = sizeof changing / sizeof *changing - !e->across->program->regions.count;
	LLVMPositionBuilderBefore(e->builder, LLVMGetNextInstruction(call));
	wm_empty_mailbox(e);
	for (size_t i = 0; i < count; i++)
		keep(e, call, e->unit.reg[changing[i]], e->emitter->i64);
}

uint32_t wm_across_return_edge(const struct wm_emission *e, uint32_t site)
{
	const struct wm_call *call = &e->plan->in_unit->call[site];
	return call->unwinds && e->across->program->call[site].after.count ? e->plan->graph->first_edge[call->block]
									   : WM_NONE;
}
