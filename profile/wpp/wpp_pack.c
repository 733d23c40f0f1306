/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/wpp/wpp_pack.h"

#include "core/base/grow.h"
#include "profile/wpp/range_coder.h"

#include <stdlib.h>
#include <string.h>

/* What stands in a rule: a word, a rule that is known, or the body of a rule that is not. */
enum kind { WORD, KNOWN, BODY, KINDS };
/* Rules of LONG or more symbols have their length as a number of 32 bits. */
enum { LONG = 64 };

/* What the frequencies depend on.  Arrays are per word; the last element is for the beginning, before which there is no
 * word. */
struct model {
	struct wm_range_coder coder;
	struct wm_alphabet length; /* of rules */
	struct wm_alphabet word; /* all words */
	struct wm_alphabet *kind; /* what comes after a word */
	/* Which words come after a word: symbol 0 is a word that never came, symbol i the word next_word[…][i - 1]. */
	struct wm_alphabet *next;
	uint32_t **next_word;
	/* The known rules that begin with a word, and their numbers. */
	struct wm_alphabet *rule;
	uint32_t **rule_number;
	uint32_t word_count;
	uint32_t last; /* the last word; word_count: none */
	bool no_memory;
};

/* A rule whose body is being written or read. */
struct open_rule {
	uint32_t rule;
	size_t at, end; /* symbols that are still to come */
};

/* ---- The model ------------------------------------------------------------------------ */

static void fill_alphabet(struct model *m, struct wm_alphabet *alphabet, uint32_t count)
{
	while (alphabet->count < count && !m->no_memory)
		m->no_memory = !wm_alphabet_append(alphabet);
}

static bool open_model(struct model *m, uint32_t word_count)
{
	size_t contexts = (size_t)word_count + 1;
	m->word_count = m->last = word_count;
	m->kind = calloc(contexts, sizeof *m->kind);
	m->next = calloc(contexts, sizeof *m->next);
	m->rule = calloc(contexts, sizeof *m->rule);
	m->next_word = calloc(contexts, sizeof *m->next_word);
	m->rule_number = calloc(contexts, sizeof *m->rule_number);
	m->no_memory = !m->kind || !m->next || !m->rule || !m->next_word || !m->rule_number;
	fill_alphabet(m, &m->length, LONG + 1);
	fill_alphabet(m, &m->word, word_count);
	for (uint32_t w = 0; w <= word_count && !m->no_memory; w++) {
		fill_alphabet(m, &m->kind[w], KINDS);
		fill_alphabet(m, &m->next[w], 1);
	}
	return !m->no_memory;
}

static void close_model(struct model *m)
{
	for (uint32_t w = 0; m->rule_number && w <= m->word_count; w++) {
		wm_alphabet_release(&m->kind[w]);
		wm_alphabet_release(&m->next[w]);
		wm_alphabet_release(&m->rule[w]);
		free(m->next_word[w]);
		free(m->rule_number[w]);
	}
	wm_alphabet_release(&m->length);
	wm_alphabet_release(&m->word);
	free(m->kind);
	free(m->next);
	free(m->rule);
	free(m->next_word);
	free(m->rule_number);
}

/* Appends a symbol that stands for `value`. */
static void append_symbol(
	struct model *m, struct wm_alphabet *alphabet, uint32_t **values, size_t count, uint32_t value)
{
	if (!WM_GROW(*values, count) || !wm_alphabet_append(alphabet))
		m->no_memory = true;
	else
		(*values)[count] = value;
}

static uint32_t code_length(struct model *m, uint32_t length)
{
	uint32_t coded = wm_range_code(&m->coder, &m->length, length < LONG ? length : LONG);
	return coded < LONG ? coded : wm_range_code_u32(&m->coder, length);
}

/* A word that comes after the last one for the `symbol`-th time; 0: for the first time. */
static uint32_t code_next(struct model *m, uint32_t symbol, uint32_t word)
{
	struct wm_alphabet *next = &m->next[m->last];
	uint32_t **values = &m->next_word[m->last];
	symbol = wm_range_code(&m->coder, next, symbol);
	if (symbol)
		return (*values)[symbol - 1];
	word = wm_range_code(&m->coder, &m->word, word);
	append_symbol(m, next, values, next->count - 1, word);
	return word;
}

