/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark push: the agent that brings raw profiles from a directory into a store.
 *
 * It may be killed at any moment, and the server may go away at any moment.  A file is removed only after the store has
 * confirmed that it has the run, and a run that is stored in parts is remembered on disk (cmd/push_state.h); the store
 * ignores what it has already.  The directory itself is the queue.
 */
#include "abi/abi.h"
#include "cmd/push_directory.h"
#include "cmd/push_state.h"
#include "profile/increment.h"
#include "store/store.h"
#include "support/attempt.h"
#include "support/directory.h"
#include "support/machine.h"
#include "support/options.h"
#include "support/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"usage: waymark push --watch DIR [options] STORE\n"
	"\n"
	"Stores the raw profiles (.wmraw) that programs write to a directory, and removes what was\n"
	"stored.  Files of processes that have ended are stored whole; of a living process, what it has\n"
	"counted is stored from time to time.  While the store cannot be reached, the files wait in the\n"
	"directory.  Ends after SIGTERM or SIGINT.  STORE is an SQLite file or postgresql://...\n"
	"(`waymark help store`).\n";

enum { FIRST_DELAY = 1, LAST_DELAY = 300, FORGET = 30 * 24 * 3600 }; /* seconds */

struct agent {
	const char *watched, *state_path, *name, *machine;
	struct wm_label_list labels;
	uint64_t limit, interval, living;
	bool once, quiet;
	struct wm_push_directory directory;
	struct wm_push_state state;
	struct wm_profile_store *store; /* NULL: not connected */
	int events; /* of inotify; -1: there is none */
	/* About the current pass. */
	bool is_away;
	size_t stored, known, parts, failed, kept;
	/* About the passes so far. */
	unsigned delay; /* seconds, before the store is tried again; 0: it was there */
	size_t strange;
	char *sentence; /* the last failure, which is not repeated */
};

static volatile sig_atomic_t ended;

static void note_end(int number)
{
	(void)number;
	ended = 1;
}

/* SIGTERM and SIGINT are blocked except while the agent waits, so that none is missed between a test and a wait. */
static bool is_ended(void)
{
	sigset_t pending;
	sigemptyset(&pending);
	sigpending(&pending);
	return ended || sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1;
}

static void wait_for(struct pollfd *event, uint64_t milliseconds)
{
	struct timespec time = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000};
	sigset_t none;
	sigemptyset(&none);
	if (!ended)
		ppoll(event, event ? 1 : 0, &time, &none);
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = note_end};
	sigset_t both;
	sigemptyset(&action.sa_mask);
	sigemptyset(&both);
	sigaddset(&both, SIGTERM);
	sigaddset(&both, SIGINT);
	sigprocmask(SIG_BLOCK, &both, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* ---- Messages ------------------------------------------------------------------------ */

static void tell_failure(struct agent *agent, const char *about, const char *sentence)
{
	char *whole = about ? wm_xprintf("%s: %s", about, sentence) : wm_xstrdup(sentence);
	if (!agent->sentence || strcmp(agent->sentence, whole) != 0)
		wm_warn("%s", whole);
	free(agent->sentence);
	agent->sentence = whole;
}

/* ---- Storing one profile ------------------------------------------------------------- */

struct delivery {
	struct agent *agent;
	const struct wm_profile *profile;
	enum wm_push_result result;
	char *reason;
};

static void deliver(void *argument)
{
	struct delivery *delivery = argument;
	struct agent *agent = delivery->agent;
	const struct wm_push_facts facts = {
		.labels = &agent->labels, .machine = agent->machine, .now = (int64_t)time(NULL)};
	if (!agent->store)
		agent->store = wm_store_open(agent->name, WM_DATABASE_WRITE);
	delivery->result = wm_store_push(agent->store, delivery->profile, &facts, &delivery->reason);
}

static void disconnect(struct agent *agent)
{
	if (agent->store)
		wm_store_close(agent->store);
	agent->store = NULL;
}

/* After a failure that is not about the way to the store, other profiles may still be stored. */
static void note_failure(struct agent *agent, const char *name, struct wm_attempt *attempt)
{
	agent->is_away = !agent->store || wm_store_is_away(agent->store);
	agent->failed++;
	tell_failure(agent, agent->is_away ? NULL : name, attempt->sentence ? attempt->sentence : "out of memory");
	free(attempt->sentence);
	disconnect(agent);
}

enum outcome {
	STORED, /* now or earlier */
	REFUSED, /* the store will never take it */
	FAILED, /* it is to be tried again */
};

static enum outcome store_profile(struct agent *agent, const struct wm_profile *profile, const char *name)
{
	struct delivery delivery = {.agent = agent, .profile = profile};
	struct wm_attempt attempt = {0};
	if (!wm_attempt_run(&attempt, deliver, &delivery)) {
		note_failure(agent, name, &attempt);
		return FAILED;
	}
	agent->stored += delivery.result == WM_PUSH_STORED;
	agent->known += delivery.result == WM_PUSH_KNOWN;
	if (delivery.result == WM_PUSH_REFUSED)
		wm_warn("%s was not stored: %s", name, delivery.reason);
	free(delivery.reason);
	return delivery.result == WM_PUSH_REFUSED ? REFUSED : STORED;
}

/* ---- Files of one run ---------------------------------------------------------------- */

/* All files of a run and epoch: that of its counters, and snapshots. */
struct group {
	const struct wm_push_file *file;
	size_t count;
	struct wm_push_run run;
	bool is_alive;
	const struct wm_push_file *best; /* the one that has counted most */
	bool is_whole, has_crash;
	struct wm_profile profile; /* of the best */
	char trouble[256]; /* why no file can be read; or what of the best is damaged */
};

static void keep_file(struct agent *agent, const struct wm_push_file *file, const char *reason)
{
	if (wm_push_file_move(&agent->directory, file, agent->state.kept))
		wm_warn("%s is kept in %s/kept: %s", file->name, agent->state.path, reason);
	else
		tell_failure(agent, file->name, strerror(errno));
	agent->kept++;
}

static uint64_t sum_counts(const struct wm_profile *profile)
{
	uint64_t sum = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++) {
			const struct wm_profile_function *function = &profile->object[o].function[f];
			sum += function->entries;
			for (size_t i = 0; i < function->path_count; i++)
				sum += function->path[i].count;
		}
	return sum;
}

