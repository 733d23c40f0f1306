/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Frames are noted outermost first, but the walk begins with the innermost.  So the activations are counted first, and a second walk
 * writes each one to its place.  Readers see nothing as long as the place of the outermost is empty, which is written last.
 */
#include "runtime/unwind/crash_note.h"

#include "abi/crash.h"
#include "runtime/chunk/chunk.h"
#include "runtime/state/state.h"
#include "runtime/unwind/call_sites.h"

#include <elf.h>

#define SLOTS ((WM_CRASH_OVERFLOW - WM_CRASH_FRAMES) / sizeof(struct wm_crash_frame))
#define INNER_SLOTS ((WM_CRASH_STACK - WM_CRASH_OVERFLOW) / sizeof(struct wm_crash_frame))

extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));
extern const char __wm_crash_runtime __attribute__((weak, visibility("hidden"))); /* crash_frames.c */

/* Where the frames of a walk go; without memory, they are only counted. */
struct note {
	char *memory; /* of the chunk, or NULL */
	size_t all; /* frames of the whole walk, if there is memory */
	size_t count; /* frames so far, the innermost first */
	bool cut; /* the walk was ended before the outermost activation */
};

static struct wm_crash_frame *slot_at(const struct note *note, uint32_t start, size_t index)
{
	return (struct wm_crash_frame *)(void *)(note->memory + start) + index;
}

/* Of a deep stack, the innermost frames are on the overflow page, and those between them and the outermost are missing. */
static void add(struct note *note, struct wm_crash_frame frame)
{
	size_t inner = note->count++, outer = note->all - note->count;
	if (!note->memory || inner >= note->all)
		return;
	if (outer < SLOTS)
		*slot_at(note, WM_CRASH_FRAMES, outer) = frame;
	else if (inner < INNER_SLOTS)
		*slot_at(note, WM_CRASH_OVERFLOW, INNER_SLOTS - 1 - inner) = frame;
}

/* ---- Activations -------------------------------------------------------------------------- */

static bool is_in_object(uint64_t address)
{
	const char *start = (const char *)&__ehdr_start;
	const Elf64_Phdr *header = (const void *)(start + __ehdr_start.e_phoff);
	uint64_t first = 0, offset = address - (uintptr_t)start;
	for (int i = 0; i < __ehdr_start.e_phnum; i++)
		if (header[i].p_type == PT_LOAD && header[i].p_offset == 0)
			first = header[i].p_vaddr;
	for (int i = 0; i < __ehdr_start.e_phnum; i++)
		if (header[i].p_type == PT_LOAD && header[i].p_flags & PF_X &&
			offset + first - header[i].p_vaddr < header[i].p_memsz)
			return true;
	return false;
}

static void add_instruction(struct note *note, uint64_t address, enum wm_crash_stop stop)
{
	if (&__ehdr_start && is_in_object(address))
		add(note, (struct wm_crash_frame){address - (uintptr_t)&__ehdr_start, WM_CRASH_INSTRUCTION, stop});
}

/* Where calls were inlined, each of them is an activation. */
static void add_calls(struct note *note, struct wm_walk *walk)
{
	uint64_t back = walk->frame.reg[WM_REGISTER_RIP];
	struct wm_sites sites = wm_sites_at(back);
	if (!sites.count)
		add_instruction(note, back - 1, WM_STOP_CALL);
	for (size_t i = sites.count; i-- > 0;) {
		const struct wm_return_site *site = &sites.site[i];
		struct wm_crash_frame frame = {
			0, wm_crash_tag(site->key), site->site & ~(WM_SITE_ENDED | WM_SITE_LANDS)};
		if (!wm_site_sum(site, walk, &frame.kept))
			frame.site |= WM_SITE_UNKNOWN;
		add(note, frame);
	}
}

static void add_all(struct note *note, const struct wm_frame *begin, struct wm_walk *walk)
{
	wm_walk_begin(walk, begin);
	for (size_t i = 0; i < WM_MOST_ACTIVATIONS; i++) {
		if (walk->frame.exact)
			add_instruction(note, walk->frame.reg[WM_REGISTER_RIP], WM_STOP_INTERRUPTED);
		else
			add_calls(note, walk);
		if (!wm_walk_step(walk))
			return;
	}
	note->cut = true;
}

/* ---- The chunk ------------------------------------------------------------------------------ */

static struct wm_crash_head *head_of(char *memory)
{
	return (void *)(memory + sizeof(struct wm_raw_chunk));
}

static bool is_noted(void)
{
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		if (wm.image.chunk[i].kind == WM_CHUNK_CRASH)
			return true;
	return false;
}

static char *new_memory(void)
{
	struct wm_chunk *chunk = wm_chunk_new(WM_CHUNK_CRASH, WM_CRASH_SIZE, WM_CRASH_SIZE);
	if (!chunk)
		return NULL;
	chunk->owner = sys_gettid();
	((struct wm_raw_chunk *)(void *)chunk->memory)->thread = (uint64_t)chunk->owner;
	return chunk->memory;
}

/* Before the frames, so that a reader knows what they contain. */
static void write_head(const struct note *note, const struct wm_fatal *fatal, const struct wm_frame *begin)
{
	struct wm_crash_head *head = head_of(note->memory);
	const uint64_t *reg = begin->reg;
	head->pc = reg[WM_REGISTER_RIP] - (uintptr_t)&__ehdr_start;
	head->address = fatal->address;
	head->top = WM_CRASH_STACK;
	head->base[WM_BASE_RSP] = reg[WM_REGISTER_RSP];
	head->base[WM_BASE_RBP] = reg[WM_REGISTER_RBP];
	head->base[WM_BASE_RBX] = reg[WM_REGISTER_RBX];
	head->code = WM_CRASH_CODE | WM_CRASH_SUMS | (uint32_t)fatal->code | (fatal->blocked ? WM_CRASH_BLOCKED : 0) |
		     (note->cut ? WM_CRASH_CUT : 0);
}

void wm_crash_note(const struct wm_fatal *fatal, const struct wm_frame *begin, struct wm_walk *walk)
{
	struct note note = {NULL, 0, 0, false};
	if (&__wm_crash_runtime || is_noted())
		return;
	add_all(&note, begin, walk);
	note.memory = note.count || wm.object.executable ? new_memory() : NULL;
	if (!note.memory)
		return;
	note.all = note.count;
	note.count = 0;
	write_head(&note, fatal, begin);
	add_all(&note, begin, walk);
	__atomic_store_n(&head_of(note.memory)->signal, (uint64_t)fatal->signal, __ATOMIC_RELEASE);
}
