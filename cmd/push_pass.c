/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/push_pass.h"

#include "cmd/push_group.h"
#include "cmd/push_signals.h"
#include "profile/increment.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/xalloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds. */
enum { FIRST_DELAY = 1, LAST_DELAY = 300, FORGET = 30 * 24 * 3600 };

/* ---- Messages ------------------------------------------------------------------------ */

static void tell_failure(struct wm_push_agent *agent, const char *about, const char *sentence)
{
	char *whole = about ? wm_xprintf("%s: %s", about, sentence) : wm_xstrdup(sentence);
	wm_push_status_note(&agent->status, whole);
	for (size_t i = 0; i < agent->told_count; i++)
		if (!strcmp(agent->told[i], whole)) {
			free(whole);
			return;
		}
	wm_warn("%s", whole);
	WM_XGROW(agent->told, agent->told_count);
	agent->told[agent->told_count++] = whole;
}

void wm_push_forget_failures(struct wm_push_agent *agent)
{
	while (agent->told_count)
		free(agent->told[--agent->told_count]);
	free(agent->told);
	agent->told = NULL;
}

/* What happens once is told each time.  Frees the sentence. */
static void tell_loss(struct wm_push_agent *agent, char *sentence)
{
	wm_push_status_note(&agent->status, sentence);
	wm_warn("%s", sentence);
	free(sentence);
}

static void set_reason(struct wm_push_agent *agent, char *reason)
{
	free(agent->reason);
	agent->reason = reason;
}

/* Something failed that is tried again in a later pass. */
static void note_repeated(struct wm_push_agent *agent)
{
	agent->failed++;
	wm_push_status_count(&agent->status, &agent->status.failed);
}

/* ---- Storing one profile ------------------------------------------------------------- */

struct delivery {
	struct wm_push_agent *agent;
	const struct wm_profile *profile;
	int64_t since, until; /* struct wm_push_facts */
	enum wm_push_result result;
	char *reason;
};

static void deliver(void *argument)
{
	struct delivery *delivery = argument;
	struct wm_push_agent *agent = delivery->agent;
	const struct wm_push_facts facts = {.labels = &agent->labels,
		.machine = agent->machine,
		.now = (int64_t)time(NULL),
		.since = delivery->since,
		.until = delivery->until};
	if (!agent->store)
		agent->store = wm_store_open_within(agent->name, WM_DATABASE_WRITE, &agent->patience);
	delivery->result = wm_store_push(agent->store, delivery->profile, &facts, &delivery->reason);
}

static void disconnect(struct wm_push_agent *agent)
{
	wm_push_begin_talk();
	if (agent->store)
		wm_store_close(agent->store);
	wm_push_end_talk();
	agent->store = NULL;
}

/* What the store refuses is no failure.  So a failure is that of the store, and other profiles have to wait too, unless there was no
 * memory for this one. */
static void note_failure(struct wm_push_agent *agent, const char *name, struct wm_attempt *attempt)
{
	agent->is_away = attempt->failure == WM_FAILURE_MISTAKE || !agent->store || wm_store_is_away(agent->store);
	note_repeated(agent);
	tell_failure(agent, agent->is_away ? NULL : name, wm_attempt_sentence(attempt));
	free(attempt->sentence);
	disconnect(agent);
}

enum outcome {
	STORED, /* now or earlier */
	REFUSED, /* the store will never take it, or may lack some of its counts: agent->reason */
	FAILED, /* it is to be tried again */
};

static enum outcome note_result(struct wm_push_agent *agent, enum wm_push_result result)
{
	struct wm_push_status *status = &agent->status;
	bool is_stored = result == WM_PUSH_STORED, is_known = result == WM_PUSH_KNOWN;
	agent->stored += is_stored;
	agent->known += is_known;
	wm_push_status_count(status, is_stored ? &status->stored : is_known ? &status->known : &status->refused);
	status->last_contact = (uint64_t)time(NULL);
	return is_stored || is_known ? STORED : REFUSED;
}

static enum outcome store_profile(struct wm_push_agent *agent, struct delivery delivery, const char *name)
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
	set_reason(agent, delivery.reason);
	return note_result(agent, delivery.result);
}

/* ---- Files of one run ---------------------------------------------------------------- */

static bool is_gone(int error)
{
	return error == ENOENT || error == ESTALE;
}

static void keep_file(struct wm_push_agent *agent, const struct wm_push_file *file, const char *reason)
{
	if (wm_push_file_move(&agent->directory, file, agent->state.kept)) {
		wm_push_status_count(&agent->status, &agent->status.kept);
		tell_loss(agent, wm_xprintf("%s is kept in %s/kept: %s", file->name, agent->state.path, reason));
	} else if (is_gone(errno))
		return;
	else
		tell_failure(agent, file->name, strerror(errno));
	agent->kept++;
}