static bool note_thread(void *closure, const struct wm_raw_thread *thread)
{
	(void)thread;
	*(bool *)closure = true;
	return false;
}

/* Whether it tells how a program has died: `waymark crash`. */
static bool tells_of_crash(const struct wm_buffer *buffer)
{
	bool any = false;
	struct wm_raw_ending ending = {0};
	struct wm_profile_error error;
	wm_raw_threads(buffer->data, buffer->size, note_thread, &any, &ending, &error);
	return any && !ending.ended && !ending.snapshot;
}

/* Counts only grow, so the file with the larger sum is the later one; an intact one is better. */
static void consider_file(struct group *group, const struct wm_push_file *file, const struct wm_buffer *buffer)
{
	struct wm_profile profile;
	struct wm_raw_identity identity;
	struct wm_profile_error error = {""};
	wm_profile_init(&profile);
	enum wm_profile_status status = wm_raw_read(&profile, &identity, buffer->data, buffer->size, &error);
	bool whole = status == WM_PROFILE_OK, usable = whole || status == WM_PROFILE_DAMAGED;
	bool better =
		usable && (!group->best || whole > group->is_whole ||
				  (whole == group->is_whole && sum_counts(&profile) > sum_counts(&group->profile)));
	group->has_crash |= tells_of_crash(buffer);
	if (better) {
		struct wm_profile worse = group->profile;
		group->profile = profile;
		profile = worse;
		group->best = file;
		group->is_whole = whole;
	}
	if (better || !group->best)
		snprintf(group->trouble, sizeof group->trouble, "%s", error.text);
	wm_profile_release(&profile);
}

static void read_group(struct agent *agent, struct group *group)
{
	wm_profile_init(&group->profile);
	for (size_t i = 0; i < group->count; i++) {
		struct wm_buffer buffer;
		if (!wm_push_file_read(&agent->directory, &group->file[i], &buffer)) {
			snprintf(group->trouble, sizeof group->trouble, "%s", strerror(errno));
			continue;
		}
		consider_file(group, &group->file[i], &buffer);
		wm_buffer_release(&buffer);
	}
}

