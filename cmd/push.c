/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark push: the agent that brings raw profiles from a directory into a store.
 *
 * It may be killed at any moment, and the server may go away at any moment.  A file is removed only after the store has
 * confirmed that it has the run, and a run that is stored in parts is remembered on disk (cmd/push_state.h); the store
 * ignores what it has already.  The directory itself is the queue.
 */
#include "cmd/push_group.h"
#include "cmd/push_signals.h"
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

/* Seconds.  LONGEST: of options. */
enum { FIRST_DELAY = 1, LAST_DELAY = 300, FORGET = 30 * 24 * 3600, LONGEST = 366 * 24 * 3600 };

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
	size_t stored, known, failed, kept;
	char *reason; /* of the last refusal */
	/* About the passes so far. */
	unsigned delay; /* seconds, before the store is tried again; 0: it was there */
	size_t strange;
	char **told; /* failures, which are not repeated until a pass succeeds */
	size_t told_count;
};

/* ---- Messages ------------------------------------------------------------------------ */

static void tell_failure(struct agent *agent, const char *about, const char *sentence)
{
	char *whole = about ? wm_xprintf("%s: %s", about, sentence) : wm_xstrdup(sentence);
	for (size_t i = 0; i < agent->told_count; i++)
		if (!strcmp(agent->told[i], whole)) {
			free(whole);
			return;
		}
	wm_warn("%s", whole);
	WM_XGROW(agent->told, agent->told_count);
	agent->told[agent->told_count++] = whole;
}

static void forget_failures(struct agent *agent)
{
	while (agent->told_count)
		free(agent->told[--agent->told_count]);
	free(agent->told);
	agent->told = NULL;
}

static void set_reason(struct agent *agent, char *reason)
{
	free(agent->reason);
	agent->reason = reason;
}

/* ---- Storing one profile ------------------------------------------------------------- */

struct delivery {
	struct agent *agent;
	const struct wm_profile *profile;
	int64_t since, until; /* struct wm_push_facts */
	enum wm_push_result result;
	char *reason;
};

static void deliver(void *argument)
{
	struct delivery *delivery = argument;
	struct agent *agent = delivery->agent;
	const struct wm_push_facts facts = {.labels = &agent->labels,
		.machine = agent->machine,
		.now = (int64_t)time(NULL),
		.since = delivery->since,
		.until = delivery->until};
	if (!agent->store)
		agent->store = wm_store_open(agent->name, WM_DATABASE_WRITE);
	delivery->result = wm_store_push(agent->store, delivery->profile, &facts, &delivery->reason);
}

static void disconnect(struct agent *agent)
{
	wm_push_begin_talk();
	if (agent->store)
		wm_store_close(agent->store);
	wm_push_end_talk();
	agent->store = NULL;
}

/* What the store refuses is no failure.  So a failure is that of the store, and other profiles have to wait too, unless there was no
 * memory for this one. */
static void note_failure(struct agent *agent, const char *name, struct wm_attempt *attempt)
{
	agent->is_away = attempt->failure == WM_FAILURE_MISTAKE || !agent->store || wm_store_is_away(agent->store);
	agent->failed++;
	tell_failure(agent, agent->is_away ? NULL : name, attempt->sentence ? attempt->sentence : "out of memory");
	free(attempt->sentence);
	disconnect(agent);
}

enum outcome {
	STORED, /* now or earlier */
	REFUSED, /* the store will never take it, or may lack some of its counts: agent->reason */
	FAILED, /* it is to be tried again */
};

static enum outcome store_profile(struct agent *agent, struct delivery delivery, const char *name)
{
	struct wm_attempt attempt = {0};
	delivery.agent = agent;
	wm_push_begin_talk();
	bool ok = wm_attempt_run(&attempt, deliver, &delivery);
	wm_push_end_talk();
	if (!ok) {
		note_failure(agent, name, &attempt);
		return FAILED;
	}
	agent->stored += delivery.result == WM_PUSH_STORED;
	agent->known += delivery.result == WM_PUSH_KNOWN;
	set_reason(agent, delivery.reason);
	return delivery.result == WM_PUSH_STORED || delivery.result == WM_PUSH_KNOWN ? STORED : REFUSED;
}

/* ---- Files of one run ---------------------------------------------------------------- */

static bool is_gone(int error)
{
	return error == ENOENT || error == ESTALE;
}

static void keep_file(struct agent *agent, const struct wm_push_file *file, const char *reason)
{
	if (wm_push_file_move(&agent->directory, file, agent->state.kept))
		wm_warn("%s is kept in %s/kept: %s", file->name, agent->state.path, reason);
	else if (is_gone(errno))
		return;
	else
		tell_failure(agent, file->name, strerror(errno));
	agent->kept++;
}

static void finish_file(struct agent *agent, const struct wm_push_group *group, const struct wm_push_file *file)
{
	char reason[256];
	if (!wm_push_group_is_done(group, &agent->directory, file, reason))
		keep_file(agent, file, reason);
	else if (!wm_push_file_remove(&agent->directory, file) && !is_gone(errno))
		tell_failure(agent, file->name, strerror(errno));
}

