/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark store: a database of profiles.  One table of options serves all subcommands; each says which it takes. */
#include "cmd/commands.h"
#include "cmd/store_trend.h"
#include "cmd/untested_field.h"
#include "profile/raw/still_counting.h"
#include "store/select.h"
#include "store/store_operand.h"
#include "store/store_triage.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/directory.h"
#include "support/fail.h"
#include "support/json.h"
#include "support/machine_name.h"
#include "support/option_table.h"
#include "support/output.h"
#include "support/progress.h"
#include "support/xalloc.h"
#include "view/document/document.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum option_bits {
	LABELS = 1,
	MACHINE = 2,
	OUTPUT = 4,
	SHARDS = 8,
	JSON = 16,
	BEFORE = 32,
	GRANT = 64,
	PAGES = 128,
	BADGE = 256,
	SCOPE = 512
};

struct options {
	struct wm_label_list labels;
	const char *test, *commit, *machine, *output, *shards, *before, *html, *badge;
	bool json;
	int scope; /* enum wm_scope_mode */
	struct wm_grant grant;
	bool granted; /* an option of grant was given */
};

static void take_labels(void *target, const char *text)
{
	wm_label_list_parse(target, text);
}

static void take_program(void *target, const char *program)
{
	struct wm_grant *grant = target;
	grant->program = wm_xrealloc(grant->program, grant->program_count + 1, sizeof(*grant->program));
	grant->program[grant->program_count++] = program;
}

/* Subcommands.  operand[0] is the store. */

/* allowed: the one key that the command takes; NULL: none. */
static void refuse_filters(const char *name, const char *command, const char *allowed)
{
	struct wm_store_url url;
	wm_store_url_parse(&url, name, time(NULL));
	bool others = url.filter.since != INT64_MIN || url.filter.until != INT64_MAX;
	for (size_t i = 0; i < url.filter.labels.count; i++)
		others |= !allowed || strcmp(url.filter.labels.label[i].key, allowed) != 0;
	if (others && allowed)
		wm_fail("`waymark store %s` takes only the filter %s=; leave the others out", command, allowed);
	if (others)
		wm_fail("`waymark store %s` concerns the whole store; leave the filters out%s", command,
			strcmp(command, "roll-up") ? "" : ", and use --before for what is older");
	wm_store_url_release(&url);
}

static int run_init(const struct options *options, char **operand, int count)
{
	(void)count;
	refuse_filters(operand[0], "init", NULL);
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_CREATE);
	wm_store_init(store, options->shards);
	wm_store_close(store);
	return 0;
}

/* Release the labels and the name of the machine. */
static struct wm_push_facts facts_of(const struct options *options, struct wm_label_list *labels, char **machine)
{
	for (size_t i = 0; i < options->labels.count; i++)
		wm_label_list_add(labels, options->labels.label[i].key, options->labels.label[i].value);
	if (options->test)
		wm_label_list_add_new(labels, "test", options->test);
	if (options->commit)
		wm_label_list_add_new(labels, "commit", options->commit);
	wm_label_list_add_kind(labels);
	*machine = options->machine ? wm_xstrdup(options->machine) : wm_machine_name();
	if (strlen(*machine) > WM_MACHINE_MAX || !wm_label_value_is_valid(*machine))
		wm_fail("the name of the machine is longer than %d bytes, is not UTF-8, or contains a comma or a "
			"control "
			"character",
			WM_MACHINE_MAX);
	return (struct wm_push_facts){.labels = labels, .machine = *machine, .now = time(NULL)};
}

/* The content of a file, and what its name and descriptor say of it. */
struct input {
	struct wm_buffer buffer;
	bool is_raw;
	enum wm_counting counting; /* of a raw profile */
	struct wm_raw_identity identity;
	time_t changed;
};

