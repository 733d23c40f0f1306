/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reorder buffer: dispatch with renaming, completion, commit, and the cycle as a whole. */
#include "hardware/model/core_timing.h"
#include "hardware/model/pipeline.h"

void wm_hw_pipeline_schedule(struct wm_hw_core *core, uint32_t slot, uint64_t latency)
{
	uint64_t index = (core->now + latency) & core->wheel.mask;
	core->window.uop[slot].next_event = core->wheel.first[index];
	core->wheel.first[index] = slot;
	bit_set(core->wheel.occupied, index);
}

void wm_hw_pipeline_consume(struct window *window, uint32_t producer, int list, uint32_t consumer, uint32_t link)
{
	window->link[consumer][link] = window->uop[producer].consumers[list];
	window->uop[producer].consumers[list] = consumer * LINKS + link;
}

/* Source `link` of the operation in `slot` has arrived. */
static void source_arrived(struct wm_hw_core *core, uint32_t slot, uint32_t link)
{
	struct window *window = &core->window;
	struct uop *uop = &window->uop[slot];
	if (uop->role == ROLE_LOAD && link == STORE_LINK) {
		bit_set(window->loads, slot);
	} else if (link < uop->address_links) {
		if (!--uop->address_pending)
			bit_set(window->ready, slot);
	} else if (!--uop->data_pending) {
		if (uop->role == ROLE_EXECUTE)
			bit_set(window->ready, slot);
		else if (uop->state == STATE_ADDRESSED)
			wm_hw_pipeline_schedule(core, slot, 0);
	}
}

static void wake(struct wm_hw_core *core, struct uop *producer, int list)
{
	uint32_t link = producer->consumers[list];
	producer->consumers[list] = NONE;
	while (link != NONE) {
		uint32_t next = core->window.link[link / LINKS][link % LINKS];
		source_arrived(core, link / LINKS, link % LINKS);
		link = next;
	}
}

/* The last branch is decided: fetch resumes in `cycle`, or after the branch if that is not fetched yet. */
static void decide_fetch(struct fetch *fetch, uint64_t cycle)
{
	fetch->decided = cycle;
	if (fetch->blocked)
		fetch->resume = cycle;
	fetch->blocked = false;
}

static void complete(struct wm_hw_core *core, struct uop *uop)
{
	uop->state = STATE_DONE;
	wake(core, uop, LATE);
	if (uop->flags & FLAG_MISPREDICTED)
		decide_fetch(&core->fetch, core->now + core->config.mispredict_penalty);
}

static void address_known(struct wm_hw_core *core, uint32_t slot)
{
	struct store_queue *stores = &core->stores;
	struct uop *uop = &core->window.uop[slot];
	uop->state = STATE_ADDRESSED;
	wake(core, uop, EARLY);
	if (uop->role == ROLE_LOAD) {
		bit_set(core->window.loads, slot);
		return;
	}
	while (stores->known < stores->tail &&
		core->window.uop[stores->entry[stores->known & stores->mask].slot].state >= STATE_ADDRESSED)
		stores->known++;
	if (!uop->data_pending)
		complete(core, uop);
}

/* A store whose data have just arrived is added to the list while it is walked. */
static void complete_due(struct wm_hw_core *core)
{
	uint64_t index = core->now & core->wheel.mask;
	uint32_t slot;
	while ((slot = core->wheel.first[index]) != NONE) {
		struct uop *uop = &core->window.uop[slot];
		core->wheel.first[index] = uop->next_event;
		core->acted = true;
		if (uop->state == STATE_ADDRESSING)
			address_known(core, slot);
		else
			complete(core, uop);
	}
	bit_clear(core->wheel.occupied, index);
}

/* Whether the branch queue takes the operation, if it is the end of a branch. */
static bool queue_accepts(struct wm_hw_core *core, const struct uop *uop)
{
	struct commit *commit = &core->commit;
	if (!core->parts.profiler.retire || !(uop->flags & FLAG_LAST) || uop->insn->branch == WM_HW_NO_BRANCH)
		return true;
	bool accepts = wm_hw_branch_queue_reserve(&commit->queue, core->now);
	if (commit->stalled && accepts)
		commit->stats.queue_stall_cycles += core->now - commit->stalled_at;
	else if (!commit->stalled)
		commit->stalled_at = core->now;
	commit->stalled = !accepts;
	return accepts;
}

/* Takes what the oldest operation needs to commit: a port for a store, a place in the queue for
 * a branch.  Takes nothing unless all is there. */