/* The run is stored; what its files contain beyond that is kept. */
static void finish_group(struct agent *agent, struct group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct wm_push_file *file = &group->file[i];
		if (file == group->best && !group->is_whole)
			keep_file(agent, file, group->trouble);
		else if (file == group->best && group->has_crash)
			keep_file(agent, file,
				"its counts are stored, and it tells how the program died (`waymark crash`)");
		else if (!wm_push_file_remove(&agent->directory, file) && errno != ENOENT && errno != ESTALE)
			tell_failure(agent, file->name, strerror(errno));
	}
	wm_push_state_forget(&agent->state, &group->run);
}

static void refuse_group(struct agent *agent, struct group *group, const char *reason)
{
	for (size_t i = 0; i < group->count; i++)
		keep_file(agent, &group->file[i], reason);
	wm_push_state_forget(&agent->state, &group->run);
}

/* ---- Parts --------------------------------------------------------------------------- */

static void set_part(struct wm_profile *increment, uint64_t part)
{
	for (size_t i = 0; i < increment->run_id_count; i++)
		increment->run_id[i].part = part;
}

/* `now` minus what was counted up to part `before`, as the next part.  FAILED: the store is to be tried again. */
static enum outcome store_part(struct agent *agent, const struct wm_push_run *run, const struct wm_profile *now,
	uint64_t before, const char *name)
{
	struct wm_profile earlier, part;
	enum outcome outcome = STORED;
	wm_profile_init(&earlier);
	wm_profile_init(&part);
	wm_push_state_read(&agent->state, run, before, &earlier);
	enum wm_profile_status status = wm_increment(&part, now, &earlier);
	if (status == WM_PROFILE_NO_MEMORY)
		wm_bug("out of memory");
	set_part(&part, before + 1);
	if (status == WM_PROFILE_REFUSED)
		outcome = REFUSED;
	else if (!wm_increment_is_empty(&part))
		outcome = store_profile(agent, &part, name);
	agent->parts += outcome == STORED;
	wm_profile_release(&earlier);
	wm_profile_release(&part);
	return outcome;
}

static enum outcome store_pending(struct agent *agent, struct wm_push_progress *progress)
{
	struct wm_profile now;
	wm_profile_init(&now);
	wm_push_state_read(&agent->state, &progress->run, progress->stored + 1, &now);
	enum outcome outcome = store_part(agent, &progress->run, &now, progress->stored, "a part of a living process");
	wm_profile_release(&now);
	if (outcome != FAILED)
		wm_push_state_stored(&agent->state, progress);
	return outcome;
}

static bool is_due(const struct agent *agent, const struct group *group, const struct wm_push_progress *progress)
{
	if (!agent->living || agent->once)
		return agent->living != 0;
	time_t since = progress ? progress->since : (time_t)group->best->identity.start_time;
	return time(NULL) - since >= (time_t)agent->living;
}

/* A state in doubt may be one that was read while the program changed it. */
static void store_living(struct agent *agent, struct group *group)
{
	struct wm_push_progress *progress = wm_push_state_find(&agent->state, &group->run);
	struct wm_profile increment, earlier;
	if (!group->is_whole || !wm_state_is_certain(&group->profile) || !is_due(agent, group, progress))
		return;
	wm_state_settle(&group->profile);
	wm_profile_init(&increment);
	wm_profile_init(&earlier);
	if (progress)
		wm_push_state_read(&agent->state, &group->run, progress->stored, &earlier);
	bool grown = wm_increment(&increment, &group->profile, &earlier) == WM_PROFILE_OK &&
		     !wm_increment_is_empty(&increment);
	wm_profile_release(&increment);
	wm_profile_release(&earlier);
	if (!grown)
		return;
	if (!wm_push_state_make(&agent->state, &group->run, &group->profile))
		tell_failure(agent, agent->state.path, strerror(errno));
	else
		store_pending(agent, wm_push_state_find(&agent->state, &group->run));
}

static void store_ended(struct agent *agent, struct group *group)
{
	struct wm_push_progress *progress = wm_push_state_find(&agent->state, &group->run);
	enum outcome outcome =
		progress ? store_part(agent, &group->run, &group->profile, progress->stored, group->best->name)
			 : store_profile(agent, &group->profile, group->best->name);
	if (outcome == STORED)
		finish_group(agent, group);
	else if (outcome == REFUSED)
		refuse_group(agent, group, "it could not be stored");
}

/* ---- A pass -------------------------------------------------------------------------- */

