/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* SQL with parameters, composed of fixed texts; and the conditions that a filter stands for. */
#ifndef WM_STORE_SELECT_H
#define WM_STORE_SELECT_H

#include "store/database.h"
#include "store/url.h"

struct wm_select {
	char *sql;
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
bool wm_filter_has_objects(const struct wm_filter *filter);

void wm_select_run(
	const struct wm_select *select, struct wm_database *database, size_t columns, wm_sql_take *take, void *closure);

#endif
