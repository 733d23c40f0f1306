/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/segments/set.h"
#include "analysis/replay/recount.h"
#include "analysis/replay/summary.h"
#include "analysis/segments/lost.h"
#include "analysis/segments/recording_segments.h"
#include "profile/raw/raw_recording.h"
#include "store/url.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- From profiles ----------------------------------------------------------------------- */

/* What calls do that a path steps over at a position. */
struct kept {
	uint64_t calls; /* how many may call a profiled function: indirect calls may */
	bool twice; /* one may return twice */
};

/* The functions that LLVM takes for functions that return twice. */
static bool may_return_twice(const char *callee)
{
	static const char *const names[] = {
		"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "savectx", "vfork", "getcontext"};
	for (size_t i = 0; callee && i < sizeof names / sizeof *names; i++)
		if (!strcmp(callee, names[i]))
			return true;
	return false;
}

static void note_call(struct kept *kept, const struct wm_story_function *function, const struct wm_segment_names *names,
	uint32_t site)
{
	const struct wm_call *call = &function->map->call[site];
	kept->calls += wm_segment_names_reach(names, function->module, call);
	kept->twice |= may_return_twice(wm_map_callee(function->module, call));
}

/* The calls that a trail steps over at a step that enters a block or returns to one: those before the next call on it. */
static struct kept kept_at(const struct wm_story_function *const *body, const struct wm_trail *trail, uint32_t at,
	const struct wm_segment_names *names)
{
	const struct wm_trail_step *step = &trail->step[at];
	const struct wm_map_function *map = body[step->function]->map;
	const struct wm_unit_function calls = {.call_count = map->call_count, .call = map->call};
	uint32_t next = wm_trail_calls_next(trail, at) ? step[1].site : WM_NONE;
	uint32_t i = step->kind == WM_TRAIL_RETURN ? step->site + 1 : wm_unit_first_call(&calls, step->block);
	struct kept kept = {0};
	for (; i < next && i < map->call_count && map->call[i].block == step->block; i++)
		note_call(&kept, body[step->function], names, i);
	return kept;
}

/* Segments that step over a call of a profiled function are left out.  A path that goes on after the second return of a call
 * has all that it had before the call once more, so it is not known how often that was executed.  `resumed`: this may have
 * happened; residual builds do not count it. */
static void step_over(struct kept kept, bool resumed, bool *over, uint32_t at)
{
	over[at] = kept.calls > 0;
	for (uint32_t i = 0; kept.twice && resumed && i <= at; i++)
		over[i] = true;
}

/* Whether the path begins after a cut.  The landing pad of a crossed call begins a path too, but no segment goes on there. */
static bool begins_after_cut(const struct wm_story_unit *unit, const struct wm_trail *trail)
{
	const struct wm_trail_step *first = &trail->step[trail->fresh];
	if (!unit || trail->start != WM_START_CUT || first->site != WM_NONE)
		return trail->start == WM_START_CUT;
	const struct wm_unit_function *f = &unit->binary->unit.function[first->function];
	const bool *cut = unit->binary->plan.function[first->function].cut;
	if (!wm_unit_is_landing_pad(f, first->block))
		return true;
	for (uint32_t e = 0; cut && e < f->graph->edge_count; e++)
		if (cut[e] && f->graph->edge_to[e] == first->block)
			return true;
	return false;
}

/* Per step of the trail: no segment goes through it.  A segment that is open where a path is cut is in two pieces, and neither
 * is a segment. */
static bool *find_stepped_over(struct wm_segment_set *set, const struct wm_story_function *function,
	const struct wm_story_path *path, const struct wm_trail *trail, const struct wm_segment_bodies *bodies,
	struct wm_arena *arena)
{
	bool resumed = wm_story_whole_balance(function)->resumed || function->residual;
	bool *over = WM_NEW(arena, bool, trail->count);
	if (!over)
		wm_no_memory();
	for (uint32_t i = trail->fresh; i < trail->count; i++) {
		if (trail->step[i].kind == WM_TRAIL_CALL)
			continue;
		struct kept kept = kept_at(bodies->body, trail, i, bodies->names);
		step_over(kept, resumed, over, i);
		set->stepped_over += path->count * kept.calls;
	}
	over[trail->fresh] |= begins_after_cut(wm_story_unit_of(function), trail);
	over[trail->count - 1] |= trail->end == WM_END_CUT || trail->end == WM_END_CALL;
	return over;
}

/* Adds the segments of a path: the calls that it crosses and the calls that were inlined count alike. */
static void add_segments(struct wm_segment_set *set, const struct wm_story_function *function,
	const struct wm_story_path *path, const struct wm_segment_names *profiled, uint32_t depth)
{
	const struct wm_segment_bodies bodies = {profiled, wm_story_bodies(&function)};
	const struct wm_block_names names = {&bodies, wm_segment_block_name};
	struct wm_trail trail, original;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_story_decode(function, path->id, &trail, &arena);
	wm_story_original(bodies.body, &trail, &original, &arena);
	set->cut += trail.end == WM_END_CUT && trail.cut == WM_NONE ? path->count : 0;
	struct wm_walked_path counted = {&original, trail.count,
		find_stepped_over(set, function, path, &trail, &bodies, &arena), path->count,
		{.function = function, .id = path->id}};
	wm_projection_add(&set->segments, &counted, depth, &names);
	wm_arena_release(&arena);
}

static void add_path(struct wm_segment_set *set, const char *function, uint64_t graph, uint64_t id)
{
	wm_projection_append(&set->paths,
		(struct wm_projected_segment){.text = wm_xprintf("%s %" PRIx64 ".%" PRIu64, function, graph, id)});
}

/* The function is of a build that does not inline calls. */
static bool has_own_paths(const struct wm_story_function *function)
{
	struct wm_scheme_choice choice;
	return !function->map->inlined && !wm_story_crosses_calls(function) &&
	       wm_scheme_parse(function->map->scheme, &choice) == WM_OK && !choice.scheme->iterates &&
	       !choice.scheme->contexts && !choice.scheme->at_calls && !choice.scheme->crosses;
}

static void add_own_paths(
	struct wm_segment_set *set, const struct wm_story_function *function, const struct wm_segment_names *names)
{
	const char *name = wm_segment_text(names, function->map);
	set->paths_known |= function->state == WM_STORY_RAN;
	for (size_t i = 0; i < function->ran_count; i++)
		add_path(set, name, function->map->graph_hash, function->path[i].id);
	wm_words_add(&set->path_functions, wm_xstrdup(name));
}

static void add_function(struct wm_segment_set *set, const struct wm_story_function *function,
	const struct wm_segment_names *names, uint32_t depth)
{
	set->residual |= function->residual;
	set->inlined += wm_map_has_origins(function->map);
	for (size_t i = 0; i < function->ran_count; i++)
		add_segments(set, function, &function->path[i], names, depth);
}

static void sum_balances(struct wm_segment_set *set, const struct wm_story *story)
{
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		if (wm_story_crosses_calls(function) || !function->map->inlined)
			continue;
		set->abandoned += function->balance.abandoned;
		set->resumed += function->balance.resumed;
	}
	for (size_t i = 0; i < story->units.count; i++) {
		set->abandoned += story->units.unit[i].balance.abandoned;
		set->resumed += story->units.unit[i].balance.resumed;
	}
}

