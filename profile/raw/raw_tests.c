/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One profile, the rest, has what no part has taken yet.  A part takes its counts from there, and leaves them in the base of the
 * rest, which is thus always what had been counted before.  O(marks × functions + all counts).
 */
#include "profile/raw/raw_tests.h"

#include "abi/sequence.h"
#include "abi/tests.h"
#include "core/base/grow.h"
#include "core/base/search.h"
#include "profile/base/unfinished_paths.h"
#include "profile/collect.h"
#include "profile/raw/raw_counts.h"
#include "profile/raw/raw_file.h"

#include <string.h>

struct parts {
	const struct wm_profile_image *image;
	struct wm_raw_table *table;
	struct wm_profile rest;
	wm_raw_take_part *take;
	void *closure;
	char name[WM_TEST_NAME_MOST + 1]; /* of the part that ends at the next mark */
	uint64_t number; /* of that part, from 1 on */
	bool stopped, no_memory, senseless;
};

static bool is_name(const struct wm_counted_path *path)
{
	return path->id & WM_NAME_BIT;
}

static bool has_counted(const struct wm_profile_function *f)
{
	bool any = f->entries || f->resumed || f->unfinished_count;
	for (size_t i = 0; i < f->path_count && !any; i++)
		any = f->path[i].count && !is_name(&f->path[i]);
	return any;
}

static bool units_counted(const struct wm_profile_object *object)
{
	for (size_t i = 0; i < object->function_count; i++)
		if (object->function[i].flags & WM_FUNC_UNIT && has_counted(&object->function[i]))
			return true;
	return false;
}

/* ---- A function of a part ------------------------------------------------------------- */

static const struct wm_counted_path *find_path(const struct wm_profile_function *f, uint64_t id)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, f->path_count, f->path[i].id < id);
	return i < f->path_count && f->path[i].id == id ? &f->path[i] : NULL;
}

static bool append_name(struct wm_profile_function *to, const struct wm_profile_function *from, uint64_t id)
{
	const struct wm_counted_path *word = find_path(from, wm_name_key(id, 0));
	uint64_t words = word ? word->count | word->base : 0;
	bool done = true;
	for (uint64_t i = 1; word && done; i++) {
		done = wm_function_append_path(to, word);
		word = i < words ? find_path(from, wm_name_key(id, i)) : NULL;
	}
	return done;
}

/* The names of paths (abi/sequence.h) belong to every part that has the paths. */
static bool append_names(struct wm_profile_function *to, const struct wm_profile_function *from)
{
	size_t paths = to->path_count;
	bool done = true;
	if (!from->path_count || !is_name(&from->path[from->path_count - 1]))
		return true;
	for (size_t i = 0; i < paths && done; i++)
		done = append_name(to, from, to->path[i].id);
	wm_function_sort(to);
	return done;
}

static void move(uint64_t *rest, uint64_t *base, uint64_t amount)
{
	*rest -= amount;
	*base += amount;
}

/* The part in which a path was counted first is the one in which it was first seen. */
static struct wm_counted_path take_path(struct wm_counted_path *rest, uint64_t count, bool with_base)
{
	struct wm_counted_path taken = {rest->id, count, with_base ? rest->base : 0, 0, 0};
	if (!count)
		return taken;
	taken.first_seen = rest->first_seen;
	taken.pid = rest->pid;
	rest->first_seen = rest->pid = 0;
	move(&rest->count, &rest->base, count);
	return taken;
}

/* Both have their paths in order. */
static bool take_paths(struct wm_profile_function *to, struct wm_profile_function *rest,
	const struct wm_profile_function *counted, bool with_base)
{
	size_t next = 0;
	for (size_t i = 0; i < rest->path_count && !is_name(&rest->path[i]); i++) {
		uint64_t id = rest->path[i].id, count = 0;
		if (counted && next < counted->path_count && counted->path[next].id == id)
			count = counted->path[next++].count;
		struct wm_counted_path taken = take_path(&rest->path[i], count, with_base);
		if ((taken.count || taken.base) && !wm_function_append_path(to, &taken))
			return false;
	}
	return append_names(to, rest);
}

/* counted: what the part counts of the function; NULL: nothing. */
static bool take_function(struct wm_profile_function *to, struct wm_profile_function *rest,
	const struct wm_profile_function *counted, bool with_base)
{
	*to = (struct wm_profile_function){.key = rest->key,
		.graph_hash = rest->graph_hash,
		.source = rest->source,
		.flags = rest->flags,
		.scheme = rest->scheme,
		.doubt = rest->doubt,
		.lost = rest->lost,
		.base_entries = with_base ? rest->base_entries : 0,
		.base_resumed = with_base ? rest->base_resumed : 0};
	if (counted) {
		to->entries = counted->entries;
		to->resumed = counted->resumed;
		move(&rest->entries, &rest->base_entries, to->entries);
		move(&rest->resumed, &rest->base_resumed, to->resumed);
		wm_unfinished_subtract(rest, counted);
	}
	return (!counted || wm_unfinished_copy(to, counted)) && take_paths(to, rest, counted, with_base);
}

