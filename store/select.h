/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* SQL with parameters, composed of fixed texts; and the conditions that a filter stands for. */
#ifndef WM_STORE_SELECT_H
#define WM_STORE_SELECT_H

#include "store/database.h"
#include "store/url.h"
#include "support/string_builder.h"

struct wm_select {
	struct wm_string sql;
	struct wm_sql_value parameter[2 * WM_LABELS_MAX + 8];
	size_t parameter_count;
};
void wm_select_init(struct wm_select *select, const char *sql);
void wm_select_release(struct wm_select *select);
void wm_select_add(struct wm_select *select, const char *sql);
/* Adds "$N".  A text must stay valid. */
void wm_select_add_value(struct wm_select *select, struct wm_sql_value value);
/* Conditions on the bundle b: " AND …" for each. */
void wm_select_add_bundles(struct wm_select *select, const struct wm_filter *filter);
/* Conditions on the content c, with the build d: program and build. */
void wm_select_add_objects(struct wm_select *select, const struct wm_filter *filter);
/* " AND …": the column is one of the programs of the filter; nothing if it has none. */
void wm_select_add_programs(struct wm_select *select, const char *column, const struct wm_filter *filter);
bool wm_filter_has_objects(const struct wm_filter *filter);
/* Fails if the filter selects machines and one of its bundles is a sum of the runs of several machines. */
void wm_select_check_machines(struct wm_database *database, const struct wm_filter *filter);

/*
 * The functions of the objects that a filter with conditions on objects selects; without such conditions there is no list, and
 * no condition.  Queries of the tables that are divided by function name the functions, because no database estimates well how
 * many rows of these tables a join with programs and builds leaves: PostgreSQL reads the tables from one end to the other then.
 */
struct wm_function_list {
	char *text; /* NULL: all */
	size_t size, capacity;
};
void wm_function_list_read(struct wm_function_list *list, struct wm_database *database, const struct wm_filter *filter);
void wm_function_list_release(struct wm_function_list *list);
/* " AND …": the column is a function of the list.  The list must stay valid. */
void wm_select_add_functions(struct wm_select *select, const struct wm_database *database, const char *column,
	const struct wm_function_list *list);

void wm_select_run(
	const struct wm_select *select, struct wm_database *database, size_t columns, wm_sql_take *take, void *closure);

#endif
