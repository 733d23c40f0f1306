/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark push: the agent that brings raw profiles from a directory into a store.  cmd/push_pass.h has what it does with them.
 */
#include "cmd/commands.h"
#include "cmd/push_pass.h"
#include "cmd/push_signals.h"
#include "support/fail.h"
#include "support/machine_name.h"
#include "support/option_table.h"
#include "support/xalloc.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <unistd.h>

static const char usage[] =
	"usage: waymark push --watch DIR [options] STORE\n"
	"       waymark push --status DIR [--state DIR] [--json]\n"
	"\n"
	"Stores the raw profiles (.wmraw) that programs write to a directory, and removes what was\n"
	"stored.  Files of processes that have ended are stored whole; of a living process, what it has\n"
	"counted is stored from time to time.  While the store cannot be reached, the files wait in the\n"
	"directory.  Ends after SIGTERM or SIGINT.  STORE is an SQLite file or postgresql://...\n"
	"(`waymark help store`).  With --status, says how the agent of a directory is doing; run it as the\n"
	"user of the agent.\n";

enum { LONGEST = 366 * 24 * 3600 }; /* seconds, of options */

/* ---- Waiting ------------------------------------------------------------------------- */

/* Half of the delay at least: a fleet whose server comes back must not come back at once. */
static uint64_t jittered(uint64_t milliseconds)
{
	uint64_t random = 0;
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
		random = (uint64_t)getpid();
	return milliseconds / 2 + random % (milliseconds / 2 + 1);
}

/* Whether one of the events is about another file than those of the agent's status, which may be in the directory, too.  A profile need
 * not have its name in them: the runtime makes it without a name. */
static bool are_news(const struct wm_push_agent *agent, const char *buffer, size_t size)
{
	bool any = false;
	for (size_t at = 0; at < size;) {
		const struct inotify_event *event = (const void *)(buffer + at);
		any |= !event->len || !wm_push_status_is_own(event->name, agent->metrics);
		at += sizeof *event + event->len;
	}
	return any;
}

static bool take_news(struct wm_push_agent *agent)
{
	alignas(struct inotify_event) char buffer[4096];
	bool any = false;
	for (ssize_t size; agent->events >= 0 && (size = read(agent->events, buffer, sizeof buffer)) > 0;)
		any |= are_news(agent, buffer, (size_t)size);
	return any;
}

static uint64_t milliseconds_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* Until a file is closed, the time has come, or a signal comes.  After a failure, only the time counts. */
static void wait_for_work(struct wm_push_agent *agent)
{
	uint64_t now = milliseconds_now();
	uint64_t end = now + (agent->delay ? jittered(agent->delay * 1000u) : agent->interval * 1000);
	struct pollfd event = {.fd = agent->delay ? -1 : agent->events, .events = POLLIN};
	bool any = false;
	for (; !any && now < end; now = milliseconds_now()) {
		event.revents = 0;
		wm_push_wait(&event, end - now);
		any = take_news(agent) || !event.revents;
	}
}

/* The end of a program closes its file, also if it is a mapping only. */
static void watch(struct wm_push_agent *agent)
{
	agent->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char *path = wm_xprintf("/proc/self/fd/%d", agent->directory.fd);
	if (agent->events >= 0 && inotify_add_watch(agent->events, path, IN_CLOSE_WRITE | IN_MOVED_TO) < 0) {
		close(agent->events);
		agent->events = -1;
	}
	free(path);
}

/* ---- Command line -------------------------------------------------------------------- */

static void take_labels(void *target, const char *text)
{
	wm_label_list_parse(target, text);
}

/* A file is stored completely. */
static void check_name(const char *name)
{
	struct wm_store_url url;
	wm_store_url_parse(&url, name, time(NULL));
	if (!wm_filter_is_empty(&url.filter))
		wm_fail("filters after '#' select what is read; name the store alone, and use --label for labels");
	wm_store_url_release(&url);
}

static void check_numbers(const struct wm_push_agent *agent)
{
	if (!agent->interval || agent->interval > LONGEST)
		wm_fail("--interval must be at least 1 and at most %d, a year", LONGEST);
	if (agent->living > LONGEST)
		wm_fail("--living must be at most %d, a year", LONGEST);
	if (!agent->timeout || agent->timeout > LONGEST)
		wm_fail("--timeout must be at least 1 and at most %d, a year", LONGEST);
	if (agent->file_limit > UINT64_MAX >> 20)
		wm_fail("--file-limit must be at most %" PRIu64 " MiB; with 0, all files are read", UINT64_MAX >> 20);
	if (agent->queue.limit > UINT64_MAX >> 20)
		wm_fail("--queue-limit must be at most %" PRIu64 " MiB; with 0, no file is removed", UINT64_MAX >> 20);
}

/* For --status. */
struct question {
	const char *directory; /* NULL: it was not given */
	bool json;
};

static void check_question(const struct wm_push_agent *agent, int operands)
{
	if (agent->watched || operands)
		wm_fail("--status asks about a directory and takes no store, as in `waymark push --status DIR`");
}

