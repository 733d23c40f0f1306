/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define XXH_INLINE_ALL
#include "hardware/trace/trace_file.h"
#include "hardware/trace/trace_words.h"
#include "profile/base/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum { LEVEL = 3, FLUSH_BYTES = 1 << 20 };

/* Words are packed as differences to the previous word of their kind: a LEB128 number whose
 * low two bits are the kind; an access is followed by its upper bits. */
struct pack {
	uint64_t block, address;
};

static uint64_t zigzag(uint64_t now, uint64_t before)
{
	int64_t difference = (int64_t)(now - before);
	return (uint64_t)difference << 1 ^ (uint64_t)(difference >> 63);
}

static uint64_t unzigzag(uint64_t value, uint64_t before)
{
	return before + (value >> 1 ^ (0 - (value & 1)));
}

static void pack_word(struct pack *pack, struct wm_bytes *out, uint64_t word)
{
	uint64_t address = word & WM_WORD_ADDRESS_MASK;
	switch (wm_word_kind(word)) {
	case WM_WORD_BLOCK:
		wm_bytes_put_uleb(out, zigzag(word, pack->block) << 2 | WM_WORD_BLOCK);
		pack->block = word;
		break;
	case WM_WORD_ACCESS:
		wm_bytes_put_uleb(out, zigzag(address, pack->address) << 2 | WM_WORD_ACCESS);
		wm_bytes_put_uleb(out, word >> 48 & 0x1fff);
		pack->address = address;
		break;
	case WM_WORD_CONTROL:
		wm_bytes_put_uleb(out, (word & UINT32_MAX) << 2 | WM_WORD_CONTROL);
		break;
	case WM_WORD_ENTRY:
		wm_bytes_put_uleb(out, (word & (WM_WORD_DELIVERED | WM_WORD_ADDRESS_MASK)) << 2 | WM_WORD_ENTRY);
		break;
	}
}

/* Writing. */

struct wm_trace_writer {
	FILE *file;
	ZSTD_CCtx *zstd;
	struct wm_bytes words; /* packed, of `thread`, not yet written */
	struct pack pack;
	uint32_t thread;
	uint8_t *packed;
	size_t packed_size;
	bool failed;
};

static void put_frame_header(struct wm_bytes *out, const uint32_t kind_thread[2], size_t payload, size_t stored)
{
	wm_bytes_put_u32(out, kind_thread[0]);
	wm_bytes_put_u32(out, kind_thread[1]);
	wm_bytes_put_u64(out, payload);
	wm_bytes_put_u64(out, stored);
}

static uint64_t frame_checksum(const uint8_t *header, const uint8_t *stored, size_t size)
{
	return XXH3_64bits_withSeed(stored, size, XXH3_64bits(header, WM_TRACE_FRAME_SIZE - 8));
}

static void write_frame(struct wm_trace_writer *w, const uint32_t kind_thread[2], const uint8_t *data, size_t size)
{
	size_t bound = ZSTD_compressBound(size);
	if (w->failed)
		return;
	if (bound > w->packed_size) {
		free(w->packed);
		w->packed = malloc(bound);
		w->packed_size = w->packed ? bound : 0;
	}
	size_t stored = w->packed ? ZSTD_compressCCtx(w->zstd, w->packed, w->packed_size, data, size, LEVEL) : 0;
	struct wm_bytes header;
	wm_bytes_init(&header);
	put_frame_header(&header, kind_thread, size, stored);
	if (!w->packed || ZSTD_isError(stored) || header.failed) {
		w->failed = true;
	} else {
		wm_bytes_put_u64(&header, frame_checksum(header.data, w->packed, stored));
		w->failed = header.failed || fwrite(header.data, header.size, 1, w->file) != 1 ||
			    fwrite(w->packed, 1, stored, w->file) != stored;
	}
	wm_bytes_release(&header);
}

static void flush_words(struct wm_trace_writer *w)
{
	if (w->words.failed)
		w->failed = true;
	else if (w->words.size)
		write_frame(w, (uint32_t[]){WM_FRAME_WORDS, w->thread}, w->words.data, w->words.size);
	w->words.size = 0;
	w->pack = (struct pack){0};
}

struct wm_trace_writer *wm_trace_writer_new(FILE *file, const struct wm_trace_header *header)
{
	struct wm_trace_writer *w = calloc(1, sizeof(*w));
	struct wm_bytes bytes;
	if (!w)
		return NULL;
	w->file = file;
	w->zstd = ZSTD_createCCtx();
	wm_bytes_init(&w->words);
	wm_bytes_init(&bytes);
	wm_bytes_put_u64(&bytes, WM_TRACE_MAGIC);
	wm_bytes_put_u32(&bytes, WM_TRACE_VERSION);
	wm_bytes_put_u32(&bytes, header->arch);
	wm_bytes_put_u64(&bytes, header->accesses);
	w->failed = !w->zstd || bytes.failed || fwrite(bytes.data, bytes.size, 1, file) != 1;
	wm_bytes_release(&bytes);
	return w;
}