static void store_group(struct agent *agent, struct group *group)
{
	struct wm_push_progress *progress = wm_push_state_find(&agent->state, &group->run);
	if (progress && progress->is_pending && store_pending(agent, progress) == FAILED)
		return;
	read_group(agent, group);
	if (!group->best && !group->is_alive)
		refuse_group(agent, group, group->trouble);
	else if (group->best && group->is_alive)
		store_living(agent, group);
	else if (group->best)
		store_ended(agent, group);
	wm_profile_release(&group->profile);
}

static struct group group_at(const struct agent *agent, size_t first)
{
	const struct wm_push_file *file = &agent->directory.file[first];
	struct group group = {
		.file = file, .run = {file->identity.run_id_high, file->identity.run_id_low, file->identity.epoch}};
	do
		group.is_alive |= file[group.count++].is_alive;
	while (first + group.count < agent->directory.count && wm_push_file_same_run(file, &file[group.count]));
	return group;
}

/* Runs whose file is gone: the last pass was killed, or the user removed the file.  A living program may still write
 * another snapshot. */
static void store_rest(struct agent *agent)
{
	for (size_t i = agent->state.count; i-- > 0 && !agent->is_away && !is_ended();) {
		struct wm_push_progress *progress = &agent->state.progress[i];
		if (progress->is_pending && store_pending(agent, progress) == FAILED)
			continue;
		if (time(NULL) - progress->since > FORGET)
			wm_push_state_forget(&agent->state, &progress->run);
	}
}

static uint64_t drop_oldest(struct agent *agent)
{
	const struct wm_push_file *oldest = NULL;
	for (size_t i = 0; i < agent->directory.count; i++) {
		const struct wm_push_file *file = &agent->directory.file[i];
		bool older = !oldest || file->changed.tv_sec < oldest->changed.tv_sec ||
			     (file->changed.tv_sec == oldest->changed.tv_sec &&
				     file->changed.tv_nsec < oldest->changed.tv_nsec);
		if (file->size && !file->is_alive && older)
			oldest = file;
	}
	if (!oldest)
		return UINT64_MAX;
	uint64_t size = oldest->size;
	if (wm_push_file_remove(&agent->directory, oldest))
		wm_warn("%s was removed without being stored, because more than %" PRIu64
			" MiB of files wait for the store (--queue-limit)",
			oldest->name, agent->limit);
	((struct wm_push_file *)oldest)->size = 0;
	return size;
}

/* What waits, and cannot be stored, must not fill the disk of the machine. */
static void limit_queue(struct agent *agent)
{
	uint64_t waiting = 0;
	wm_push_directory_scan(&agent->directory);
	for (size_t i = 0; i < agent->directory.count; i++)
		waiting += agent->directory.file[i].is_alive ? 0 : agent->directory.file[i].size;
	while (agent->limit && waiting > agent->limit << 20) {
		uint64_t freed = drop_oldest(agent);
		waiting = freed < waiting ? waiting - freed : 0;
	}
}

static void tell_pass(struct agent *agent)
{
	if (agent->directory.strange != agent->strange)
		wm_warn("%zu files in %s are left alone: they belong to other users, or are links or no regular files",
			agent->directory.strange, agent->watched);
	agent->strange = agent->directory.strange;
	if (!agent->quiet && (agent->stored || agent->known))
		printf("%zu stored%s\n", agent->stored, agent->known ? ", others were there already" : "");
	fflush(stdout);
}

static void store_all(struct agent *agent)
{
	agent->is_away = false;
	agent->stored = agent->known = agent->parts = agent->failed = agent->kept = 0;
	wm_push_directory_scan(&agent->directory);
	wm_push_state_scan(&agent->state);
	for (size_t i = 0; i < agent->directory.count && !agent->is_away && !is_ended();) {
		struct group group = group_at(agent, i);
		store_group(agent, &group);
		i += group.count;
	}
	store_rest(agent);
	disconnect(agent);
	if (agent->failed)
		limit_queue(agent);
	tell_pass(agent);
}

static void pass(struct agent *agent)
{
	enum { PAUSE = 200 }; /* milliseconds */
	while (!wm_push_state_lock(&agent->state) && !is_ended())
		wait_for(NULL, PAUSE);
	if (is_ended())
		return;
	store_all(agent);
	wm_push_state_unlock(&agent->state);
	unsigned longer = agent->delay ? 2 * agent->delay : FIRST_DELAY;
	agent->delay = agent->failed ? (longer < LAST_DELAY ? longer : LAST_DELAY) : 0;
	if (!agent->failed) {
		free(agent->sentence);
		agent->sentence = NULL;
	}
}