static void finish_file(struct wm_push_agent *agent, const struct wm_push_group *group, const struct wm_push_file *file)
{
	char reason[256];
	if (!wm_push_group_is_done(group, &agent->directory, file, reason))
		keep_file(agent, file, reason);
	else if (!wm_push_file_remove(&agent->directory, file) && !is_gone(errno))
		tell_failure(agent, file->name, strerror(errno));
}

/* The run is stored; what its files contain beyond that is kept.  The best file goes last: after a kill, the others would be
 * taken for the run, and the store has it with other counts. */
static void finish_group(struct wm_push_agent *agent, const struct wm_push_group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (&group->file[i] != group->best)
			finish_file(agent, group, &group->file[i]);
	finish_file(agent, group, group->best);
	wm_push_state_forget(&agent->state, &group->run);
}

static void refuse_group(struct wm_push_agent *agent, const struct wm_push_group *group, const char *reason)
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
static enum difference make_part(struct wm_push_agent *agent, const struct wm_push_progress *progress,
	const struct wm_profile *now, struct wm_profile *part)
{
	struct wm_profile earlier;
	char *reason = NULL;
	wm_profile_init(&earlier);
	bool ok = wm_push_state_read(&agent->state, &progress->run, progress->stored, &earlier, &reason);
	enum wm_profile_status status = ok ? wm_increment(part, now, &earlier) : WM_PROFILE_OK;
	if (status == WM_PROFILE_NO_MEMORY)
		wm_no_memory();
	wm_profile_release(&earlier);
	set_part(part, progress->stored + 1);
	if (status)
		reason = wm_xstrdup("it has fewer counts than were stored of the same run while the program ran");
	if (reason)
		set_reason(agent, reason);
	return !ok ? DIFFERENCE_LOST : status ? DIFFERENCE_NEGATIVE : DIFFERENCE_KNOWN;
}

/* until: when the part was made. */
static enum outcome store_part(struct wm_push_agent *agent, const struct wm_push_progress *progress,
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
static void refuse_parts(struct wm_push_agent *agent, const struct wm_push_run *run, const char *name)
{
	tell_loss(agent, wm_xprintf("nothing more of %s is stored: %s", name, agent->reason));
	if (!wm_push_state_refuse(&agent->state, run, agent->reason))
		tell_failure(agent, agent->state.path, strerror(errno));
	agent->kept++;
}

static enum outcome store_pending(struct wm_push_agent *agent, struct wm_push_progress *progress, const char *name)
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
	const struct wm_push_agent *agent, const struct wm_push_group *group, const struct wm_push_progress *progress)
{
	if (!agent->living || agent->once)
		return agent->living != 0;
	time_t since = progress ? progress->made_at : (time_t)group->best->identity.start_time, now = time(NULL);
	/* The clock may have been set back. */
	return now < since || now - since >= (time_t)agent->living;
}

/* Earlier counts are those of a snapshot, if the file could not be read while the program changed it. */
static bool has_grown(
	struct wm_push_agent *agent, const struct wm_push_group *group, const struct wm_push_progress *progress)
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

/* Who asked for one pass learns that there should be another one. */
static void put_off(struct wm_push_agent *agent, const struct wm_push_group *group)
{
	agent->put_off++;
	if (agent->once)
		wm_warn("%s: what its process has counted is not stored, because it could not be read while the "
			"process "
			"changed it (%s); run the command again, or when the process has ended",
			group->file->name, *group->trouble ? group->trouble : "counts are in doubt");
}

/* A state in doubt may be one that was read while the program changed it. */
static void store_living(struct wm_push_agent *agent, struct wm_push_group *group)
{
	struct wm_push_progress *progress = wm_push_state_find(&agent->state, &group->run);
	if ((progress && progress->is_refused) || !is_due(agent, group, progress))
		return;
	if (!group->is_whole || !wm_state_is_certain(&group->profile)) {
		put_off(agent, group);
		return;
	}
	wm_state_settle(&group->profile);
	if (!has_grown(agent, group, progress))
		return;
	if (!wm_push_state_make(&agent->state, &group->run, &group->profile)) {
		agent->put_off++;
		tell_failure(agent, agent->state.path, strerror(errno));
	} else
		store_pending(agent, wm_push_state_find(&agent->state, &group->run), group->best->name);
}

/* A snapshot is all that is left of the run, if it is the best file. */
static enum outcome store_whole(struct wm_push_agent *agent, struct wm_push_group *group)
{
	set_part(&group->profile, 0);
	return store_profile(agent, (struct delivery){.profile = &group->profile, .until = group->best->changed.tv_sec},
		group->best->name);
}

static void store_ended(struct wm_push_agent *agent, struct wm_push_group *group)
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

struct group_reading {
	struct wm_push_agent *agent;
	struct wm_push_group *group;
};

