/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Measures of how suspicious something is that some runs did, from how many runs that failed and that passed did it.  All are
 * published; a larger value is more suspicious.
 */
#ifndef WM_ANALYSIS_BLAME_MEASURE_H
#define WM_ANALYSIS_BLAME_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many runs there are, how many of them did it, and how many could have done it. */
struct wm_spectrum {
	size_t failed, passed; /* all runs */
	size_t failed_with, passed_with; /* runs that did it; failed_with is not 0 */
	size_t failed_near, passed_near; /* runs that came near it: that completed a path of its function */
};

enum wm_measure {
	WM_OCHIAI, /* R. Abreu, P. Zoeteweij, A. J. C. van Gemund, 2006 */
	WM_TARANTULA, /* J. A. Jones, M. J. Harrold, 2005 */
	WM_DSTAR, /* W. E. Wong, V. Debroy, R. Gao, Y. Li, 2014; with the exponent 2 */
	WM_JACCARD, /* M. Y. Chen et al., 2002 */
	WM_OP2, /* L. Naish, H. J. Lee, K. Ramamohanarao, 2011 */
	WM_IMPORTANCE, /* B. Liblit, M. Naik, A. X. Zheng, A. Aiken, M. I. Jordan, 2005 */
	WM_MEASURES,
};

/* DStar is infinite if exactly the failed runs did it. */
double wm_measure(enum wm_measure measure, const struct wm_spectrum *spectrum);
/* Liblit's Increase: how much more often a run fails that did it than a run that came near it; from -1 to 1. */
double wm_increase(const struct wm_spectrum *spectrum);
/* "ochiai", …; NULL-terminated. */
extern const char *const wm_measure_name[WM_MEASURES + 1];

/* Something that failed runs did, and its place in a ranking. */
struct wm_suspect {
	struct wm_spectrum spectrum;
	double score;
	bool untested; /* no test does it; only if there are tests */
	double tie; /* the order among equal suspicion: smaller ones first, ... */
	uint64_t order; /* ... then these, smaller ones first */
	size_t first_rank, last_rank; /* of those with equal suspicion, counted from 1 */
};

/* Sorts `count` elements of `size` bytes, of which each begins with a suspect: untested ones before all others, then by score, tie and
 * order, and by their place in the array where all of that is equal.  Sets the ranks. */
void wm_suspects_rank(void *element, size_t count, size_t size);

#endif