bool wm_trace_write_facts(struct wm_trace_writer *w, const uint8_t *data, size_t size)
{
	flush_words(w);
	while (size && !w->failed) {
		size_t part = size < WM_TRACE_PAYLOAD_MAX ? size : WM_TRACE_PAYLOAD_MAX;
		write_frame(w, (uint32_t[]){WM_FRAME_FACTS, 0}, data, part);
		data += part;
		size -= part;
	}
	return !w->failed;
}

bool wm_trace_write_words(struct wm_trace_writer *w, uint32_t thread, const uint64_t *word, size_t count)
{
	if (thread != w->thread)
		flush_words(w);
	w->thread = thread;
	for (size_t i = 0; i < count; i++) {
		pack_word(&w->pack, &w->words, word[i]);
		if (w->words.size >= FLUSH_BYTES)
			flush_words(w);
	}
	return !w->failed;
}

bool wm_trace_writer_end(struct wm_trace_writer *w, int status, bool in_part)
{
	uint32_t number = (uint32_t)status;
	uint8_t bytes[5] = {
		(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16), (uint8_t)(number >> 24), in_part};
	flush_words(w);
	write_frame(w, (uint32_t[]){WM_FRAME_END, 0}, bytes, sizeof(bytes));
	bool ok = !w->failed && fflush(w->file) == 0;
	ZSTD_freeCCtx(w->zstd);
	wm_bytes_release(&w->words);
	free(w->packed);
	free(w);
	return ok;
}

/* Reading. */

struct wm_trace_reader {
	FILE *file;
	uint32_t version;
	size_t position;
	ZSTD_DCtx *zstd;
	uint8_t *stored, *payload;
	size_t stored_size, payload_size;
	uint64_t *word;
	size_t word_capacity;
	bool ended;
};

enum wm_trace_status wm_trace_reader_new(struct wm_trace_reader **reader, FILE *file, struct wm_trace_header *header)
{
	uint8_t bytes[WM_TRACE_HEADER_SIZE];
	struct wm_cursor in;
	size_t got = fread(bytes, 1, sizeof(bytes), file);
	if (ferror(file))
		return WM_TRACE_IO;
	wm_cursor_init(&in, bytes, got);
	if (got < 8 || wm_cursor_u64(&in) != WM_TRACE_MAGIC)
		return WM_TRACE_FOREIGN;
	if (got < sizeof(bytes))
		return WM_TRACE_DAMAGED;
	uint32_t version = wm_cursor_u32(&in);
	if (version < 2 || version > WM_TRACE_VERSION)
		return WM_TRACE_OTHER_VERSION;
	struct wm_trace_header result = {.arch = wm_cursor_u32(&in)};
	result.accesses = wm_cursor_u64(&in) & 1;
	struct wm_trace_reader *r = calloc(1, sizeof(*r));
	if (r)
		r->zstd = ZSTD_createDCtx();
	if (!r || !r->zstd) {
		free(r);
		return WM_TRACE_NO_MEMORY;
	}
	r->file = file;
	r->version = version;
	r->position = WM_TRACE_HEADER_SIZE;
	*reader = r;
	*header = result;
	return WM_TRACE_OK;
}

void wm_trace_reader_free(struct wm_trace_reader *r)
{
	if (!r)
		return;
	ZSTD_freeDCtx(r->zstd);
	free(r->stored);
	free(r->payload);
	free(r->word);
	free(r);
}

size_t wm_trace_reader_position(const struct wm_trace_reader *r)
{
	return r->position;
}

static bool reserve_buffer(uint8_t **buffer, size_t *have, size_t want)
{
	if (*have >= want)
		return true;
	uint8_t *larger = realloc(*buffer, want);
	if (!larger)
		return false;
	*buffer = larger;
	*have = want;
	return true;
}

