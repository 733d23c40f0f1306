/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define XXH_INLINE_ALL
#include "hardware/qemu/guest_facts.h"
#include "hardware/qemu/interface.h"
#include "hardware/trace/trace_facts.h"
#include "profile/base/bytes.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A block that has been written, by the hash of its bytes and address. */
struct known {
	uint64_t hash, number;
};

static struct {
	pthread_mutex_t lock;
	struct wm_shared *shared;
	struct known *known; /* open addressing; hash 0: free */
	size_t known_count, known_bits;
	bool mappings_read;
	uint64_t *mapping; /* hashes of the mappings that were read last */
	size_t mapping_count;
	uint64_t used_at_fork; /* bytes of the log */
} facts = {.lock = PTHREAD_MUTEX_INITIALIZER};

void wm_facts_open(struct wm_shared *shared)
{
	facts.shared = shared;
	facts.known_bits = 16;
	facts.known = calloc((size_t)1 << facts.known_bits, sizeof(*facts.known));
}

void wm_facts_lock(void)
{
	pthread_mutex_lock(&facts.lock);
	facts.used_at_fork = atomic_load(&facts.shared->facts_used);
}

void wm_facts_unlock(void)
{
	pthread_mutex_unlock(&facts.lock);
}

void wm_facts_move(struct wm_shared *shared)
{
	memcpy(shared->facts, facts.shared->facts, facts.used_at_fork);
	atomic_store(&shared->facts_used, facts.used_at_fork);
	facts.shared = shared;
}

/* Appends one encoded fact; false: the log is full. */
static bool append_fact(struct wm_bytes *fact)
{
	struct wm_shared *shared = facts.shared;
	uint64_t used = atomic_load(&shared->facts_used);
	bool fits = !fact->failed && fact->size <= WM_SHARED_FACTS - used;
	if (fits) {
		memcpy(shared->facts + used, fact->data, fact->size);
		atomic_store(&shared->facts_used, used + fact->size);
	} else {
		atomic_store(&shared->facts_lost, 1);
	}
	wm_bytes_release(fact);
	return fits;
}

static void start_fact(struct wm_bytes *fact, enum wm_fact_kind kind)
{
	uint8_t byte = (uint8_t)kind;
	wm_bytes_init(fact);
	wm_bytes_put(fact, &byte, 1);
}

static void write_mapping(const uint64_t range[2], uint64_t offset, const char *path)
{
	uint64_t base = &guest_base ? guest_base : 0;
	struct wm_bytes fact;
	size_t length = strnlen(path, WM_FACT_PATH_BYTES);
	start_fact(&fact, WM_FACT_MAPPING);
	wm_bytes_put_uleb(&fact, range[0] - base);
	wm_bytes_put_uleb(&fact, range[1] - range[0]);
	wm_bytes_put_uleb(&fact, offset);
	wm_bytes_put_uleb(&fact, length);
	wm_bytes_put(&fact, path, length);
	append_fact(&fact);
}

static bool was_mapped(uint64_t hash)
{
	for (size_t i = 0; i < facts.mapping_count; i++)
		if (facts.mapping[i] == hash)
			return true;
	return false;
}

static bool parse_mapping(char *line, uint64_t range[2], uint64_t *offset, const char **path)
{
	int at = 0;
	line[strcspn(line, "\n")] = 0;
	int got = sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &range[0], &range[1], offset, &at);
	*path = line + at;
	return got >= 3 && at && **path == '/';
}

/* The kernel's list of QEMU's own mappings: those of the program are among them.  QEMU maps
 * the program's code without the right to execute it, so every mapping of a file counts.
 * Only what was not there the last time is written. */
static void read_mappings(void)
{
	enum { MAPPINGS_MAX = 65536 };
	char line[WM_FACT_PATH_BYTES + 128];
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t *hash = maps ? malloc(MAPPINGS_MAX * sizeof(*hash)) : NULL;
	size_t count = 0;
	facts.mappings_read = true;
	while (hash && count < MAPPINGS_MAX && fgets(line, sizeof(line), maps)) {
		uint64_t range[2], offset;
		const char *path;
		hash[count] = XXH3_64bits(line, strlen(line));
		if (!parse_mapping(line, range, &offset, &path))
			continue;
		if (!was_mapped(hash[count]))
			write_mapping(range, offset, path);
		count++;
	}
	if (hash) {
		free(facts.mapping);
		facts.mapping = hash;
		facts.mapping_count = count;
	}
	if (maps)
		fclose(maps);
}

static struct known *probe(uint64_t hash)
{
	size_t mask = ((size_t)1 << facts.known_bits) - 1, at = hash & mask;
	while (facts.known[at].hash && facts.known[at].hash != hash)
		at = (at + 1) & mask;
	return &facts.known[at];
}

static bool grow_known(void)
{
	struct known *old = facts.known;
	size_t count = (size_t)1 << facts.known_bits;
	facts.known = calloc(2 * count, sizeof(*facts.known));
	if (!facts.known) {
		facts.known = old;
		return false;
	}
	facts.known_bits++;
	for (size_t i = 0; i < count; i++)
		if (old[i].hash)
			*probe(old[i].hash) = old[i];
	free(old);
	return true;
}

static uint64_t new_block(const struct wm_hw_code *code)
{
	struct wm_bytes fact;
	if (!facts.mappings_read)
		read_mappings();
	start_fact(&fact, WM_FACT_CODE);
	wm_bytes_put_uleb(&fact, facts.known_count);
	wm_bytes_put_uleb(&fact, code->address);
	wm_bytes_put_uleb(&fact, code->count);
	wm_bytes_put(&fact, code->insn_size, code->count);
	wm_bytes_put(&fact, code->bytes, code->size);
	return append_fact(&fact) ? facts.known_count++ : UINT64_MAX;
}

uint64_t wm_facts_block(const struct wm_hw_code *code)
{
	uint64_t number = UINT64_MAX, hash = XXH3_64bits_withSeed(code->bytes, code->size, code->address);
	hash += !hash;
	pthread_mutex_lock(&facts.lock);
	if (facts.known && (2 * facts.known_count < (size_t)1 << facts.known_bits || grow_known())) {
		struct known *known = probe(hash);
		if (!known->hash) {
			number = new_block(code);
			if (number != UINT64_MAX)
				*known = (struct known){hash, number};
		} else {
			number = known->number;
		}
	}
	pthread_mutex_unlock(&facts.lock);
	return number;
}

void wm_facts_forget_mappings(void)
{
	pthread_mutex_lock(&facts.lock);
	facts.mappings_read = false;
	pthread_mutex_unlock(&facts.lock);
}
