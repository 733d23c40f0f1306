/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "link/link.h"
#include "analysis/join/gather.h"
#include "core/probes/unit_program.h"
#include "core/scheme/unit_plan.h"
#include "link/tested_object.h"
#include "policy/known_weights.h"
#include "policy/plugin_options.h"
#include "policy/roots.h"
#include "policy/settings.h"
#include "policy/site_list.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/output.h"
#include "support/xalloc.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The command line ------------------------------------------------------------- */

/* The argument of an option that is written --NAME=ARGUMENT, -NAME=ARGUMENT or --NAME ARGUMENT; NULL: it is another. */
static const char *argument_of(const char *word, const char *option, const char *next)
{
	size_t length = strlen(option);
	if (*word++ != '-')
		return NULL;
	word += *word == '-';
	if (strncmp(word, option, length) != 0)
		return NULL;
	return word[length] == '=' ? word + length + 1 : word[length] ? NULL : next;
}

void wm_link_step_note(struct wm_link_step *step, const char *word, const char *next)
{
	static const char *const starting[] = {"e", "entry", "init", "fini"};
	const char *name = argument_of(word, "wrap", next);
	if (name)
		wm_names_add(&step->wrapped, name);
	for (size_t i = 0; i < sizeof starting / sizeof *starting; i++)
		if ((name = argument_of(word, starting[i], next)))
			wm_names_add(&step->started, name);
}

/* ---- Sets of keys ------------------------------------------------------------------ */

struct keys {
	size_t count;
	uint64_t *key;
};

static void keys_add(struct keys *keys, uint64_t key)
{
	WM_XGROW(keys->key, keys->count);
	keys->key[keys->count++] = key;
}