/* Checks what is given to the agent that watches. */
static void check_agent(struct wm_push_agent *agent, const struct question *question, int operands)
{
	if (question->json)
		wm_fail("--json is for --status");
	if (!agent->watched)
		wm_fail("no directory was given; use --watch DIR");
	if (operands != 1)
		wm_fail("name one store, as in `waymark push --watch DIR store.db`");
	check_numbers(agent);
	if (agent->machine && (strlen(agent->machine) > WM_MACHINE_MAX || !wm_label_value_is_valid(agent->machine)))
		wm_fail("--machine: the name is longer than %d bytes, is not UTF-8, or contains a comma or a "
			"control character",
			WM_MACHINE_MAX);
	check_name(agent->name);
	wm_label_list_add_kind(&agent->labels);
}

static void parse(struct wm_push_agent *agent, struct question *question, int argc, char **argv)
{
	const struct wm_option own[] = {
		WM_TEXT("watch", &agent->watched, "DIR", "the directory to which the programs write"),
		WM_CALL("label", take_labels, &agent->labels, "KEY=VALUE,...", "what is said of the runs in the store"),
		WM_TEXT("machine", &agent->machine, "NAME", "name of this machine in the store (default: a hash)"),
		WM_NUMBER("living", &agent->living,
			"store what living processes have counted every N seconds\n"
			"(default 3600); 0: only when they have ended"),
		WM_NUMBER("interval", &agent->interval, "look at the directory every N seconds at least (default 60)"),
		WM_NUMBER("queue-limit", &agent->queue.limit,
			"while the store cannot be reached, keep at most N MiB of files\n"
			"(default 1024) and remove the oldest; 0: keep all"),
		WM_NUMBER("file-limit", &agent->file_limit,
			"keep a file that is longer than N MiB unread (default 1024); 0: read all"),
		WM_NUMBER("timeout", &agent->timeout,
			"give a server up that does not answer for N seconds (default 120),\n"
			"and try again later"),
		WM_TEXT("state", &agent->state_path, "DIR",
			"remember there what was stored of living processes\n"
			"(default: .waymark-push-UID in the watched directory)"),
		WM_TEXT("metrics", &agent->metrics, "FILE",
			"write there, for Prometheus, what was stored, kept and refused,\n"
			"and what waits"),
		WM_TEXT("status", &question->directory, "DIR",
			"say of a watched directory what waits, what was stored since\n"
			"when, and what went wrong last"),
		WM_FLAG("json", &question->json, "with --status: print as JSON (schema waymark.push/1)"),
		WM_FLAG("once", &agent->once, "store what is there, living processes included, and end"),
		{.name = "quiet",
			.letter = 'q',
			.kind = WM_OPTION_FLAG,
			.target = &agent->quiet,
			.help = "print only what goes wrong"},
		{0},
	};
	int first = wm_parse_options(&(struct wm_syntax){.usage = usage, .table = {own}}, argc, argv);
	agent->name = argv[first];
	if (question->directory)
		check_question(agent, argc - first);
	else
		check_agent(agent, question, argc - first);
}

/* To be freed. */
static char *state_path_of(const struct wm_push_agent *agent, const char *directory)
{
	return agent->state_path ? wm_xstrdup(agent->state_path)
				 : wm_xprintf("%s/.waymark-push-%lu", directory, (unsigned long)geteuid());
}

static int answer(const struct wm_push_agent *agent, const struct question *question)
{
	char *state = state_path_of(agent, question->directory);
	int code = wm_push_status_show(question->directory, state, question->json);
	free(state);
	return code;
}

static void open_all(struct wm_push_agent *agent)
{
	char *state = state_path_of(agent, agent->watched);
	wm_push_directory_open(&agent->directory, agent->watched);
	agent->directory.longest = agent->file_limit << 20;
	wm_push_state_open(&agent->state, state);
	free(state);
	watch(agent);
}

static struct wm_patience patience_of(struct wm_push_agent *agent)
{
	unsigned most = WM_PATIENCE_OF_COMMANDS.connect, answer = (unsigned)agent->timeout;
	return (struct wm_patience){.connect = answer < most ? answer : most,
		.answer = answer,
		.is_alone = true,
		.meanwhile = wm_push_queue_limit_again,
		.closure = &agent->queue};
}

int wm_cmd_push(int argc, char **argv)
{
	struct wm_push_agent agent = {
		.queue.limit = 1024, .interval = 60, .living = 3600, .timeout = 120, .file_limit = 1024};
	struct question question = {0};
	parse(&agent, &question, argc, argv);
	if (question.directory)
		return answer(&agent, &question);
	agent.queue.directory = &agent.directory;
	agent.patience = patience_of(&agent);
	char *machine = agent.machine ? wm_xstrdup(agent.machine) : wm_machine_name();
	agent.machine = machine;
	open_all(&agent);
	wm_push_signals_catch();
	do {
		wm_push_pass(&agent);
		if (!agent.once)
			wait_for_work(&agent);
		if (wm_push_begins_anew()) {
			wm_push_forget_failures(&agent);
			agent.delay = 0;
		}
	} while (!agent.once && !wm_push_is_ended());
	if (agent.events >= 0)
		close(agent.events);
	wm_push_status_release(&agent.status);
	wm_push_state_close(&agent.state);
	wm_push_directory_close(&agent.directory);
	wm_label_list_release(&agent.labels);
	wm_push_forget_failures(&agent);
	free(agent.reason);
	free(machine);
	return agent.once && (agent.failed || agent.kept || agent.put_off);
}
