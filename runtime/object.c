/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The object this copy of the runtime belongs to: its functions, cells and build-id;
 * the constructor, which puts the counters into a file with what they have counted
 * so far; the destructor.
 */
#include "runtime/internal.h"

#include <elf.h>
#include <pthread.h>
#include <sys/auxv.h>

struct wm_runtime wm;

/* The name is WM_RUNTIME_SYMBOL. */
__attribute__((visibility("hidden"))) extern const char __wm_runtime_abi_3;
const char __wm_runtime_abi_3 = WM_ABI_VERSION;

extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

static uint64_t no_sentinel = 1;

/* Wiped by the kernel in a forked address space; our own handler sets it again. */
static void make_sentinel(void)
{
	char *page = sys_map_anonymous(WM_PAGE);
	wm.sentinel = &no_sentinel;
	if (!page)
		return;
	if (sys3(SYS_madvise, (long)page, WM_PAGE, MADV_WIPEONFORK) == 0)
		wm.sentinel = (void *)page;
	else
		sys_unmap(page, WM_PAGE);
	*wm.sentinel = 1;
}

bool wm_forked_unseen(void)
{
	if (!wm.sentinel || wm_load(wm.sentinel))
		return false;
	if (wm.head)
		__atomic_fetch_or(&wm.head->flags, WM_RAW_FOREIGN_PROCESS, __ATOMIC_RELAXED);
	return true;
}

static void take_build_id(const char *note, const char *end)
{
	while (note + sizeof(Elf64_Nhdr) <= end) {
		const Elf64_Nhdr *head = (const void *)note;
		const char *name = note + sizeof *head, *id = name + ((head->n_namesz + 3) & ~3u);
		if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 && wm_equal(name, "GNU")) {
			wm.build_id_size = head->n_descsz < sizeof wm.build_id ? head->n_descsz : sizeof wm.build_id;
			wm_copy(wm.build_id, id, wm.build_id_size);
			return;
		}
		note = id + ((head->n_descsz + 3) & ~3u);
	}
}

static void find_build_id(void)
{
	const Elf64_Ehdr *elf = &__ehdr_start;
	if (!elf)
		return;
	const char *start = (const char *)elf;
	const Elf64_Phdr *header = (const void *)(start + elf->e_phoff);
	wm.executable = getauxval(AT_PHDR) == (uintptr_t)header;
	uint64_t lowest = 0;
	for (int i = 0; i < elf->e_phnum; i++)
		if (header[i].p_type == PT_LOAD && header[i].p_offset == 0)
			lowest = header[i].p_vaddr;
	for (int i = 0; i < elf->e_phnum && !wm.build_id_size; i++)
		if (header[i].p_type == PT_NOTE && header[i].p_align <= 4)
			take_build_id(start - lowest + header[i].p_vaddr,
				start - lowest + header[i].p_vaddr + header[i].p_memsz);
}

static char *first_cell(const struct wm_func *f)
{
	return (char *)(uintptr_t)f + f->cells;
}

/* Without waymark.ld the cells lie among other data: a region is then all that lies
 * between the first and the last of them, and only the cells go into a file. */
static void find_cells(void)
{
	char *first = first_cell(wm.func), *last = first;
	for (size_t i = 0; i < wm.func_count; i++) {
		char *start = first_cell(&wm.func[i]), *stop = start + 8ull * wm.func[i].cell_count;
		first = start < first ? start : first;
		last = stop > last ? stop : last;
		wm.file_span += 8ull * wm.func[i].cell_count;
	}
	uintptr_t low = (uintptr_t)__start_wm_cells, high = (uintptr_t)__stop_wm_cells;
	wm.page_exact = low && !((low | high) % WM_PAGE) && low <= (uintptr_t)first && (uintptr_t)last <= high;
	wm.cells = wm.page_exact ? (char *)low : first;
	wm.span = wm.page_exact ? high - low : (size_t)(last - first);
	if (wm.page_exact)
		wm.file_span = wm.span;
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
	for (uint64_t i = 0; i < head->func_count; i++)
		sum = wm_checksum(sum, (const uint64_t *)&table[i], offsetof(struct wm_raw_func, lost) / 8);
	head->checksum = sum;
}