void wm_segment_set_take_story(struct wm_segment_set *set, const struct wm_story *story, uint32_t depth)
{
	bool builds = false;
	struct wm_segment_names names;
	wm_segment_names_init(&names, story, set->any_program);
	for (size_t f = 0; f < story->function_count; f++) {
		const struct wm_story_function *function = &story->function[f];
		builds |= function->map->inlined || wm_story_crosses_calls(function);
		bool ran = function->state == WM_STORY_RAN;
		if (has_own_paths(function) && (ran || function->state == WM_STORY_IDLE))
			add_own_paths(set, function, &names);
		else if (ran && (function->map->inlined || wm_story_crosses_calls(function)))
			add_function(set, function, &names, depth);
	}
	wm_segments_find_lost(&set->segments.lost, story, &names);
	sum_balances(set, story);
	if (!builds)
		wm_fail("the program was not built with -fwaymark-segments or -fwaymark-scheme=piecewise, so its paths "
			"do not go through calls");
	wm_segment_names_release(&names);
}

/* ---- From recordings --------------------------------------------------------------------- */

static bool is_grammar(const struct wm_buffer *file)
{
	return wm_wpp_is_recording(file->data, file->size);
}

static bool has_streams(const struct wm_buffer *file)
{
	struct wm_raw_recording recording;
	struct wm_profile_error error;
	enum wm_profile_status status = wm_raw_recording_open(&recording, file->data, file->size, NULL, 0, &error);
	if (status != WM_PROFILE_OK && status != WM_PROFILE_DAMAGED)
		return false;
	bool found = recording.stream_count;
	wm_raw_recording_close(&recording);
	return found;
}

