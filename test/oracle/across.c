/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The independent witness of paths across calls.  Programs compiled under WAYMARK_TEST=trace call the functions below
 * at every entry, block, call and exit.  This file builds the paths by definition, as lists of words, with no numbering
 * and nothing from core/, and writes them to the file named by WM_TRACE_FILE at exit:
 *
 *     COUNT FUNCTION END CONTEXT… | WORD…
 *
 * A word is FUNCTION:BLOCK, "(" for a call that is crossed or ")@FUNCTION:BLOCK.POSITION" for its return to a call site.
 * (Reports write only ")", so several paths may be written alike.)  WM_TRACE_SCHEME is context or piecewise.  WM_TRACE_CROSSED names a file of lines "FUNCTION BLOCK POSITION crossed", the call sites that are crossed, and
 * "FUNCTION BLOCK BLOCK cut", the edges at which paths end because a function has too many, and "FUNCTION BLOCK 0 unwinds",
 * blocks whose last edge leads to a landing pad.
 *
 * One path is in flight per activation that was not crossed into (a chain): the activations that are crossed into
 * from there make it longer.  Where `irregular` steps occur (second returns of setjmp), the file begins with a line
 * "irregular", and counts cannot be compared.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the compiler emits, one per function. */
struct table {
	const char *name, *source;
	int32_t block_count, edge_count;
	int32_t edges[]; /* from, to; sorted by from */
};

enum { CALL = -1, RETURN = -2 };
struct word {
	const struct table *table;
	int32_t block; /* or CALL, RETURN */
	int32_t caller, position; /* of a RETURN: the call site, in the function of the table */
};

struct chain {
	struct word *word;
	size_t length, capacity;
	size_t fresh; /* the context ends before this word */
};

struct activation {
	const void *frame;
	const struct table *table;
	uint8_t *back_edge;
	int32_t block;
	int started, crossed, call; /* call: the position of the call at work, or -1 */
	int position; /* of the call that was crossed last */
	int waits; /* in a call that is stepped over: its position + 1; or 0 */
	struct chain *chain;
	size_t entered; /* length of the chain on entry */
};

struct thread {
	struct activation *activation;
	size_t depth, capacity;
};
static _Thread_local struct thread self;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pieces, pending, irregular;

static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	*capacity = *capacity ? 2 * *capacity : 64;
	array = realloc(array, *capacity * size);
	if (!array)
		abort();
	return array;
}

/* ---- What is crossed ------------------------------------------------------------- */

struct site {
	char *function;
	int block, position; /* of a cut: the blocks of the edge */
	enum kind { CROSSED, CUT, UNWINDS } kind;
};
static struct site *sites;
static size_t site_count, site_capacity;

static int by_site(const void *left, const void *right)
{
	const struct site *a = left, *b = right;
	int order = strcmp(a->function, b->function);
	if (!order)
		order = (a->block > b->block) - (a->block < b->block);
	if (!order)
		order = (int)a->kind - (int)b->kind;
	return order ? order : (a->position > b->position) - (a->position < b->position);
}

__attribute__((constructor)) static void read_settings(void)
{
	const char *scheme = getenv("WM_TRACE_SCHEME"), *name = getenv("WM_TRACE_CROSSED");
	FILE *file = name ? fopen(name, "r") : NULL;
	struct site site;
	pieces = scheme && !strncmp(scheme, "piecewise", 9);
	pending = scheme && strstr(scheme, "=pending");
	char kind[10];
	while (file && fscanf(file, "%ms %d %d %9s", &site.function, &site.block, &site.position, kind) == 4) {
		site.kind = !strcmp(kind, "cut") ? CUT : !strcmp(kind, "unwinds") ? UNWINDS : CROSSED;
		sites = grow(sites, site_count, &site_capacity, sizeof *sites);
		sites[site_count++] = site;
	}
	if (file)
		fclose(file);
	qsort(sites, site_count, sizeof *sites, by_site);
}

static int is_listed(const char *function, int block, int position, enum kind kind)
{
	struct site key = {(char *)function, block, position, kind};
	return site_count && bsearch(&key, sites, site_count, sizeof key, by_site);
}

static int is_crossed(const struct activation *caller)
{
	return caller->call >= 0 && is_listed(caller->table->name, caller->block, caller->call, CROSSED);
}

/* ---- Counts ----------------------------------------------------------------------- */

struct path {
	struct path *next;
	uint64_t count;
	char *text;
};
enum { BUCKETS = 65536 };
static struct path *paths[BUCKETS];