static bool can_commit(struct wm_hw_core *core, const struct uop *uop)
{
	bool store = uop->role == ROLE_STORE;
	uint64_t *port = store ? wm_hw_pipeline_free_unit(core, WM_HW_UNIT_PORT) : NULL;
	if (uop->state != STATE_DONE || (store && !port) || !queue_accepts(core, uop))
		return false;
	if (store)
		*port = core->now + 1;
	return true;
}

static void commit(struct wm_hw_core *core)
{
	struct window *window = &core->window;
	for (uint32_t i = 0; i < core->config.commit_width && window->head < window->dispatched; i++) {
		uint32_t slot = slot_of(window, window->head);
		struct uop *uop = &window->uop[slot];
		if (!can_commit(core, uop))
			return;
		if (uop->role == ROLE_STORE) {
			wm_hw_pipeline_access_cache(core, slot);
			core->stores.head++;
		}
		window->queued -= uop->role != ROLE_EXECUTE;
		window->head++;
		core->acted = true;
	}
}

static void report(struct wm_hw_core *core, uint32_t slot)
{
	const struct uop *uop = &core->window.uop[slot];
	struct commit *commit = &core->commit;
	const struct wm_hw_profiler *profiler = &core->parts.profiler;
	const struct wm_hw_retired branch = {
		.insn = uop->insn,
		.next = core->window.next[slot],
		.cycle = core->now,
		.taken = uop->flags & FLAG_TAKEN,
		.events = wm_hw_core_take_events(core),
	};
	if (profiler->retire)
		wm_hw_branch_queue_fill(&commit->queue, core->now, profiler->retire(profiler->closure, &branch));
}

/* Counts the operations from `first` on that committed in this cycle.  They are counted after
 * the loads of the cycle have accessed the cache, with which stores share its energy. */
static void retire(struct wm_hw_core *core, uint64_t first)
{
	struct commit *commit = &core->commit;
	if (first < core->window.head)
		commit->stats.cycles = core->now + 1;
	for (uint64_t i = first; i < core->window.head; i++) {
		uint32_t slot = slot_of(&core->window, i);
		const struct uop *uop = &core->window.uop[slot];
		commit->events.count[WM_HW_L1_MISSES] += uop->l1_misses;
		commit->events.count[WM_HW_L2_MISSES] += uop->l2_misses;
		commit->events.count[WM_HW_MISPREDICTIONS] += (uop->flags & FLAG_MISPREDICTED) != 0;
		commit->events.count[WM_HW_ENERGY] += uop->energy;
		commit->events.count[WM_HW_CYCLE_ENERGY] += uop->cycle_energy;
		commit->stats.operations++;
		if (!(uop->flags & FLAG_LAST))
			continue;
		commit->events.count[WM_HW_INSTRUCTIONS]++;
		commit->stats.instructions++;
		if (uop->insn->branch != WM_HW_NO_BRANCH)
			report(core, slot);
	}
}

/* Makes source `link` of the operation in `slot` wait for operation `producer`; returns 1 if it
 * must wait. */
static uint8_t depend(struct wm_hw_core *core, uint32_t slot, uint32_t link, uint64_t producer, int list)
{
	struct window *window = &core->window;
	uint32_t from = slot_of(window, producer);
	enum state enough = list == EARLY ? STATE_ADDRESSED : STATE_DONE;
	if (producer < window->head || window->uop[from].state >= enough)
		return 0;
	wm_hw_pipeline_consume(window, from, list, slot, link);
	return 1;
}

/* Finds the producers of the operation's sources: registers, and operations of its instruction. */
static void rename_sources(struct wm_hw_core *core, uint64_t sequence)
{
	uint32_t slot = slot_of(&core->window, sequence), link = 0;
	struct uop *uop = &core->window.uop[slot];
	for (uint32_t i = uop->source_first; i < uop->source_end; i++, link++) {
		uint64_t writer = core->renaming.writer[uop->insn->source[i]];
		uint8_t waits = depend(core, slot, link, writer / LISTS, (int)(writer % LISTS));
		*(link < uop->address_links ? &uop->address_pending : &uop->data_pending) += waits;
	}
	for (uint32_t i = 0; i < PRODUCERS; i++, link++)
		if (uop->producer[i])
			uop->data_pending += depend(core, slot, link, sequence - uop->producer[i], LATE);
}

/* An instruction writes its destinations when all its operations have found their sources.
 * Only loads and stores have the address registers they update before their result. */
