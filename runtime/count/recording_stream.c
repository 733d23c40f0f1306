/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Recordings: every thread appends its subpaths to a buffer of its own (abi/stream.h).
 *
 * The buffer is a chunk of the live file, mapped.  Compiled code reserves a word by advancing stream_cursor and
 * writes it; if the address of the word has the bit WM_STREAM_FULL, it calls this file, which continues in a new chunk.
 * What is written is in the file at once, so a kill loses nothing that was written: at most the word of each frame
 * that had reserved one and not yet written it is a hole.
 *
 * The first chunk of a thread is one page, the next is four times as large, and so on up to LARGEST, because programs
 * may have very many short threads.  A full chunk is unmapped, unless it has a hole: a frame that a signal handler
 * interrupted will still write there.  The buffer of a thread that has ended is unmapped when another thread begins.
 *
 * A spooler (waymark spool) may copy full chunks elsewhere while the program runs.  It then zeroes their words and sets
 * `used` to 0, and the thread uses the chunk again, so that neither the file grows nor pages have to be made.  If
 * WAYMARK_SPOOL names the process of a spooler, a thread has at most WM_STREAM_RING large chunks and waits when all are full; the
 * wait is an entry of the stream.  When the spooler is gone or does nothing for PATIENCE, the file grows instead.
 *
 * A full chunk is sealed (struct wm_stream_seal), and so are the chunks of threads that have ended, and all chunks when the
 * program exits, so that readers notice damage.
 *
 * When nothing can be recorded any more, threads write to a private scratch buffer again and again, which costs little.
 */
#include "runtime/count/recording_stream.h"

#include "runtime/chunk/chunk.h"
#include "runtime/file/name.h"
#include "runtime/file/warn.h"
#include "runtime/state/header.h"
#include "runtime/state/lock.h"
#include "runtime/state/state.h"
#include "runtime/system/clock.h"
#include "runtime/thread/own.h"

#include <errno.h>

#define LARGEST ((size_t)WM_STREAM_FULL)
#define SCRATCH ((size_t)1 << 16)
#define PROBES 64
#define PATIENCE 10000000 /* microseconds */
#define NO_BUFFER WM_STREAM_FULL

static struct wm_own_stream *own(void)
{
	return &__wm_own()->stream;
}

static uint64_t *cursor(void)
{
	return &__wm_own()->shared.stream_cursor;
}

__attribute__((preserve_most, visibility("hidden"))) void __wm_stream_path(const struct wm_func *f, uint64_t id);
__attribute__((preserve_most, visibility("hidden"))) void __wm_stream_word(uint64_t word);
__attribute__((preserve_most, visibility("hidden"))) void __wm_stream_event(uint64_t kind, uint64_t value);

/* ---- Seals ---------------------------------------------------------------------- */

static uint64_t *words_of(char *memory)
{
	return (uint64_t *)(void *)(memory + WM_STREAM_HEAD);
}

static struct wm_stream_seal *seal_of(char *memory)
{
	return (struct wm_stream_seal *)(void *)(memory + sizeof(struct wm_raw_chunk));
}

static uint64_t room_of(size_t size)
{
	return (size - WM_STREAM_HEAD) / sizeof(uint64_t);
}

/* The words before the first hole do not change any more.  The chunk has no seal while it gets another one, because the program
 * may be killed in between. */
static void seal(char *memory, size_t size)
{
	const struct wm_raw_chunk *chunk = (const void *)memory;
	struct wm_stream_seal *seal = seal_of(memory);
	const uint64_t *word = words_of(memory);
	uint64_t count = 0, room = room_of(size);
	if (!chunk->used)
		return; /* spooled */
	while (count < room && __atomic_load_n(&word[count], __ATOMIC_RELAXED))
		count++;
	__atomic_store_n(&seal->words, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&seal->sum, wm_stream_sum(chunk, word, count), __ATOMIC_RELEASE);
	__atomic_store_n(&seal->words, count, __ATOMIC_RELEASE);
}

/* ---- Buffers of all threads ---------------------------------------------------- */