static int by_value(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

static void keys_sort(struct keys *keys)
{
	if (keys->count)
		qsort(keys->key, keys->count, sizeof *keys->key, by_value);
}

/* Releases `more`. */
static void keys_join(struct keys *keys, struct keys *more)
{
	for (size_t i = 0; i < more->count; i++)
		keys_add(keys, more->key[i]);
	keys_sort(keys);
	free(more->key);
}

static bool keys_have(const struct keys *keys, uint64_t key)
{
	return keys->count && bsearch(&key, keys->key, keys->count, sizeof key, by_value);
}

/* ---- What is known about functions --------------------------------------------------- */

struct linking {
	const struct wm_link_step *step;
	const struct wm_object *object;
	struct wm_links *links;
	struct wm_arena arena;
	struct wm_units units;
	struct wm_options options;
	bool has_list;
	struct wm_site_list list;
	struct keys taken; /* functions whose address is taken */
	struct keys entered; /* functions that other code calls */
	struct keys wrapped;
};

static void *obtain(struct linking *l, size_t count, size_t size)
{
	void *memory = wm_arena_alloc(&l->arena, count, size);
	if (!memory)
		wm_no_memory();
	return memory;
}

static int by_name(const void *left, const void *right)
{
	return strcmp((*(const struct wm_map_function *const *)left)->name,
		(*(const struct wm_map_function *const *)right)->name);
}

static void note_taken(struct linking *l, const struct wm_map_module *module)
{
	const struct wm_map_function **sorted = wm_xmalloc((module->function_count + (size_t)1) * sizeof *sorted);
	for (uint32_t i = 0; i < module->function_count; i++)
		sorted[i] = &module->function[i];
	qsort(sorted, module->function_count, sizeof *sorted, by_name);
	for (uint32_t i = 0; i < module->taken_count; i++) {
		const struct wm_map_function named = {.name = module->taken[i]}, *wanted = &named;
		const struct wm_map_function **found =
			bsearch(&wanted, sorted, module->function_count, sizeof *sorted, by_name);
		keys_add(&l->taken, found ? (*found)->key : wm_function_key(named.name, NULL));
	}
	free(sorted);
}

/* Calls of functions that do not take part are calls from outside. */
static void note_module(struct linking *l, const struct wm_map_module *module)
{
	note_taken(l, module);
	for (uint32_t i = 0; i < module->function_count; i++) {
		const struct wm_map_function *function = &module->function[i];
		for (uint32_t c = 0; !wm_counts_across(function) && c < function->call_count; c++)
			if (function->call[c].callee != WM_NONE)
				keys_add(&l->entered, wm_callee_key(module, function->call[c].callee));
	}
}

static void note_names(struct linking *l)
{
	const struct wm_link_step *step = l->step;
	keys_add(&l->entered, wm_function_key("main", NULL));
	for (size_t i = 0; i < step->started.count; i++)
		keys_add(&l->entered, wm_function_key(step->started.name[i], NULL));
	for (size_t i = 0; i < step->wrapped.count; i++) {
		char *wrapper = wm_xprintf("__wrap_%s", step->wrapped.name[i]);
		keys_add(&l->wrapped, wm_function_key(step->wrapped.name[i], NULL));
		keys_add(&l->wrapped, wm_function_key(wrapper, NULL));
		free(wrapper);
	}
}

static void note_entered(void *closure, const char *name)
{
	keys_add(&((struct linking *)closure)->entered, wm_function_key(name, NULL));
}

/* Whatever calls an alias calls its function.  A weak alias may be one of several definitions. */
static void note_alias(const struct linking *l, uint64_t name, bool weak, uint64_t function, struct keys more[2])
{
	if (keys_have(&l->taken, name))
		keys_add(&more[0], function);
	if (weak || wm_links_exported(l->links, name) || keys_have(&l->entered, name) || keys_have(&l->wrapped, name))
		keys_add(&more[1], function);
}

static void note_aliases(struct linking *l)
{
	struct keys more[2] = {0}; /* taken, entered */
	for (uint32_t m = 0; m < l->object->map.module_count; m++) {
		const struct wm_map_module *module = &l->object->map.module[m];
		for (uint32_t i = 0; i < module->alias_count; i++)
			note_alias(l, wm_function_key(module->alias[i].name, NULL), module->alias[i].weak,
				module->function[module->alias[i].function].key, more);
	}
	keys_join(&l->taken, &more[0]);
	keys_join(&l->entered, &more[1]);
}

static void note_functions(struct linking *l)
{
	for (uint32_t m = 0; m < l->object->map.module_count; m++)
		note_module(l, &l->object->map.module[m]);
	note_names(l);
	wm_link_inputs_scan(&l->step->inputs, note_entered, l);
	keys_sort(&l->taken);
	keys_sort(&l->entered);
	keys_sort(&l->wrapped);
	note_aliases(l);
}

static const struct wm_exported *exported(const struct linking *l, const struct wm_unit_member *member)
{
	return member->flags & WM_LINK_LOCAL ? NULL : wm_links_exported(l->links, member->map->key);
}

/* If only copies are left that were inlined, no call of the function is crossed. */
static struct wm_entry_facts entry_facts(const struct linking *l, const struct wm_unit_member *member)
{
	uint64_t key = member->map->key;
	return (struct wm_entry_facts){.main = member->flags & WM_LINK_ROOT,
		.visible = exported(l, member) || keys_have(&l->entered, key),
		.taken = keys_have(&l->taken, key),
		.replaced = member->flags & WM_LINK_COPY || keys_have(&l->wrapped, key),
		.handler_type = member->flags & WM_LINK_HANDLER};
}

/* Why no call of the function by the name with this key may be crossed; WM_CROSSED: it may. */
static uint8_t judge_callee(const struct linking *l, const struct wm_unit_member *member, uint64_t name)
{
	const struct wm_exported *symbol =
		name == member->map->key ? exported(l, member) : wm_links_exported(l->links, name);
	if (symbol && symbol->replaceable)
		return WM_SITE_REPLACEABLE;
	if (wm_may_be_handler(entry_facts(l, member)))
		return WM_SITE_HANDLER;
	return keys_have(&l->wrapped, name) ? WM_SITE_WRAPPED : WM_CROSSED;
}

/* The key of the name that a call site has for its callee. */
static uint64_t name_at(const struct wm_unit_member *caller, uint32_t site)
{
	return wm_callee_key(caller->module, caller->map->call[site].callee);
}

/* ---- What to cross --------------------------------------------------------------------- */

/* The arrays of a request, which are written here. */
struct wishes {
	bool *entry;
	bool **over, **first;
};

static void judge_site(struct linking *l, struct wm_binary_unit *unit, struct wishes *wishes, uint32_t f, uint32_t site)
{
	uint8_t *fate = &unit->fate[f][site];
	uint32_t callee = unit->unit.function[f].call[site].callee;
	if (*fate == WM_CROSSED)
		*fate = judge_callee(l, &unit->member[callee], name_at(&unit->member[f], site));
	if (*fate == WM_CROSSED && l->options.test.step_over)
		*fate = WM_OVER_CHOSEN;
	if (*fate == WM_CROSSED && l->has_list) {
		enum wm_cross_choice choice = wm_site_list_choose(&l->list, unit->member[f].map,
			&unit->unit.function[f].call[site], unit->unit.function[callee].name);
		*fate = choice == WM_CROSS_NEVER ? WM_SITE_LISTED : WM_CROSSED;
		wishes->first[f][site] = choice == WM_CROSS_FIRST;
	}
	wishes->over[f][site] = *fate != WM_CROSSED;
}

/* Where several definitions have one key, any of them may be the one that is called. */
static void enter_duplicates(struct linking *l, struct wm_binary_unit *unit, bool *entry)
{
	struct wm_keyed *keyed = wm_unit_keys(unit, &l->arena);
	for (uint32_t i = 1; i < unit->unit.function_count; i++)
		if (keyed[i].key == keyed[i - 1].key)
			entry[keyed[i].function] = entry[keyed[i - 1].function] = true;
}

static struct wishes make_wishes(struct linking *l, struct wm_binary_unit *unit)
{
	uint32_t count = unit->unit.function_count;
	struct wishes wishes = {
		obtain(l, count, sizeof(bool)), obtain(l, count, sizeof(bool *)), obtain(l, count, sizeof(bool *))};
	for (uint32_t f = 0; f < count; f++) {
		uint32_t calls = unit->unit.function[f].call_count;
		wishes.entry[f] = wm_is_entry(entry_facts(l, &unit->member[f]));
		wishes.over[f] = obtain(l, calls, sizeof(bool));
		wishes.first[f] = obtain(l, calls, sizeof(bool));
		for (uint32_t i = 0; i < calls; i++)
			judge_site(l, unit, &wishes, f, i);
	}
	enter_duplicates(l, unit, wishes.entry);
	return wishes;
}

/* What a profile of the acyclic scheme knows about the function, else an estimate. */
static enum wm_status weigh(struct linking *l, struct wm_weights *weights, const struct wm_map_function *map)
{
	struct wm_map_function acyclic = *map;
	struct wm_plan plan;
	bool known = false;
	acyclic.scheme = wm_scheme_acyclic.name;
	acyclic.graph_hash = wm_map_graph_hash(&map->graph, acyclic.scheme);
	*weights = (struct wm_weights){.edge = obtain(l, map->graph.edge_count, sizeof(double)),
		.block = obtain(l, map->graph.block_count, sizeof(double))};
	enum wm_status status = wm_plan_make(&plan, &map->graph, &wm_scheme_acyclic, 0, &l->arena);
	if (status == WM_OK)
		status = wm_weights_add_profile(weights, &known, &l->options.weights, &acyclic, &plan, &l->arena);
	return status == WM_OK && !known ? wm_weights_static(weights, &map->graph, &plan.dfs, &l->arena) : status;
}

static const struct wm_weights *weigh_all(struct linking *l, const struct wm_binary_unit *unit)
{
	uint32_t count = unit->unit.function_count;
	if (!wm_options_weights(&l->options))
		return NULL;
	struct wm_weights *weights = obtain(l, count, sizeof *weights);
	for (uint32_t f = 0; f < count; f++)
		if (weigh(l, &weights[f], unit->member[f].map) != WM_OK)
			wm_no_memory();
	return weights;
}

static bool plan(struct linking *l, struct wm_binary_unit *unit)
{
	struct wishes wishes = make_wishes(l, unit);
	struct wm_unit_request request = {.unit = &unit->unit,
		.scheme = unit->scheme,
		.share = WM_UNIT_SHARE,
		.entry = wishes.entry,
		.over = (const bool *const *)wishes.over,
		.first = (const bool *const *)wishes.first,
		.weights = weigh_all(l, unit)};
	enum wm_status status = wm_unit_plan_make(&unit->plan, &request, &l->arena);
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	if (status == WM_OK)
		wm_gather_finish(unit);
	return status == WM_OK;
}

/* ---- Tables ------------------------------------------------------------------------------ */

static const uint64_t *make_tokens(struct linking *l, const struct wm_binary_unit *unit)
{
	uint32_t count = unit->unit.function_count;
	uint64_t *token = obtain(l, count, sizeof *token);
	for (uint32_t f = 0; f < count; f++)
		token[f] = unit->plan.callgraph.position[f] + UINT64_C(1);
	return token;
}

static void leave_fates(
	const struct wm_binary_unit *unit, uint32_t f, const struct wm_unit_program *program, uint64_t *word)
{
	for (uint32_t i = 0; i < unit->unit.function[f].call_count; i++)
		if (program->site[i] != WM_NONE && word[program->site[i] + WM_SITE_TOKEN] == 0)
			word[program->site[i] + WM_SITE_BEHIND] = unit->fate[f][i];
}

/* The words of the table of a function, all of whose copies have the same; NULL: its map contradicts itself. */
static uint64_t *make_table(
	const struct wm_binary_unit *unit, uint32_t f, const uint64_t *token, size_t *count, struct wm_arena *arena)
{
	const struct wm_map_function *map = unit->member[f].map;
	const struct wm_plan *plan = &unit->plan.function[f];
	struct wm_unit_program program;
	uint64_t *word = NULL;
	if (map->unit->edge_count != plan->dag.edge_count)
		return NULL;
	enum wm_status status = wm_unit_place(&program, plan, map->unit->tree, arena);
	if (status == WM_OK)
		status = (word = WM_NEW(arena, uint64_t, program.word_count)) ? WM_OK : WM_NO_MEMORY;
	if (status == WM_OK)
		status = wm_unit_table_fill(plan, &program, token, word, arena);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "cannot number %s: %s", map->name, wm_status_text(status));
	leave_fates(unit, f, &program, word);
	*count = program.word_count;
	return word;
}