/* Tests whether the program still runs before it reads the file: if the program has ended by then, the file is complete. */
static bool read_input(struct input *input, const char *path)
{
	uint8_t start[4096];
	struct stat info = {0};
	struct wm_profile_error error;
	*input = (struct input){0};
	/* Opening a FIFO would do something to its writer. */
	int fd = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t size = fd >= 0 ? pread(fd, start, sizeof start, 0) : 0;
	input->is_raw = size > 0 && wm_profile_format(start, (size_t)size) == WM_FORMAT_RAW &&
			!wm_raw_identify(&input->identity, start, (size_t)size, &error) && !input->identity.is_pool;
	if (input->is_raw)
		input->counting = wm_file_counting(fd, &input->identity);
	input->changed = info.st_mtim.tv_sec;
	if (fd >= 0)
		close(fd);
	return wm_buffer_read(&input->buffer, path);
}

/* Why the file is not that of a whole run; NULL: it may be. */
static const char *unfinished(const struct input *input)
{
	if (input->is_raw && input->identity.is_snapshot)
		return "it is a snapshot of a program that ran on; store the profile of the whole run";
	if (input->counting == WM_COUNTING_YES)
		return "its program is still running; let `waymark push` store it, or wait until the program has ended";
	if (input->counting == WM_COUNTING_PERHAPS)
		return "a process with the id of its program is running, and may still write to it; wait until it has "
		       "ended, or, if the file comes from another machine, merge it and store the sum";
	return NULL;
}

/* False: nothing of the file can be stored. */
static bool parse_input(const struct input *input, const char *path, struct wm_profile *profile)
{
	struct wm_profile_error error;
	enum wm_profile_status status = wm_profile_read(profile, input->buffer.data, input->buffer.size, &error);
	const char *why = unfinished(input);
	if (status == WM_PROFILE_NO_MEMORY)
		wm_fail_as(WM_FAILURE_MEMORY, "out of memory while reading %s", path);
	if (why)
		wm_warn("%s was not stored: %s", path, why);
	else if (status == WM_PROFILE_DAMAGED)
		wm_warn("%s is stored in part: %s", path, error.text);
	else if (status)
		wm_warn("%s was not stored: %s", path, error.text);
	return !why && (!status || status == WM_PROFILE_DAMAGED);
}

/* changed: when the file of a raw profile was last changed; an indexed one may have been written long after its runs. */
static bool read_profile(const char *path, struct wm_profile *profile, int64_t *changed)
{
	struct input input;
	if (!read_input(&input, path)) {
		wm_warn("%s was not stored: it cannot be read (%s)", path, strerror(errno));
		return false;
	}
	bool ok = parse_input(&input, path, profile);
	*changed = input.is_raw ? input.changed : 0;
	wm_buffer_release(&input.buffer);
	return ok;
}

struct tally {
	size_t stored, known, refused;
};

static void push_file(struct wm_profile_store *store, const char *path, struct wm_push_facts facts, struct tally *tally)
{
	struct wm_profile profile;
	char *reason = NULL;
	wm_profile_init(&profile);
	enum wm_push_result result = WM_PUSH_REFUSED;
	if (read_profile(path, &profile, &facts.until))
		result = wm_store_push(store, &profile, &facts, &reason);
	if (reason && result == WM_PUSH_REFUSED)
		wm_warn("%s was not stored: %s", path, reason);
	free(reason);
	tally->stored += result == WM_PUSH_STORED;
	tally->known += result == WM_PUSH_KNOWN || result == WM_PUSH_UNSURE;
	tally->refused += result == WM_PUSH_REFUSED;
	wm_profile_release(&profile);
}

static int run_push(const struct options *options, char **operand, int count)
{
	struct wm_label_list labels = {0};
	struct wm_file_list files = {0};
	struct tally tally = {0};
	char *machine;
	struct wm_push_facts facts = facts_of(options, &labels, &machine);
	for (int i = 1; i < count; i++)
		wm_file_list_add_profiles(&files, operand[i]);
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_WRITE);
	if (!wm_filter_is_empty(&store->url.filter))
		wm_fail("filters after '#' select what is read; name the store alone, and use --label for labels");
	for (size_t i = 0; i < files.count; i++) {
		push_file(store, files.path[i], facts, &tally);
		wm_progress("storing", i + 1, files.count);
	}
	wm_progress_end();
	wm_store_close(store);
	printf("%zu stored, %zu known, %zu refused\n", tally.stored, tally.known, tally.refused);
	wm_file_list_release(&files);
	wm_label_list_release(&labels);
	free(machine);
	return tally.refused != 0;
}

