/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/grammar/join.h"
#include <stdlib.h>

struct joint {
	struct wm_grammar made;
	size_t symbol_count;
	uint32_t *slot; /* a hash table of words: index plus one */
	size_t slots;
	uint32_t *index; /* of the words of the part at work, in made.word */
};

static uint32_t index_of_word(struct joint *joint, uint64_t word)
{
	uint64_t key = (word ^ word >> 32) * 0x9E3779B97F4A7C15ull;
	size_t at = (size_t)(key ^ key >> 29) & (joint->slots - 1);
	for (; joint->slot[at]; at = (at + 1) & (joint->slots - 1))
		if (joint->made.word[joint->slot[at] - 1] == word)
			return joint->slot[at] - 1;
	joint->made.word[joint->made.word_count] = word;
	joint->slot[at] = ++joint->made.word_count;
	return joint->made.word_count - 1;
}

static void append_part(struct joint *joint, const struct wm_grammar *part)
{
	struct wm_grammar *made = &joint->made;
	uint32_t offset = made->rule_count;
	for (uint32_t w = 0; w < part->word_count; w++)
		joint->index[w] = index_of_word(joint, part->word[w]);
	for (uint32_t r = 0; r < part->rule_count; r++) {
		made->first[made->rule_count++] = joint->symbol_count;
		for (size_t s = part->first[r]; s < part->first[r + 1]; s++) {
			uint32_t symbol = part->symbol[s];
			made->symbol[joint->symbol_count++] =
				symbol & WM_GRAMMAR_RULE ? symbol + offset : joint->index[symbol];
		}
	}
	made->first[made->rule_count] = joint->symbol_count;
}

/* Room for everything.  `most` is the greatest number of words of a part. */
static bool make_room(struct joint *joint, size_t words, size_t rules, size_t symbols, size_t most)
{
	joint->slots = 16;
	while (joint->slots < 2 * words)
		joint->slots *= 2;
	joint->slot = calloc(joint->slots, sizeof *joint->slot);
	joint->index = malloc((most + 1) * sizeof *joint->index);
	joint->made.word = malloc((words + 1) * sizeof *joint->made.word);
	joint->made.first = malloc((rules + 2) * sizeof *joint->made.first);
	joint->made.symbol = malloc((symbols + 1) * sizeof *joint->made.symbol);
	return joint->slot && joint->index && joint->made.word && joint->made.first && joint->made.symbol;
}

static enum wm_status reserve_joint(struct joint *joint, const struct wm_grammar *part, uint32_t count)
{
	size_t words = 0, rules = 1, symbols = count, most = 0;
	for (uint32_t i = 0; i < count; i++) {
		words += part[i].word_count;
		rules += part[i].rule_count;
		symbols += part[i].first[part[i].rule_count];
		most = part[i].word_count > most ? part[i].word_count : most;
	}
	if (words >= WM_GRAMMAR_RULE || rules >= WM_GRAMMAR_RULE)
		return WM_TOO_MANY;
	return make_room(joint, words, rules, symbols, most) ? WM_OK : WM_NO_MEMORY;
}

static void join_parts(struct joint *joint, const struct wm_grammar *part, uint32_t count)
{
	struct wm_grammar *made = &joint->made;
	made->first[made->rule_count++] = 0;
	for (uint32_t i = 0, rule = 1; i < count; rule += part[i++].rule_count)
		made->symbol[joint->symbol_count++] = WM_GRAMMAR_RULE | rule;
	made->first[1] = joint->symbol_count;
	for (uint32_t i = 0; i < count; i++)
		append_part(joint, &part[i]);
}

enum wm_status wm_grammar_join(struct wm_grammar *joined, const struct wm_grammar *part, uint32_t count)
{
	struct joint joint = {0};
	enum wm_status status = reserve_joint(&joint, part, count);
	if (status == WM_OK) {
		join_parts(&joint, part, count);
		*joined = joint.made;
	} else {
		wm_grammar_release(&joint.made);
	}
	free(joint.slot);
	free(joint.index);
	return status;
}