/* False: the file does not have the table or the records that the link record names. */
static bool patch_copy(
	struct linking *l, const struct wm_binary_unit *unit, uint32_t link, const uint64_t *word, size_t count)
{
	uint64_t *table = wm_links_table(l->links, link, count);
	struct wm_func *func = wm_links_func(l->links, link);
	struct wm_link *record = wm_links_record(l->links, link);
	if (!table || !func || !record || func->key != record->key)
		return false;
	memcpy(table, word, count * sizeof *table);
	func->graph_hash = unit->hash;
	func->source = unit->source;
	record->flags |= WM_LINK_LINKED;
	return true;
}

static bool patch_function(struct linking *l, const struct wm_binary_unit *unit, uint32_t f, const uint64_t *token)
{
	struct wm_arena scratch;
	size_t count;
	wm_arena_init(&scratch);
	const uint64_t *word = make_table(unit, f, token, &count, &scratch);
	bool fits = word;
	for (uint32_t i = 0; fits && i < unit->member[f].link_count; i++)
		fits = patch_copy(l, unit, unit->member[f].link[i], word, count);
	wm_arena_release(&scratch);
	return fits;
}

static bool patch(struct linking *l, const struct wm_binary_unit *unit)
{
	const uint64_t *token = make_tokens(l, unit);
	for (uint32_t f = 0; f < unit->unit.function_count; f++)
		if (!patch_function(l, unit, f, token))
			return false;
	return true;
}