static void write_profile(const struct wm_profile *profile, const char *path)
{
	uint8_t *data;
	size_t size;
	if (!path)
		wm_fail("no output was given; use -o FILE.wmprof");
	if (wm_indexed_write(profile, &data, &size))
		wm_fail_as(WM_FAILURE_MEMORY, "out of memory while writing %s", path);
	wm_write_file(path, data, size);
	free(data);
}

/* How many runs have one of the objects: of a sum of several runs, the store knows per object in how many of them it was. */
static void print_runs(const struct wm_profile *profile, const struct wm_filter *filter)
{
	uint64_t least = 0, most = 0;
	for (size_t i = 0; i < profile->object_count; i++) {
		uint64_t runs = profile->object[i].runs;
		least = runs > least ? runs : least;
		most = !runs || runs > profile->runs - most ? profile->runs : most + runs;
	}
	if (!wm_filter_has_objects(filter) || !profile->object_count)
		least = most = profile->runs;
	if (least < most)
		printf("%" PRIu64 " to ", least);
	printf("%" PRIu64 " run%s of %zu object%s\n", most, wm_plural(most), profile->object_count,
		wm_plural(profile->object_count));
}

static int run_pull(const struct options *options, char **operand, int count)
{
	(void)count;
	struct wm_profile profile;
	if (!options->output)
		wm_fail("no output was given; use -o FILE.wmprof");
	wm_profile_init(&profile);
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_READ);
	wm_store_select(&profile, store, &store->url.filter, operand[0]);
	write_profile(&profile, options->output);
	print_runs(&profile, &store->url.filter);
	wm_store_close(store);
	wm_profile_release(&profile);
	return 0;
}

static int run_known(const struct options *options, char **operand, int count)
{
	(void)count;
	struct wm_profile profile;
	if (!options->output)
		wm_fail("no output was given; use -o FILE.wmprof");
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_READ);
	wm_profile_init(&profile);
	wm_store_known(store, &profile);
	wm_store_close(store);
	write_profile(&profile, options->output);
	wm_profile_release(&profile);
	return 0;
}

static void format_time(char text[32], int64_t time)
{
	struct tm date;
	time_t seconds = (time_t)time;
	if (!gmtime_r(&seconds, &date) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &date))
		memcpy(text, "?", 2);
}

static void print_entry(void *closure, const struct wm_store_entry *entry)
{
	char first[32], last[32];
	(void)closure;
	format_time(first, entry->first);
	format_time(last, entry->last);
	printf("%s  %.12s  %" PRIu64 " run%s  %" PRIu64 " machine%s  %s  %s  %s\n",
		*entry->program ? entry->program : "?", entry->build_id, entry->runs, wm_plural(entry->runs),
		entry->machines, wm_plural(entry->machines), first, last, entry->labels);
}

static json_t *json_text(const char *text)
{
	json_t *value = json_string(text);
	return value ? value : json_string("(a name that is not UTF-8)");
}

static void append_entry(void *closure, const struct wm_store_entry *entry)
{
	json_t *one = json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "program", json_text(entry->program), "build",
		json_text(entry->build_id), "labels", json_text(entry->labels), "runs", (json_int_t)entry->runs,
		"machines", (json_int_t)entry->machines, "first", (json_int_t)entry->first, "last",
		(json_int_t)entry->last);
	json_array_append_new(closure, one);
}

static int run_list(const struct options *options, char **operand, int count)
{
	(void)count;
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_READ);
	json_t *entries = json_array();
	wm_store_list(store, &store->url.filter, options->json ? append_entry : print_entry, entries);
	wm_store_close(store);
	if (!options->json) {
		json_decref(entries);
		return 0;
	}
	json_t *document = wm_json_document("store");
	json_object_set_new(document, "profiles", entries);
	wm_json_print(document);
	return 0;
}

static bool selects_program(const struct wm_filter *filter, const char *program)
{
	bool selects = !filter->labels.count;
	for (size_t i = 0; i < filter->labels.count; i++)
		selects |= !strcmp(filter->labels.label[i].value, program);
	return selects;
}