/* ---- Parts ---------------------------------------------------------------------------- */

/* The function like `f`; NULL: there is none.  *next is the place of one that is not behind it. */
static const struct wm_profile_function *find_next(
	const struct wm_profile_object *object, size_t *next, const struct wm_profile_function *f)
{
	while (*next < object->function_count && wm_function_compare(&object->function[*next], f) < 0)
		++*next;
	bool found = *next < object->function_count && !wm_function_compare(&object->function[*next], f);
	return found ? &object->function[*next] : NULL;
}

static bool function_fits(const struct wm_profile_function *counted, const struct wm_profile_function *rest)
{
	bool fits = counted->entries <= rest->entries && counted->resumed <= rest->resumed &&
		    wm_unfinished_contains(rest, counted);
	for (size_t i = 0; i < counted->path_count && fits; i++) {
		const struct wm_counted_path *path = find_path(rest, counted->path[i].id);
		fits = path && !is_name(path) && counted->path[i].count <= path->count;
	}
	return fits;
}

/* Whether the rest has all that a part counts, of the functions that it has: others were lost. */
static bool part_fits(const struct wm_profile_object *counted, const struct wm_profile_object *rest)
{
	size_t next = 0;
	bool fits = true;
	for (size_t i = 0; i < rest->function_count && fits; i++) {
		const struct wm_profile_function *own = find_next(counted, &next, &rest->function[i]);
		fits = !own || function_fits(own, &rest->function[i]);
	}
	return fits;
}

static bool take_functions(struct parts *parts, struct wm_profile_object *to, const struct wm_profile_object *counted)
{
	struct wm_profile_object *rest = parts->rest.object;
	bool units = units_counted(counted);
	size_t next = 0;
	for (size_t i = 0; i < rest->function_count; i++) {
		struct wm_profile_function *f = &rest->function[i];
		const struct wm_profile_function *own = find_next(counted, &next, f);
		bool with_base = (own && has_counted(own)) || (units && f->flags & WM_FUNC_UNIT);
		if (!own && !with_base)
			continue;
		if (!WM_RESERVE(to->function, to->function_capacity, to->function_count, 1) ||
			!take_function(&to->function[to->function_count++], f, own, with_base))
			return false;
	}
	return true;
}

/* A part is a run with one id of its own: see struct wm_run_id. */
static bool identify(const struct parts *parts, struct wm_profile *part)
{
	const struct wm_profile *rest = &parts->rest;
	part->runs = rest->runs;
	part->kill_unsafe_runs = rest->kill_unsafe_runs;
	for (size_t i = 0; i < rest->run_id_count; i++) {
		struct wm_run_id id = rest->run_id[i];
		id.part = id.part ? id.part : parts->number;
		if (!wm_profile_append_run_id(part, &id))
			return false;
	}
	return true;
}

static bool copy_object(struct wm_profile *part, const struct wm_profile_object *from)
{
	struct wm_profile_object *to = wm_profile_append_object(part, from->build_id, from->build_id_size);
	if (!to)
		return false;
	memcpy(to->program, from->program, sizeof(to->program));
	to->runs = from->runs;
	for (size_t i = 0; i < from->doubtful_count; i++)
		if (!wm_object_append_doubtful(to, &from->doubtful[i]))
			return false;
	return true;
}

static bool any_counted(const struct wm_profile *profile)
{
	for (size_t i = 0; i < profile->object[0].function_count; i++)
		if (has_counted(&profile->object[0].function[i]))
			return true;
	return false;
}

/* The groups of a mark end the part before it. */
static void give_part(struct parts *parts, const uint8_t *groups, uint64_t size)
{
	struct wm_profile part, counted;
	struct wm_profile_error ignored;
	wm_profile_init(&part);
	wm_profile_init(&counted);
	enum wm_profile_status status =
		wm_raw_read_groups(&counted, parts->image, groups, size, parts->table, &ignored);
	wm_raw_table_summed(parts->table);
	parts->senseless |= status == WM_PROFILE_REFUSED || (!status && !part_fits(counted.object, parts->rest.object));
	parts->no_memory |= status == WM_PROFILE_NO_MEMORY;
	if (!status && !parts->senseless && any_counted(&counted)) {
		bool done = copy_object(&part, parts->rest.object) && identify(parts, &part) &&
			    take_functions(parts, part.object, counted.object);
		parts->no_memory |= !done;
		parts->stopped |= done && !parts->take(parts->closure, parts->name, &part);
	}
	wm_profile_release(&part);
	wm_profile_release(&counted);
}

