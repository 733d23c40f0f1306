/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Issue of operations to functional units, and of loads to the data cache. */
#include "hardware/model/pipeline.h"

uint64_t *wm_hw_pipeline_free_unit(struct wm_hw_core *core, enum wm_hw_unit unit)
{
	uint64_t *free_at = core->free_at[unit];
	for (uint32_t i = 0; i < core->config.units[unit]; i++)
		if (free_at[i] <= core->now)
			return &free_at[i];
	return NULL;
}

/* What an operation does when it issues: addresses are additions. */
static const struct wm_hw_operation *operation_of(const struct wm_hw_core *core, const struct uop *uop)
{
	uint8_t class = uop->insn->class;
	bool plain = uop->role != ROLE_EXECUTE || class == WM_HW_LOAD || class == WM_HW_STORE;
	return &core->config.operation[plain ? WM_HW_INT_ALU : class];
}

void wm_hw_pipeline_issue(struct wm_hw_core *core)
{
	struct window *window = &core->window;
	uint32_t issued = 0;
	uint64_t i = window->head;
	while ((i = bit_next(window->ready, window->mask, i, window->dispatched)) < window->dispatched) {
		uint32_t slot = slot_of(window, i++);
		struct uop *uop = &window->uop[slot];
		const struct wm_hw_operation *operation = operation_of(core, uop);
		uint64_t *unit = wm_hw_pipeline_free_unit(core, operation->unit);
		if (!unit)
			continue;
		*unit = core->now + operation->interval;
		bit_clear(window->ready, slot);
		uop->state = uop->role == ROLE_EXECUTE ? STATE_EXECUTING : STATE_ADDRESSING;
		wm_hw_pipeline_schedule(core, slot, operation->latency);
		if (++issued == core->config.issue_width)
			break;
	}
	core->acted |= issued > 0;
}

uint32_t wm_hw_pipeline_access_cache(struct wm_hw_core *core, uint32_t slot)
{
	struct uop *uop = &core->window.uop[slot];
	struct accesses *accesses = &core->accesses;
	const struct wm_hw_access access = {
		.address = uop->address, .size = uop->size, .store = uop->role == ROLE_STORE};
	struct wm_hw_memory_use use = wm_hw_memory_data(core->parts.memory, &access, core->now);
	uop->l1_misses = (uint8_t)(uop->l1_misses + use.l1_misses);
	uop->l2_misses = (uint8_t)(uop->l2_misses + use.l2_misses);
	uop->energy += use.l1_energy + use.lower_energy;
	uop->cycle_energy += use.lower_energy;
	accesses->blocks += use.blocks;
	accesses->access[accesses->count].slot = slot;
	accesses->access[accesses->count++].blocks = use.blocks;
	return use.latency;
}

/* Figure 5.5: up to as many accesses as there are ports share the energy of one; beyond, each
 * costs an equal part of it. */
void wm_hw_pipeline_apportion(struct wm_hw_core *core)
{
	struct accesses *accesses = &core->accesses;
	uint32_t ports = core->config.units[WM_HW_UNIT_PORT];
	uint32_t sharing = accesses->blocks < ports ? accesses->blocks : ports;
	for (uint32_t i = 0; i < accesses->count; i++) {
		struct uop *uop = &core->window.uop[accesses->access[i].slot];
		uop->cycle_energy += accesses->access[i].blocks * (core->parts.memory->config.energy.l1d / sharing);
	}
	accesses->count = accesses->blocks = 0;
}

/* The youngest store older than `load` that has bytes in common with it; NULL: none. */
static const struct store_entry *overlapping(const struct store_queue *stores, const struct uop *load)
{
	for (uint64_t i = load->store_index; i-- > stores->head;) {
		const struct store_entry *store = &stores->entry[i & stores->mask];
		if (store->address < load->address + load->size && load->address < store->address + store->size)
			return store;
	}
	return NULL;
}

static bool covers(const struct store_entry *store, const struct uop *load)
{
	return store->address <= load->address && load->address + load->size <= store->address + store->size;
}

/* Lets a load read the cache or the store queue, if it can; false: no port is free. */
static bool access_load(struct wm_hw_core *core, uint32_t slot)
{
	struct window *window = &core->window;
	struct uop *load = &window->uop[slot];
	const struct store_entry *store = overlapping(&core->stores, load);
	if (store && !covers(store, load))
		return true;
	if (store && window->uop[store->slot].state != STATE_DONE) {
		bit_clear(window->loads, slot);
		wm_hw_pipeline_consume(window, store->slot, LATE, slot, STORE_LINK);
		return true;
	}
	uint64_t *port = wm_hw_pipeline_free_unit(core, WM_HW_UNIT_PORT);
	if (!port)
		return false;
	*port = core->now + 1;
	bit_clear(window->loads, slot);
	load->state = STATE_EXECUTING;
	core->commit.stats.forwarded += store != NULL;
	wm_hw_pipeline_schedule(
		core, slot, store ? core->config.forward_latency : wm_hw_pipeline_access_cache(core, slot));
	core->acted = true;
	return true;
}

void wm_hw_pipeline_access_loads(struct wm_hw_core *core)
{
	struct window *window = &core->window;
	uint64_t i = window->head;
	while ((i = bit_next(window->loads, window->mask, i, window->dispatched)) < window->dispatched) {
		uint32_t slot = slot_of(window, i++);
		if (window->uop[slot].store_index > core->stores.known || !access_load(core, slot))
			break;
	}
}