/* A path is one line, however many records it has.  The filter has programs only. */
static void print_triages(const struct wm_triages *triages, const struct wm_filter *filter, json_t *list)
{
	for (size_t i = 0; i < triages->count; i++) {
		const struct wm_triage *triage = &triages->triage[i];
		char id[WM_TRIAGE_ID_SIZE], time[32];
		if ((i && triage[-1].id == triage->id && !strcmp(triage[-1].program, triage->program)) ||
			!selects_program(filter, triage->program))
			continue;
		wm_triage_id_print(id, triage->id);
		format_time(time, (int64_t)triage->time);
		if (!list)
			printf("%s  %s  %s:%" PRIu64 "  %s  %s%s%s\n", id, *triage->program ? triage->program : "?",
				triage->function, triage->path, time, triage->author, *triage->author ? ": " : "",
				triage->note);
		else
			json_array_append_new(
				list, json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o}", "triage_id", id, "program",
					      json_text(triage->program), "function", json_text(triage->function),
					      "path", wm_json_count(triage->path), "time", (json_int_t)triage->time,
					      "author", json_text(triage->author), "note", json_text(triage->note)));
	}
}

static int run_triaged(const struct options *options, char **operand, int count)
{
	(void)count;
	struct wm_triages triages = {0};
	refuse_filters(operand[0], "triaged", "program");
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_READ);
	json_t *list = options->json ? json_array() : NULL;
	wm_store_triages(store, &triages);
	print_triages(&triages, &store->url.filter, list);
	wm_store_close(store);
	wm_triages_release(&triages);
	if (!list)
		return 0;
	json_t *document = wm_json_document("triaged");
	json_object_set_new(document, "triaged", list);
	wm_json_print(document);
	return 0;
}

static int run_untriage(const struct options *options, char **operand, int count)
{
	(void)options;
	refuse_filters(operand[0], "untriage", "program");
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_WRITE);
	for (int i = 1; i < count; i++) {
		uint64_t id = wm_triage_id_parse(operand[i]);
		if (!id || !wm_store_untriage(store, &store->url.filter, id))
			wm_fail("'%s' is no id of a triaged path; `waymark store triaged` lists them", operand[i]);
	}
	wm_store_close(store);
	return 0;
}

/* The time of --before; without it, the beginning of this day. */
static int64_t time_before(const struct options *options)
{
	int64_t now = time(NULL), before = now - now % 86400;
	if (options->before && !wm_store_time_parse(&before, options->before, now))
		wm_fail("--before=%s is no time; write a date (2026-11-18) or how long ago (90d, 12h)",
			options->before);
	return before;
}

static int run_roll_up(const struct options *options, char **operand, int count)
{
	(void)count;
	int64_t before = time_before(options);
	refuse_filters(operand[0], "roll-up", NULL);
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_WRITE);
	size_t sums = wm_store_roll_up(store, before);
	printf("%zu sum%s\n", sums, wm_plural(sums));
	wm_store_close(store);
	return 0;
}

static int run_prune(const struct options *options, char **operand, int count)
{
	(void)count;
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_WRITE);
	struct wm_filter *filter = &store->url.filter;
	if (!options->before && !filter->labels.count && filter->until == INT64_MAX)
		wm_fail("nothing says what to remove; use --before TIME, or a filter such as %s#version=1.0",
			store->database->base.location);
	int64_t before = options->before ? time_before(options) : INT64_MAX;
	filter->until = before < filter->until ? before : filter->until;
	uint64_t bundles = wm_store_prune(store, filter);
	printf("%" PRIu64 " bundle%s %s\n", bundles, wm_plural(bundles),
		wm_filter_has_objects(filter) ? "changed or removed" : "removed");
	wm_store_close(store);
	return 0;
}

static int run_grant(const struct options *options, char **operand, int count)
{
	(void)count;
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_WRITE);
	wm_store_grant(store, operand[1], &options->grant);
	wm_store_close(store);
	return 0;
}

static int run_revoke(const struct options *options, char **operand, int count)
{
	(void)options;
	(void)count;
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_WRITE);
	wm_store_revoke(store, operand[1]);
	wm_store_close(store);
	return 0;
}

