/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * into += from, in two passes over arrays with the same order.  The first pass allocates all memory that the sum
 * needs; the second adds in place and cannot fail.  So a failure leaves `into` unchanged.  O(size of both).
 */
#include "abi/abi.h"
#include "core/base/grow.h"
#include "core/base/search.h"
#include "profile/base/unfinished_paths.h"
#include "profile/branch_paths.h"
#include "profile/collect.h"

#include <stdlib.h>
#include <string.h>

/* Copies of what `into` lacks, made by the first pass and consumed by the second.
 * Functions form a stack: the second pass meets them backwards. */
struct spare {
	struct wm_profile_function *function;
	size_t function_count, function_capacity;
	struct wm_profile_object *object;
	size_t object_count, object_capacity;
};

static void spare_release(struct spare *spare)
{
	while (spare->function_count)
		wm_function_release(&spare->function[--spare->function_count]);
	free(spare->function);
	while (spare->object_count)
		wm_profile_object_release(&spare->object[--spare->object_count]);
	free(spare->object);
}

static struct wm_counted_path *copy_paths(const struct wm_profile_function *from)
{
	struct wm_counted_path *copy = malloc((from->path_count ? from->path_count : 1) * sizeof(*copy));
	if (copy && from->path_count)
		memcpy(copy, from->path, from->path_count * sizeof(*copy));
	return copy;
}

static bool copy_function(struct wm_profile_function *copy, const struct wm_profile_function *from)
{
	*copy = *from;
	copy->path = copy_paths(from);
	copy->path_capacity = copy->path_count;
	if (copy->path && wm_unfinished_copy(copy, from))
		return true;
	free(copy->path);
	return false;
}

static bool push_function(struct spare *spare, const struct wm_profile_function *from)
{
	if (!WM_RESERVE(spare->function, spare->function_capacity, spare->function_count, 1) ||
		!copy_function(&spare->function[spare->function_count], from))
		return false;
	spare->function_count++;
	return true;
}

static bool copy_functions(struct wm_profile_object *into, const struct wm_profile_object *from)
{
	into->function = malloc((from->function_count ? from->function_count : 1) * sizeof(*into->function));
	into->function_capacity = into->function ? from->function_count : 0;
	into->function_count = 0;
	if (!into->function)
		return false;
	for (size_t i = 0; i < from->function_count; i++) {
		if (!copy_function(&into->function[i], &from->function[i]))
			return false;
		into->function_count++;
	}
	return true;
}

static bool copy_branches(struct wm_profile_object *into, const struct wm_profile_object *from)
{
	into->branches = NULL;
	into->branch_count = into->branch_capacity = 0;
	if (!WM_RESERVE(into->branches, into->branch_capacity, 0, from->branch_count))
		return false;
	if (from->branch_count)
		memcpy(into->branches, from->branches, from->branch_count * sizeof(*from->branches));
	into->branch_count = from->branch_count;
	return true;
}

static bool push_object(struct spare *spare, const struct wm_profile_object *from)
{
	if (!WM_RESERVE(spare->object, spare->object_capacity, spare->object_count, 1))
		return false;
	struct wm_profile_object *copy = &spare->object[spare->object_count++];
	*copy = *from;
	copy->function_count = copy->function_capacity = 0;
	copy->function = NULL;
	copy->branch_count = copy->branch_capacity = 0;
	copy->branches = NULL;
	copy->doubtful_capacity = from->doubtful_count;
	copy->doubtful = malloc((from->doubtful_count + 1) * sizeof(*copy->doubtful));
	if (!copy->doubtful)
		return false;
	if (from->doubtful_count)
		memcpy(copy->doubtful, from->doubtful, from->doubtful_count * sizeof(*copy->doubtful));
	return copy_functions(copy, from) && copy_branches(copy, from);
}

static size_t missing_paths(const struct wm_profile_function *into, const struct wm_profile_function *from)
{
	size_t missing = 0, i = 0;
	for (size_t j = 0; j < from->path_count; j++) {
		while (i < into->path_count && into->path[i].id < from->path[j].id)
			i++;
		missing += i == into->path_count || into->path[i].id != from->path[j].id;
	}
	return missing;
}