static bool unpack_word(struct pack *pack, struct wm_cursor *in, uint64_t *word)
{
	uint64_t value = wm_cursor_uleb(in), number = value >> 2;
	switch (value & 3) {
	case WM_WORD_BLOCK:
		*word = pack->block = unzigzag(number, pack->block);
		return *word <= UINT32_MAX;
	case WM_WORD_ACCESS:
		pack->address = unzigzag(number, pack->address);
		*word = (uint64_t)WM_WORD_ACCESS << WM_WORD_KIND_SHIFT | wm_cursor_bounded(in, 0x1fff) << 48 |
			pack->address;
		return pack->address <= WM_WORD_ADDRESS_MASK;
	case WM_WORD_CONTROL:
		*word = (uint64_t)WM_WORD_CONTROL << WM_WORD_KIND_SHIFT | number;
		return number <= UINT32_MAX;
	case WM_WORD_ENTRY:
		*word = (uint64_t)WM_WORD_ENTRY << WM_WORD_KIND_SHIFT | number;
		return number <= (WM_WORD_DELIVERED | WM_WORD_ADDRESS_MASK);
	}
	return false;
}

/* Every word takes at least one byte, so the payload bounds the words. */
static enum wm_trace_status unpack_words(struct wm_trace_reader *r, size_t size, struct wm_trace_frame *frame)
{
	struct wm_cursor in;
	struct pack pack = {0};
	size_t count = 0;
	if (size > r->word_capacity) {
		free(r->word);
		r->word = malloc(size * sizeof(*r->word));
		r->word_capacity = r->word ? size : 0;
		if (!r->word)
			return WM_TRACE_NO_MEMORY;
	}
	wm_cursor_init(&in, r->payload, size);
	while (wm_cursor_left(&in))
		if (!unpack_word(&pack, &in, &r->word[count++]) || in.failed)
			return WM_TRACE_DAMAGED;
	frame->word = r->word;
	frame->word_count = count;
	return WM_TRACE_OK;
}

static enum wm_trace_status interpret(struct wm_trace_reader *r, size_t size, struct wm_trace_frame *frame)
{
	struct wm_cursor in;
	switch (frame->kind) {
	case WM_FRAME_FACTS:
		frame->facts = r->payload;
		frame->fact_size = size;
		return WM_TRACE_OK;
	case WM_FRAME_WORDS:
		return unpack_words(r, size, frame);
	case WM_FRAME_END:
		wm_cursor_init(&in, r->payload, size);
		frame->status = (int)wm_cursor_u32(&in);
		frame->in_part = r->version > 2 && wm_cursor_u8(&in);
		r->ended = true;
		return in.failed || wm_cursor_left(&in) ? WM_TRACE_DAMAGED : WM_TRACE_OK;
	}
	return WM_TRACE_DAMAGED;
}

/* The frame's payload; its size in *size. */
static enum wm_trace_status load_frame(struct wm_trace_reader *r, struct wm_trace_frame *frame, size_t *size)
{
	uint8_t bytes[WM_TRACE_FRAME_SIZE];
	struct wm_cursor in;
	if (fread(bytes, sizeof(bytes), 1, r->file) != 1)
		return ferror(r->file) ? WM_TRACE_IO : WM_TRACE_DAMAGED;
	wm_cursor_init(&in, bytes, sizeof(bytes));
	frame->kind = (enum wm_frame_kind)wm_cursor_u32(&in);
	frame->thread = wm_cursor_u32(&in);
	uint64_t payload = wm_cursor_u64(&in), stored = wm_cursor_u64(&in), checksum = wm_cursor_u64(&in);
	if (payload > WM_TRACE_PAYLOAD_MAX || stored > ZSTD_compressBound(WM_TRACE_PAYLOAD_MAX))
		return WM_TRACE_DAMAGED;
	*size = (size_t)payload;
	if (!reserve_buffer(&r->stored, &r->stored_size, (size_t)stored) ||
		!reserve_buffer(&r->payload, &r->payload_size, (size_t)payload + 1))
		return WM_TRACE_NO_MEMORY;
	if (fread(r->stored, 1, (size_t)stored, r->file) != stored)
		return ferror(r->file) ? WM_TRACE_IO : WM_TRACE_DAMAGED;
	r->position += sizeof(bytes) + (size_t)stored;
	if (frame_checksum(bytes, r->stored, (size_t)stored) != checksum)
		return WM_TRACE_DAMAGED;
	return ZSTD_decompressDCtx(r->zstd, r->payload, (size_t)payload, r->stored, (size_t)stored) == payload
		       ? WM_TRACE_OK
		       : WM_TRACE_DAMAGED;
}

enum wm_trace_status wm_trace_read(struct wm_trace_reader *r, struct wm_trace_frame *frame)
{
	size_t size;
	if (r->ended)
		return WM_TRACE_END;
	*frame = (struct wm_trace_frame){0};
	enum wm_trace_status status = load_frame(r, frame, &size);
	return status ? status : interpret(r, size, frame);
}
