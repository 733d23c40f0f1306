/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bundles of calls → the section WM_SITES_SECTION (abi/unfinished.h), when LLVM prints machine code: plugin/llvm/stack_maps.h. */
#ifndef WM_PLUGIN_SITES_SITE_TABLE_H
#define WM_PLUGIN_SITES_SITE_TABLE_H

/* The values of a bundle, for each function in which the call is.  All but the last are constants. */
enum wm_site_value {
	WM_SITE_KEY_LOW,
	WM_SITE_KEY_HIGH,
	WM_SITE_NUMBER,
	WM_SITE_MISSING_LOW,
	WM_SITE_MISSING_HIGH,
	WM_SITE_BITS, /* 0: S is not known */
	WM_SITE_SUM, /* from which S follows */
	WM_SITE_VALUES
};

#endif
