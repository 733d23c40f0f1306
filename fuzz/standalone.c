/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Runs a fuzz target without libFuzzer, always the same way: every seed as it is
 * and cut short, then N mutations of the seeds from a fixed random sequence.
 *
 *     fuzz_raw [-n MUTATIONS] [FILE | DIRECTORY]...
 *
 * Without seeds it mutates an empty input.  An abort (ASAN_OPTIONS=abort_on_error=1
 * makes every finding one) leaves the input in crash-<target>.bin, so that it can
 * become a test.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_SIZE = 1 << 20, MAX_SEEDS = 4096 };

struct seed {
	uint8_t *data;
	size_t size;
};

static struct seed seeds[MAX_SEEDS];
static size_t seed_count;
static uint64_t random_state = 0x9E3779B97F4A7C15u;
static const uint8_t *current;
static size_t current_size;
static const char *target;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545F4914F6CDD1Du;
}

static size_t below(size_t limit)
{
	return limit ? (size_t)(next_random() % limit) : 0;
}

static void die(const char *what, const char *name)
{
	fprintf(stderr, "%s: %s: %s\n", target, name, what);
	exit(2);
}

static void add_file(const char *name)
{
	FILE *file = fopen(name, "rb");
	uint8_t *data = malloc(MAX_SIZE);
	if (!file || !data || seed_count == MAX_SEEDS)
		die("cannot be used as a seed", name);
	size_t size = fread(data, 1, MAX_SIZE, file);
	fclose(file);
	seeds[seed_count++] = (struct seed){data, size};
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Sorted, so that the order of the directory does not change the run. */
static void add_directory(const char *name)
{
	struct dirent **entry;
	int count = scandir(name, &entry, visible, alphasort);
	if (count < 0)
		die(strerror(errno), name);
	for (int i = 0; i < count; i++) {
		char path[4096];
		snprintf(path, sizeof(path), "%s/%s", name, entry[i]->d_name);
		add_file(path);
		free(entry[i]);
	}
	free(entry);
}

static void add_seed(const char *name)
{
	struct stat info;
	if (stat(name, &info))
		die(strerror(errno), name);
	if (S_ISDIR(info.st_mode))
		add_directory(name);
	else
		add_file(name);
}

/* On the heap in its exact size: ASan then sees every byte read beyond it. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	if (!copy)
		die("no memory", "input");
	if (size)
		memcpy(copy, data, size);
	current = copy;
	current_size = size;
	LLVMFuzzerTestOneInput(copy, size);
	current = NULL;
	free(copy);
}

static size_t mutate_once(uint8_t *data, size_t size)
{
	static const uint64_t interesting[] = {0, 1, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, INT64_MAX, UINT64_MAX};
	size_t at = below(size), count = 1 + below(16);
	switch (below(6)) {
	case 0: /* flip a bit */
		if (size)
			data[at] ^= (uint8_t)(1u << below(8));
		return size;
	case 1: /* replace a byte */
		if (size)
			data[at] = (uint8_t)next_random();
		return size;
	case 2: /* replace a word */
		if (size >= 8)
			memcpy(data + below(size - 7), &interesting[below(9)], 8);
		return size;
	case 3: /* cut the end */
		return size ? below(size) : 0;
	case 4: /* remove bytes */
		count = count < size - at ? count : size - at;
		memmove(data + at, data + at + count, size - at - count);
		return size - count;
	default: /* insert bytes */
		if (size + count > MAX_SIZE)
			return size;
		memmove(data + at + count, data + at, size - at);
		for (size_t i = 0; i < count; i++)
			data[at + i] = (uint8_t)next_random();
		return size + count;
	}
}

static void run_seed(const struct seed *seed)
{
	run(seed->data, seed->size);
	for (size_t i = 0; i < 64; i++)
		run(seed->data, seed->size * i / 64);
}

static void run_mutation(uint8_t *buffer)
{
	struct seed seed = seed_count ? seeds[below(seed_count)] : (struct seed){0};
	size_t size = seed.size, changes = 1 + below(6);
	if (size)
		memcpy(buffer, seed.data, size);
	while (changes--)
		size = mutate_once(buffer, size);
	run(buffer, size);
}

static void save_input(int number)
{
	char name[256];
	snprintf(name, sizeof(name), "crash-%s.bin", target);
	FILE *file = current ? fopen(name, "wb") : NULL;
	if (file) {
		fwrite(current, 1, current_size, file);
		fclose(file);
	}
	signal(number, SIG_DFL);
	raise(number);
}

static long parse(int argc, char **argv)
{
	long mutations = 10000;
	int option;
	while ((option = getopt(argc, argv, "n:")) != -1) {
		if (option != 'n')
			exit(2);
		mutations = strtol(optarg, NULL, 10);
	}
	for (int i = optind; i < argc; i++)
		add_seed(argv[i]);
	return mutations;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	target = slash ? slash + 1 : argv[0];
	long mutations = parse(argc, argv);
	uint8_t *buffer = malloc(MAX_SIZE + 16);
	if (!buffer)
		die("no memory", "buffer");
	signal(SIGABRT, save_input);
	for (size_t i = 0; i < seed_count; i++)
		run_seed(&seeds[i]);
	for (long i = 0; i < mutations; i++)
		run_mutation(buffer);
	printf("%s: %zu seeds and %ld mutations, nothing found\n", target, seed_count, mutations);
	for (size_t i = 0; i < seed_count; i++)
		free(seeds[i].data);
	free(buffer);
	return 0;
}