static void read_file(struct wm_buffer *file, const char *path)
{
	if (!wm_buffer_read(file, path))
		wm_fail("cannot read %s: %s", path, strerror(errno));
}

bool wm_segments_is_recording(const char *path)
{
	struct wm_buffer file;
	if (wm_is_store(path) || !wm_buffer_read(&file, path))
		return false;
	bool found =
		is_grammar(&file) || (wm_profile_format(file.data, file.size) == WM_FORMAT_RAW && has_streams(&file));
	wm_buffer_release(&file);
	return found;
}

struct writer {
	struct wm_segment_set *set;
	const struct wm_wpp_view *view;
	const struct wm_segment_names *names;
	FILE *out;
	bool begun;
};

static void write_text(void *closure, const char *text)
{
	struct writer *writer = closure;
	fprintf(writer->out, "%s%s", writer->begun ? " " : "", text);
	writer->begun = true;
}

static void write_block(void *closure, uint32_t function, uint32_t block)
{
	struct writer *writer = closure;
	fprintf(writer->out, "%s%s:%u", writer->begun ? " " : "",
		wm_segment_text(writer->names, writer->view->told[function]->map), block);
	writer->begun = true;
}

static char *segment_text(struct writer *writer, const struct wm_sequence_name *segment)
{
	const struct wm_segment_teller teller = {writer, write_text, write_block};
	char *text = NULL;
	size_t size = 0;
	writer->out = open_memstream(&text, &size);
	writer->begun = false;
	if (!writer->out)
		wm_no_memory();
	wm_segment_tell(segment, writer->view->function, &teller);
	if (fclose(writer->out))
		wm_no_memory();
	return text;
}

static void take_path(void *closure, uint32_t function, const struct wm_id_count *path)
{
	const struct writer *writer = closure;
	const struct wm_map_function *map = writer->view->told[function]->map;
	add_path(writer->set, wm_segment_text(writer->names, map), map->graph_hash, path->id);
}

static void take_recording(struct wm_segment_set *set, size_t index, uint32_t depth)
{
	struct wm_segment_recording *recording = &set->recording[index];
	struct wm_segment_names names;
	wm_segment_names_init(&names, &recording->view.story, set->any_program);
	struct writer writer = {.set = set, .view = &recording->view, .names = &names};
	wm_wpp_find_segments(&recording->view, depth, &recording->counts);
	wm_id_counts_sort(&recording->counts.counts, wm_by_id);
	for (size_t i = 0; i < recording->counts.counts.used; i++) {
		const struct wm_id_count *slot = &recording->counts.counts.slot[i];
		wm_projection_append(
			&set->segments, (struct wm_projected_segment){
						.text = segment_text(&writer, &recording->counts.names.name[slot->id]),
						.count = slot->count,
						.place = {.id = slot->id, .in = index}});
	}
	wm_wpp_acyclic(&recording->view, &writer, take_path);
	for (size_t i = 0; i < names.count; i++)
		wm_words_add(&set->path_functions, wm_xstrdup(names.named[i].text));
	set->paths_known = true;
	wm_segment_names_release(&names);
}

/* Reads files that are one recording. */
static void open_recording(struct wm_segment_set *set, char *const *paths, size_t count,
	const struct wm_operands *binaries, const char *debug_dir)
{
	struct wm_wpp wpp;
	WM_XGROW(set->recording, set->recording_count);
	struct wm_segment_recording *recording = &set->recording[set->recording_count++];
	*recording = (struct wm_segment_recording){0};
	wm_wpp_load(&wpp, paths, count);
	if (wpp.table.kind == WM_WPP_BRANCHES)
		wm_fail("%s is a recording of `waymark hw`, which has no calls; record a program that was compiled "
			"with "
			"-fwaymark-wpp",
			paths[0]);
	wm_wpp_view_open(&recording->view, &wpp, binaries, debug_dir);
}

void wm_segment_set_take_recordings(struct wm_segment_set *set, char *const *paths, size_t count,
	const struct wm_operands *binaries, uint32_t depth, const char *debug_dir)
{
	char **raw = wm_xrealloc(NULL, count + 1, sizeof *raw);
	size_t raw_count = 0, first = set->recording_count;
	for (size_t i = 0; i < count; i++) {
		struct wm_buffer file;
		read_file(&file, paths[i]);
		if (is_grammar(&file))
			open_recording(set, &paths[i], 1, binaries, debug_dir);
		else
			raw[raw_count++] = paths[i];
		wm_buffer_release(&file);
	}
	if (raw_count)
		open_recording(set, raw, raw_count, binaries, debug_dir);
	for (size_t i = first; i < set->recording_count; i++)
		take_recording(set, i, depth);
	free(raw);
}

