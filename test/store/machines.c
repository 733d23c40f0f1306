/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * machines DIRECTORY COUNT SEED RAW...: writes COUNT raw profiles into the directory, 0.wmraw, 1.wmraw, …: each is one of the given ones,
 * chosen at random, with an id, a time and a process of its own, as if a machine had run the program.
 */
#include "abi/abi.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DAY = 86400, LONGEST = 1 << 26 };
#define BEGIN UINT64_C(1790000000) /* seconds since 1970 */

static uint64_t random_next(uint64_t *state)
{
	*state += UINT64_C(0x9E3779B97F4A7C15);
	uint64_t mixed = (*state ^ *state >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
	return mixed ^ mixed >> 31;
}

static void stop(const char *what, const char *name)
{
	fprintf(stderr, "machines: cannot %s %s\n", what, name);
	exit(1);
}

static uint8_t *read_file(const char *name, size_t *size)
{
	uint8_t *data = malloc(LONGEST);
	int fd = open(name, O_RDONLY);
	ssize_t got = fd >= 0 && data ? read(fd, data, LONGEST) : -1;
	if (got < (ssize_t)sizeof(struct wm_raw_header))
		stop("read", name);
	close(fd);
	*size = (size_t)got;
	return data;
}

static void sum_up(uint8_t *image)
{
	struct wm_raw_header header;
	memcpy(&header, image, sizeof(header));
	uint64_t sum = WM_CHECKSUM_INIT;
	for (uint64_t i = 0; i < header.func_count; i++) {
		uint64_t word[offsetof(struct wm_raw_func, lost) / 8];
		memcpy(word, image + header.func_offset + i * sizeof(struct wm_raw_func), sizeof(word));
		sum = wm_checksum(sum, word, sizeof(word) / 8);
	}
	sum = wm_checksum(sum, &header.func_offset, 14);
	memcpy(image + offsetof(struct wm_raw_header, checksum), &sum, sizeof(sum));
}

static void write_machine(const char *directory, unsigned long number, uint8_t *image, size_t size, uint64_t *seed)
{
	struct wm_raw_header header;
	char name[4096];
	memcpy(&header, image, sizeof(header));
	header.run_id_low = random_next(seed);
	header.run_id_high = random_next(seed);
	header.start_time = BEGIN + random_next(seed) % (30 * DAY);
	header.pid = 2 + random_next(seed) % 30000;
	memcpy(image, &header, sizeof(header));
	sum_up(image);
	snprintf(name, sizeof(name), "%s/%lu.wmraw", directory, number);
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, image, size) != (ssize_t)size || close(fd))
		stop("write", name);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	uint64_t seed = strtoull(argv[3], NULL, 10);
	int kinds = argc - 4;
	uint8_t **image = calloc((size_t)kinds, sizeof(*image));
	size_t *size = calloc((size_t)kinds, sizeof(*size));
	for (int i = 0; i < kinds; i++)
		image[i] = read_file(argv[4 + i], &size[i]);
	for (unsigned long i = 0; i < strtoul(argv[2], NULL, 10); i++) {
		uint64_t kind = random_next(&seed) % (uint64_t)kinds;
		write_machine(argv[1], i, image[kind], size[kind], &seed);
	}
	for (int i = 0; i < kinds; i++)
		free(image[i]);
	free(image);
	free(size);
	return 0;
}