/* Scratch buffers are no chunks. */
static bool is_chunk(const struct wm_stream_buffer *buffer)
{
	return buffer->memory && ((const struct wm_raw_chunk *)(const void *)buffer->memory)->magic == WM_CHUNK_MAGIC;
}

static bool is_dead(const struct wm_stream_buffer *buffer)
{
	return buffer->memory && buffer->owner > 0 && sys3(SYS_tgkill, wm.pid, buffer->owner, 0) == -3 /* ESRCH */;
}

static void release_dead(void)
{
	struct wm_recording *r = &wm.recording;
	for (size_t i = 0; i < PROBES && i < r->buffer_count; i++) {
		r->buffer_cursor = (r->buffer_cursor + 1) % r->buffer_count;
		struct wm_stream_buffer *buffer = &r->buffer[r->buffer_cursor];
		if (!is_dead(buffer))
			continue;
		if (is_chunk(buffer))
			seal(buffer->memory, buffer->size);
		sys_unmap(buffer->memory, buffer->size);
		buffer->memory = NULL;
	}
}

/* The index of a free place, or SIZE_MAX. */
static size_t find_place(void)
{
	struct wm_recording *r = &wm.recording;
	for (size_t i = 0; i < PROBES && i < r->buffer_count; i++) {
		size_t place = (r->buffer_cursor + i) % r->buffer_count;
		if (!r->buffer[place].memory)
			return place;
	}
	if (r->buffer_count == r->buffer_capacity) {
		size_t size = wm_page_up((2 * r->buffer_capacity + 1) * sizeof *r->buffer);
		struct wm_stream_buffer *larger = (void *)sys_map_anonymous(size);
		if (!larger)
			return SIZE_MAX;
		wm_copy(larger, r->buffer, r->buffer_count * sizeof *larger);
		if (r->buffer)
			sys_unmap(r->buffer, wm_page_up(r->buffer_capacity * sizeof *larger));
		r->buffer = larger;
		r->buffer_capacity = size / sizeof *larger;
	}
	return r->buffer_count++;
}

static void forget_chunks(void)
{
	own()->memory = own()->scratch = NULL;
	for (size_t i = 0; i < WM_STREAM_RING; i++)
		own()->ring[i] = NULL;
}

void wm_stream_release(void)
{
	struct wm_recording *r = &wm.recording;
	for (size_t i = 0; i < r->buffer_count; i++)
		if (r->buffer[i].memory)
			sys_unmap(r->buffer[i].memory, r->buffer[i].size);
	if (r->buffer)
		sys_unmap(r->buffer, wm_page_up(r->buffer_capacity * sizeof *r->buffer));
	r->buffer = NULL;
	r->buffer_count = r->buffer_capacity = r->buffer_cursor = 0;
	forget_chunks();
	*cursor() = NO_BUFFER;
}

/* Private pages that end where the bit WM_STREAM_FULL begins. */
static char *map_buffer(size_t size)
{
	const size_t period = 2 * WM_STREAM_FULL;
	char *memory = sys_map_anonymous(2 * period);
	if (!memory)
		return NULL;
	char *end = (char *)(((uintptr_t)memory + period - 1) & ~(period - 1)) + WM_STREAM_FULL;
	sys_unmap(memory, (size_t)(end - size - memory));
	sys_unmap(end, (size_t)(memory + 2 * period - end));
	return end - size;
}

/* ---- The chunks of this thread ------------------------------------------------------ */

static uint64_t *first_word(void)
{
	return words_of(own()->memory);
}

static uint64_t *end_of_words(void)
{
	return (uint64_t *)(void *)(own()->memory + own()->size);
}

/* The chunk of this thread, which is full, has a seal. */
static bool has_hole(void)
{
	return seal_of(own()->memory)->words < room_of(own()->size);
}

static void seal_own(void)
{
	if (own()->memory)
		seal(own()->memory, own()->size);
}

/* Without memory, every entry is dropped by refill. */
static void use_scratch(void)
{
	if (!own()->scratch) {
		release_dead();
		size_t place = find_place();
		own()->scratch = place == SIZE_MAX ? NULL : map_buffer(SCRATCH);
		if (own()->scratch)
			wm.recording.buffer[place] =
				(struct wm_stream_buffer){own()->scratch, SCRATCH, wm_owner_to_note()};
	}
	*cursor() = own()->scratch ? (uint64_t)own()->scratch : NO_BUFFER;
}

