/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The section wm_sites of this object (abi/unfinished.h).  All functions but the first are called with the lock held. */
#ifndef WM_RUNTIME_UNWIND_CALL_SITES_H
#define WM_RUNTIME_UNWIND_CALL_SITES_H

#include "abi/unfinished.h"
#include "runtime/unwind/unwind.h"

#include <stddef.h>

/* Whether the object has sites. */
bool wm_has_sites(void);

struct wm_sites {
	const struct wm_return_site *site; /* the activations at one return address, the outermost function first */
	size_t count;
	size_t group; /* number of the group */
};

/* The sites of a return address.  The first call makes an index, in O(n) if the linker has sorted the groups; later calls
 * take O(log n). */
struct wm_sites wm_sites_at(uint64_t address);
/* The sum S of the path at a site, on which the present activation of the walk stands.  False: it is not known. */
bool wm_site_sum(const struct wm_return_site *site, struct wm_walk *walk, uint64_t *sum);
/* The index of the function in wm.object.func, or -1.  O(1) where functions and groups are in the same order. */
ptrdiff_t wm_site_function(const struct wm_return_site *site, size_t group);
/* Gives back the memory of the index. */
void wm_sites_release(void);

#endif
