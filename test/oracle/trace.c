/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The independent witness.  Programs compiled under WAYMARK_TEST=trace call the three
 * functions below at every entry, block and exit; this file turns each activation's
 * walk of blocks into paths by definition, with no numbering and nothing from core/,
 * and writes all counts to the file named by WM_TRACE_FILE (%p: process id) at exit:
 *
 *     function NAME SOURCE entries=N leaves=N irregular=N
 *     path START END COUNT BLOCK BLOCK …
 *     block INDEX COUNT
 *
 * WM_TRACE_SCHEME says which paths: acyclic, kiter=K or loopcontext.  After kiter=K may stand
 * loops of the only function looked at: ,HEAD:K…  In the blocks of
 * the last, a + stands after a loop head that the path has in a later iteration.
 *
 * A path in flight is a node of a trie whose edges are blocks, so an abandoned
 * activation owns nothing.  Each thread has a list of its open activations: those above one that goes on have been left in a call,
 * and so have those that are open at the end of the program.  Their paths have the end `call`.  `irregular` counts steps along no edge of the graph,
 * which is what a second return of setjmp looks like from here.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum start { START_ENTRY, START_LOOP, START_KINDS };
enum end { END_BACKEDGE, END_RETURN, END_NORETURN, END_UNWIND, END_CALL, END_KINDS };

static const char *const start_name[] = {"entry", "loop"};
static const char *const end_name[] = {"backedge", "return", "noreturn", "unwind", "call"};

/* What the compiler emits, one per function. */
struct table {
	const char *name, *source;
	int32_t block_count, edge_count;
	int32_t edges[];
};

/* Beside a block in the trie: the head of a loop, in a later iteration. */
#define AGAIN 0x80000000u

struct node {
	struct node *parent, *child, *sibling;
	uint32_t block;
	uint64_t count[END_KINDS];
};

struct function {
	struct function *next;
	const struct table *table;
	struct node root[START_KINDS];
	uint32_t *first_edge; /* block_count + 1 */
	uint8_t *back_edge;   /* per edge */
	uint8_t *keeps; /* per block: the head of a loop whose iterations the scheme tells more of: how many, or 1 */
	uint64_t *block_runs; /* per block */
	uint64_t entries, leaves, irregular;
};

struct frame {
	struct function *function;
	struct node *node; /* NULL: the walk left the graph */
	uint32_t block;
	uint32_t started; /* a block of this activation has been seen */
	struct node **context; /* loopcontext: per head, where the path was before it; lost with an abandoned frame */
};
_Static_assert(sizeof(struct frame) <= 64, "the compiler reserves 64 bytes");

enum { BUCKETS = 4096 };
static struct function *functions[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The open activations of a thread.  What an activation has left behind on the stack may be written over, so that its path in flight
 * is here. */
struct open {
	struct open *next;
	size_t count, capacity;
	struct activation {
		const struct frame *frame;
		struct node *node;
	} *activation;
};
static struct open *all_open;
static _Thread_local struct open *own_open;

void __wm_trace_enter(struct frame *frame, const struct table *table);
void __wm_trace_block(struct frame *frame, uint32_t block);
void __wm_trace_leave(struct frame *frame, uint32_t end);
void __wm_trace_call(struct frame *frame, uint32_t position);

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);
	if (!memory)
		abort();
	return memory;
}

/* Iterations in a path; 0: paths with context. */
static uint32_t iterations = 1;
static const char *chosen;

__attribute__((constructor)) static void read_scheme(void)
{
	const char *scheme = getenv("WM_TRACE_SCHEME");
	if (!scheme || !strcmp(scheme, "acyclic"))
		return;
	if (!strcmp(scheme, "loopcontext"))
		iterations = 0;
	else if (sscanf(scheme, "kiter=%u", &iterations) != 1)
		abort();
	else
		chosen = strchr(scheme, ',');
}

/* The iterations of a loop: by hand, or what the scheme has for innermost ones. */
static uint32_t iterations_of(uint32_t head, int innermost)
{
	uint32_t block, k;
	for (const char *at = chosen; at; at = strchr(at + 1, ','))
		if (sscanf(at, ",%u:%u", &block, &k) == 2 && block == head)
			return k;
	return innermost ? iterations : 1;
}

static void index_edges(struct function *function)
{
	const struct table *table = function->table;
	for (int32_t e = 0; e < table->edge_count; e++)
		function->first_edge[table->edges[2 * e] + 1]++;
	for (int32_t b = 0; b < table->block_count; b++)
		function->first_edge[b + 1] += function->first_edge[b];
}