/* ---- The step ------------------------------------------------------------------------------ */

static void read_list(struct linking *l)
{
	const char *path = wm_setting_file(&wm_settings[WM_SET_CROSS]);
	struct wm_buffer file;
	char error[300];
	if (!path)
		return;
	if (!wm_buffer_read(&file, path))
		wm_fail("cannot read '%s': %s", path, strerror(errno));
	l->has_list = true;
	if (!wm_site_list_parse(&l->list, (char *)file.data, error))
		wm_fail("%s: %s", path, error);
}

static void report_unmatched(const struct linking *l)
{
	for (size_t i = 0; i < l->list.count; i++)
		if (!l->list.rule[i].matched)
			wm_warn("note: line %u of %s matches no call that can be crossed", l->list.rule[i].at,
				wm_setting_file(&wm_settings[WM_SET_CROSS]));
}

static const char *number_whole(struct linking *l)
{
	note_functions(l);
	wm_gather_whole(&l->units, l->object, l->links, &l->arena);
	if (*l->units.trouble)
		return "its map does not describe all of its functions";
	for (uint32_t i = 0; i < l->units.count; i++) {
		if (!plan(l, l->units.unit[i]))
			return "its functions have too many paths";
		if (!patch(l, l->units.unit[i]))
			return "its map does not fit its code";
	}
	return NULL;
}