/* The rule can be used from now on. */
static void learn_rule(struct model *m, uint32_t rule, uint32_t first)
{
	append_symbol(m, &m->rule[first], &m->rule_number[first], m->rule[first].count, rule);
}

/* ---- Packing -------------------------------------------------------------------------- */

struct packer {
	struct model model;
	const struct wm_grammar *grammar;
	/* Per rule: its first and its last word, its symbol in the alphabet of its first word plus one, or 0. */
	uint32_t *first, *last, *known;
	/* The symbols of pairs of words in model.next: a hash table, `slots` is a power of two. */
	uint64_t *pair; /* the words plus one, or 0 */
	uint32_t *pair_symbol;
	size_t slots, pair_count;
	struct open_rule *open;
	size_t depth;
};

static size_t find_pair(const struct packer *p, uint64_t pair)
{
	uint64_t key = (pair ^ pair >> 32) * 0x9E3779B97F4A7C15ull;
	size_t at = (size_t)(key ^ key >> 29) & (p->slots - 1);
	while (p->pair[at] && p->pair[at] != pair)
		at = (at + 1) & (p->slots - 1);
	return at;
}

static bool grow_pairs(struct packer *p)
{
	struct packer larger = *p;
	larger.slots = p->slots ? 2 * p->slots : 1024;
	larger.pair = calloc(larger.slots, sizeof *larger.pair);
	larger.pair_symbol = malloc(larger.slots * sizeof *larger.pair_symbol);
	if (!larger.pair || !larger.pair_symbol) {
		free(larger.pair);
		free(larger.pair_symbol);
		return false;
	}
	for (size_t i = 0; i < p->slots; i++)
		if (p->pair[i]) {
			size_t at = find_pair(&larger, p->pair[i]);
			larger.pair[at] = p->pair[i];
			larger.pair_symbol[at] = p->pair_symbol[i];
		}
	free(p->pair);
	free(p->pair_symbol);
	*p = larger;
	return true;
}

static void pack_next(struct packer *p, uint32_t word)
{
	struct model *m = &p->model;
	uint64_t pair = ((uint64_t)m->last << 32 | word) + 1;
	if (2 * p->pair_count >= p->slots && !grow_pairs(p)) {
		m->no_memory = true;
		return;
	}
	size_t at = find_pair(p, pair);
	if (!p->pair[at]) {
		p->pair[at] = pair;
		p->pair_symbol[at] = m->next[m->last].count;
		p->pair_count++;
		code_next(m, 0, word);
	} else {
		code_next(m, p->pair_symbol[at], word);
	}
}

static void open_rule(struct packer *p, uint32_t rule)
{
	const size_t *first = p->grammar->first;
	if (!WM_GROW(p->open, p->depth)) {
		p->model.no_memory = true;
		return;
	}
	code_length(&p->model, (uint32_t)(first[rule + 1] - first[rule]));
	p->open[p->depth++] = (struct open_rule){rule, first[rule], first[rule + 1]};
}

static void close_rule(struct packer *p, uint32_t rule)
{
	const struct wm_grammar *g = p->grammar;
	if (g->first[rule] == g->first[rule + 1])
		return;
	uint32_t symbol = g->symbol[g->first[rule]];
	p->first[rule] = symbol & WM_GRAMMAR_RULE ? p->first[symbol & ~WM_GRAMMAR_RULE] : symbol;
	p->last[rule] = p->model.last;
	learn_rule(&p->model, rule, p->first[rule]);
	p->known[rule] = p->model.rule[p->first[rule]].count;
}

static void pack_symbol(struct packer *p, uint32_t symbol)
{
	struct model *m = &p->model;
	uint32_t rule = symbol & ~WM_GRAMMAR_RULE;
	enum kind kind = !(symbol & WM_GRAMMAR_RULE) ? WORD : p->known[rule] ? KNOWN : BODY;
	wm_range_code(&m->coder, &m->kind[m->last], kind);
	if (kind == BODY) {
		open_rule(p, rule);
		return;
	}
	uint32_t first = kind == WORD ? symbol : p->first[rule];
	pack_next(p, first);
	if (kind == KNOWN)
		wm_range_code(&m->coder, &m->rule[first], p->known[rule] - 1);
	m->last = kind == WORD ? symbol : p->last[rule];
}