/* A back edge leads to a block that is still on the stack of the depth-first search. */
static void find_back_edges(struct function *function)
{
	enum { NEW, OPEN, DONE };
	const struct table *table = function->table;
	size_t blocks = (size_t)table->block_count, depth = 0;
	uint8_t *state = allocate(blocks, 1);
	uint32_t *stack = allocate(blocks, sizeof(*stack)), *next = allocate(blocks, sizeof(*next));
	memcpy(next, function->first_edge, blocks * sizeof(*next));
	stack[depth++] = 0;
	state[0] = OPEN;
	while (depth) {
		uint32_t block = stack[depth - 1];
		if (next[block] == function->first_edge[block + 1]) {
			state[block] = DONE;
			depth--;
			continue;
		}
		uint32_t edge = next[block]++, to = (uint32_t)table->edges[2 * edge + 1];
		function->back_edge[edge] = state[to] == OPEN;
		if (state[to] == NEW) {
			state[to] = OPEN;
			stack[depth++] = to;
		}
	}
	free(state);
	free(stack);
	free(next);
}

/* Marks what `seen` reaches without going through `avoid`, along edges or against them. */
static void flood(const struct function *function, uint8_t *seen, uint32_t avoid, int against)
{
	const struct table *table = function->table;
	for (int changed = 1; changed;) {
		changed = 0;
		for (int32_t e = 0; e < table->edge_count; e++) {
			uint32_t from = (uint32_t)table->edges[2 * e + against],
				 to = (uint32_t)table->edges[2 * e + !against];
			if (!seen[from] || seen[to] || to == avoid)
				continue;
			seen[to] = 1;
			changed = 1;
		}
	}
}

/* Whether control must pass the head to get to any of its back edges. */
static int is_natural(const struct function *function, uint32_t head, const uint8_t *reached)
{
	const struct table *table = function->table;
	uint8_t *seen = allocate((size_t)table->block_count, 1);
	int natural = 1;
	seen[0] = head != 0;
	flood(function, seen, head, 0);
	for (int32_t e = 0; e < table->edge_count; e++)
		if (reached[table->edges[2 * e]] && function->back_edge[e] &&
			(uint32_t)table->edges[2 * e + 1] == head && (uint32_t)table->edges[2 * e] != head)
			natural &= !seen[table->edges[2 * e]];
	free(seen);
	return natural;
}

/* Whether no other back edge ends in the body: in what reaches the loop's tails without
 * passing its head. */
static int is_innermost(const struct function *function, uint32_t head, const uint8_t *reached)
{
	const struct table *table = function->table;
	uint8_t *body = allocate((size_t)table->block_count, 1);
	int innermost = 1;
	for (int32_t e = 0; e < table->edge_count; e++)
		if (function->back_edge[e] && (uint32_t)table->edges[2 * e + 1] == head)
			body[table->edges[2 * e]] = (uint32_t)table->edges[2 * e] != head;
	flood(function, body, head, 1);
	for (int32_t e = 0; e < table->edge_count; e++)
		if (function->back_edge[e] && reached[table->edges[2 * e]] && body[table->edges[2 * e + 1]])
			innermost = 0;
	free(body);
	return innermost;
}

static void choose_loops(struct function *function)
{
	const struct table *table = function->table;
	uint8_t *reached = allocate((size_t)table->block_count, 1);
	function->keeps = allocate((size_t)table->block_count, 1);
	reached[0] = 1;
	flood(function, reached, UINT32_MAX, 0);
	for (int32_t e = 0; e < table->edge_count; e++) {
		uint32_t head = (uint32_t)table->edges[2 * e + 1];
		if (!function->back_edge[e] || !reached[table->edges[2 * e]] || function->keeps[head] ||
			!is_natural(function, head, reached))
			continue;
		uint32_t k = iterations_of(head, is_innermost(function, head, reached));
		function->keeps[head] = (uint8_t)(!iterations ? 1 : k > 1 ? k : 0);
	}
	free(reached);
}

static struct function *new_function(const struct table *table)
{
	struct function *function = allocate(1, sizeof(*function));
	function->table = table;
	function->first_edge = allocate((size_t)table->block_count + 1, sizeof(uint32_t));
	function->back_edge = allocate((size_t)table->edge_count, 1);
	function->block_runs = allocate((size_t)table->block_count, sizeof(uint64_t));
	index_edges(function);
	find_back_edges(function);
	choose_loops(function);
	return function;
}

static struct function *find_function(const struct table *table)
{
	struct function **bucket = &functions[((uintptr_t)table >> 4) % BUCKETS];
	for (struct function *function = *bucket; function; function = function->next)
		if (function->table == table)
			return function;
	struct function *function = new_function(table);
	function->next = *bucket;
	return *bucket = function;
}

