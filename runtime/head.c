/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The header and the function table.  The authoritative copy is in private memory; every change is repeated in the
 * pages of the file, which are never read.
 */
#include "runtime/internal.h"

static size_t private_size(void)
{
	return wm_page_up(sizeof *wm.head + wm.func_count * (sizeof *wm.table + sizeof *wm.doubt));
}

static struct wm_raw_func *shown_table(void)
{
	return (struct wm_raw_func *)(wm.shown + 1);
}

void wm_head_mark(uint64_t flags)
{
	if (!__atomic_load_n(&wm.head, __ATOMIC_SEQ_CST))
		return;
	__atomic_fetch_or(&wm.head->flags, flags, __ATOMIC_RELAXED);
	__atomic_fetch_or(&wm.shown->flags, flags, __ATOMIC_RELAXED);
}

void wm_head_unmark(uint64_t flags)
{
	if (!wm.head)
		return;
	__atomic_fetch_and(&wm.head->flags, ~flags, __ATOMIC_RELAXED);
	__atomic_fetch_and(&wm.shown->flags, ~flags, __ATOMIC_RELAXED);
}

static void show_loss(size_t func, uint64_t amount)
{
	wm_add(&shown_table()[func].lost, amount);
	wm_add(&wm.shown->lost, amount);
}

void wm_head_lose(size_t func, uint64_t amount)
{
	if (!wm.head)
		return;
	wm_add(&wm.table[func].lost, amount);
	wm_add(&wm.head->lost, amount);
	show_loss(func, amount);
}

void wm_head_lose_all(void)
{
	for (size_t i = 0; i < wm.func_count; i++)
		wm_head_lose(i, 1);
}

void wm_head_doubt(size_t func, int64_t by)
{
	if (!wm.head)
		return;
	wm.doubt[func] += (uint64_t)by;
	show_loss(func, (uint64_t)by);
}

/* A new file or memory has taken all segments in, without the doubts. */
void wm_head_settle(void)
{
	wm_zero(wm.doubt, wm.func_count * sizeof *wm.doubt);
	wm.unsettled = 0;
}

static void make_table(void)
{
	uint64_t packed = 0, sum = wm_checksum(WM_CHECKSUM_INIT, wm.build_id, 4);
	for (size_t i = 0; i < wm.func_count; i++) {
		const struct wm_func *f = &wm.func[i];
		wm.table[i].key = f->key;
		wm.table[i].graph_hash = f->graph_hash;
		wm.table[i].cells_offset = wm.page_exact ? wm_cells_of(i) : packed;
		wm.table[i].cell_count = f->cell_count;
		wm.table[i].flags = f->flags;
		packed += 8ull * f->cell_count;
		sum = wm_checksum(sum, &f->key, 2);
	}
	wm.signature = sum;
}

void wm_seal(struct wm_raw_header *head, const struct wm_raw_func *table)
{
	size_t first = offsetof(struct wm_raw_header, func_offset), last = offsetof(struct wm_raw_header, epoch);
	uint64_t sum = wm_checksum(WM_CHECKSUM_INIT, (const uint64_t *)head + first / 8, (last - first) / 8);
	for (size_t i = 0; i < wm.func_count; i++)
		sum = wm_checksum(sum, (const uint64_t *)&table[i], offsetof(struct wm_raw_func, lost) / 8);
	head->checksum = sum;
}

static void make_header(struct wm_raw_header *head)
{
	head->magic = WM_RAW_MAGIC;
	head->version = WM_ABI_VERSION;
	head->header_size = sizeof *head;
	head->func_offset = sizeof *head;
	head->func_count = wm.func_count;
	head->cells_offset = wm.head_size;
	head->cells_size = wm.file_span;
	head->chunks_offset = wm.head_size + wm_page_up(wm.file_span);
	head->build_id_size = wm.build_id_size;
	wm_copy(&head->build_id0, wm.build_id, sizeof wm.build_id);
	wm_program_name((char *)&head->program0);
	wm_new_run(head);
	wm_seal(head, wm.table);
}

bool wm_head_make(void)
{
	wm.head_size = wm_page_up(sizeof *wm.head + wm.func_count * sizeof *wm.table);
	struct wm_raw_header *head = (void *)sys_map_anonymous(private_size());
	wm.shown = (void *)sys_map_anonymous(wm.head_size);
	if (!head || !wm.shown)
		return false;
	wm.table = (void *)(head + 1);
	wm.doubt = (void *)(wm.table + wm.func_count);
	make_table();
	make_header(head);
	__atomic_store_n(&wm.head, head, __ATOMIC_RELEASE);
	if (wm.early_loss)
		wm_head_lose_all();
	return true;
}

void wm_head_release(void)
{
	sys_unmap(wm.shown, wm.head_size);
	sys_unmap(wm.head, private_size());
	wm.head = NULL;
}
