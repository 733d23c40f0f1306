/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * walk [--killed] [--stopped] [--count] BINARY PREFIX RAW…
 *
 * Rebuilds the walks of a recording and compares them, event by event, with the traces of the same run (walk_trace.c).
 * --killed: the program was killed, so a trace may go on by the subpath that was not finished, and a hole may remain.
 * --stopped: the recording was stopped, so a trace may go on by anything, and threads may have no stream.
 * Prints one line of totals.
 */
#include "analysis/join/recorded_plan.h"
#include "elf/elf_object.h"
#include "profile/raw/raw_recording.h"
#include "profile/raw/spool_file.h"
#include "support/terminal.h"
#include "support/xalloc.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTER = 1, BLOCK = 2, LEAVE = 3 };

struct image {
	uint8_t *data;
	size_t size;
};

struct process {
	const char *path;
	struct image raw, spool;
	struct wm_raw_recording recording;
	/* Per function of the recording. */
	const struct wm_map_function **map;
	struct wm_walk_function *function;
};

static struct {
	bool killed, stopped;
	const char *prefix;
	struct process *process;
	size_t process_count;
	struct wm_arena arena;
	uint64_t entries, events, waits, creates, joins, streams, abandoned;
} all;

struct checking {
	const struct process *process;
	struct wm_walk walk;
	uint64_t *serial; /* per depth */
	uint64_t activations;
	bool silent; /* the parent of a fork, up to the fork */
	uint64_t until; /* entries to take */
	const uint64_t *trace;
	size_t trace_count, at;
	char name[4096];
};

static struct image map_file(const char *path, bool needed)
{
	struct stat status;
	int fd = open(path, O_RDONLY);
	if (fd < 0 && !needed)
		return (struct image){NULL, 0};
	if (fd < 0 || fstat(fd, &status)) {
		perror(path);
		exit(1);
	}
	struct image image = {NULL, (size_t)status.st_size};
	if (image.size)
		image.data = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return image;
}

static void differ(const struct checking *c, const char *what)
{
	printf("%s: event %zu of entry %" PRIu64 ": %s\n", c->name, c->at, c->walk.entries, what);
	exit(1);
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;
	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash;
}

static void expect(struct checking *c, uint64_t kind, const struct wm_walk_event *event, uint32_t what)
{
	const uint64_t *trace = c->trace + 2 * c->at;
	char text[300];
	if (c->silent)
		return;
	const struct wm_map_function *f = c->process->map[event->function];
	uint64_t serial = c->serial[event->depth], word = (uint64_t)hash_of(f->name) << 32 | what;
	if (c->at == c->trace_count && all.killed)
		return;
	if (c->at == c->trace_count)
		differ(c, "the trace ends, the walk goes on");
	if (trace[0] != (serial << 8 | kind) || trace[1] != word) {
		snprintf(text, sizeof text,
			"rebuilt kind %u of activation %u, %s block %u; traced kind %u of activation %u, hash %x block "
			"%u",
			(unsigned)kind, (unsigned)serial, f->name, what, (unsigned)(trace[0] & 255),
			(unsigned)(trace[0] >> 8), (unsigned)(trace[1] >> 32), (unsigned)trace[1]);
		differ(c, text);
	}
	c->at++;
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct checking *c = closure;
	all.events++;
	switch (event->kind) {
	case WM_WALK_ENTER:
		c->serial[event->depth] = ++c->activations;
		expect(c, ENTER, event, 0);
		break;
	case WM_WALK_BLOCK:
		expect(c, BLOCK, event, event->block);
		break;
	case WM_WALK_LEAVE:
		expect(c, LEAVE, event, event->end);
		break;
	case WM_WALK_STUCK:
		expect(c, LEAVE, event, WM_END_NORETURN);
		break;
	case WM_WALK_ADOPT:
		differ(c, "an activation goes on whose beginning is unknown");
		break;
	case WM_WALK_ABANDON:
		all.abandoned++;
		break;
	case WM_WALK_SPECIAL:
		all.waits += wm_stream_kind(event->entry) == WM_STREAM_WAIT;
		all.creates += wm_stream_kind(event->entry) == WM_STREAM_CREATE;
		all.joins += wm_stream_kind(event->entry) == WM_STREAM_JOIN;
		break;
	case WM_WALK_BEGIN:
	case WM_WALK_OWN:
	case WM_WALK_END:
	case WM_WALK_CALL:
	case WM_WALK_BEHIND:
	case WM_WALK_CAUGHT:
	case WM_WALK_AGAIN:
	case WM_WALK_SUBPATH:
		break;
	}
}