/* Marks the chunk of this thread, which is full, as the last of its stream. */
static void end_stream(void)
{
	if (!own()->memory)
		return;
	__atomic_store_n(&seal_of(own()->memory)->words, 0, __ATOMIC_RELEASE);
	((struct wm_raw_chunk *)(void *)own()->memory)->sequence =
		wm_chunk_sequence(own()->sequence, wm.recording.stopped);
	seal_own();
}

static void stop_recording(enum wm_stream_stop why)
{
	wm.recording.stopped = why;
	wm_header_set_flags(WM_RAW_STREAM_STOPPED);
}

/* ---- The spooler ------------------------------------------------------------------------- */

static bool is_spooled(const char *memory)
{
	return memory &&
	       __atomic_load_n(&((const struct wm_raw_chunk *)(const void *)memory)->used, __ATOMIC_ACQUIRE) == 0;
}

/* The index of a large chunk that has been spooled, or of none yet; WM_STREAM_RING: the spooler has to be waited for. */
static size_t find_spooled(void)
{
	for (size_t i = 0; i < WM_STREAM_RING; i++)
		if (is_spooled(own()->ring[i]))
			return i;
	for (size_t i = 0; i < WM_STREAM_RING; i++)
		if (!own()->ring[i])
			return i;
	return WM_STREAM_RING;
}

static bool has_spooler(void)
{
	return wm.recording.spooler && sys3(SYS_kill, wm.recording.spooler, 0, 0) != -3 /* ESRCH */;
}

/* Without the lock: signals are handled while the thread waits. */
static void wait_for_spooler(void)
{
	uint64_t begin = wm_microseconds(), now = begin;
	struct timespec pause = {0, 50000};
	if (!wm.recording.spooler || own()->size != LARGEST)
		return;
	while (!wm.recording.stopped && find_spooled() == WM_STREAM_RING) {
		if (now - begin > PATIENCE || !has_spooler()) {
			wm.recording.spooler = 0;
			break;
		}
		sys3(SYS_nanosleep, (long)&pause, 0, 0);
		now = wm_microseconds();
	}
	own()->waited += now - begin;
}

static size_t next_size(void)
{
	return own()->size ? own()->size * 4 < LARGEST ? own()->size * 4 : LARGEST : WM_PAGE;
}

/* Pages of the file for the next chunk: in place of the full one, if that is as large and has no hole; else smaller if
 * the disk is nearly full.  Negative errno on failure. */
static int map_chunk(char **memory, size_t *size)
{
	int error = wm_not_mapped_error();
	for (*size = next_size(); wm.image.mapped && *size >= WM_PAGE; *size = wm_page_up(*size / 4)) {
		uint64_t offset;
		bool again = own()->memory && own()->slot == WM_STREAM_RING && own()->size == *size &&
			     !own()->sealing && !has_hole();
		*memory = again ? own()->memory : map_buffer(*size);
		if (!*memory)
			return -ENOMEM;
		error = wm_extend_file(*size, *memory, MAP_POPULATE, &offset);
		if (!error)
			return 0;
		if (!again)
			sys_unmap(*memory, *size);
		if (*size == WM_PAGE)
			break;
	}
	return error;
}

/* The full chunk; `next` is the one that follows it. */
static void leave_chunk(const char *next)
{
	if (!own()->memory)
		return;
	own()->before += (uint64_t)(end_of_words() - first_word());
	if (own()->slot != WM_STREAM_RING)
		return; /* it is used again */
	wm.recording.buffer[own()->place].memory = NULL;
	if (own()->memory != next && !own()->sealing && !has_hole())
		sys_unmap(own()->memory, own()->size);
}

