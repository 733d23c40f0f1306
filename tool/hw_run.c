/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a program under QEMU and analyses what it executes while it runs. */
#include "hardware/trace/shared.h"
#include "tool/hw.h"
#include "tool/process.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { POLL_MS = 50 };

struct session {
	struct wm_hw_feed *feed;
	struct wm_shared *shared;
	pid_t pid;
	int file;
	bool begun, stopped, killed;
};

static void make_shared(struct session *session, bool accesses)
{
	session->file = memfd_create("waymark-hw", MFD_CLOEXEC);
	if (session->file < 0 || ftruncate(session->file, (off_t)WM_SHARED_SIZE) != 0)
		wm_fail("cannot create memory to share with the program: %s", strerror(errno));
	void *memory = mmap(NULL, WM_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, session->file, 0);
	if (memory == MAP_FAILED)
		wm_fail("cannot map memory to share with the program: %s", strerror(errno));
	session->shared = memory;
	session->shared->magic = WM_SHARED_MAGIC;
	session->shared->reader = (uint32_t)getpid();
	session->shared->accesses = accesses;
}

/* QEMU separates the arguments of a plugin by commas; two commas stand for one. */
static char *escape_commas(const char *path)
{
	char *text = wm_xmalloc(2 * strlen(path) + 1), *out = text;
	for (; *path; path++) {
		*out++ = *path;
		if (*path == ',')
			*out++ = ',';
	}
	*out = 0;
	return text;
}

static const char *emulator_for(const char *program)
{
	struct wm_code code;
	enum wm_code_status status = wm_code_open(&code, program, NULL);
	if (status == WM_CODE_IO && errno == ENOENT) {
		wm_warn("cannot run %s: %s", program, strerror(errno));
		exit(127);
	}
	if (status)
		wm_fail("cannot profile %s: %s", program, wm_code_trouble(status));
	bool x86 = wm_hw_decoder_arch(code.decoder) == WM_HW_X86_64;
	wm_code_release(&code);
	return x86 ? "qemu-x86_64" : "qemu-aarch64";
}

/* Redirects the standard output of waymark itself while the program starts, and restores it afterwards. */
static pid_t start_redirected(char **command, const char *output)
{
	if (!output)
		return wm_process_start(command);
	int file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), own = fcntl(1, F_DUPFD_CLOEXEC, 3);
	if (file < 0 || own < 0 || dup2(file, 1) < 0)
		wm_fail("cannot write %s: %s", output, strerror(errno));
	pid_t pid = wm_process_start(command);
	int error = errno;
	dup2(own, 1);
	close(own);
	close(file);
	errno = error;
	return pid;
}

static pid_t start(struct session *session)
{
	char **words = session->feed->options->command;
	size_t count = 0;
	while (words[count])
		count++;
	char *program = wm_find_program(words[0]), *module = wm_resource("waymark-qemu.so");
	char *escaped = escape_commas(module);
	char *plugin = wm_xprintf("%s,shared=/proc/%d/fd/%d", escaped, (int)getpid(), session->file);
	const char *const prefix[] = {emulator_for(program), "-plugin", plugin, "-0", words[0], program};
	enum { PREFIX = sizeof prefix / sizeof *prefix };
	char **command = wm_xrealloc(NULL, PREFIX + count, sizeof *command);
	for (size_t i = 0; i < PREFIX; i++)
		command[i] = (char *)(uintptr_t)prefix[i];
	for (size_t i = 1; i <= count; i++)
		command[PREFIX + i - 1] = words[i];
	pid_t pid = start_redirected(command, session->feed->options->program_output);
	if (!pid)
		wm_fail("cannot run %s: %s; install the package qemu-user", prefix[0], strerror(errno));
	free(command);
	free(plugin);
	free(escaped);
	free(module);
	free(program);
	return pid;
}

static void take(struct session *session, const struct wm_shared_chunk *chunk)
{
	struct wm_shared *shared = session->shared;
	if (!session->begun) {
		wm_hw_feed_begin(
			session->feed, &(struct wm_trace_header){.arch = shared->arch, .accesses = shared->accesses});
		session->begun = true;
	}
	uint32_t used = atomic_load(&chunk->used);
	wm_hw_feed_facts(session->feed, shared->facts, (size_t)atomic_load(&shared->facts_used));
	if (!session->stopped && !wm_hw_feed_words(session->feed, chunk->thread, chunk->word, used)) {
		session->stopped = true;
		session->killed = session->feed->options->kill && kill(session->pid, SIGKILL) == 0;
		wm_shared_stop(shared);
	}
}

static void take_full(struct session *session, unsigned timeout_ms)
{
	struct wm_shared_chunk *chunk;
	while ((chunk = wm_shared_take(session->shared, timeout_ms))) {
		take(session, chunk);
		wm_shared_release(session->shared, chunk);
		timeout_ms = 0;
	}
}

static void take_orphans(struct session *session)
{
	struct wm_shared_chunk *chunk;
	size_t at = 0;
	while ((chunk = wm_shared_orphan(session->shared, &at))) {
		take(session, chunk);
		wm_shared_release(session->shared, chunk);
	}
}

static void explain(const struct session *session)
{
	const struct wm_follow_stats *stats = wm_follow_stats(session->feed->follow);
	if (atomic_load(&session->shared->facts_lost))
		wm_warn("the program has too much code; the code that was loaded last is not in the profile");
	if (stats->lost)
		wm_warn("too many threads ran at once; parts of %llu are not in the profile",
			(unsigned long long)stats->lost);
	if (stats->execs && !session->stopped)
		wm_warn("the program executed another program in its place, which is not in the profile");
}

void wm_hw_run(struct wm_hw_feed *feed)
{
	struct session session = {.feed = feed};
	int status;
	make_shared(&session, feed->options->accesses);
	session.pid = start(&session);
	while (!wm_process_ended(session.pid, false, &status))
		take_full(&session, POLL_MS);
	take_full(&session, 0);
	take_orphans(&session);
	if (!session.begun)
		wm_fail("%s executed nothing under QEMU; the message of QEMU is above", feed->options->command[0]);
	wm_hw_feed_end(feed, session.killed ? 0 : status);
	explain(&session);
	munmap(session.shared, WM_SHARED_SIZE);
	close(session.file);
}