static bool take_entries(void *closure, const uint64_t *entry, size_t count)
{
	struct checking *c = closure;
	for (size_t i = 0; i < count; i++) {
		if (c->walk.entries == c->until)
			return false;
		all.entries++;
		c->serial = realloc(c->serial, (c->walk.depth + 2) * sizeof *c->serial);
		if (wm_walk_take(&c->walk, entry[i]) != WM_OK)
			differ(c, "an entry names no subpath");
	}
	return true;
}

/* Takes the next entries of a stream, at most `most`. */
static void run(struct checking *c, const struct process *process, size_t stream, uint64_t most)
{
	struct wm_profile_error error;
	c->until = most == UINT64_MAX ? most : c->walk.entries + most;
	if (wm_raw_recording_read(&process->recording, stream, take_entries, c, &error)) {
		printf("%s: %s\n", process->path, error.text);
		exit(1);
	}
}

static void begin(struct checking *c, const struct process *process)
{
	*c = (struct checking){.process = process};
	if (wm_walk_init(&c->walk, process->function, (uint32_t)process->recording.func_count,
		    &(struct wm_sink){c, take_event}, &all.arena) != WM_OK)
		abort();
}

/* The first entries tell where the stream comes from. */
struct origin {
	uint64_t entry[3];
	size_t count;
};
static bool take_origin(void *closure, const uint64_t *entry, size_t count)
{
	struct origin *origin = closure;
	for (size_t i = 0; i < count && origin->count < 3; i++)
		origin->entry[origin->count++] = entry[i];
	return origin->count < 3;
}

static struct origin origin_of(const struct process *process, size_t stream)
{
	struct origin origin = {{0}, 0};
	struct wm_profile_error error;
	wm_raw_recording_read(&process->recording, stream, take_origin, &origin, &error);
	return origin;
}

static const struct process *find_run(uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < all.process_count; i++)
		if (all.process[i].recording.run_id_low == low && all.process[i].recording.run_id_high == high)
			return &all.process[i];
	printf("the parent of a forked process is not among the recordings\n");
	exit(1);
}

/* What the thread that forked did up to the fork, if the stream is one of a forked process. */
static void inherit(struct checking *c, const struct process *process, size_t stream, unsigned depth)
{
	struct origin origin = origin_of(process, stream);
	const struct wm_raw_recording_stream *facts = &process->recording.stream[stream];
	if (!origin.count || wm_stream_kind(origin.entry[0]) != WM_STREAM_FORK)
		return;
	const struct process *parent = find_run(facts->parent_low, facts->parent_high);
	for (size_t i = 0; i < parent->recording.stream_count && depth < 10; i++) {
		if (parent->recording.stream[i].number != wm_stream_value(origin.entry[1]))
			continue;
		inherit(c, parent, i, depth + 1);
		run(c, parent, i, wm_stream_value(origin.entry[0]));
		if (c->walk.entries != c->until)
			differ(c, "the parent's stream is shorter than the fork says");
		return;
	}
	printf("the stream that forked does not exist\n");
	exit(1);
}

/* How many streams with the same pointer come before. */
static unsigned occurrence(const struct process *process, size_t stream, uint64_t start)
{
	unsigned count = 0;
	for (size_t i = 0; i < stream; i++) {
		struct origin origin = origin_of(process, i);
		count += origin.entry[0] == start;
	}
	return count;
}

/* The subpath that was not finished: events of one activation. */
static void check_rest(const struct checking *c)
{
	uint64_t number = 0;
	if (all.stopped)
		return;
	for (size_t i = c->at; i < c->trace_count; i++) {
		uint64_t event = c->trace[2 * i];
		if (!all.killed || (number && number != event >> 8) || (i > c->at && (event & 255) == ENTER))
			differ(c, "the walk ends, the trace goes on");
		number = event >> 8;
	}
}