void wm_segment_set_take_view(struct wm_segment_set *set, const struct wm_wpp_view *view, uint32_t depth)
{
	WM_XGROW(set->recording, set->recording_count);
	set->recording[set->recording_count++] = (struct wm_segment_recording){.view = *view, .borrowed = true};
	take_recording(set, set->recording_count - 1, depth);
}

/* ---- Both -------------------------------------------------------------------------------- */

/* On a line of its own, if there is one; frees it. */
static void write_sentence(FILE *out, char *sentence)
{
	if (sentence)
		fprintf(out, "%s\n", sentence);
	free(sentence);
}

static void find_lacks(struct wm_segment_set *set)
{
	size_t size = 0;
	FILE *out = open_memstream(&set->lacks, &size);
	if (!out)
		wm_no_memory();
	for (size_t i = 0; i < set->recording_count; i++) {
		const struct wm_segment_recording *recording = &set->recording[i];
		write_sentence(out, wm_wpp_orphans_text(&recording->counts));
		write_sentence(out, wm_wpp_stopped_text(&recording->view));
		set->stopped |= wm_wpp_stopped(&recording->view);
	}
	if (fclose(out))
		wm_no_memory();
	set->segments.incomplete = *set->lacks;
}

void wm_segment_set_finish(struct wm_segment_set *set)
{
	find_lacks(set);
	wm_projection_finish(&set->segments);
	wm_projection_finish(&set->paths);
	wm_words_sort(&set->path_functions);
}

void wm_segment_set_release(struct wm_segment_set *set)
{
	for (size_t i = 0; i < set->recording_count; i++) {
		wm_segment_counts_release(&set->recording[i].counts);
		if (!set->recording[i].borrowed)
			wm_wpp_view_release(&set->recording[i].view);
	}
	free(set->recording);
	wm_projection_release(&set->segments);
	wm_projection_release(&set->paths);
	wm_words_release(&set->path_functions);
	free(set->lacks);
	*set = (struct wm_segment_set){0};
}

/* ---- Source lines ------------------------------------------------------------------------ */

static const struct wm_story_function *recording_steps(
	const struct wm_segment_recording *recording, uint64_t id, struct wm_steps *steps)
{
	const struct wm_sequence_name *name = &recording->counts.names.name[id];
	const struct wm_story_function *first = NULL;
	enum wm_way way = WM_WAY_ON;
	uint32_t depth = 0;
	wm_steps_clear(steps);
	for (uint32_t i = 0; i < name->length; i++) {
		struct wm_arena arena;
		struct wm_wpp_subpath subpath;
		wm_arena_init(&arena);
		if (name->piece[i] == WM_SEGMENT_CALL) {
			depth++;
			way = WM_WAY_CALL;
		} else if (name->piece[i] == WM_SEGMENT_RETURN) {
			depth--;
			way = WM_WAY_BACK;
		} else if (wm_wpp_subpath(&recording->view, name->piece[i], &subpath, &arena)) {
			if (!i)
				way = wm_segment_way(
					subpath.trail.step[0].site == WM_NONE ? subpath.trail.start : WM_START_CALL);
			wm_steps_append(steps, subpath.function, &subpath.trail, depth, way);
			first = first ? first : subpath.function;
			way = WM_WAY_ON;
		}
		wm_arena_release(&arena);
	}
	return first;
}

const struct wm_story_function *wm_segment_steps(
	const struct wm_segment_set *set, const struct wm_projected_segment *segment, struct wm_steps *steps)
{
	const struct wm_segment_place *place = &segment->place;
	if (!place->function)
		return recording_steps(&set->recording[place->in], place->id, steps);
	wm_steps_tell_segment(steps, place->function, place->id, place->range);
	return place->function;
}

bool wm_segment_wanted(const struct wm_segment_set *set, const struct wm_projected_segment *segment,
	struct wm_steps *steps, const struct wm_function_filter *filter)
{
	if (!wm_filter_has_files(filter))
		return true;
	wm_segment_steps(set, segment, steps);
	for (size_t i = 0; i < steps->count; i++) {
		const struct wm_source_step *step = &steps->step[i];
		if (wm_file_filter_passes(
			    &filter->files, filter->scope, step->file ? step->file : wm_story_file(step->function)))
			return true;
	}
	return false;
}