static int run_migrate(const struct options *options, char **operand, int count)
{
	(void)options;
	(void)count;
	refuse_filters(operand[0], "migrate", NULL);
	struct wm_profile_store *store = wm_store_open(operand[0], WM_DATABASE_WRITE);
	printf("version %" PRId64 "\n", wm_store_migrate(store));
	wm_store_close(store);
	return 0;
}

static int run_trend(const struct options *options, char **operand, int count)
{
	const struct wm_trend_options trend = {options->json, options->scope, options->html, options->badge};
	return wm_store_trend(&trend, operand, count);
}

static const struct subcommand {
	const char *name;
	int (*run)(const struct options *options, char **operand, int count);
	int least, most; /* operands, with the store */
	unsigned options; /* enum option_bits */
	const char *arguments, *summary;
} subcommands[] = {
	{"init", run_init, 1, 1, SHARDS, "URL", "create the tables of a store"},
	{"push", run_push, 2, 1 << 30, LABELS | MACHINE, "URL FILE...", "store profiles, each run once"},
	{"pull", run_pull, 1, 1, OUTPUT, "-o FILE.wmprof URL", "write what is stored as one profile"},
	{"known", run_known, 1, 1, OUTPUT, "-o FILE.wmprof URL", "write what is tested or triaged as one profile"},
	{"triaged", run_triaged, 1, 1, JSON, "URL", "list the paths that are triaged"},
	{"untriage", run_untriage, 2, 1 << 30, 0, "URL ID...", "these paths are triaged no more"},
	{"list", run_list, 1, 1, JSON, "URL", "list programs, builds and labels"},
	{"trend", run_trend, 2, 1 << 30, JSON | PAGES | BADGE | SCOPE, "URL BINARY...",
		"what tests took, commit by commit"},
	{"roll-up", run_roll_up, 1, 1, BEFORE, "URL", "add up the runs of past days"},
	{"prune", run_prune, 1, 1, BEFORE, "--before TIME URL", "remove what is old"},
	{"grant", run_grant, 2, 2, GRANT, "URL ROLE", "let a role of the database push or read"},
	{"revoke", run_revoke, 2, 2, 0, "URL ROLE", "take from a role what was granted to it"},
	{"migrate", run_migrate, 1, 1, 0, "URL", "bring the tables to the version of this waymark"},
};
enum { SUBCOMMANDS = sizeof(subcommands) / sizeof(*subcommands) };

static const char usage[] =
	"usage: waymark store COMMAND [options] URL ...\n"
	"\n"
	"Keeps the profiles of many machines and tests in one database, and counts each run once.  URL is\n"
	"the name of an SQLite file, or postgresql://HOST/DATABASE with everything that libpq allows.  For a command\n"
	"that reads, filters may follow: URL#program=xz&version=5.4.1&since=7d.\n";

static void print_commands(void)
{
	puts("\ncommands:");
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		printf("  %-8s %-31s %s\n", subcommands[i].name, subcommands[i].arguments, subcommands[i].summary);
}

static const struct subcommand *find_subcommand(const char *name)
{
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		if (!strcmp(subcommands[i].name, name))
			return &subcommands[i];
	wm_fail("there is no command 'store %s'; `waymark store --help` lists them", name);
}

static void check_options(const struct subcommand *subcommand, const struct options *options)
{
	const struct {
		const char *name;
		bool given;
		unsigned bit;
	} row[] = {{"label", options->labels.count, LABELS}, {"test", options->test, LABELS},
		{"commit", options->commit, LABELS}, {"machine", options->machine, MACHINE},
		{"output", options->output, OUTPUT}, {"shards", options->shards, SHARDS}, {"json", options->json, JSON},
		{"before", options->before, BEFORE}, {"html", options->html, PAGES}, {"badge", options->badge, BADGE},
		{"scope", options->scope != WM_SCOPE_NOT_ASKED, SCOPE},
		{"reader, --program, --tests, --rows-per-push or --rows-per-day", options->granted, GRANT}};
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		if (row[i].given && !(subcommand->options & row[i].bit))
			wm_fail("`waymark store %s` has no option --%s", subcommand->name, row[i].name);
}