/* The run is stored; what its files contain beyond that is kept.  The best file goes last: after a kill, the others would be
 * taken for the run, and the store has it with other counts. */
static void finish_group(struct agent *agent, const struct wm_push_group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (&group->file[i] != group->best)
			finish_file(agent, group, &group->file[i]);
	finish_file(agent, group, group->best);
	wm_push_state_forget(&agent->state, &group->run);
}

static void refuse_group(struct agent *agent, const struct wm_push_group *group, const char *reason)
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

enum difference {
	DIFFERENCE_KNOWN,
	DIFFERENCE_NEGATIVE, /* these counts are earlier than what was stored */
	DIFFERENCE_LOST, /* what was stored is not known any more */
};

/* part = now - what was counted up to the last stored part, as the next part.  If it is not known, agent->reason says why. */
static enum difference make_part(struct agent *agent, const struct wm_push_progress *progress,
	const struct wm_profile *now, struct wm_profile *part)
{
	struct wm_profile earlier;
	char *reason = NULL;
	wm_profile_init(&earlier);
	bool ok = wm_push_state_read(&agent->state, &progress->run, progress->stored, &earlier, &reason);
	enum wm_profile_status status = ok ? wm_increment(part, now, &earlier) : WM_PROFILE_OK;
	if (status == WM_PROFILE_NO_MEMORY)
		wm_bug("out of memory");
	wm_profile_release(&earlier);
	set_part(part, progress->stored + 1);
	if (status)
		reason = wm_xstrdup("it has fewer counts than were stored of the same run while the program ran");
	if (reason)
		set_reason(agent, reason);
	return !ok ? DIFFERENCE_LOST : status ? DIFFERENCE_NEGATIVE : DIFFERENCE_KNOWN;
}

/* until: when the part was made. */
static enum outcome store_part(struct agent *agent, const struct wm_push_progress *progress,
	const struct wm_profile *now, time_t until, const char *name)
{
	struct wm_profile part;
	enum outcome outcome = REFUSED;
	wm_profile_init(&part);
	if (make_part(agent, progress, now, &part) == DIFFERENCE_KNOWN)
		outcome = wm_increment_is_empty(&part)
				  ? STORED
				  : store_profile(agent,
					    (struct delivery){.profile = &part,
						    .since = progress->stored ? progress->stored_at : 0,
						    .until = until},
					    name);
	wm_profile_release(&part);
	return outcome;
}

/* The file is kept when its process has ended. */
static void refuse_parts(struct agent *agent, const struct wm_push_run *run, const char *name)
{
	wm_warn("nothing more of %s is stored: %s", name, agent->reason);
	if (!wm_push_state_refuse(&agent->state, run, agent->reason))
		tell_failure(agent, agent->state.path, strerror(errno));
	agent->kept++;
}

static enum outcome store_pending(struct agent *agent, struct wm_push_progress *progress, const char *name)
{
	struct wm_profile now;
	enum outcome outcome = REFUSED;
	char *reason = NULL;
	wm_profile_init(&now);
	if (wm_push_state_read(&agent->state, &progress->run, progress->stored + 1, &now, &reason))
		outcome = store_part(agent, progress, &now, progress->made_at, name);
	else
		set_reason(agent, reason);
	wm_profile_release(&now);
	if (outcome == STORED)
		wm_push_state_stored(&agent->state, progress);
	else if (outcome == REFUSED)
		refuse_parts(agent, &progress->run, name);
	return outcome;
}

static bool is_due(
	const struct agent *agent, const struct wm_push_group *group, const struct wm_push_progress *progress)
{
	if (!agent->living || agent->once)
		return agent->living != 0;
	time_t since = progress ? progress->made_at : (time_t)group->best->identity.start_time;
	return time(NULL) - since >= (time_t)agent->living;
}

/* Earlier counts are those of a snapshot, if the file could not be read while the program changed it. */
static bool has_grown(struct agent *agent, const struct wm_push_group *group, const struct wm_push_progress *progress)
{
	const struct wm_push_progress none = {.run = group->run};
	struct wm_profile increment;
	wm_profile_init(&increment);
	enum difference difference = make_part(agent, progress ? progress : &none, &group->profile, &increment);
	bool grown = difference == DIFFERENCE_KNOWN && !wm_increment_is_empty(&increment);
	wm_profile_release(&increment);
	if (difference == DIFFERENCE_LOST)
		refuse_parts(agent, &group->run, group->best->name);
	return grown;
}

/* A state in doubt may be one that was read while the program changed it. */
static void store_living(struct agent *agent, struct wm_push_group *group)
{
	struct wm_push_progress *progress = wm_push_state_find(&agent->state, &group->run);
	if (!group->is_whole || (progress && progress->is_refused) || !wm_state_is_certain(&group->profile) ||
		!is_due(agent, group, progress))
		return;
	wm_state_settle(&group->profile);
	if (!has_grown(agent, group, progress))
		return;
	if (!wm_push_state_make(&agent->state, &group->run, &group->profile))
		tell_failure(agent, agent->state.path, strerror(errno));
	else
		store_pending(agent, wm_push_state_find(&agent->state, &group->run), group->best->name);
}

