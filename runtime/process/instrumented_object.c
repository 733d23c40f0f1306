/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The object to which this copy of the runtime belongs: its functions, cells and build-id; the constructor, which
 * moves the counters with what they have counted so far into a file; and the destructor.
 */
#include "runtime/chunk/chunk.h"
#include "runtime/chunk/hash_memory.h"
#include "runtime/chunk/ids.h"
#include "runtime/count/recording_stream.h"
#include "runtime/count/untested_callback.h"
#include "runtime/file/family_file.h"
#include "runtime/file/live.h"
#include "runtime/file/name.h"
#include "runtime/file/test_name.h"
#include "runtime/file/warn.h"
#include "runtime/image/base.h"
#include "runtime/image/image.h"
#include "runtime/image/pool_file.h"
#include "runtime/image/test_marks.h"
#include "runtime/process/fork.h"
#include "runtime/process/leaving.h"
#include "runtime/state/control_record.h"
#include "runtime/state/header.h"
#include "runtime/state/lock.h"
#include "runtime/state/state.h"
#include "runtime/state/unseen.h"
#include "runtime/system/clock.h"
#include "runtime/system/elf.h"
#include "runtime/thread/own.h"
#include "runtime/thread/thread_cells.h"
#include "runtime/unwind/call_sites.h"
#include "runtime/unwind/leave.h"
#include "runtime/unwind/left_paths.h"

#include <elf.h>
#include <sys/auxv.h>

struct wm_runtime wm;

__attribute__((visibility("hidden"))) void __wm_announce_filter(void);
void __wm_announce_filter(void)
{
	uint64_t mask;
	if (!wm_lock_counting(&mask))
		return;
	if (!wm.filtered)
		wm_tables_reserve();
	if (!wm.filtered && wm_has_sites())
		wm_unfinished_reserve();
	wm.filtered = true;
	wm_unlock(&mask);
	wm_fatal_signals_forget();
}

/* The name must be that of WM_RUNTIME_SYMBOL. */
__attribute__((visibility("hidden"))) extern const char __wm_runtime_abi_6;
const char __wm_runtime_abi_6 = WM_ABI_VERSION;

extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

/* The one note that is aligned to 8 bytes, .note.gnu.property, has a size that is a multiple of 8 bytes: so all can be read as if they
 * were aligned to 4 bytes, also where a linker (mold) puts both kinds into one segment. */
static void take_build_id(const char *note, const char *end)
{
	while (note + sizeof(Elf64_Nhdr) <= end) {
		const Elf64_Nhdr *head = (const void *)note;
		const char *name = note + sizeof *head, *id = name + ((head->n_namesz + 3) & ~3u);
		if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 && wm_equal(name, "GNU")) {
			wm.object.build_id_size =
				head->n_descsz < sizeof wm.object.build_id ? head->n_descsz : sizeof wm.object.build_id;
			wm_copy(wm.object.build_id, id, wm.object.build_id_size);
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
	wm.object.executable = __getauxval(AT_PHDR) == (uintptr_t)header;
	uint64_t lowest = 0;
	for (int i = 0; i < elf->e_phnum; i++)
		if (header[i].p_type == PT_LOAD && header[i].p_offset == 0)
			lowest = header[i].p_vaddr;
	for (int i = 0; i < elf->e_phnum && !wm.object.build_id_size; i++)
		if (header[i].p_type == PT_NOTE)
			take_build_id(start - lowest + header[i].p_vaddr,
				start - lowest + header[i].p_vaddr + header[i].p_memsz);
}

struct extent {
	uintptr_t low, high;
};

static void include(struct extent *extent, uintptr_t low, size_t size)
{
	extent->low = !extent->high || low < extent->low ? low : extent->low;
	extent->high = low + size > extent->high ? low + size : extent->high;
}

/* Whether heads and cells have the layout of waymark.ld, which thread_cells.c and image.c require. */
static bool laid_out(struct extent heads, struct extent cells)
{
	uintptr_t first = (uintptr_t)__start_wm_heads, low = (uintptr_t)__start_wm_cells,
		  high = (uintptr_t)__stop_wm_cells;
	return first && !((first | low | high) % WM_PAGE) && low <= cells.low && cells.high <= high &&
	       (!heads.high || (first <= heads.low && heads.high + sizeof(struct wm_raw_chunk) <= low));
}

/* Without waymark.ld, heads and cells are scattered among other data.  A copy in memory then contains everything from
 * the first to the last of them, but a file contains only the cells. */
static void find_cells(void)
{
	struct extent heads = {0, 0}, cells = {0, 0}, all = {0, 0};
	for (size_t i = 0; i < wm.object.func_count; i++) {
		const struct wm_func *f = &wm.object.func[i];
		include(&cells, (uintptr_t)f + (uintptr_t)f->cells, 8ull * f->cell_count);
		if (f->flags & WM_FUNC_HASH)
			include(&heads, (uintptr_t)f + (uintptr_t)f->head, sizeof(struct wm_hash_head));
		wm.object.file_span += 8ull * f->cell_count;
		wm.object.uses_gs |= WM_FUNC_UPDATE(f->flags) == WM_UPDATE_GS;
		wm.object.grows |=
			f->flags & (WM_FUNC_HASH | WM_FUNC_STREAM) || WM_FUNC_UPDATE(f->flags) >= WM_UPDATE_DELTA;
	}
	wm.object.page_exact = laid_out(heads, cells);
	if (wm.object.page_exact) {
		cells = (struct extent){(uintptr_t)__start_wm_cells, (uintptr_t)__stop_wm_cells};
		/* Without heads, a copy is one mapping. */
		heads.low = heads.high ? (uintptr_t)__start_wm_heads : 0;
		heads.high = heads.high ? cells.low : 0;
		wm.object.file_span = cells.high - cells.low;
	}
	include(&all, cells.low, cells.high - cells.low);
	if (heads.high)
		include(&all, heads.low, heads.high - heads.low);
	wm.object.cells = (char *)cells.low;
	wm.object.before = cells.low - all.low;
	wm.object.span = all.high - all.low;
}

/* pthread_atfork, under a reserved name of the C library, which the program cannot define. */
extern void *__dso_handle __attribute__((visibility("hidden")));
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object);