/* --html: the operands are a store and binaries. */
static int write_pages(const struct options *store, char **operand, int count)
{
	struct wm_field_options options = {0};
	wm_report_options_init(&options.report);
	options.report.html = store->html;
	options.report.functions = options.report.paths = UINT64_MAX;
	options.report.scope.mode = store->scope;
	if (count < 2)
		wm_fail("the operands are wrong; use `waymark store --html DIR URL BINARY...`");
	wm_operands_take(&options.operands, operand, count);
	if (options.operands.profile_count != 1 || !options.operands.binary_count ||
		!wm_is_store(options.operands.profile[0]))
		wm_fail("the pages show one store and the programs that wrote its profiles; use `waymark store --html "
			"DIR URL "
			"BINARY...`");
	int status = wm_field_compare(&options);
	wm_scope_release(&options.report.scope);
	wm_operands_release(&options.operands);
	return status;
}

int wm_cmd_store(int argc, char **argv)
{
	struct options options = {.scope = WM_SCOPE_NOT_ASKED};
	const struct wm_option table[] = {
		{.name = "output",
			.letter = 'o',
			.kind = WM_OPTION_TEXT,
			.target = &options.output,
			.value = "FILE",
			.help = "pull, known: write the profile to FILE, completely or not at all"},
		WM_CALL("label", take_labels, &options.labels, "K=V,...",
			"push: labels of the runs, such as version=5.4.1,region=eu"),
		WM_TEXT("test", &options.test, "NAME", "push: the runs are those of a test"),
		WM_TEXT("commit", &options.commit, "ID", "push: the commit that was tested"),
		WM_TEXT("machine", &options.machine, "NAME",
			"push: what the machine is called; default: a hash of its machine-id"),
		WM_TEXT("shards", &options.shards, "FILE", "init: divide the tables between the servers in FILE",
			WM_RARE),
		WM_TEXT("html", &options.html, "DIR",
			"without a command, and with URL BINARY...: write pages into DIR that show\n"
			"per version and day which untested paths are new, and the paths;\n"
			"trend: write a page with charts into DIR"),
		WM_SCOPE_MODE_OPTION(&options.scope),
		WM_TEXT("badge", &options.badge, "FILE",
			"trend: write an SVG that says which part of the outcomes is tested"),
		WM_FLAG("json", &options.json, "list, triaged, trend: print JSON"),
		WM_TEXT("before", &options.before, "TIME", "roll-up, prune: what is older; 90d, 12h or a date"),
		WM_FLAG("reader", &options.grant.reader, "grant: the role may read; default: it may push"),
		WM_CALL("program", take_program, &options.grant, "NAME",
			"grant: the role may push only this program; repeatable"),
		WM_FLAG("tests", &options.grant.tests,
			"grant, with --program: the role may push tests of the programs, too"),
		WM_NUMBER("rows-per-push", &options.grant.rows_per_push, "grant: most rows of a profile", WM_RARE),
		WM_NUMBER("rows-per-day", &options.grant.rows_per_day, "grant: most rows in a day", WM_RARE),
		{0},
	};
	int first = wm_parse_options(
		&(struct wm_syntax){.usage = usage, .table = {table}, .more = print_commands}, argc, argv);
	if (options.html && (first == argc || strcmp(argv[first], "trend") != 0))
		return write_pages(&options, argv + first, argc - first);
	if (first == argc)
		wm_fail("no command was given; `waymark store --help` lists them");
	const struct subcommand *subcommand = find_subcommand(argv[first]);
	int count = argc - first - 1;
	options.granted = options.grant.reader || options.grant.program_count || options.grant.tests ||
			  options.grant.rows_per_push || options.grant.rows_per_day;
	check_options(subcommand, &options);
	if (count < subcommand->least || count > subcommand->most)
		wm_fail("the operands are wrong; use `waymark store %s %s`", subcommand->name, subcommand->arguments);
	int status = subcommand->run(&options, argv + first + 1, count);
	wm_label_list_release(&options.labels);
	free(options.grant.program);
	return status;
}