/* A snapshot is all that is left of the run, if it is the best file. */
static enum outcome store_whole(struct agent *agent, struct wm_push_group *group)
{
	set_part(&group->profile, 0);
	return store_profile(agent, (struct delivery){.profile = &group->profile, .until = group->best->changed.tv_sec},
		group->best->name);
}

static void store_ended(struct agent *agent, struct wm_push_group *group)
{
	struct wm_push_progress *progress = wm_push_state_find(&agent->state, &group->run);
	enum outcome outcome = REFUSED;
	if (progress && progress->is_refused)
		set_reason(agent, wm_push_state_reason(&agent->state, &group->run));
	else if (progress)
		outcome = store_part(agent, progress, &group->profile, time(NULL), group->best->name);
	else
		outcome = store_whole(agent, group);
	if (outcome == STORED)
		finish_group(agent, group);
	else if (outcome == REFUSED)
		refuse_group(agent, group, agent->reason);
}

/* ---- A pass -------------------------------------------------------------------------- */

static void store_group(struct agent *agent, struct wm_push_group *group)
{
	struct wm_push_progress *progress = wm_push_state_find(&agent->state, &group->run);
	if (progress)
		progress->has_file = true;
	if (progress && progress->is_pending && !progress->is_refused &&
		store_pending(agent, progress, group->file->name) == FAILED)
		return;
	wm_push_group_read(group, &agent->directory);
	if (!group->best && !group->is_alive)
		refuse_group(agent, group, group->trouble);
	else if (group->best && group->is_alive)
		store_living(agent, group);
	else if (group->best)
		store_ended(agent, group);
	wm_push_group_release(group);
}

/* Runs whose file is gone: the last pass was killed, or the user removed the file.  A living program may still write
 * another snapshot.  A run with a file is never forgotten: its parts could not be told from the rest. */
static void store_rest(struct agent *agent)
{
	for (size_t i = agent->state.count; i-- > 0 && !agent->is_away && !wm_push_is_ended();) {
		struct wm_push_progress *progress = &agent->state.progress[i];
		if (progress->has_file)
			continue;
		if (progress->is_pending && !progress->is_refused &&
			store_pending(agent, progress, "a process whose file is gone") == FAILED)
			continue;
		if (time(NULL) - progress->made_at > FORGET)
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
	agent->stored = agent->known = agent->failed = agent->kept = 0;
	wm_push_directory_scan(&agent->directory);
	wm_push_state_scan(&agent->state);
	for (size_t i = 0; i < agent->directory.count && !agent->is_away && !wm_push_is_ended();) {
		struct wm_push_group group = wm_push_group_at(&agent->directory, i);
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
	while (!wm_push_state_lock(&agent->state) && !wm_push_is_ended())
		wm_push_wait(NULL, PAUSE);
	if (wm_push_is_ended())
		return;
	store_all(agent);
	wm_push_state_unlock(&agent->state);
	unsigned longer = agent->delay ? 2 * agent->delay : FIRST_DELAY;
	agent->delay = agent->failed ? (longer < LAST_DELAY ? longer : LAST_DELAY) : 0;
	if (!agent->failed && !agent->kept)
		forget_failures(agent);
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
	wm_push_wait(&event, milliseconds);
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

/* A file is stored completely. */
static void check_name(const char *name)
{
	struct wm_store_url url;
	wm_store_url_parse(&url, name, time(NULL));
	if (!wm_filter_is_empty(&url.filter))
		wm_fail("filters after '#' select what is read; name the store alone, and use --label for labels");
	wm_store_url_release(&url);
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
	if (!agent->interval || agent->interval > LONGEST)
		wm_fail("--interval must be at least 1 and at most %d, a year", LONGEST);
	if (agent->living > LONGEST)
		wm_fail("--living must be at most %d, a year", LONGEST);
	if (agent->limit > UINT64_MAX >> 20)
		wm_fail("--queue-limit must be at most %" PRIu64 " MiB; with 0, no file is removed", UINT64_MAX >> 20);
	if (agent->machine && (strlen(agent->machine) > WM_MACHINE_MAX || !wm_label_value_is_valid(agent->machine)))
		wm_fail("--machine: the name is longer than %d bytes, is not UTF-8, or contains a comma or a "
			"control character",
			WM_MACHINE_MAX);
	agent->name = argv[first];
	check_name(agent->name);
	wm_label_list_add_kind(&agent->labels);
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
	wm_push_signals_catch();
	do {
		pass(&agent);
		if (!agent.once)
			wait_for_work(&agent);
	} while (!agent.once && !wm_push_is_ended());
	if (agent.events >= 0)
		close(agent.events);
	wm_push_state_close(&agent.state);
	wm_push_directory_close(&agent.directory);
	wm_label_list_release(&agent.labels);
	forget_failures(&agent);
	free(agent.reason);
	free(machine);
	return agent.once && (agent.failed || agent.kept);
}