static void count_text(char *text)
{
	uint64_t hash = 14695981039346656037u;
	for (const char *c = text; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211u;
	pthread_mutex_lock(&lock);
	struct path **link = &paths[hash % BUCKETS];
	while (*link && strcmp((*link)->text, text))
		link = &(*link)->next;
	if (!*link) {
		*link = calloc(1, sizeof **link);
		if (!*link)
			abort();
		(*link)->text = strdup(text);
	}
	(*link)->count++;
	pthread_mutex_unlock(&lock);
}

/* `at`: what tells ends of one kind after the same words apart, or -1: the block to which the path went, or the position of
 * the call in which it ended. */
static void complete(const struct chain *chain, const char *end, int32_t at)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	fprintf(out, "%s %s", chain->word[0].table->name, end);
	for (size_t i = 0; i <= chain->length; i++) {
		if (i == chain->fresh)
			fputs(" |", out);
		if (i == chain->length)
			break;
		const struct word *word = &chain->word[i];
		if (word->block == CALL)
			fputs(" (", out);
		else if (word->block == RETURN)
			fprintf(out, " )@%s:%d.%d", word->table->name, (int)word->caller, (int)word->position);
		else
			fprintf(out, " %s:%d", word->table->name, (int)word->block);
	}
	if (at >= 0)
		fprintf(out, " @%d", (int)at);
	fclose(out);
	count_text(text);
	free(text);
}

/* ---- Paths in flight ---------------------------------------------------------------- */

static void append(struct chain *chain, const struct table *table, int32_t block)
{
	chain->word = grow(chain->word, chain->length, &chain->capacity, sizeof *chain->word);
	chain->word[chain->length++] = (struct word){.table = table, .block = block};
}

static void append_return(struct chain *chain, const struct activation *to)
{
	append(chain, to->table, RETURN);
	chain->word[chain->length - 1].caller = to->block;
	chain->word[chain->length - 1].position = to->position;
}

/* The next path begins at a block of this activation. */
static void begin_again(struct activation *at)
{
	at->chain->length = pieces ? 0 : at->entered;
	at->chain->fresh = at->chain->length;
}

static struct activation *top(void)
{
	return &self.activation[self.depth - 1];
}

/* The call in which the activation is will not return to it. */
static void end_in_call(struct activation *at)
{
	if (pending && at->waits)
		complete(at->chain, "call", at->waits - 1);
	at->waits = 0;
}

static void pop(void)
{
	if (!top()->crossed) {
		free(top()->chain->word);
		free(top()->chain);
	}
	self.depth--;
}

/* Activations above this one were left by an exception or a jump.  True: the one that this one called had been crossed
 * into. */
static int pop_to(const void *frame)
{
	int lost = 0;
	while (self.depth && top()->frame != frame) {
		lost = top()->crossed;
		end_in_call(top());
		pop();
	}
	if (!self.depth)
		abort();
	return lost;
}

/* A back edge leads to a block that is still on the stack of the depth-first search. */
static void find_back_edges(const struct table *table, uint8_t *back_edge)
{
	size_t blocks = (size_t)table->block_count, depth = 0;
	uint8_t *state = calloc(blocks, 1);
	int32_t *stack = calloc(blocks, sizeof *stack), *next = calloc(blocks, sizeof *next);
	if (!state || !stack || !next)
		abort();
	stack[depth++] = 0;
	state[0] = 1;
	while (depth) {
		int32_t block = stack[depth - 1];
		while (next[block] < table->edge_count && table->edges[2 * next[block]] != block)
			next[block]++;
		if (next[block] == table->edge_count) {
			state[block] = 2;
			depth--;
			continue;
		}
		int32_t edge = next[block]++, to = table->edges[2 * edge + 1];
		back_edge[edge] = state[to] == 1;
		if (!state[to]) {
			state[to] = 1;
			stack[depth++] = to;
		}
	}
	free(state);
	free(stack);
	free(next);
}

struct known {
	struct known *next;
	const struct table *table;
	uint8_t *back_edge;
};
static struct known *known[4096];

static uint8_t *back_edges(const struct table *table)
{
	pthread_mutex_lock(&lock);
	struct known **link = &known[((uintptr_t)table >> 4) % 4096];
	while (*link && (*link)->table != table)
		link = &(*link)->next;
	if (!*link) {
		*link = calloc(1, sizeof **link);
		if (!*link || !((*link)->back_edge = calloc((size_t)table->edge_count + 1, 1)))
			abort();
		(*link)->table = table;
		find_back_edges(table, (*link)->back_edge);
	}
	uint8_t *found = (*link)->back_edge;
	pthread_mutex_unlock(&lock);
	return found;
}