/* Priority 101 is the lowest that programs may use, so this constructor runs before those with any other priority. */
__attribute__((constructor(101))) static void start(void)
{
	uint64_t mask;
	wm.object.func = __start_wm_funcs;
	wm.object.func_count = (size_t)(__stop_wm_funcs - __start_wm_funcs);
	if (!wm.object.func || !wm.object.func_count || wm.started)
		return;
	sys_block_signals(&mask);
	wm.pid = sys_getpid();
	wm.image.live_fd = -1;
	wm.object.secure = __getauxval(AT_SECURE);
	wm.error_stream = wm_file_identity_of(2);
	wm_clock_start();
	wm_control_start();
	find_build_id();
	find_cells();
	wm.object.ids_size = wm_ids_size();
	if (wm_header_make()) {
		wm_sentinel_make();
		wm_untested_inherit();
		wm_threads_start();
		wm_family_init();
		wm_test_name_start();
		/* From wm_threads_start on, a thread that begins adds a chunk for its cells. */
		wm_lock_take(&wm.lock);
		int error = wm_name_set(NULL);
		if (!error && !wm.discard)
			error = wm_image_move(wm.image.header, WM_COUNTS_KEEP, &wm.image.base, WM_PUBLISH_NEW);
		wm_stream_start();
		wm_test_name_inherit();
		wm_test_marks_restart();
		wm_lock_release(&wm.lock);
		__register_atfork(wm_fork_prepare, wm_fork_parent, wm_fork_child, &__dso_handle);
		__atomic_store_n(&wm.started, true, __ATOMIC_RELEASE);
		wm_leaving_start();
		if (error)
			wm_warn(WM_WARN_LATE, "counts will be written at exit, not as they happen:", wm_name_told(),
				error);
		wm_name_check();
	}
	sys_restore_signals(&mask);
}

__attribute__((visibility("hidden"))) void __wm_announce_thread(void);
/* The constructor of a library may create a thread before the constructor of this object has run. */
void __wm_announce_thread(void)
{
	start();
	__atomic_store_n(&wm.threads.announced, true, __ATOMIC_RELAXED);
}

/* Active frames write to their chunk until they return. */
static bool has_frames(void)
{
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		if (wm.image.chunk[i].kind == WM_CHUNK_CRASH)
			return true;
	return false;
}

/*
 * Releases the memory of a shared object.  The destructor runs when the object is unloaded, and then its mappings must
 * be released; it also runs at the end of the process, and then code of the object may still run.  The destructor
 * cannot distinguish the two cases.  Counting therefore works after the release: the next count that needs memory gets
 * a new chunk of the file.  If there are other threads, they may be counting, so nothing is released.
 */
static void release(void)
{
	if (wm.object.executable)
		return;
	wm_live_drop(); /* what still runs opens the file by its path */
	if (!wm_unseen_none() || has_frames() || wm_thread_distance())
		return;
	wm_tables_forget();
	wm_chunks_drop();
	wm_sites_release();
	wm_stream_release();
	__wm_own()->shared.delta = 0;
	wm_own_release();
	wm_base_release(&wm.image.base);
	wm_test_marks_drop();
	wm_sentinel_release();
	wm_header_release();
}

static int finish_file(void)
{
	int error = wm_chunks_store();
	if (wm.image.mapped || wm.discard || wm.written)
		return error;
	wm.written = true;
	return wm_image_write(wm.image.header);
}

/* Whether the destructor has nothing to do but to save space. */
static bool is_finished(void)
{
	return wm.object.executable && !wm.image.not_stored && (wm.image.mapped || wm.discard) && wm_sentinel_works() &&
	       !wm_forked_unseen();
}

static int finish_locked(void)
{
	int error = 0;
	if (sys_getpid() == wm.pid) {
		error = finish_file();
		if (!wm_pool_leave())
			wm_image_condense();
		release();
	} else {
		wm_header_set_flags(WM_RAW_FOREIGN_PROCESS);
	}
	return error;
}

/* The activations below exit have been left.  When the object is unloaded, none of its activations is on this stack. */
static void leave_all(void)
{
	struct wm_leaving leaving;
	if (!wm_has_sites())
		return;
	leaving.kind = WM_LEAVE_ALL;
	leaving.in_handler = false;
	wm_frame_here(&leaving.begin);
	wm_leave(&leaving);
}

/* In a program that has announced a seccomp filter, which may allow only the calls that the program itself needs, this makes
 * no system call if it can be avoided. */
__attribute__((destructor(101))) static void stop(void)
{
	uint64_t mask;
	if (!wm.started || !wm.image.header)
		return;
	leave_all();
	wm_leaving_stop();
	if (!wm_forked_unseen()) {
		wm_stream_end();
		wm_header_set_flags(WM_RAW_ENDED);
	}
	wm_unseen_detect(wm.filtered);
	if (wm.filtered && is_finished())
		return;
	wm_lock(&mask);
	int error = finish_locked();
	wm_unlock(&mask);
	wm_threads_stop();
	wm_pool_warn();
	if (error)
		wm_warn(WM_WARN_LOST, "counts are lost, cannot write", wm_name_told(), error);
}