static void rename_destinations(struct wm_hw_core *core, uint64_t sequence)
{
	struct renaming *renaming = &core->renaming;
	const struct uop *uop = &core->window.uop[slot_of(&core->window, sequence)];
	const struct wm_hw_insn *insn = uop->insn;
	uint32_t results = insn->destination_count - insn->updated_count;
	if (uop->flags & FLAG_RESULT)
		renaming->result = sequence * LISTS + LATE;
	if (uop->flags & FLAG_UPDATES)
		renaming->update = sequence * LISTS + (uop->role == ROLE_EXECUTE ? LATE : EARLY);
	for (uint32_t i = 0; uop->flags & FLAG_LAST && i < insn->destination_count; i++)
		renaming->writer[insn->destination[i]] = i < results ? renaming->result : renaming->update;
}

static void enter_queue(struct wm_hw_core *core, uint32_t slot)
{
	struct store_queue *stores = &core->stores;
	struct uop *uop = &core->window.uop[slot];
	core->window.queued++;
	uop->store_index = stores->tail;
	if (uop->role == ROLE_STORE)
		stores->entry[stores->tail++ & stores->mask] =
			(struct store_entry){.address = uop->address, .slot = slot, .size = uop->size};
}

static bool can_dispatch(const struct wm_hw_core *core, const struct uop *uop)
{
	const struct window *window = &core->window;
	if (window->head < window->barrier || (uop->flags & FLAG_WAITS && window->head < window->dispatched))
		return false;
	if (window->dispatched - window->head == core->config.reorder_buffer)
		return false;
	return uop->role == ROLE_EXECUTE || window->queued < core->config.load_store_queue;
}

static void dispatch_one(struct wm_hw_core *core, uint64_t sequence)
{
	uint32_t slot = slot_of(&core->window, sequence);
	struct uop *uop = &core->window.uop[slot];
	rename_sources(core, sequence);
	rename_destinations(core, sequence);
	if (uop->role != ROLE_EXECUTE)
		enter_queue(core, slot);
	if (uop->role == ROLE_EXECUTE && uop->insn->class == WM_HW_NOP)
		uop->state = STATE_DONE;
	else if (uop->role == ROLE_EXECUTE ? !uop->data_pending : !uop->address_pending)
		bit_set(core->window.ready, slot);
	if (uop->flags & FLAG_BARRIER)
		core->window.barrier = sequence + 1;
	if (uop->flags & FLAG_MISFETCHED)
		decide_fetch(&core->fetch, core->now + 1);
}

static void dispatch(struct wm_hw_core *core)
{
	struct window *window = &core->window;
	for (uint32_t i = 0; i < core->config.dispatch_width && window->dispatched < window->fetched; i++) {
		if (!can_dispatch(core, &window->uop[slot_of(window, window->dispatched)]))
			return;
		dispatch_one(core, window->dispatched++);
		core->acted = true;
	}
}

/* The first cycle after this one in which a stage can act, after a cycle in which none did. */
static uint64_t next_cycle(const struct wm_hw_core *core)
{
	const struct window *window = &core->window;
	uint64_t soonest = core->now + 1, end = soonest + core->wheel.mask;
	uint64_t next = bit_next(core->wheel.occupied, core->wheel.mask, soonest, end);
	if (bit_next(window->ready, window->mask, window->head, window->dispatched) < window->dispatched)
		return soonest;
	if (!core->fetch.blocked && core->fetch.resume > core->now && core->fetch.resume < next)
		next = core->fetch.resume;
	if (core->commit.stalled && wm_hw_branch_queue_free_at(&core->commit.queue) < next)
		next = wm_hw_branch_queue_free_at(&core->commit.queue);
	return next > core->now && next < end ? next : soonest;
}

/* The operations that were fetched in a cycle share the energy of its reads of the instruction
 * cache.  Reads that missed belong to the operations that the cache delivers later. */
static void end_fetch(struct wm_hw_core *core)
{
	struct fetch *fetch = &core->fetch;
	struct window *window = &core->window;
	uint64_t count = window->fetched - fetch->first;
	if (count) {
		uint32_t share = (uint32_t)(fetch->reads * (uint64_t)core->parts.memory->config.energy.l1i / count);
		for (uint64_t i = fetch->first; i < window->fetched; i++)
			window->uop[slot_of(window, i)].cycle_energy += share;
		fetch->reads = 0;
	}
	fetch->first = window->fetched;
	fetch->count = 0;
	fetch->block = UINT64_MAX;
}

void wm_hw_pipeline_cycle(struct wm_hw_core *core)
{
	uint64_t first = core->window.head;
	end_fetch(core);
	core->now = core->acted ? core->now + 1 : next_cycle(core);
	core->acted = false;
	commit(core);
	complete_due(core);
	wm_hw_pipeline_issue(core);
	wm_hw_pipeline_access_loads(core);
	wm_hw_pipeline_apportion(core);
	retire(core, first);
	dispatch(core);
}
