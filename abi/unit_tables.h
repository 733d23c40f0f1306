/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths across calls: what compiled code, the link step and the runtime share.
 *
 * Every function with such a scheme has a *table* of 64-bit words, which hold whatever depends on the numbering of the
 * unit: on which call sites are crossed and which ids the paths have.  The code of the function does not depend on
 * it.  The compiler fills the tables by numbering each file alone; the link step overwrites them with the numbers of the
 * whole program.  A table consists of
 *     WM_UNIT_HEADER_WORDS words, in the order of enum wm_unit_word;
 *     the call sites that have actions, in order, each of WM_SITE_WORDS words, or WM_SITE_CUT_WORDS in schemes with cuts;
 *     the pairs ⟨a, b⟩ of core/probes/unit_program.h, of two words each;
 *     the ids of the paths that are counted in cells (core/probes/unit_regions.h).  wm_func.ids refers to them.
 *
 * A *link record* (section WM_LINKS_SECTION, loaded and read-only) tells the link step where the table of a function is.
 * Records have no relocations: a callee is found by its key.
 */
#ifndef WM_ABI_UNIT_TABLES_H
#define WM_ABI_UNIT_TABLES_H

#include <stdint.h>

/* Poison.  A path whose number is not known has this bit set.  All that is added to a number until the next
 * path begins is below 2^63, so that the bit stays.  An id with this bit is not counted. */
#define WM_POISON ((uint64_t)1 << 63)

/* Changes with the meaning of the words of a table; part of wm_link.layout. */
#define WM_UNIT_FORMAT 4

/* The words of a table. */
enum wm_unit_word {
	WM_UNIT_TOKEN, /* of the function; not 0, and without WM_HELD */
	WM_UNIT_FIRST, /* id of the first path that begins at its entry; WM_POISON: no path begins there */
	WM_UNIT_BEHIND_EXIT, /* piecewise: ways to go on after the exit when the path began below */
	WM_UNIT_EXIT_VALUE, /* piecewise: what ending at the exit adds to such a path; has WM_POISON if none may end there */
	WM_UNIT_HEADER_WORDS,
};
/* The words of a call site.  A pair has two words. */
enum wm_site_word {
	WM_SITE_TOKEN, /* of the callee; 0: the call is stepped over, and the other words mean nothing but for cuts */
	/* pair: ways to go on after the call; if the link step has stepped over it, the first word says why (analysis/join/gather.h) */
	WM_SITE_BEHIND,
	WM_SITE_POTENTIAL = WM_SITE_BEHIND + 2, /* pair: what is missing in ⟨A, B⟩ at the call */
	WM_SITE_EDGE_VALUE = WM_SITE_POTENTIAL + 2, /* piecewise: added when the path began in the callee or below */
	WM_SITE_WORDS,
	/* Schemes with cuts, where the call is stepped over: POTENTIAL is used too, and */
	WM_SITE_START = WM_SITE_WORDS, /* pair: the ⟨A, B⟩ with which the next path begins after the call */
	WM_SITE_CUT_WORDS = WM_SITE_START + 2,
};

/*
 * How caller and callee find each other: one mailbox per thread, in struct wm_thread.  `token` is
 *     0             the mailbox is empty; n and x mean nothing
 *     a function's  its caller has handed over the number of the path so far, n, and x, how many ways there are to go on
 *                   after the call
 *     WM_REPLIED    a callee has returned the number n of the path
 *     WM_RESTARTED  the same, of a path that began in the callee or below (piecewise)
 * The token is written before n and x and cleared after they have been read: code that finds a token that is not its
 * own, such as a signal handler that interrupts a message half-way, saves all three words and restores them.
 */
#define WM_REPLIED UINT64_MAX
#define WM_RESTARTED (UINT64_MAX - 1)
/* Added to a function's token by a handler that has interrupted a message and ends in a tail call: the callee, which may be
 * that function, must not take the message, but restores it without this bit when it returns. */
#define WM_HELD ((uint64_t)1 << 63)
struct wm_mailbox {
	uint64_t token, n, x;
};

/*
 * Residual builds: the ids of the tested paths of the unit, an open-addressing set.  Ids are known only after the link, so
 * `waymark cc` gives the linker an object with a set that has enough room and is empty, in a section of its own, and fills
 * the set in the finished file.  If another command links, the set is that of runtime/count/empty_tested_set.c, which stays empty: no
 * path is tested.  At least half of the slots are free.
 */
#define WM_TESTED_SECTION "wm_tested"
#define WM_TESTED_SYMBOL "__wm_tested"
enum wm_tested_word {
	WM_TESTED_SHIFT, /* 64 - log2(slots); the home slot of an id is wm_hash_key(id) >> shift, the next ones follow */
	WM_TESTED_DIGEST, /* of the profile: builds with different profiles have different build-ids */
	WM_TESTED_SLOTS, /* from this word on: wm_hash_key() of an id, or 0: free */
};

#define WM_LINKS_SECTION "wm_links"
/* wm_link.flags */
#define WM_LINK_WEAK 1u /* a weak definition: another one may win */
#define WM_LINK_LOCAL 2u /* the function is local to its module */
#define WM_LINK_HANDLER 4u /* it has the type of a signal handler, void (int) or void (int, ptr, ptr) */
#define WM_LINK_ROOT 8u /* it starts without a call: main, a constructor or a destructor */
/* The table of one of possibly several copies of an inline function.  A copy that the linker left out may have been inlined
 * before, so all copies have such a record; one more without this flag belongs to the copy that the linker took. */
#define WM_LINK_COPY 32u
#define WM_LINK_LINKED 16u /* set by the link step: the table is that of the whole program */

/* clang-format off */
#define WM_LINK_FIELDS(F) \
	F(uint64_t, key)    /* wm_function_key() */ \
	F(uint64_t, layout) /* wm_unit_layout(): format, graph, call sites and tree, on which the words of the table depend */ \
	F(int64_t, table)   /* address of the table minus address of this record */ \
	F(int64_t, func)    /* address of the struct wm_func minus address of this record */ \
	F(uint64_t, flags)
/* clang-format on */
#define WM_FIELD(type, name) type name;
struct wm_link {
	WM_LINK_FIELDS(WM_FIELD)
};
#undef WM_FIELD

#endif
