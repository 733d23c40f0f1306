/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stores as the field and the tests that `waymark untested` compares. */
#ifndef WM_CMD_FIELD_STORES_H
#define WM_CMD_FIELD_STORES_H

#include "analysis/untested/untested.h"
#include "store/store_sightings.h"
#include "support/directory.h"

/* Must be initialised with zeros. */
struct wm_field_stores {
	struct wm_file_list field, tests; /* operands; stores have a filter that says of what kind the runs are */
	struct wm_triages triages; /* of all stores of the field */
	struct wm_sightings sightings; /* of the store of the field, if there is one */
	const char *store; /* the store of the field in which paths are triaged; NULL: there is none */
	bool several; /* … or there are several */
};
/* Without tests, those in the store of the field are used, if it has any.  The names of the field must stay valid. */
void wm_field_stores_take(
	struct wm_field_stores *stores, char *const *field, size_t field_count, char *const *tests, size_t test_count);
void wm_field_stores_release(struct wm_field_stores *stores);
/* --triage: stores that the paths with these ids were looked at, and prints them.  Ends in wm_fail, and stores none of them, if
 * an id is that of no untested path. */
void wm_field_triage(const struct wm_field_stores *stores, const struct wm_untested *untested, char *const *id,
	size_t count, const char *note);

#endif