/* The magic is last: a reader takes a chunk without it as not yet born. */
static void begin_chunk(char *memory, size_t size, size_t place, size_t slot)
{
	struct wm_raw_chunk *chunk = (void *)memory;
	own()->memory = memory;
	own()->size = size;
	own()->place = place;
	own()->slot = slot;
	wm.recording.buffer[place] = (struct wm_stream_buffer){memory, size, wm_owner_to_note()};
	*seal_of(memory) = (struct wm_stream_seal){0};
	chunk->kind = WM_CHUNK_STREAM;
	chunk->size = size;
	chunk->thread = own()->number;
	chunk->sequence = ++own()->sequence;
	chunk->parent_low = own()->forked_at ? wm.recording.parent_run[0] : 0;
	chunk->parent_high = own()->forked_at ? wm.recording.parent_run[1] : 0;
	__atomic_store_n(&chunk->used, (uint64_t)((char *)end_of_words() - (char *)first_word()), __ATOMIC_RELEASE);
	__atomic_store_n(&chunk->magic, WM_CHUNK_MAGIC, __ATOMIC_RELEASE);
	*cursor() = (uint64_t)first_word();
}

/* With signals blocked, and room for it. */
static void put_first(enum wm_stream_kind kind, uint64_t value)
{
	*(uint64_t *)*cursor() = wm_stream_special(kind, value);
	*cursor() += sizeof(uint64_t);
}

static void begin_stream(void)
{
	if (own()->forked_at) {
		put_first(WM_STREAM_FORK, own()->forked_at);
		put_first(WM_STREAM_PARENT, own()->forked_from);
	} else {
		put_first(WM_STREAM_START, (uint64_t)__builtin_thread_pointer());
	}
	put_first(WM_STREAM_STAMP, wm.recording.stamp++);
}

static bool is_beyond_limit(size_t size)
{
	return wm.recording.limit && wm.recording.used + size > wm.recording.limit;
}

/* Goes on in a chunk that has been spooled.  False: there is none. */
static bool use_again(size_t slot)
{
	char *memory = slot < WM_STREAM_RING ? own()->ring[slot] : NULL;
	if (!memory)
		return false;
	leave_chunk(memory);
	begin_chunk(memory, LARGEST, own()->ring_place[slot], slot);
	return true;
}

static int use_new(size_t slot)
{
	char *memory;
	size_t size, place;
	int error = map_chunk(&memory, &size);
	place = error ? SIZE_MAX : find_place();
	if (place == SIZE_MAX) {
		stop_recording(error == -ECHILD ? WM_STREAM_STOP_FOREIGN : WM_STREAM_STOP_FULL);
		return error ? error : -ENOMEM;
	}
	leave_chunk(memory);
	if (!own()->sequence)
		own()->number = wm.recording.streams++;
	slot = size == LARGEST ? slot : WM_STREAM_RING;
	if (slot < WM_STREAM_RING) {
		own()->ring[slot] = memory;
		own()->ring_place[slot] = place;
	}
	begin_chunk(memory, size, place, slot);
	return 0;
}

/* The next chunk of this thread.  Negative errno on failure. */
static int advance(void)
{
	size_t slot = wm.recording.spooler && next_size() == LARGEST ? find_spooled() : WM_STREAM_RING;
	seal_own();
	if (!own()->sequence)
		release_dead();
	if (is_beyond_limit(next_size())) {
		stop_recording(WM_STREAM_STOP_LIMIT);
		return -EFBIG;
	}
	int error = use_again(slot) ? 0 : use_new(slot);
	if (error)
		return error;
	wm.recording.used += own()->size;
	if (own()->sequence == 1)
		begin_stream();
	if (own()->waited)
		put_first(WM_STREAM_WAIT, own()->waited);
	own()->waited = 0;
	return 0;
}

/* False: there is no buffer, and none is needed any more. */
static bool refill(void)
{
	uint64_t saved;
	int error = 0;
	wait_for_spooler();
	if (!wm_lock_counting(&saved)) {
		stop_recording(WM_STREAM_STOP_FULL);
		return false;
	}
	if (*cursor() & WM_STREAM_FULL) {
		bool ready = __atomic_load_n(&wm.started, __ATOMIC_ACQUIRE) && wm.image.header && wm.recording.on;
		wm.early_loss |= !ready;
		if (ready && !wm.recording.stopped)
			error = advance();
		if (wm.recording.stopped)
			end_stream();
		if (!ready || wm.recording.stopped)
			use_scratch();
	}
	wm_unlock(&saved);
	if (error && !wm.discard)
		wm_warn(WM_WARN_STREAM, "the recording ends here:", wm_name_told(), error);
	return !(*cursor() & WM_STREAM_FULL);
}