/* The child for `block`, moved to the front: hot paths stay short to find. */
static struct node *extend(struct node *node, uint32_t block)
{
	struct node **link = &node->child, *child;
	while ((child = *link) && child->block != block)
		link = &child->sibling;
	if (child) {
		*link = child->sibling;
	} else {
		child = allocate(1, sizeof(*child));
		child->parent = node;
		child->block = block;
	}
	child->sibling = node->child;
	return node->child = child;
}

/* The edge from → to, or -1. */
static int64_t find_edge(const struct function *function, uint32_t from, uint32_t to)
{
	for (uint32_t e = function->first_edge[from]; e < function->first_edge[from + 1]; e++)
		if ((uint32_t)function->table->edges[2 * e + 1] == to)
			return e;
	return -1;
}

/* The same blocks from the node `first` on, which is above `node` or it, as a path that
 * starts at a loop. */
static struct node *restart_from(struct function *function, const struct node *first, const struct node *node)
{
	uint32_t length = 1;
	for (const struct node *n = node; n != first; n = n->parent)
		length++;
	uint32_t *blocks = allocate(length, sizeof(*blocks));
	for (uint32_t i = length; i-- > 0; node = node->parent)
		blocks[i] = node->block;
	struct node *made = &function->root[START_LOOP];
	for (uint32_t i = 0; i < length; i++)
		made = extend(made, blocks[i]);
	free(blocks);
	return made;
}

/* At the back edge of a loop with iterations: counts if there were enough of them, and
 * goes on with the path less its first. */
static void end_iteration(struct frame *frame, uint32_t head)
{
	const struct node *second = NULL;
	uint32_t seen = 0, wanted = frame->function->keeps[head];
	for (const struct node *n = frame->node; n; n = n->parent) {
		if (n->parent && n->block == head && ++seen == wanted - 1)
			second = n;
	}
	if (seen < wanted)
		return;
	frame->node->count[END_BACKEDGE]++;
	frame->node = restart_from(frame->function, second, frame->node);
}

static void take_back_edge(struct frame *frame, uint32_t head)
{
	struct function *function = frame->function;
	if (iterations && function->keeps[head]) {
		end_iteration(frame, head);
		return;
	}
	frame->node->count[END_BACKEDGE]++;
	frame->node = &function->root[START_LOOP];
	if (function->keeps[head])
		frame->node = frame->context[head];
}

static void keep_context(struct frame *frame, uint32_t head)
{
	if (!frame->context)
		frame->context = allocate((size_t)frame->function->table->block_count, sizeof(*frame->context));
	frame->context[head] = frame->node;
}

static void leave_unfinished(struct activation left)
{
	if (left.node)
		left.node->count[END_CALL]++;
}

/* The activations above this one have been left.  Returns whether it is open. */
static int leave_above(struct open *open, const struct frame *frame)
{
	size_t at = open->count;
	while (at && open->activation[at - 1].frame != frame)
		at--;
	while (at && open->count > at)
		leave_unfinished(open->activation[--open->count]);
	return at != 0;
}

static struct open *list_of_thread(void)
{
	if (own_open)
		return own_open;
	own_open = allocate(1, sizeof *own_open);
	own_open->next = all_open;
	return all_open = own_open;
}

/* An activation at the place of another one that is open follows it. */
static void open_activation(const struct frame *frame)
{
	struct open *open = list_of_thread();
	if (leave_above(open, frame))
		leave_unfinished(open->activation[--open->count]);
	if (open->count == open->capacity) {
		open->capacity = 2 * open->capacity + 64;
		open->activation = realloc(open->activation, open->capacity * sizeof *open->activation);
		if (!open->activation)
			abort();
	}
	open->activation[open->count++] = (struct activation){frame, frame->node};
}

/* A path before the first block of an activation is none. */
static void note_node(const struct frame *frame)
{
	struct open *open = list_of_thread();
	if (leave_above(open, frame))
		open->activation[open->count - 1].node = frame->started ? frame->node : NULL;
}

void __wm_trace_enter(struct frame *frame, const struct table *table)
{
	pthread_mutex_lock(&lock);
	struct function *function = find_function(table);
	function->entries++;
	*frame = (struct frame){.function = function, .node = &function->root[START_ENTRY]};
	open_activation(frame);
	pthread_mutex_unlock(&lock);
}

void __wm_trace_block(struct frame *frame, uint32_t block)
{
	pthread_mutex_lock(&lock);
	struct function *function = frame->function;
	int64_t edge = frame->started ? find_edge(function, frame->block, block) : -1;
	int back = edge >= 0 && function->back_edge[edge], keeps = iterations == 0 && function->keeps[block];
	if (frame->started && edge < 0) {
		function->irregular++;
		frame->node = NULL;
	} else if (frame->node && back) {
		take_back_edge(frame, block);
	}
	if (frame->node && keeps && !back)
		keep_context(frame, block);
	if (frame->node)
		frame->node = extend(frame->node, block | (keeps && back ? AGAIN : 0));
	function->block_runs[block]++;
	frame->block = block;
	frame->started = 1;
	note_node(frame);
	pthread_mutex_unlock(&lock);
}