static void pack_rules(struct packer *p)
{
	open_rule(p, 0);
	while (p->depth && !p->model.no_memory) {
		struct open_rule *open = &p->open[p->depth - 1];
		if (open->at < open->end) {
			pack_symbol(p, p->grammar->symbol[open->at++]);
		} else {
			p->depth--;
			close_rule(p, open->rule);
		}
	}
}

/* How many rules and symbols there are without the rules that are not used.  `used` is scratch memory, zeros. */
static void put_counts(struct wm_bytes *out, const struct wm_grammar *grammar, uint32_t *used)
{
	uint64_t rules = 0, symbols = 0;
	used[0] = 1;
	for (uint32_t r = 0; r < grammar->rule_count; r++) {
		size_t begin = grammar->first[r], end = used[r] ? grammar->first[r + 1] : begin;
		for (size_t s = begin; s < end; s++)
			if (grammar->symbol[s] & WM_GRAMMAR_RULE)
				used[grammar->symbol[s] & ~WM_GRAMMAR_RULE] = 1;
		rules += used[r];
		symbols += end - begin;
	}
	memset(used, 0, grammar->rule_count * sizeof *used);
	wm_bytes_put_uleb(out, rules);
	wm_bytes_put_uleb(out, symbols);
}

bool wm_wpp_pack(struct wm_bytes *out, const struct wm_grammar *grammar)
{
	size_t rules = grammar->rule_count;
	struct packer p = {.grammar = grammar,
		.first = calloc(rules, sizeof *p.first),
		.last = calloc(rules, sizeof *p.last),
		.known = calloc(rules, sizeof *p.known)};
	bool done = p.first && p.last && p.known && open_model(&p.model, grammar->word_count);
	if (done) {
		put_counts(out, grammar, p.known);
		wm_range_encoder_init(&p.model.coder, out);
		pack_rules(&p);
		wm_range_encoder_finish(&p.model.coder);
		done = !p.model.no_memory && !out->failed;
	}
	close_model(&p.model);
	free(p.first);
	free(p.last);
	free(p.known);
	free(p.pair);
	free(p.pair_symbol);
	free(p.open);
	return done;
}

/* ---- Unpacking ------------------------------------------------------------------------ */

/* Rules are numbered in the order in which they end, and in the reverse order in the grammar, so that a rule refers to
 * rules with greater numbers. */
struct unpacker {
	struct model model;
	struct wm_cursor *in;
	uint32_t rule_count, ended;
	uint64_t symbol_count; /* of all rules */
	uint64_t claimed; /* symbols of rules that have begun */
	uint32_t *first, *last; /* words, per rule */
	/* The symbols of rules that have ended, and of those that have not, the innermost last. */
	uint32_t *symbol, *waiting;
	size_t *begin; /* per rule, in `symbol` */
	size_t used, waiting_count;
	struct open_rule *open; /* `at` is in `waiting`, `end` the number of symbols still to come */
	size_t depth;
};

static bool begin_rule(struct unpacker *u)
{
	uint32_t length = code_length(&u->model, 0);
	u->claimed += length;
	if (u->claimed > u->symbol_count || (!length && u->depth) || u->depth + u->ended >= u->rule_count)
		return false;
	if (!WM_GROW(u->open, u->depth)) {
		u->model.no_memory = true;
		return false;
	}
	u->open[u->depth++] = (struct open_rule){.at = u->waiting_count, .end = length};
	return true;
}

static void end_rule(struct unpacker *u)
{
	const struct open_rule *open = &u->open[--u->depth];
	uint32_t rule = u->ended++, *body = u->waiting + open->at;
	size_t length = u->waiting_count - open->at;
	u->begin[rule] = u->used;
	memcpy(u->symbol + u->used, body, length * sizeof *body);
	u->used += length;
	u->waiting_count = open->at;
	if (length) {
		u->first[rule] = *body & WM_GRAMMAR_RULE ? u->first[*body & ~WM_GRAMMAR_RULE] : *body;
		u->last[rule] = u->model.last;
		learn_rule(&u->model, rule, u->first[rule]);
	}
	if (u->depth)
		u->waiting[u->waiting_count++] = rule | WM_GRAMMAR_RULE;
}

