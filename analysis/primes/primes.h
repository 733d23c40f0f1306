/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prime path coverage of a function (core/primes/prime.h), from the counts of its paths.
 *
 * A prime path over a back edge is on two paths of an `acyclic` profile, which do not tell whether one followed the other: it is
 * undecided unless no executed path can have its end.  A simple path is in at most two iterations of a loop, so a `kiter=K`
 * profile with K of 2 or more decides every prime path over back edges of loops for which it has K iterations: of innermost loops.
 * Prime paths over the back edge of a loop that contains others are decided where the profile happens to have them.  Which ones it does
 * not decide is found path by path (core/primes/prime.h), and said.  Of `loopcontext` profiles the contexts are not used, because
 * they are not consecutive with the rest of the path.
 */
#ifndef WM_ANALYSIS_PRIMES_PRIMES_H
#define WM_ANALYSIS_PRIMES_PRIMES_H

#include "analysis/tell/trails.h"
#include "core/primes/prime.h"

/* A function with more is not analysed. */
enum { WM_MOST_PRIMES = 20000, WM_PRIME_EFFORT = 20000000 };

enum wm_prime_state {
	WM_PRIME_COVERED,
	WM_PRIME_UNDECIDED, /* not seen as a whole, but executed paths have its end without its beginning */
	WM_PRIME_UNCOVERED,
	WM_PRIME_INFEASIBLE, /* not covered, and its decisions contradict each other: likely infeasible */
};
enum { WM_PRIME_STATES = WM_PRIME_INFEASIBLE + 1 };

struct wm_prime_function {
	const struct wm_story_function *function;
	char *reason; /* why it is not analysed: a clause; or NULL */
	struct wm_primes primes;
	struct wm_prime_counter counter; /* count: exact unless open */
	uint8_t *state; /* enum wm_prime_state, per prime path */
	uint32_t total[WM_PRIME_STATES];
	bool ran;
	struct wm_arena arena;
};

void wm_primes_analyse(struct wm_prime_function *primes, const struct wm_story_function *function);
/* The same in two steps, between which others count occurrences. */
void wm_primes_begin(struct wm_prime_function *primes, const struct wm_story_function *function);
void wm_primes_finish(struct wm_prime_function *primes);
void wm_primes_release(struct wm_prime_function *primes);
const char *wm_prime_state_text(enum wm_prime_state state);
/* The trail of prime path `p`, in the arena. */
void wm_prime_trail(const struct wm_prime_function *primes, uint32_t p, struct wm_trail *trail, struct wm_arena *arena);
/* Why it is likely infeasible, as wm_story_contradiction_text; NULL: no reason is known.  Heap. */
char *wm_prime_contradiction_text(const struct wm_prime_function *primes, uint32_t p);

#endif
