/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a program under QEMU and analyses what it executes while it runs. */
#include "cmd/hw_command.h"
#include "cmd/hw_tracee.h"
#include "support/fail.h"
#include "support/process.h"
#include "support/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MS = 50 };

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
	char *target = wm_output_target(output);
	int file = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), own = fcntl(1, F_DUPFD_CLOEXEC, 3);
	if (file < 0 || own < 0 || dup2(file, 1) < 0)
		wm_fail("cannot write %s: %s", output, strerror(errno));
	pid_t pid = wm_process_start(command);
	int error = errno;
	dup2(own, 1);
	close(own);
	close(file);
	free(target);
	errno = error;
	return pid;
}

static pid_t start_program(const struct wm_hw_options *options, const char *plugin)
{
	char **words = options->command;
	size_t count = 0;
	while (words[count])
		count++;
	char *program = wm_find_program(words[0]);
	const char *const prefix[] = {emulator_for(program), "-plugin", plugin, "-0", words[0], program};
	enum { PREFIX = sizeof prefix / sizeof *prefix };
	char **command = wm_xrealloc(NULL, PREFIX + count, sizeof *command);
	for (size_t i = 0; i < PREFIX; i++)
		command[i] = (char *)(uintptr_t)prefix[i];
	for (size_t i = 1; i <= count; i++)
		command[PREFIX + i - 1] = words[i];
	pid_t pid = start_redirected(command, options->program_output);
	if (!pid)
		wm_fail("cannot run %s: %s; install the package qemu-user", prefix[0], strerror(errno));
	free(command);
	free(program);
	return pid;
}

void wm_hw_run(struct wm_hw_feed *feed)
{
	const struct wm_hw_options *options = feed->options;
	struct wm_hw_tracee tracee;
	int status;
	wm_hw_tracee_init(&tracee, feed, options->output);
	struct wm_hw_children *children = wm_hw_children_new(&tracee, options);
	tracee.pid = start_program(options, wm_hw_children_plugin(children));
	while (!wm_process_ended(tracee.pid, false, &status))
		wm_hw_tracee_take(&tracee, POLL_MS);
	if (!wm_hw_tracee_finish(&tracee, status))
		wm_fail("%s executed nothing under QEMU; the message of QEMU is above", options->command[0]);
	wm_hw_children_finish(children);
	wm_hw_tracee_release(&tracee);
}