static bool prepare_paths(struct wm_profile_function *into, const struct wm_profile_function *from)
{
	return WM_RESERVE(into->path, into->path_capacity, into->path_count, missing_paths(into, from)) &&
	       wm_unfinished_reserve(into, from);
}

static bool prepare_doubtful(struct wm_profile_object *into, const struct wm_profile_object *from)
{
	return WM_RESERVE(into->doubtful, into->doubtful_capacity, into->doubtful_count, from->doubtful_count);
}

static bool prepare_branches(struct wm_profile_object *into, const struct wm_profile_object *from)
{
	return WM_RESERVE(into->branches, into->branch_capacity, into->branch_count, from->branch_count);
}

static bool prepare_object(struct wm_profile_object *into, const struct wm_profile_object *from, struct spare *spare)
{
	size_t missing = 0, i = 0;
	if (!prepare_doubtful(into, from) || !prepare_branches(into, from))
		return false;
	for (size_t j = 0; j < from->function_count; j++) {
		int order = 1;
		while (i < into->function_count &&
			(order = wm_function_compare(&into->function[i], &from->function[j])) < 0)
			i++;
		bool found = i < into->function_count && !order;
		if (!(found ? prepare_paths(&into->function[i], &from->function[j])
			    : push_function(spare, &from->function[j])))
			return false;
		missing += !found;
	}
	return WM_RESERVE(into->function, into->function_capacity, into->function_count, missing);
}

static struct wm_profile_object *find_object(const struct wm_profile *profile, const struct wm_profile_object *like)
{
	return (struct wm_profile_object *)wm_profile_find_like(profile, like);
}

static bool prepare_run_ids(struct wm_profile *into, const struct wm_profile *from)
{
	return WM_RESERVE(into->run_id, into->run_id_capacity, into->run_id_count, from->run_id_count);
}

static bool prepare_objects(struct wm_profile *into, const struct wm_profile *from, struct spare *spare)
{
	for (size_t j = 0; j < from->object_count; j++) {
		struct wm_profile_object *object = find_object(into, &from->object[j]);
		if (!(object ? prepare_object(object, &from->object[j], spare) : push_object(spare, &from->object[j])))
			return false;
	}
	return WM_RESERVE(into->object, into->object_capacity, into->object_count, spare->object_count);
}

/* Backwards, so that the room is opened at the end and nothing moves twice. */
static void add_function(struct wm_profile_function *into, const struct wm_profile_function *from)
{
	size_t i = into->path_count, j = from->path_count, k = i + missing_paths(into, from);
	into->path_count = k;
	wm_function_join(into, from);
	wm_unfinished_merge(into, from);
	while (j) {
		if (i && into->path[i - 1].id > from->path[j - 1].id) {
			into->path[--k] = into->path[--i];
			continue;
		}
		if (i && into->path[i - 1].id == from->path[j - 1].id) {
			into->path[--k] = into->path[--i];
			wm_path_add(&into->path[k], &from->path[--j], &into->doubt);
		} else {
			into->path[--k] = from->path[--j];
		}
	}
}

static size_t missing_functions(const struct wm_profile_object *into, const struct wm_profile_object *from)
{
	size_t missing = 0, i = 0;
	for (size_t j = 0; j < from->function_count; j++) {
		int order = 1;
		while (i < into->function_count &&
			(order = wm_function_compare(&into->function[i], &from->function[j])) < 0)
			i++;
		missing += i == into->function_count || order;
	}
	return missing;
}

static uint64_t add_runs(uint64_t a, uint64_t b)
{
	uint32_t ignored = 0;
	return wm_add_saturating(a, b, &ignored);
}

static void add_doubtful(struct wm_profile_object *into, const struct wm_profile_object *from)
{
	if (!from->doubtful_count)
		return;
	memcpy(into->doubtful + into->doubtful_count, from->doubtful, from->doubtful_count * sizeof(*from->doubtful));
	into->doubtful_count += from->doubtful_count;
	qsort(into->doubtful, into->doubtful_count, sizeof(*into->doubtful), wm_doubtful_run_compare);
}