/* One instruction, as in compiled code (plugin/actions/stream_append.c). */
static uint64_t reserve_word(void)
{
	uint64_t address = sizeof(uint64_t);
	__asm__ volatile("xaddq %0, %1" : "+r"(address), "+m"(*cursor()) : : "cc");
	return address;
}

static void append_word(uint64_t word)
{
	uint64_t address;
	while ((address = reserve_word()) & WM_STREAM_FULL)
		if (!refill())
			return;
	__atomic_store_n((uint64_t *)address, word, __ATOMIC_RELAXED);
}

__attribute__((preserve_most)) void __wm_stream_path(const struct wm_func *f, uint64_t id)
{
	append_word(wm_stream_subpath((uint32_t)(f - __start_wm_funcs), (uint32_t)id));
}

__attribute__((preserve_most)) void __wm_stream_word(uint64_t word)
{
	append_word(word);
}

__attribute__((preserve_most)) void __wm_stream_event(uint64_t kind, uint64_t value)
{
	append_word(wm_stream_special((enum wm_stream_kind)kind, value));
	append_word(wm_stream_special(WM_STREAM_STAMP, __atomic_fetch_add(&wm.recording.stamp, 1, __ATOMIC_RELAXED)));
}

/* ---- The process ----------------------------------------------------------------------- */

static uint64_t number_of(const char *text)
{
	uint64_t number = 0;
	for (; text && *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *text - '0', &number))
			return UINT64_MAX;
	return number;
}

void wm_stream_start(void)
{
	for (size_t i = 0; i < wm.object.func_count; i++) {
		const struct wm_func *f = &wm.object.func[i];
		if (!(f->flags & WM_FUNC_STREAM))
			continue;
		wm.recording.on = true;
		*(uint64_t *)(void *)((char *)(uintptr_t)f + f->head) = wm_stream_subpath((uint32_t)i, 0);
	}
	wm.recording.spooler = (int)number_of(wm_environment("WAYMARK_SPOOL"));
	wm.recording.limit = number_of(wm_environment("WAYMARK_WPP_LIMIT"));
	/* What was written to the scratch buffer before is lost. */
	*cursor() = NO_BUFFER;
}

/* Without the lock: a signal handler may record while this chunk is read, and may need another chunk. */
static void seal_last(void)
{
	char *memory;
	size_t size;
	own()->sealing = true;
	do {
		memory = own()->memory;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		size = own()->size;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (memory != own()->memory);
	if (memory)
		seal(memory, size);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	own()->sealing = false;
}

void wm_stream_end(void)
{
	struct wm_recording *r = &wm.recording;
	uint64_t saved;
	if (r->streams <= 1) {
		seal_last();
		return;
	}
	wm_lock(&saved);
	for (size_t i = 0; i < r->buffer_count; i++)
		if (is_chunk(&r->buffer[i]))
			seal(r->buffer[i].memory, r->buffer[i].size);
	wm_unlock(&saved);
}

/* A frame of the parent that has reserved a word may still write it: the parent's chunk stays mapped. */
void wm_stream_fork(void)
{
	struct wm_recording *r = &wm.recording;
	if (own()->memory) {
		own()->forked_at = own()->before + (uint64_t)((uint64_t *)*cursor() - first_word());
		own()->forked_from = own()->number;
		r->parent_run[0] = wm.image.header->run_id_low;
		r->parent_run[1] = wm.image.header->run_id_high;
	}
	forget_chunks();
	own()->size = 0;
	own()->sequence = own()->before = own()->waited = 0;
	r->streams = r->used = 0;
	for (size_t i = 0; i < r->buffer_count; i++)
		r->buffer[i].memory = NULL;
	if (!r->stopped)
		*cursor() = NO_BUFFER;
}
