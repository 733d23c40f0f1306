/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/select.h"
#include "support/fail.h"
#include "support/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wm_select_init(struct wm_select *select, const char *sql)
{
	*select = (struct wm_select){0};
	wm_select_add(select, sql);
}

void wm_select_release(struct wm_select *select)
{
	free(select->sql.text);
}

void wm_select_add(struct wm_select *select, const char *sql)
{
	wm_string_add(&select->sql, "%s", sql);
}

void wm_select_add_value(struct wm_select *select, struct wm_sql_value value)
{
	char name[16];
	if (select->parameter_count == sizeof(select->parameter) / sizeof(*select->parameter))
		wm_bug("a query of the store has too many parameters");
	select->parameter[select->parameter_count++] = value;
	snprintf(name, sizeof(name), "$%zu", select->parameter_count);
	wm_select_add(select, name);
}

/* (value of first, …): the values of the labels with one key.  Returns how many. */
static size_t add_alternatives(struct wm_select *select, const struct wm_label_list *labels, size_t first)
{
	size_t i = first;
	wm_select_add(select, " IN (");
	for (; i < labels->count && !strcmp(labels->label[i].key, labels->label[first].key); i++) {
		wm_select_add(select, i == first ? "" : ", ");
		wm_select_add_value(select, WM_SQL_STRING(labels->label[i].value));
	}
	wm_select_add(select, ")");
	return i - first;
}

static bool is_object_key(const char *key)
{
	return !strcmp(key, "program") || !strcmp(key, "build");
}

bool wm_filter_has_objects(const struct wm_filter *filter)
{
	for (size_t i = 0; i < filter->labels.count; i++)
		if (is_object_key(filter->labels.label[i].key))
			return true;
	return false;
}

void wm_select_add_objects(struct wm_select *select, const struct wm_filter *filter)
{
	const struct wm_label_list *labels = &filter->labels;
	for (size_t i = 0; i < labels->count;) {
		if (!is_object_key(labels->label[i].key)) {
			i++;
			continue;
		}
		wm_select_add(select, *labels->label[i].key == 'p' ? " AND c.program" : " AND d.build_id");
		i += add_alternatives(select, labels, i);
	}
}

void wm_select_add_programs(struct wm_select *select, const char *column, const struct wm_filter *filter)
{
	for (size_t i = 0; i < filter->labels.count; i++)
		if (!strcmp(filter->labels.label[i].key, "program")) {
			wm_select_add(select, " AND ");
			wm_select_add(select, column);
			add_alternatives(select, &filter->labels, i);
			return;
		}
}

/* A sum of several machines cannot be divided: whoever asks for one of them is told (wm_select_check_machines). */
static size_t add_label(struct wm_select *select, const struct wm_label_list *labels, size_t i)
{
	if (!strcmp(labels->label[i].key, "machine")) {
		wm_select_add(select, " AND EXISTS (SELECT 1 FROM machine m WHERE m.bundle = b.id AND m.machine");
	} else {
		wm_select_add(select, " AND b.label_set IN (SELECT l.label_set FROM label l WHERE l.key = ");
		wm_select_add_value(select, WM_SQL_STRING(labels->label[i].key));
		wm_select_add(select, " AND l.value");
	}
	size_t count = add_alternatives(select, labels, i);
	wm_select_add(select, ")");
	return count;
}

static void add_times(struct wm_select *select, const struct wm_filter *filter)
{
	if (filter->since != INT64_MIN) {
		wm_select_add(select, " AND b.last >= ");
		wm_select_add_value(select, WM_SQL_NUMBER(filter->since));
	}
	if (filter->until != INT64_MAX) {
		wm_select_add(select, " AND b.last < ");
		wm_select_add_value(select, WM_SQL_NUMBER(filter->until));
	}
}

void wm_select_add_bundles(struct wm_select *select, const struct wm_filter *filter)
{
	const struct wm_label_list *labels = &filter->labels;
	for (size_t i = 0; i < labels->count;)
		i += is_object_key(labels->label[i].key) ? 1 : add_label(select, labels, i);
	add_times(select, filter);
	if (!wm_filter_has_objects(filter))
		return;
	wm_select_add(
		select, " AND EXISTS (SELECT 1 FROM content c JOIN build d ON d.id = c.build WHERE c.bundle = b.id");
	wm_select_add_objects(select, filter);
	wm_select_add(select, ")");
}

static void take_count(void *closure, const struct wm_sql_value *value)
{
	const struct wm_database *database = closure;
	if (value[0].kind != WM_SQL_INTEGER || value[0].integer)
		wm_fail("runs of several machines were added up in %s (`waymark store roll-up`), and cannot be divided "
			"by machine; leave the filter machine= out, or add since= with a later time",
			database->base.location);
}

void wm_select_check_machines(struct wm_database *database, const struct wm_filter *filter)
{
	struct wm_select select;
	if (!wm_label_list_find(&filter->labels, "machine"))
		return;
	wm_select_init(&select, "SELECT count(*) FROM bundle b WHERE (SELECT count(*) FROM machine m WHERE m.bundle = "
				"b.id) > 1");
	wm_select_add_bundles(&select, filter);
	wm_select_run(&select, database, 1, take_count, database);
	wm_select_release(&select);
}

static void take_function(void *closure, const struct wm_sql_value *value)
{
	struct wm_function_list *list = closure;
	if (list->capacity - list->size < 32) {
		list->capacity *= 2;
		list->text = wm_xrealloc(list->text, list->capacity, 1);
	}
	list->size += (size_t)snprintf(
		list->text + list->size, 24, "%s%lld", list->size > 1 ? "," : "", (long long)value[0].integer);
}

void wm_function_list_read(struct wm_function_list *list, struct wm_database *database, const struct wm_filter *filter)
{
	struct wm_select select;
	const char *brackets = database->base.kind->among.brackets;
	*list = (struct wm_function_list){0};
	if (!wm_filter_has_objects(filter))
		return;
	*list = (struct wm_function_list){wm_xrealloc(NULL, 64, 1), 1, 64};
	list->text[0] = brackets[0];
	wm_select_init(&select, "SELECT f.id FROM function f WHERE f.build IN (SELECT c.build FROM bundle b"
				" JOIN content c ON c.bundle = b.id JOIN build d ON d.id = c.build WHERE true");
	wm_select_add_bundles(&select, filter);
	wm_select_add_objects(&select, filter);
	wm_select_add(&select, ")");
	wm_select_run(&select, database, 1, take_function, list);
	wm_select_release(&select);
	snprintf(list->text + list->size, 2, "%c", brackets[1]);
}

void wm_function_list_release(struct wm_function_list *list)
{
	free(list->text);
	*list = (struct wm_function_list){0};
}

void wm_select_add_functions(struct wm_select *select, const struct wm_database *database, const char *column,
	const struct wm_function_list *list)
{
	if (!list->text)
		return;
	wm_select_add(select, " AND ");
	wm_select_add(select, column);
	wm_select_add(select, database->base.kind->among.before);
	wm_select_add_value(select, WM_SQL_STRING(list->text));
	wm_select_add(select, database->base.kind->among.behind);
}

void wm_select_run(
	const struct wm_select *select, struct wm_database *database, size_t columns, wm_sql_take *take, void *closure)
{
	database->base.kind->query(database, &(struct wm_sql_query){.sql = select->sql.text,
						     .parameter = select->parameter,
						     .parameter_count = select->parameter_count,
						     .columns = columns,
						     .take = take,
						     .closure = closure});
}