static void add_branches(struct wm_profile_object *into, const struct wm_profile_object *from)
{
	if (!from->branch_count)
		return;
	memcpy(into->branches + into->branch_count, from->branches, from->branch_count * sizeof(*from->branches));
	into->branch_count += from->branch_count;
	wm_object_sort_branches(into);
}

/* A file may run under several names: the result must not depend on the order of inputs.  If the
 * number of runs is not known in one of them, it is not known of the sum. */
static void add_facts(struct wm_profile_object *into, const struct wm_profile_object *from)
{
	if (*from->program && (!*into->program || strcmp(from->program, into->program) < 0))
		memcpy(into->program, from->program, sizeof(into->program));
	into->claimed = into->build_id_size ? into->claimed && from->claimed : into->claimed || from->claimed;
	into->runs = into->runs && from->runs ? add_runs(into->runs, from->runs) : 0;
	add_doubtful(into, from);
}

static void add_object(struct wm_profile_object *into, const struct wm_profile_object *from, struct spare *spare)
{
	add_facts(into, from);
	add_branches(into, from);
	size_t i = into->function_count, j = from->function_count, k = i + missing_functions(into, from);
	struct wm_profile_function *function = into->function;
	into->function_count = k;
	while (j) {
		int order = i ? wm_function_compare(&function[i - 1], &from->function[j - 1]) : -1;
		if (order >= 0) {
			function[--k] = function[--i];
			if (!order)
				add_function(&function[k], &from->function[--j]);
		} else {
			function[--k] = spare->function[--spare->function_count];
			j--;
		}
	}
}

static void insert_run_id(struct wm_profile *into, const struct wm_run_id *id)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, into->run_id_count, wm_run_id_compare(&into->run_id[i], id) < 0);
	if (i < into->run_id_count && !wm_run_id_compare(&into->run_id[i], id))
		return;
	memmove(&into->run_id[i + 1], &into->run_id[i], (into->run_id_count - i) * sizeof(*id));
	into->run_id[i] = *id;
	into->run_id_count++;
}

/* Mostly there is one, and sorting all would make adding many runs quadratic. */
static void add_run_ids(struct wm_profile *into, const struct wm_profile *from)
{
	if (from->run_id_count == 1)
		insert_run_id(into, from->run_id);
	if (from->run_id_count < 2)
		return;
	memcpy(into->run_id + into->run_id_count, from->run_id, from->run_id_count * sizeof(*from->run_id));
	into->run_id_count += from->run_id_count;
	wm_profile_sort_run_ids(into);
}

static int compare_objects(const void *a, const void *b)
{
	return wm_object_compare(a, b);
}

static void adopt_objects(struct wm_profile *into, struct spare *spare)
{
	size_t count = spare->object_count;
	if (!count)
		return;
	memcpy(into->object + into->object_count, spare->object, count * sizeof(*spare->object));
	into->object_count += count;
	spare->object_count = 0;
	qsort(into->object, into->object_count, sizeof(*into->object), compare_objects);
}

enum wm_profile_status wm_profile_merge(struct wm_profile *into, const struct wm_profile *from)
{
	struct spare spare = {0};
	if (!prepare_run_ids(into, from) || !prepare_objects(into, from, &spare)) {
		spare_release(&spare);
		return WM_PROFILE_NO_MEMORY;
	}
	/* The first pass walked forwards, so the stack's top belongs to the last object. */
	for (size_t j = from->object_count; j--;) {
		struct wm_profile_object *object = find_object(into, &from->object[j]);
		if (object)
			add_object(object, &from->object[j], &spare);
	}
	adopt_objects(into, &spare);
	add_run_ids(into, from);
	into->runs = add_runs(into->runs, from->runs);
	into->any_program |= from->any_program;
	into->kill_unsafe_runs = add_runs(into->kill_unsafe_runs, from->kill_unsafe_runs);
	spare_release(&spare);
	return WM_PROFILE_OK;
}