static void check_stream(const struct process *process, size_t stream)
{
	struct checking c;
	struct origin origin = origin_of(process, stream);
	begin(&c, process);
	c.silent = true;
	inherit(&c, process, stream, 0);
	c.silent = false;
	unsigned pid = (unsigned)process->recording.pid;
	if (wm_stream_kind(origin.entry[0]) == WM_STREAM_FORK)
		snprintf(c.name, sizeof c.name, "%s.%u.fork", all.prefix, pid);
	else
		snprintf(c.name, sizeof c.name, "%s.%u.%" PRIx64 ".%u", all.prefix, pid,
			wm_stream_value(origin.entry[0]), occurrence(process, stream, origin.entry[0]));
	struct image trace = map_file(c.name, true);
	c.trace = (const uint64_t *)(void *)trace.data;
	while (2 * c.trace_count < trace.size / 8 && c.trace[2 * c.trace_count])
		c.trace_count++;
	run(&c, process, stream, UINT64_MAX);
	if (c.walk.ambiguous || (c.walk.holes && !all.killed))
		differ(&c, "the stream is ambiguous or has holes");
	check_rest(&c);
	all.streams++;
	wm_walk_release(&c.walk);
	free(c.serial);
	munmap(trace.data, trace.size);
}

static const struct wm_map_function *find_function(const struct wm_map *map, const struct wm_raw_func *func)
{
	for (uint32_t m = 0; m < map->module_count; m++)
		for (uint32_t i = 0; i < map->module[m].function_count; i++) {
			const struct wm_map_function *f = &map->module[m].function[i];
			if (f->key == func->key && f->graph_hash == func->graph_hash && f->status != WM_SKIPPED)
				return f;
		}
	return NULL;
}

static void plan_functions(struct process *process, const struct wm_map *map)
{
	size_t count = process->recording.func_count;
	unsigned unknown = 0;
	process->map = calloc(count, sizeof *process->map);
	process->function = calloc(count, sizeof *process->function);
	for (size_t i = 0; i < count; i++) {
		const struct wm_raw_func *func = &process->recording.func[i];
		if (!(func->flags & WM_FUNC_STREAM))
			continue;
		process->map[i] = find_function(map, func);
		unknown += !process->map[i];
		if (process->map[i] && wm_recorded_plan(&process->function[i], process->map[i], &all.arena) != WM_OK)
			abort();
	}
	if (unknown) {
		printf("%s: %u functions are not in the map\n", process->path, unknown);
		exit(1);
	}
}

static void load(struct process *process, const char *path, const struct wm_map *map)
{
	struct wm_profile_error error;
	char *spool = wm_xprintf("%s" WM_SPOOL_SUFFIX, path);
	*process = (struct process){.path = path, .raw = map_file(path, true), .spool = map_file(spool, false)};
	free(spool);
	enum wm_profile_status status = wm_raw_recording_open(&process->recording, process->raw.data, process->raw.size,
		process->spool.data, process->spool.size, &error);
	if (status) {
		printf("%s: %s\n", path, error.text);
		exit(1);
	}
	plan_functions(process, map);
}

int main(int argc, char **argv)
{
	struct wm_object object;
	wm_terminal_use();
	while (argc > 1 && argv[1][0] == '-') {
		all.killed |= !strcmp(argv[1], "--killed");
		all.stopped |= !strcmp(argv[1], "--stopped");
		argc--;
		argv++;
	}
	wm_arena_init(&all.arena);
	wm_object_need(&object, argv[1], NULL, &all.arena);
	all.prefix = argv[2];
	all.process_count = (size_t)argc - 3;
	all.process = calloc(all.process_count, sizeof *all.process);
	for (size_t i = 0; i < all.process_count; i++)
		load(&all.process[i], argv[i + 3], &object.map);
	for (size_t i = 0; i < all.process_count; i++)
		for (size_t s = 0; s < all.process[i].recording.stream_count; s++)
			check_stream(&all.process[i], s);
	printf("streams %" PRIu64 " entries %" PRIu64 " abandoned %" PRIu64 " creates %" PRIu64 " joins %" PRIu64
	       " waits %" PRIu64 "\n",
		all.streams, all.entries, all.abandoned, all.creates, all.joins, all.waits);
	return 0;
}