static int find_edge(const struct table *table, int32_t from, int32_t to)
{
	int32_t first = 0, end = table->edge_count;
	while (first < end) {
		int32_t middle = first + (end - first) / 2;
		if (table->edges[2 * middle] < from)
			first = middle + 1;
		else
			end = middle;
	}
	for (int32_t e = first; e < table->edge_count && table->edges[2 * e] == from; e++)
		if (table->edges[2 * e + 1] == to)
			return e;
	return -1;
}

/* Whether the edge leads from a call to its landing pad, in schemes in which that ends the path. */
static int is_pad(const struct table *table, int edge)
{
	int32_t from = edge < 0 ? -1 : table->edges[2 * edge];
	return pending && edge >= 0 && is_listed(table->name, from, 0, UNWINDS) &&
	       (edge + 1 == table->edge_count || table->edges[2 * edge + 2] != from);
}

/* ---- Events ---------------------------------------------------------------------------- */

void __wm_trace_enter(const void *frame, const struct table *table);
void __wm_trace_block(const void *frame, int32_t block);
void __wm_trace_call(const void *frame, int32_t position);
void __wm_trace_leave(const void *frame, int32_t end);

void __wm_trace_enter(const void *frame, const struct table *table)
{
	struct activation made = {.frame = frame, .table = table, .call = -1, .back_edge = back_edges(table)};
	if (self.depth && is_crossed(top())) {
		made.crossed = 1;
		made.chain = top()->chain;
		top()->position = top()->call;
		append(made.chain, table, CALL);
	} else {
		made.chain = calloc(1, sizeof *made.chain);
		if (!made.chain)
			abort();
	}
	/* The call is answered: another activation that comes before it returns was not called here. */
	if (self.depth)
		top()->call = made.crossed ? -2 : -1;
	made.entered = made.chain->length;
	self.activation = grow(self.activation, self.depth, &self.capacity, sizeof made);
	self.activation[self.depth++] = made;
}

void __wm_trace_block(const void *frame, int32_t block)
{
	int lost = pop_to(frame);
	struct activation *at = top();
	int edge = at->started ? find_edge(at->table, at->block, block) : -1;
	if (at->started && edge < 0) {
		irregular = 1;
	} else if (lost || is_pad(at->table, edge)) {
		/* The landing pad of a call that was crossed, or in which a path may end. */
		end_in_call(at);
		begin_again(at);
	} else if (edge >= 0 && at->back_edge[edge]) {
		complete(at->chain, "backedge", block);
		begin_again(at);
	} else if (edge >= 0 && is_listed(at->table->name, at->block, block, CUT)) {
		complete(at->chain, "cut", block);
		begin_again(at);
	}
	append(at->chain, at->table, block);
	at->block = block;
	at->started = 1;
	at->call = -1;
	at->waits = 0;
}

void __wm_trace_call(const void *frame, int32_t position)
{
	int depth = (int)self.depth;
	while (depth > 0 && self.activation[depth - 1].frame != frame)
		depth--;
	if (!depth)
		return; /* it has left: the call takes the place of its frame */
	pop_to(frame);
	top()->call = position;
	top()->waits = is_crossed(top()) ? 0 : position + 1;
}

void __wm_trace_leave(const void *frame, int32_t end)
{
	static const char *const names[] = {"backedge", "return", "noreturn", "unwind"};
	pop_to(frame);
	struct activation *at = top();
	/* The callee of the last call of the block goes on with the path. */
	if (end == 2 && is_crossed(at))
		return;
	if (at->crossed && end == 1)
		append_return(at->chain, at - 1);
	else
		complete(at->chain, names[end], -1);
	at->waits = 0;
	/* Where it does not return, the landing pad of a caller finds that it was crossed into. */
	if (!at->crossed || end == 1)
		pop();
}

__attribute__((destructor(101))) static void write_trace(void)
{
	const char *pattern = getenv("WM_TRACE_FILE"), *percent = pattern ? strstr(pattern, "%p") : NULL;
	char name[4096];
	if (percent)
		snprintf(
			name, sizeof name, "%.*s%ld%s", (int)(percent - pattern), pattern, (long)getpid(), percent + 2);
	FILE *file = pattern ? fopen(percent ? name : pattern, "w") : NULL;
	if (!file)
		return;
	for (size_t i = 0; i < self.depth; i++)
		end_in_call(&self.activation[i]);
	if (irregular)
		fputs("irregular\n", file);
	for (size_t i = 0; i < BUCKETS; i++)
		for (const struct path *path = paths[i]; path; path = path->next)
			fprintf(file, "%llu %s\n", (unsigned long long)path->count, path->text);
	if (fclose(file))
		perror("WM_TRACE_FILE");
}