static bool read_symbol(struct unpacker *u)
{
	struct model *m = &u->model;
	enum kind kind = wm_range_code(&m->coder, &m->kind[m->last], 0);
	u->open[u->depth - 1].end--;
	if (kind == BODY)
		return begin_rule(u);
	if (!m->word_count)
		return false;
	uint32_t symbol = code_next(m, 0, 0);
	m->last = symbol;
	if (kind == KNOWN) {
		if (m->no_memory || !m->rule[symbol].count)
			return false;
		uint32_t rule = m->rule_number[symbol][wm_range_code(&m->coder, &m->rule[symbol], 0)];
		m->last = u->last[rule];
		symbol = rule | WM_GRAMMAR_RULE;
	}
	u->waiting[u->waiting_count++] = symbol;
	return true;
}

static bool read_rules(struct unpacker *u)
{
	bool good = begin_rule(u);
	while (good && u->depth && !u->model.no_memory && !u->in->failed) {
		if (u->open[u->depth - 1].end)
			good = read_symbol(u);
		else
			end_rule(u);
	}
	return good && !u->model.no_memory && !u->in->failed && u->ended == u->rule_count && u->used == u->symbol_count;
}

/* The symbol with the number that its rule has in the grammar. */
static uint32_t renumbered(const struct unpacker *u, uint32_t symbol)
{
	uint32_t rule = u->rule_count - 1 - (symbol & ~WM_GRAMMAR_RULE);
	return symbol & WM_GRAMMAR_RULE ? rule | WM_GRAMMAR_RULE : symbol;
}

static void make_grammar(const struct unpacker *u, struct wm_grammar *grammar)
{
	size_t used = 0;
	grammar->rule_count = u->rule_count;
	for (uint32_t r = 0; r < u->rule_count; r++) {
		uint32_t number = u->rule_count - 1 - r;
		size_t end = number + 1 < u->rule_count ? u->begin[number + 1] : u->used;
		grammar->first[r] = used;
		for (size_t s = u->begin[number]; s < end; s++)
			grammar->symbol[used++] = renumbered(u, u->symbol[s]);
	}
	grammar->first[u->rule_count] = used;
}

static bool make_unpacker(struct unpacker *u, struct wm_grammar *grammar)
{
	size_t rules = u->rule_count, symbols = u->symbol_count;
	u->first = calloc(rules + 1, sizeof *u->first);
	u->last = calloc(rules + 1, sizeof *u->last);
	u->begin = calloc(rules + 1, sizeof *u->begin);
	u->symbol = calloc(symbols + 1, sizeof *u->symbol);
	u->waiting = calloc(symbols + 1, sizeof *u->waiting);
	grammar->first = calloc(rules + 1, sizeof *grammar->first);
	grammar->symbol = calloc(symbols + 1, sizeof *grammar->symbol);
	return u->first && u->last && u->begin && u->symbol && u->waiting && grammar->first && grammar->symbol &&
	       open_model(&u->model, grammar->word_count);
}

enum wm_status wm_wpp_unpack(struct wm_cursor *in, struct wm_grammar *grammar, uint64_t most)
{
	struct unpacker u = {.in = in};
	u.rule_count = (uint32_t)wm_cursor_bounded(in, WM_GRAMMAR_RULE - 1);
	u.symbol_count = wm_cursor_bounded(in, most < WM_GRAMMAR_RULE ? most : WM_GRAMMAR_RULE - 1);
	if (in->failed || !u.rule_count || u.rule_count > u.symbol_count + 1)
		return WM_BAD_GRAPH;
	enum wm_status status = make_unpacker(&u, grammar) ? WM_OK : WM_NO_MEMORY;
	if (status == WM_OK) {
		wm_range_decoder_init(&u.model.coder, in);
		status = read_rules(&u) ? WM_OK : u.model.no_memory ? WM_NO_MEMORY : WM_BAD_GRAPH;
	}
	if (status == WM_OK)
		make_grammar(&u, grammar);
	close_model(&u.model);
	free(u.first);
	free(u.last);
	free(u.begin);
	free(u.symbol);
	free(u.waiting);
	free(u.open);
	return status;
}