static void do_read_group(void *argument)
{
	const struct group_reading *reading = argument;
	wm_push_group_read(reading->group, &reading->agent->directory);
}

/* False: there is no memory for it now. */
static bool read_group(struct wm_push_agent *agent, struct wm_push_group *group)
{
	struct wm_attempt attempt = {0};
	if (wm_attempt_run(&attempt, do_read_group, &(struct group_reading){agent, group}))
		return true;
	note_repeated(agent);
	tell_failure(agent, group->file->name, wm_attempt_sentence(&attempt));
	free(attempt.sentence);
	return false;
}

static void store_group(struct wm_push_agent *agent, struct wm_push_group *group)
{
	struct wm_push_progress *progress = wm_push_state_find(&agent->state, &group->run);
	if (progress)
		progress->has_file = true;
	if (progress && progress->is_pending && !progress->is_refused &&
		store_pending(agent, progress, group->file->name) == FAILED)
		return;
	if (!read_group(agent, group))
		return;
	if (!group->best && !group->is_alive)
		refuse_group(agent, group, group->trouble);
	else if (group->best && group->is_alive)
		store_living(agent, group);
	else if (group->is_alive)
		put_off(agent, group);
	else if (group->best)
		store_ended(agent, group);
	wm_push_group_release(group);
}

/* Runs whose file is gone: the last pass was killed, or the user removed the file.  A living program may still write
 * another snapshot.  A run with a file is never forgotten: its parts could not be told from the rest. */
static void store_rest(struct wm_push_agent *agent)
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

static void tell_pass(struct wm_push_agent *agent)
{
	if (agent->directory.strange != agent->strange)
		wm_warn("%zu files in %s are left alone: they belong to other users, or are links or no regular files",
			agent->directory.strange, agent->watched);
	agent->strange = agent->directory.strange;
	if (!agent->quiet && (agent->stored || agent->known))
		printf("%zu stored%s\n", agent->stored, agent->known ? ", others were there already" : "");
	fflush(stdout);
}

/* False: it was told why it could not be written. */
static bool note_written(struct wm_push_agent *agent, bool ok, const char *directory, const char *name)
{
	if (ok)
		return true;
	char *sentence = wm_xprintf("cannot write %s%s: %s", directory, name, strerror(errno));
	tell_failure(agent, NULL, sentence);
	free(sentence);
	return false;
}

/* The agent may be killed while it waits for the store. */
static bool save_status(struct wm_push_agent *agent)
{
	agent->status.removed += agent->queue.removed;
	agent->queue.removed = 0;
	return note_written(
		agent, wm_push_status_write(&agent->status, &agent->state), agent->state.path, "/totals.json");
}

static void begin_pass(struct wm_push_agent *agent)
{
	agent->is_away = false;
	agent->stored = agent->known = agent->failed = agent->kept = agent->put_off = 0;
	wm_push_directory_scan(&agent->directory);
	wm_push_state_scan(&agent->state);
	if (!wm_push_status_read(&agent->status, &agent->state))
		agent->status.since = (uint64_t)time(NULL);
}

static bool end_pass(struct wm_push_agent *agent)
{
	agent->status.last_pass = (uint64_t)time(NULL);
	agent->status.is_failing = agent->failed != 0;
	wm_push_status_measure(&agent->status, &agent->directory, &agent->state);
	bool ok = save_status(agent);
	if (agent->metrics) {
		bool exported = wm_push_status_export(&agent->status, agent->watched, agent->metrics);
		ok &= note_written(agent, exported, "", agent->metrics);
	}
	tell_pass(agent);
	return ok;
}

/* False: the status could not be written. */
static bool store_all(struct wm_push_agent *agent)
{
	begin_pass(agent);
	for (size_t i = 0; i < agent->directory.count && !agent->is_away && !wm_push_is_ended();) {
		struct wm_push_group group = wm_push_group_at(&agent->directory, i);
		store_group(agent, &group);
		i += group.count;
		if (agent->status.is_changed)
			save_status(agent);
	}
	store_rest(agent);
	disconnect(agent);
	if (agent->failed)
		wm_push_queue_limit(&agent->queue);
	return end_pass(agent);
}

void wm_push_pass(struct wm_push_agent *agent)
{
	enum { PAUSE = 200 }; /* milliseconds */
	while (!wm_push_state_lock(&agent->state) && !wm_push_is_ended())
		wm_push_wait(NULL, PAUSE);
	if (wm_push_is_ended())
		return;
	bool is_written = store_all(agent);
	wm_push_state_unlock(&agent->state);
	unsigned longer = agent->delay ? 2 * agent->delay : FIRST_DELAY;
	agent->delay = agent->failed ? (longer < LAST_DELAY ? longer : LAST_DELAY) : 0;
	if (!agent->failed && !agent->kept && is_written)
		wm_push_forget_failures(agent);
}
