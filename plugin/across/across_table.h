/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of a function whose paths cross calls, and its link records (abi/unit_tables.h), as global variables. */
#ifndef WM_PLUGIN_ACROSS_ACROSS_TABLE_H
#define WM_PLUGIN_ACROSS_ACROSS_TABLE_H

#include "plugin/actions/emission.h"

/* Creates e->unit.table, to which the record of the function refers.  WM_NO_MEMORY. */
enum wm_status wm_table_create(struct wm_emission *e);
/* Creates e->unit.link, after the table and the record.  WM_NO_MEMORY. */
enum wm_status wm_table_create_links(struct wm_emission *e);

#endif