static void release(struct linking *l)
{
	free(l->taken.key);
	free(l->entered.key);
	free(l->wrapped.key);
	wm_site_list_release(&l->list);
	wm_options_release(&l->options);
	wm_arena_release(&l->arena);
}

const char *wm_link_step_number(const struct wm_link_step *step, const struct wm_object *object, struct wm_links *links)
{
	struct linking l = {.step = step, .object = object, .links = links};
	char error[300];
	wm_arena_init(&l.arena);
	if (!wm_options_init(&l.options, error))
		wm_fail("%s", error);
	read_list(&l);
	const char *trouble = number_whole(&l);
	if (!trouble) {
		report_unmatched(&l);
		wm_tested_apply(links, &l.units, &l.options, step->output);
	}
	release(&l);
	return trouble;
}

/* Why the file cannot be numbered whole; NULL: it was, or nothing in it counts paths across calls. */
static const char *number_file(
	const struct wm_link_step *step, struct wm_object *object, struct wm_links *links, struct wm_arena *arena)
{
	enum wm_object_status status = wm_object_open(object, step->output, NULL, arena);
	if (!wm_links_open(links, step->output) || !links->count || !links->located)
		return NULL;
	if (status == WM_OBJECT_NO_MAP)
		return "it has no map; strip it after it has been linked, not before";
	if (status != WM_OBJECT_OK) {
		size_t size = sizeof object->trouble + 32;
		char *damaged = WM_NEW(arena, char, size);
		if (!damaged)
			wm_no_memory();
		snprintf(damaged, size, "its map is damaged (%s)", object->trouble);
		return damaged;
	}
	const char *trouble = wm_link_step_number(step, object, links);
	if (!trouble)
		wm_rewrite_file(step->output, links->image, links->size);
	return trouble;
}

struct stat wm_link_step_before(const struct wm_link_step *step)
{
	struct stat info = {0};
	(void)!stat(step->output, &info);
	return info;
}

/* A linker that was only asked a question has written nothing. */
static bool was_written(const struct wm_link_step *step, const struct stat *before)
{
	struct stat info;
	return stat(step->output, &info) == 0 && S_ISREG(info.st_mode) &&
	       (info.st_ino != before->st_ino || info.st_size != before->st_size ||
		       info.st_mtim.tv_sec != before->st_mtim.tv_sec ||
		       info.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

void wm_link_step_run(const struct wm_link_step *step, const struct stat *before)
{
	struct wm_object object;
	struct wm_links links;
	struct wm_arena arena;
	if (!was_written(step, before))
		return;
	wm_arena_init(&arena);
	const char *trouble = number_file(step, &object, &links, &arena);
	if (trouble)
		wm_warn("note: each source file of %s is numbered alone: %s", step->output, trouble);
	wm_links_close(&links);
	wm_object_release(&object);
	wm_arena_release(&arena);
}