/* ---- Waiting ------------------------------------------------------------------------- */

/* Half of the delay at least: a fleet whose server comes back must not come back at once. */
static uint64_t jittered(uint64_t milliseconds)
{
	uint64_t random = 0;
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
		random = (uint64_t)getpid();
	return milliseconds / 2 + random % (milliseconds / 2 + 1);
}

static void drop_events(struct agent *agent)
{
	char buffer[4096];
	while (agent->events >= 0 && read(agent->events, buffer, sizeof buffer) > 0)
		;
}

/* Until a file is closed, the time has come, or a signal comes.  After a failure, only the time counts. */
static void wait_for_work(struct agent *agent)
{
	uint64_t milliseconds = agent->delay ? jittered(agent->delay * 1000u) : agent->interval * 1000;
	struct pollfd event = {.fd = agent->delay ? -1 : agent->events, .events = POLLIN};
	wait_for(&event, milliseconds);
	drop_events(agent);
}

/* The end of a program closes its file, also if it is a mapping only. */
static void watch(struct agent *agent)
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

static void parse(struct agent *agent, int argc, char **argv)
{
	const struct wm_option own[] = {
		WM_TEXT("watch", &agent->watched, "DIR", "the directory to which the programs write"),
		WM_CALL("label", take_labels, &agent->labels, "KEY=VALUE,...", "what is said of the runs in the store"),
		WM_TEXT("machine", &agent->machine, "NAME", "name of this machine in the store (default: a hash)"),
		WM_NUMBER("living", &agent->living,
			"store what living processes have counted every N seconds\n"
			"(default 3600); 0: only when they have ended"),
		WM_NUMBER("interval", &agent->interval, "look at the directory every N seconds at least (default 60)"),
		WM_NUMBER("queue-limit", &agent->limit,
			"while the store cannot be reached, keep at most N MiB of files\n"
			"(default 1024) and remove the oldest; 0: keep all"),
		WM_TEXT("state", &agent->state_path, "DIR",
			"remember there what was stored of living processes\n"
			"(default: .waymark-push-UID in the watched directory)"),
		WM_FLAG("once", &agent->once, "store what is there, living processes included, and end"),
		{.name = "quiet",
			.letter = 'q',
			.kind = WM_OPTION_FLAG,
			.target = &agent->quiet,
			.help = "print only what goes wrong"},
		{0},
	};
	int first = wm_parse_options(&(struct wm_syntax){.usage = usage, .table = {own}}, argc, argv);
	if (!agent->watched)
		wm_fail("no directory was given; use --watch DIR");
	if (first + 1 != argc)
		wm_fail("name one store, as in `waymark push --watch DIR store.db`");
	if (!agent->interval)
		wm_fail("--interval must be at least 1");
	if (agent->machine && (strlen(agent->machine) > WM_MACHINE_MAX || !wm_label_value_is_valid(agent->machine)))
		wm_fail("--machine: the name is longer than %d bytes, or contains a comma or a control character",
			WM_MACHINE_MAX);
	agent->name = argv[first];
}

static void open_all(struct agent *agent)
{
	char *own = wm_xprintf("%s/.waymark-push-%lu", agent->watched, (unsigned long)geteuid());
	wm_push_directory_open(&agent->directory, agent->watched);
	wm_push_state_open(&agent->state, agent->state_path ? agent->state_path : own);
	free(own);
	watch(agent);
}

int wm_cmd_push(int argc, char **argv)
{
	struct agent agent = {.limit = 1024, .interval = 60, .living = 3600};
	parse(&agent, argc, argv);
	char *machine = agent.machine ? wm_xstrdup(agent.machine) : wm_machine_name();
	agent.machine = machine;
	open_all(&agent);
	catch_signals();
	do {
		pass(&agent);
		if (!agent.once)
			wait_for_work(&agent);
	} while (!agent.once && !ended);
	if (agent.events >= 0)
		close(agent.events);
	wm_push_state_close(&agent.state);
	wm_push_directory_close(&agent.directory);
	wm_label_list_release(&agent.labels);
	free(agent.sentence);
	free(machine);
	return agent.once && (agent.failed || agent.kept);
}
