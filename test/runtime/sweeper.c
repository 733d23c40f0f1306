/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * sweeper FILE PROGRAM [ARGUMENT...]: overwrites every word of the live profile FILE while
 * PROGRAM runs, once with each of several values, and lets the program take steps
 * meanwhile: it reads one byte from standard input per step and answers with one byte.
 * 's' is a step, 'f' asks for a forked child, 'r' for a reset.  At the end of input the
 * program must print "unharmed" and exit with 0.  SWEEPS=N: only the first N values.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* All records of a file begin below EACH; after it are slots, where a step after each word
 * would only take long. */
enum { EACH = 24 << 10, SOME = 64 };

static int to_program, from_program;

static void fail(const char *what, unsigned pass, size_t offset)
{
	fprintf(stderr, "sweeper: %s, pass %u, byte %zu\n", what, pass, offset);
	exit(1);
}

static void step(char command, unsigned pass, size_t offset)
{
	char answer;
	if (write(to_program, &command, 1) != 1 || read(from_program, &answer, 1) != 1 || answer != '.')
		fail("the program is gone", pass, offset);
}

static uint64_t value(unsigned pass, uint64_t old)
{
	static uint64_t random = 88172645463325252u;
	random ^= random << 13, random ^= random >> 7, random ^= random << 17;
	const uint64_t values[] = {UINT64_MAX, 0x4141414141414140, old + 64, random, 0};
	return values[pass];
}

/* The file may have grown or been replaced since the last page. */
static uint64_t *map_page(const char *name, size_t offset)
{
	struct stat status;
	int fd = open(name, O_RDWR);
	void *page = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &status) == 0 && (size_t)status.st_size >= offset + 4096)
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	if (fd >= 0)
		close(fd);
	return page == MAP_FAILED ? NULL : page;
}

static void sweep(const char *name, unsigned pass)
{
	size_t offset = 0;
	/* Only as far as it reaches now: what is wiped out may come back at the end. */
	struct stat status;
	if (stat(name, &status))
		fail("no live profile", pass, 0);
	for (uint64_t *page; offset < (size_t)status.st_size && (page = map_page(name, offset)); offset += 4096) {
		for (size_t i = 0; i < 512; i++) {
			page[i] = value(pass, page[i]);
			if (offset < EACH || i % SOME == 0)
				step('s', pass, offset + 8 * i);
		}
		munmap(page, 4096);
		step(offset / 4096 % 8 ? 's' : 'f', pass, offset);
	}
	if (offset < 3 * 4096)
		fail("no live profile", pass, offset);
	step('r', pass, offset);
}

static pid_t start(char **command)
{
	int in[2], out[2];
	if (pipe(in) || pipe(out))
		fail("no pipe", 0, 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]), close(in[1]), close(out[0]), close(out[1]);
		execv(command[0], command);
		_exit(127);
	}
	close(in[0]), close(out[1]);
	to_program = in[1];
	from_program = out[0];
	return child;
}

int main(int argc, char **argv)
{
	char text[64] = "";
	int status;
	signal(SIGPIPE, SIG_IGN);
	if (argc < 3)
		return 2;
	const char *sweeps = getenv("SWEEPS");
	unsigned passes = sweeps ? (unsigned)strtoul(sweeps, NULL, 10) : 5;
	pid_t child = start(argv + 2);
	step('s', 0, 0);
	for (unsigned pass = 0; pass < passes && pass < 5; pass++)
		sweep(argv[1], pass);
	close(to_program);
	if (read(from_program, text, sizeof text - 1) < 0 || strcmp(text, "unharmed\n"))
		fail("the program printed something else", 5, 0);
	if (waitpid(child, &status, 0) != child || status)
		fail("the program failed", 5, 0);
	return 0;
}
