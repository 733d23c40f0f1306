/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The segments of paths across calls: all paths of random units, as their definition writes them down (unit_oracle.h), are
 * divided into segments word by word, and so are the decoded paths.
 */
#include "analysis/tell/trails.h"
#include "support/xalloc.h"
#include "test/core/random_unit.h"
#include "test/core/support.h"
#include "test/core/unit_oracle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 2000, MOST_WORDS = 4096, ROOM = 1 << 16 };

static const struct wm_origins *no_origins(const void *closure, uint32_t function)
{
	(void)closure, (void)function;
	return NULL;
}

static char *number(const void *closure, const struct wm_trail_frame *frame, uint32_t block)
{
	(void)closure;
	return wm_xprintf("%u:%u", frame->function, block);
}

/* ---- By definition --------------------------------------------------------------------- */

struct word {
	char kind; /* b: block, (: call, ): return */
	char text[24]; /* FUNCTION:BLOCK; of a return, the block to which it returns */
};
struct words {
	uint32_t count;
	struct word word[MOST_WORDS];
};

static void add_place(struct words *words, char kind, uint32_t function, uint32_t block)
{
	struct word *word = &words->word[words->count++];
	assert_true(words->count < MOST_WORDS);
	word->kind = kind;
	snprintf(word->text, sizeof word->text, "%u:%u", function, block);
}

/* The words of the active part, which begins with the last restart. */
static void read_words(struct words *words, const char *text, const struct wm_unit *unit)
{
	char *copy = strdup(text), *rest = copy, *token;
	words->count = 0;
	while ((token = strsep(&rest, " "))) {
		unsigned f, n;
		if (sscanf(token, "S%u.%u", &f, &n) == 2) {
			words->count = 0; /* its block follows */
		} else if (sscanf(token, ")%u.%u", &f, &n) == 2) {
			add_place(words, ')', f, unit->function[f].call[n].block);
		} else if (sscanf(token, "%u.%u", &f, &n) == 2) {
			add_place(words, 'b', f, n);
		} else if (!strcmp(token, "(")) {
			add_place(words, '(', 0, 0);
		}
	}
	free(copy);
}

/* The segment that begins with this word. */
static void write_segment(char text[ROOM], const struct words *words, uint32_t first, uint32_t depth)
{
	uint32_t calls = 0;
	int open = 0;
	size_t used = 0;
	*text = 0;
	for (uint32_t i = first; i < words->count; i++) {
		const struct word *word = &words->word[i];
		bool begins = i == first;
		if (word->kind == '(' && (open++, ++calls > depth))
			return;
		if (word->kind == ')' && !begins && --open < 0)
			return;
		used += (size_t)snprintf(text + used, ROOM - used, "%s%s", begins ? "" : " ",
			word->kind == 'b' || begins ? word->text
			: word->kind == '('	    ? "("
						    : ")");
	}
}

/* Segments in the order in which their first calls are made. */
static uint32_t expect_segments(const struct words *words, uint32_t depth, char (*segment)[ROOM])
{
	uint32_t count = 0, first = 0;
	for (uint32_t i = 0; i < words->count; i++) {
		if (words->word[i].kind == '(')
			write_segment(segment[count++], words, first, depth);
		if (words->word[i].kind != 'b')
			first = words->word[i].kind == '(' ? i + 1 : i;
		assert_true(count < 64);
	}
	return count;
}

/* ---- Against the code ------------------------------------------------------------------- */

static void check_path(const struct wm_unit_plan *plan, const char *text, uint64_t id, uint32_t *tally)
{
	static char expected[64][ROOM];
	static struct words words;
	const struct wm_trail_origins origins = {NULL, no_origins};
	const struct wm_block_names names = {NULL, number};
	struct wm_segment_range range[MOST_WORDS];
	struct wm_trail trail, original;
	struct wm_arena arena;
	wm_arena_init(&arena);
	read_words(&words, text, plan->unit);
	assert_int_equal(wm_trail_decode(plan->function, id, &trail, &arena), WM_OK);
	assert_int_equal(wm_trail_original(&origins, &trail, &original, &arena), WM_OK);
	assert_true(original.count < MOST_WORDS);
	for (uint32_t depth = 1; depth <= 3; depth++) {
		uint32_t count = expect_segments(&words, depth, expected);
		assert_int_equal(wm_trail_segments(&original, depth, range), count);
		for (uint32_t i = 0; i < count; i++) {
			char *actual = wm_trail_text(&original, range[i], &names, false);
			assert_string_equal(actual, expected[i]);
			free(actual);
		}
		*tally += count;
	}
	wm_arena_release(&arena);
}

static void test_segments(void **state)
{
	static const char *const schemes[] = {"piecewise", "context"};
	uint32_t tally = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= 150; seed++) {
		for (size_t i = 0; i < COUNT(schemes); i++) {
			struct unit_sample u;
			struct wm_unit_plan plan;
			struct unit_oracle oracle;
			unit_sample_init(&u, seed);
			if (unit_sample_plan(&u, schemes[i], 0, &plan)) {
				bool listed = unit_oracle_init(&oracle, &plan, u.entry, MOST_PATHS);
				for (uint32_t id = 0; listed && id < oracle.count; id++)
					check_path(&plan, oracle.path[id], id, &tally);
				unit_oracle_release(&oracle);
			}
			unit_sample_release(&u);
		}
	}
	assert_true(tally > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_segments)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