void wm_new_run(struct wm_raw_header *head)
{
	uint64_t random[2] = {0, 0}, now = sys_microseconds();
	if (sys3(SYS_getrandom, (long)random, sizeof random, 1 /* GRND_NONBLOCK */) != sizeof random) {
		random[0] = now * WM_HASH_FACTOR ^ (uintptr_t)&random;
		random[1] = now / 1000000 << 32 | (uint32_t)wm.pid;
	}
	head->run_id_low = random[0];
	head->run_id_high = random[1];
	head->start_time = now / 1000000;
	head->pid = (uint64_t)wm.pid;
	head->epoch = head->sequence = head->lost = 0;
	head->flags = wm.second_thread ? WM_RAW_SECOND_THREAD : 0;
	wm.sequence = 0;
}

static bool make_head(void)
{
	wm.head_size = wm_page_up(sizeof *wm.head + wm.func_count * sizeof *wm.table);
	struct wm_raw_header *head = (void *)sys_map_anonymous(wm.head_size);
	if (!head)
		return false;
	wm.table = (void *)(head + 1);
	make_table();
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
	__atomic_store_n(&wm.head, head, __ATOMIC_RELEASE);
	if (wm.early_loss)
		wm_doubt_all(1);
	return true;
}

/* Priority 101: before every other constructor the program may have. */
__attribute__((constructor(101))) static void start(void)
{
	uint64_t mask;
	wm.func = __start_wm_funcs;
	wm.func_count = (size_t)(__stop_wm_funcs - __start_wm_funcs);
	if (!wm.func || !wm.func_count || wm.started)
		return;
	sys_block_signals(&mask);
	wm.pid = sys_getpid();
	find_build_id();
	find_cells();
	wm.ids_size = wm_ids_size();
	if (make_head()) {
		make_sentinel();
		wm_untested_inherit();
		int error = wm_name_set(NULL);
		if (!error && !wm.discard)
			error = wm_image_move(wm.head, WM_COUNTS_KEEP, &wm.base, WM_PUBLISH_NEW);
		pthread_atfork(wm_fork_prepare, wm_fork_parent, wm_fork_child);
		__atomic_store_n(&wm.started, true, __ATOMIC_RELEASE);
		if (error)
			wm_warn(WM_WARN_LATE, "counts will be written at exit, not as they happen:", wm.pattern, error);
		wm_name_check();
	}
	sys_restore_signals(&mask);
}

static bool is_alone(void)
{
	struct stat status;
	return sys3(SYS_stat, (long)"/proc/self/task", (long)&status, 0) == 0 && status.st_nlink == 3;
}

static void forget_tables(void)
{
	for (size_t i = 0; i < wm.func_count; i++)
		if (wm.func[i].flags & WM_FUNC_HASH)
			*((uint64_t *)(void *)(wm.cells + wm_cells_of(i)) + wm_head_cell(i)) = 0;
}

/*
 * A shared object may be about to leave, and its mappings with it; or the process
 * ends, and code of this object may still run.  The two look alike from here, so
 * after the release everything still works: the next count that needs memory gets a
 * new chunk of the file.  Other threads may be counting right now, so with them
 * around nothing is released.
 */
static void release(void)
{
	if (wm.executable || !is_alone())
		return;
	forget_tables();
	wm_segments_drop();
	__wm_thread_delta = 0;
	wm_base_release(&wm.base);
	if (wm.sentinel != &no_sentinel)
		sys_unmap(wm.sentinel, WM_PAGE);
	wm.sentinel = &no_sentinel;
	sys_unmap(wm.head, wm.head_size);
	wm.head = NULL;
}

static int finish(void)
{
	if (wm.mapped)
		wm_segments_settle();
	if (wm.mapped || wm.discard || wm.written)
		return 0;
	wm.written = true;
	return wm_image_write(wm.head);
}

__attribute__((destructor(101))) static void stop(void)
{
	uint64_t mask;
	int error = 0;
	if (!wm.started || !wm.head)
		return;
	wm_lock(&mask);
	if (sys_getpid() == wm.pid) {
		wm_ask_for_threads();
		error = finish();
		release();
	} else {
		__atomic_fetch_or(&wm.head->flags, WM_RAW_FOREIGN_PROCESS, __ATOMIC_RELAXED);
	}
	wm_unlock(&mask);
	if (error)
		wm_warn(WM_WARN_LOST, "counts are lost, cannot write", wm.pattern, error);
}
