/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The header and the function table.  The authoritative copy is in private memory; every change is repeated in the
 * pages of the file, which are never read.
 */
#include "runtime/state/header.h"

#include "runtime/state/program_name.h"
#include "runtime/state/state.h"
#include "runtime/system/clock.h"

static size_t private_size(void)
{
	return wm_page_up(
		sizeof *wm.image.header + wm.object.func_count * (sizeof *wm.image.table + sizeof *wm.image.doubt));
}

static struct wm_raw_func *shown_table(void)
{
	return (struct wm_raw_func *)(wm.image.shown + 1);
}

void wm_header_set_flags(uint64_t flags)
{
	if (!__atomic_load_n(&wm.image.header, __ATOMIC_SEQ_CST))
		return;
	__atomic_fetch_or(&wm.image.header->flags, flags, __ATOMIC_RELAXED);
	__atomic_fetch_or(&wm.image.shown->flags, flags, __ATOMIC_RELAXED);
}

void wm_header_clear_flags(uint64_t flags)
{
	if (!wm.image.header)
		return;
	__atomic_fetch_and(&wm.image.header->flags, ~flags, __ATOMIC_RELAXED);
	__atomic_fetch_and(&wm.image.shown->flags, ~flags, __ATOMIC_RELAXED);
}

void wm_second_thread(void)
{
	__atomic_store_n(&wm.threads.second, 1, __ATOMIC_SEQ_CST);
	wm_header_set_flags(WM_RAW_SECOND_THREAD);
}

static void show_loss(size_t func, uint64_t amount)
{
	wm_add(&shown_table()[func].lost, amount);
	wm_add(&wm.image.shown->lost, amount);
}

void wm_header_lose(size_t func, uint64_t amount)
{
	if (!wm.image.header)
		return;
	wm_add(&wm.image.table[func].lost, amount);
	wm_add(&wm.image.header->lost, amount);
	show_loss(func, amount);
}

void wm_header_lose_all(void)
{
	for (size_t i = 0; i < wm.object.func_count; i++)
		wm_header_lose(i, 1);
}

void wm_header_doubt(size_t func, int64_t by)
{
	if (!wm.image.header)
		return;
	wm.image.doubt[func] += (uint64_t)by;
	show_loss(func, (uint64_t)by);
}

/* Called when all chunks are in a new file or in memory: no function has a doubt any more. */
void wm_header_store(void)
{
	if (wm.image.not_stored)
		wm_zero(wm.image.doubt, wm.object.func_count * sizeof *wm.image.doubt);
	wm.image.not_stored = 0;
}

static void make_table(void)
{
	uint64_t packed = 0, sum = wm_checksum(WM_CHECKSUM_INIT, wm.object.build_id, 4);
	for (size_t i = 0; i < wm.object.func_count; i++) {
		const struct wm_func *f = &wm.object.func[i];
		wm.image.table[i].key = f->key;
		wm.image.table[i].graph_hash = f->graph_hash;
		wm.image.table[i].cells_offset = wm.object.page_exact ? wm_cells_of(i) : packed;
		wm.image.table[i].cell_count = f->cell_count;
		wm.image.table[i].flags = f->flags;
		wm.image.table[i].source = f->source;
		packed += 8ull * f->cell_count;
		sum = wm_checksum(sum, &f->key, 2);
	}
	wm.object.signature = sum;
}

/* The sum of the function table, which never changes, comes first: a forked child does not compute it again. */
static void sum_table(void)
{
	uint64_t sum = WM_CHECKSUM_INIT;
	for (size_t i = 0; i < wm.object.func_count; i++)
		sum = wm_checksum(sum, (const uint64_t *)&wm.image.table[i], offsetof(struct wm_raw_func, lost) / 8);
	wm.image.table_sum = sum;
}

void wm_seal(struct wm_raw_header *header)
{
	size_t first = offsetof(struct wm_raw_header, func_offset), last = offsetof(struct wm_raw_header, epoch);
	header->checksum = wm_checksum(wm.image.table_sum, (const uint64_t *)header + first / 8, (last - first) / 8);
}

void wm_new_run(struct wm_raw_header *header)
{
	uint64_t random[2] = {0, 0}, now = wm_microseconds();
	if (sys3(SYS_getrandom, (long)random, sizeof random, 1 /* GRND_NONBLOCK */) != sizeof random) {
		random[0] = now * WM_HASH_FACTOR ^ (uintptr_t)&random;
		random[1] = now / 1000000 << 32 | (uint32_t)wm.pid;
	}
	header->run_id_low = random[0];
	header->run_id_high = random[1];
	header->start_time = now / 1000000;
	header->pid = (uint64_t)wm.pid;
	header->epoch = header->snapshot = header->lost = 0;
	header->flags = wm.threads.second ? WM_RAW_SECOND_THREAD : 0;
	wm.snapshot = 0;
}

static void make_header(struct wm_raw_header *header)
{
	header->magic = WM_RAW_MAGIC;
	header->version = WM_ABI_VERSION;
	header->header_size = sizeof *header;
	header->func_offset = sizeof *header;
	header->func_count = wm.object.func_count;
	header->cells_offset = wm.image.header_size;
	header->cells_size = wm.object.file_span;
	header->chunks_offset = wm.image.header_size + wm_page_up(wm.object.file_span);
	header->build_id_size = wm.object.build_id_size;
	wm_copy(&header->build_id0, wm.object.build_id, sizeof wm.object.build_id);
	wm_program_name((char *)&header->program0);
	wm_new_run(header);
	wm_seal(header);
}

bool wm_header_make(void)
{
	wm.image.header_size = wm_page_up(sizeof *wm.image.header + wm.object.func_count * sizeof *wm.image.table);
	struct wm_raw_header *header = (void *)sys_map_anonymous(private_size());
	wm.image.shown = (void *)sys_map_anonymous(wm.image.header_size);
	if (!header || !wm.image.shown)
		return false;
	wm.image.table = (void *)(header + 1);
	wm.image.doubt = (void *)(wm.image.table + wm.object.func_count);
	make_table();
	sum_table();
	make_header(header);
	__atomic_store_n(&wm.image.header, header, __ATOMIC_RELEASE);
	if (wm.early_loss)
		wm_header_lose_all();
	return true;
}

void wm_header_release(void)
{
	sys_unmap(wm.image.shown, wm.image.header_size);
	sys_unmap(wm.image.header, private_size());
	wm.image.header = NULL;
}