void __wm_trace_leave(struct frame *frame, uint32_t end)
{
	pthread_mutex_lock(&lock);
	frame->function->leaves++;
	if (frame->node && end < END_KINDS)
		frame->node->count[end]++;
	free(frame->context);
	frame->context = NULL;
	if (leave_above(list_of_thread(), frame))
		own_open->count--;
	pthread_mutex_unlock(&lock);
}

/* Paths that do not cross calls need not know of them (across.c does). */
void __wm_trace_call(struct frame *frame, uint32_t position)
{
	(void)frame;
	(void)position;
}

static void write_blocks_to(FILE *file, const struct node *node)
{
	uint32_t length = 0;
	for (const struct node *n = node; n->parent; n = n->parent)
		length++;
	uint32_t *blocks = allocate(length, sizeof(*blocks));
	for (uint32_t i = length; i-- > 0; node = node->parent)
		blocks[i] = node->block;
	for (uint32_t i = 0; i < length; i++)
		fprintf(file, " %u%s", blocks[i] & ~AGAIN, blocks[i] & AGAIN ? "+" : "");
	fputc('\n', file);
	free(blocks);
}

/* A path that has a context starts at the loop after it. */
static enum start start_of(enum start root, const struct node *node)
{
	for (; node; node = node->parent)
		if (node->block & AGAIN)
			return START_LOOP;
	return root;
}

static void write_node(FILE *file, enum start root, const struct node *node)
{
	enum start start = start_of(root, node);
	for (int end = 0; end < END_KINDS; end++) {
		if (!node->count[end])
			continue;
		fprintf(file, "path %s %s %llu", start_name[start], end_name[end],
			(unsigned long long)node->count[end]);
		write_blocks_to(file, node);
	}
}

static struct node *next_in_preorder(struct node *node)
{
	if (node->child)
		return node->child;
	while (node && !node->sibling)
		node = node->parent;
	return node ? node->sibling : NULL;
}

static void write_function(FILE *file, struct function *function)
{
	const struct table *table = function->table;
	fprintf(file, "function %s %s entries=%llu leaves=%llu irregular=%llu\n", table->name, table->source,
		(unsigned long long)function->entries, (unsigned long long)function->leaves,
		(unsigned long long)function->irregular);
	for (int start = 0; start < START_KINDS; start++)
		for (struct node *node = &function->root[start]; node; node = next_in_preorder(node))
			write_node(file, (enum start)start, node);
	for (int32_t b = 0; b < table->block_count; b++)
		if (function->block_runs[b])
			fprintf(file, "block %d %llu\n", b, (unsigned long long)function->block_runs[b]);
}

static FILE *open_output(const char *pattern)
{
	char name[4096];
	const char *percent = strstr(pattern, "%p");
	if (!percent)
		return fopen(pattern, "w");
	snprintf(name, sizeof(name), "%.*s%ld%s", (int)(percent - pattern), pattern, (long)getpid(), percent + 2);
	return fopen(name, "w");
}

/* The lowest priority there is: user code that runs at exit has run by now. */
__attribute__((destructor(101))) static void write_trace(void)
{
	const char *pattern = getenv("WM_TRACE_FILE");
	FILE *file = pattern ? open_output(pattern) : NULL;
	if (!file)
		return;
	pthread_mutex_lock(&lock);
	for (struct open *open = all_open; open; open = open->next)
		while (open->count)
			leave_unfinished(open->activation[--open->count]);
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct function *function = functions[i]; function; function = function->next)
			write_function(file, function);
	pthread_mutex_unlock(&lock);
	if (fclose(file))
		perror("WM_TRACE_FILE");
}

static void forget_counts(struct function *function)
{
	for (int start = 0; start < START_KINDS; start++)
		for (struct node *node = &function->root[start]; node; node = next_in_preorder(node))
			memset(node->count, 0, sizeof(node->count));
	memset(function->block_runs, 0, (size_t)function->table->block_count * sizeof(uint64_t));
	function->entries = function->leaves = function->irregular = 0;
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/* A forked child starts at zero and keeps its open frames. */
static void after_fork_in_child(void)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct function *function = functions[i]; function; function = function->next)
			forget_counts(function);
	for (struct open *open = all_open; open; open = open->next)
		open->count = open == own_open ? open->count : 0;
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