/* What the parts have taken is needed only of functions that go on counting. */
static void give_rest(struct parts *parts)
{
	struct wm_profile_object *rest = parts->rest.object;
	bool units = units_counted(rest);
	for (size_t i = 0; parts->number > 1 && i < rest->function_count; i++) {
		struct wm_profile_function *f = &rest->function[i];
		if (!has_counted(f) && !(units && f->flags & WM_FUNC_UNIT))
			f->base_entries = f->base_resumed = f->path_count = 0;
	}
	for (size_t i = 0; parts->number > 1 && i < parts->rest.run_id_count; i++)
		if (!parts->rest.run_id[i].part)
			parts->rest.run_id[i].part = parts->number;
	if (parts->number == 1 || any_counted(&parts->rest))
		parts->take(parts->closure, parts->name, &parts->rest);
}

/* ---- Marks ---------------------------------------------------------------------------- */

/* NULL: the mark makes no sense. */
static const uint8_t *check_mark(const uint8_t *at, const struct wm_raw_chunk *chunk)
{
	const uint8_t *body = at + sizeof(*chunk);
	bool sane = chunk->used <= chunk->size - sizeof(*chunk) && chunk->thread <= chunk->used &&
		    chunk->thread <= WM_TEST_NAME_MOST && !memchr(body, 0, chunk->thread) &&
		    wm_raw_counts_sum(body, chunk->used) == chunk->sequence;
	return sane ? body : NULL;
}

static bool is_mark(const struct wm_raw_chunk *chunk)
{
	return chunk->kind == WM_CHUNK_TEST && chunk->sequence;
}

static bool take_mark(void *closure, const uint8_t *at, const struct wm_raw_chunk *chunk)
{
	struct parts *parts = closure;
	if (!is_mark(chunk))
		return true;
	const uint8_t *body = check_mark(at, chunk);
	parts->senseless |= !body;
	if (body)
		give_part(parts, body + chunk->thread, chunk->used - chunk->thread);
	if (parts->senseless || parts->no_memory || parts->stopped)
		return false;
	memcpy(parts->name, body, chunk->thread);
	parts->name[chunk->thread] = 0;
	parts->number++;
	return true;
}

static bool note_mark(void *closure, const uint8_t *at, const struct wm_raw_chunk *chunk)
{
	(void)at;
	*(bool *)closure |= is_mark(chunk);
	return true;
}

static enum wm_profile_status open_file(
	struct wm_raw_file *file, const struct wm_profile_image *image, struct wm_profile_error *error)
{
	enum wm_profile_status status = wm_raw_file_open(file, image->data, image->size, error);
	file->extent = image->extent;
	file->extent_count = image->extent_count;
	return status;
}

bool wm_raw_has_tests(const struct wm_profile_image *image)
{
	struct wm_raw_file file;
	struct wm_profile_error ignored;
	bool any = false;
	if (!open_file(&file, image, &ignored) && !(file.header.flags & WM_RAW_POOL))
		wm_raw_file_chunks(&file, note_mark, &any);
	wm_raw_file_close(&file);
	return any;
}

static enum wm_profile_status read_marks(struct parts *parts, struct wm_profile_error *error)
{
	struct wm_raw_file file;
	enum wm_profile_status status = open_file(&file, parts->image, error);
	if (!status && !(file.header.flags & WM_RAW_POOL))
		wm_raw_file_chunks(&file, take_mark, parts);
	wm_raw_file_close(&file);
	if (parts->senseless)
		parts->name[0] = 0;
	if (!status && !parts->stopped && !parts->no_memory)
		give_rest(parts);
	return status;
}

enum wm_profile_status wm_raw_parts(
	const struct wm_profile_image *image, wm_raw_take_part *take, void *closure, struct wm_profile_error *error)
{
	struct parts parts = {
		.image = image, .table = wm_raw_table_new(), .take = take, .closure = closure, .number = 1};
	struct wm_raw_identity identity;
	wm_profile_init(&parts.rest);
	enum wm_profile_status status = WM_PROFILE_NO_MEMORY;
	if (parts.table)
		status = wm_raw_read_image(&parts.rest, &identity, image, NULL, error);
	bool usable = status == WM_PROFILE_OK || status == WM_PROFILE_DAMAGED;
	enum wm_profile_status marks = usable ? read_marks(&parts, error) : status;
	wm_profile_release(&parts.rest);
	wm_raw_table_free(parts.table);
	if (parts.no_memory || status == WM_PROFILE_NO_MEMORY)
		return wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its counts");
	if (usable && parts.senseless)
		return wm_profile_say(WM_PROFILE_DAMAGED, error,
			"the names of its tests are damaged from part %llu on: no counts are lost",
			(unsigned long long)parts.number);
	return marks ? marks : status;
}
