/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The reader of indexed profiles: the input as a file, as the sections of a file
 * with a true checksum, and as the plain payload of an object.
 */
#define XXH_INLINE_ALL
#include "fuzz/check_profile.h"
#include "profile/indexed/indexed_layout.h"

#include <string.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_indexed(const uint8_t *data, size_t size)
{
	struct wm_profile profile;
	struct wm_profile_error error;
	wm_profile_init(&profile);
	if (wm_indexed_read(&profile, data, size, &error) == WM_PROFILE_OK)
		check_profile(&profile);
	wm_profile_release(&profile);
}

static void seal(uint8_t *file, size_t size, uint32_t version, uint32_t sections)
{
	const uint64_t magic = WM_INDEXED_MAGIC;
	const uint32_t words[2] = {version, sections};
	XXH3_state_t state;
	memcpy(file, &magic, 8);
	memcpy(file + 8, words, sizeof(words));
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, file, WM_INDEXED_CHECKSUM_OFFSET);
	XXH3_64bits_update(&state, file + WM_INDEXED_HEADER_SIZE, size - WM_INDEXED_HEADER_SIZE);
	uint64_t sum = XXH3_64bits_digest(&state);
	memcpy(file + WM_INDEXED_CHECKSUM_OFFSET, &sum, 8);
}

static void read_wrapped(const uint8_t *data, size_t size, uint32_t version, bool as_payload)
{
	size_t head = WM_INDEXED_HEADER_SIZE + (as_payload ? WM_SECTION_HEADER_SIZE : 0);
	uint8_t *file = malloc(head + size);
	if (!file)
		return;
	if (as_payload) {
		const uint32_t words[2] = {WM_SECTION_OBJECT, 0};
		const uint64_t sizes[2] = {size, size};
		memcpy(file + WM_INDEXED_HEADER_SIZE, words, sizeof(words));
		memcpy(file + WM_INDEXED_HEADER_SIZE + 8, sizes, sizeof(sizes));
	}
	if (size)
		memcpy(file + head, data, size);
	seal(file, head + size, version, as_payload ? 1 : size ? data[0] % 4 : 0);
	read_indexed(file, head + size);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_indexed(data, size);
	for (uint32_t version = 2; version <= WM_INDEXED_VERSION; version++) {
		read_wrapped(data, size, version, false);
		read_wrapped(data, size, version, true);
	}
	return 0;
}
