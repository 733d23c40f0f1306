/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/detector.h"
#include <stdlib.h>
#include <string.h>

/* The frame of the procedure a thread starts in: above every frame it will call from. */
#define OUTERMOST UINT64_MAX

/* Length and outcomes of the path are one word, because a processor waits when it loads in one
 * piece what it has just stored in two. */
struct entry {
	uint64_t start;
	uint64_t frame; /* WM_HW_NO_FRAME: not known */
	uint64_t branches; /* bits 0-31: the outcomes; from bit 32: how many */
	uint32_t extension; /* of the path */
	uint32_t spanned; /* callees that paths of the entry span and that have not returned; at least the calls among
			   * `extension`, which starts at 0 when a path ends inside of a callee */
	bool handler; /* of a signal */
	struct wm_hw_events events;
};

/* The stack is a ring: entry i, counted from the oldest, is at (base + i) mod capacity. */
struct wm_hw_detector {
	struct wm_hw_detector_config config;
	bool nests;
	bool extends; /* the control register has an extension */
	bool flat; /* only signals push an entry above another */
	bool quick[WM_HW_TYPE_COUNT]; /* branches of this type only update the current path */
	struct entry *ring;
	size_t base, depth, capacity;
	struct wm_hw_detector_stats stats;
};

enum wm_hw_status wm_hw_detector_check(const struct wm_hw_detector_config *config)
{
	return config->stack_entries ? wm_hw_control_check(&config->control) : WM_HW_BAD_CONFIG;
}

struct wm_hw_detector *wm_hw_detector_new(const struct wm_hw_detector_config *config)
{
	struct wm_hw_detector *detector = calloc(1, sizeof(*detector));
	if (!detector)
		return NULL;
	detector->config = *config;
	detector->nests = wm_hw_control_nests(&config->control);
	detector->extends = config->control.extension != WM_HW_EXTEND_NOTHING;
	detector->flat = true;
	for (unsigned i = 0; i < WM_HW_TYPE_COUNT; i++)
		detector->flat &= (config->control.operations[i] & (WM_HW_POP | WM_HW_PUSH)) != WM_HW_PUSH;
	for (unsigned i = WM_HW_TYPE_FORWARD; i < WM_HW_TYPE_COUNT; i++)
		detector->quick[i] = config->control.operations[i] == WM_HW_UPDATE;
	detector->capacity = config->stack_entries;
	detector->ring = calloc(detector->capacity, sizeof(*detector->ring));
	if (!detector->ring) {
		free(detector);
		return NULL;
	}
	return detector;
}

void wm_hw_detector_free(struct wm_hw_detector *detector)
{
	if (!detector)
		return;
	free(detector->ring);
	free(detector);
}

static inline struct entry *entry_at(struct wm_hw_detector *d, size_t i)
{
	size_t at = d->base + i;
	return &d->ring[at >= d->capacity ? at - d->capacity : at];
}

static inline struct entry *top(struct wm_hw_detector *d)
{
	return entry_at(d, d->depth - 1);
}

/* Only a stack that spills grows, and such a stack never drops: its base is 0. */
static bool grow_stack(struct wm_hw_detector *d)
{
	struct entry *larger = realloc(d->ring, 2 * d->capacity * sizeof(*larger));
	if (!larger)
		return false;
	memset(larger + d->capacity, 0, d->capacity * sizeof(*larger));
	d->ring = larger;
	d->capacity *= 2;
	return true;
}

static inline bool make_room(struct wm_hw_detector *d)
{
	if (d->depth < d->config.stack_entries)
		return true;
	if (d->config.overflow == WM_HW_SPILL) {
		d->stats.spilled++;
		return d->depth < d->capacity || grow_stack(d);
	}
	if (d->depth == d->capacity) {
		d->base = d->base + 1 == d->capacity ? 0 : d->base + 1;
		d->depth--;
		d->stats.dropped++;
	}
	return true;
}

/* In a plain detector, the other events of all entries are 0 from the beginning. */
static inline void begin_path(const struct wm_hw_detector *d, struct entry *e, uint64_t start)
{
	e->start = start;
	e->branches = 0;
	e->extension = 0;
	if (d->config.plain)
		e->events.count[WM_HW_INSTRUCTIONS] = 0;
	else
		e->events = (struct wm_hw_events){0};
}

static inline bool push_entry(struct wm_hw_detector *d, uint64_t start, uint64_t frame)
{
	if (!make_room(d))
		return false;
	d->depth++;
	if (d->depth > d->stats.deepest)
		d->stats.deepest = d->depth;
	struct entry *e = top(d);
	begin_path(d, e, start);
	e->frame = frame;
	e->spanned = 0;
	e->handler = false;
	return true;
}

/* A pop and a push: the new entry belongs to the same procedure. */
static inline void replace_top(struct wm_hw_detector *d, struct entry *e, uint64_t start)
{
	begin_path(d, e, start);
	d->stats.spilled += d->config.overflow == WM_HW_SPILL && d->depth > d->config.stack_entries;
}

static inline void finish_path(
	struct wm_hw_detector *d, const struct entry *e, struct wm_hw_finished *finished, bool *done)
{
	_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
			       offsetof(struct wm_hw_path, length) == offsetof(struct wm_hw_path, outcomes) + 4,
		"an entry has length and outcomes as a path has them");
	finished->path.start = e->start;
	memcpy(&finished->path.outcomes, &e->branches, sizeof(e->branches));
	if (d->config.plain)
		finished->events.count[WM_HW_INSTRUCTIONS] = e->events.count[WM_HW_INSTRUCTIONS];
	else
		finished->events = e->events;
	finished->events.count[WM_HW_FREQUENCY] = 1;
	*done = true;
	d->stats.finished++;
}

/* The current path becomes that of entry `owner`; what was above and the owner's own path
 * are lost. */
static void collapse(struct wm_hw_detector *d, size_t owner)
{
	if (owner + 1 == d->depth)
		return;
	struct entry *to = entry_at(d, owner);
	uint64_t frame = to->frame;
	uint32_t spanned = to->spanned;
	*to = *top(d);
	to->frame = frame;
	to->spanned = spanned;
	if (d->config.control.extension == WM_HW_EXTEND_CALLS && to->extension > spanned)
		to->extension = spanned;
	d->stats.abandoned += d->depth - 1 - owner;
	d->depth = owner + 1;
}

static void purge(struct wm_hw_detector *d)
{
	d->stats.abandoned += d->depth;
	d->depth = 0;
}

/* One above the topmost entry that is alive when the program's stack pointer is at `frame`;
 * 0 when there is none.  The frame of a signal handler is not known, and the handler may run
 * on a stack of its own: its entry lives until a return of what it interrupted. */
static size_t live_depth(struct wm_hw_detector *d, uint64_t frame)
{
	size_t i = d->depth;
	while (i && entry_at(d, i - 1)->frame != WM_HW_NO_FRAME && entry_at(d, i - 1)->frame <= frame)
		i--;
	return i;
}

/* What a return does once its entry is the top. */
enum landing { LANDS_IN_CALLER, LANDS_IN_PLACE, LANDS_NOWHERE };

/* One above the entry of the procedure that returns; 0: there is none. */
static size_t returning_depth(struct wm_hw_detector *d, uint64_t frame)
{
	for (size_t i = d->depth; i && entry_at(d, i - 1)->frame <= frame; i--)
		if (entry_at(d, i - 1)->frame == frame)
			return i;
	return 0;
}

/* Whether a return is that of a callee that paths of the top entry span. */
static bool returns_inside(struct wm_hw_detector *d, uint64_t frame)
{
	const struct entry *e = top(d);
	if (!e->spanned)
		return false;
	return e->frame == WM_HW_NO_FRAME ? !returning_depth(d, frame) : frame < e->frame;
}

static enum landing repair_return(struct wm_hw_detector *d, uint64_t frame)
{
	size_t returning = returning_depth(d, frame);
	if (returning) {
		collapse(d, returning - 1);
		return LANDS_IN_CALLER;
	}
	uint64_t own = top(d)->frame;
	if (own == WM_HW_NO_FRAME || own == OUTERMOST)
		return LANDS_IN_CALLER;
	size_t live = live_depth(d, frame);
	if (!live)
		return LANDS_NOWHERE;
	collapse(d, live - 1);
	return LANDS_IN_PLACE;
}

static void repair_call(struct wm_hw_detector *d, uint64_t frame)
{
	size_t live = live_depth(d, frame);
	if (live) {
		collapse(d, live - 1);
		return;
	}
	d->stats.abandoned += d->depth - 1;
	struct entry current = *top(d);
	d->depth = 1;
	*top(d) = current;
	top(d)->frame = OUTERMOST;
	top(d)->spanned = 0;
}

/* A path that spans calls continues in its callees.  A return with the counter at 0 is not part of the path: it is an
 * ordinary one, also if the path began inside of a callee that an earlier path of the entry spans.  Then, the procedure of
 * the entry has not returned, and its next path takes the place of the one that ends. */
static unsigned extended_return(const struct wm_hw_detector *d, struct entry *e)
{
	unsigned operations = d->config.control.operations[WM_HW_TYPE_RETURN];
	bool inside = e->spanned > 0;
	e->spanned -= inside;
	if (e->extension) {
		e->extension--;
		return WM_HW_UPDATE;
	}
	return inside && d->nests ? operations | WM_HW_PUSH : operations;
}

/* Extension counters qualify the operations of the control register (section 5.2). */
static unsigned extended(const struct wm_hw_detector *d, struct entry *e, const struct wm_hw_committed *branch)
{
	const struct wm_hw_control *control = &d->config.control;
	unsigned operations = control->operations[branch->type];
	switch (control->extension) {
	case WM_HW_EXTEND_NOTHING:
		return operations;
	case WM_HW_EXTEND_LOOPS:
		if (branch->type != WM_HW_TYPE_BACKWARD || e->extension >= control->extension_max)
			return operations;
		e->extension++;
		return WM_HW_UPDATE;
	case WM_HW_EXTEND_CALLS:
		if (branch->type == WM_HW_TYPE_CALL && e->extension < control->extension_max) {
			e->extension++;
			e->spanned++;
			return WM_HW_UPDATE;
		}
		return branch->type == WM_HW_TYPE_RETURN ? extended_return(d, e) : operations;
	}
	return operations;
}

/* Records an outcome; false when the path is full. */
static inline bool record(struct wm_hw_detector *d, struct entry *e, bool taken)
{
	uint64_t length = e->branches >> 32;
	if (length == d->config.control.max_branches)
		return false;
	e->branches += (UINT64_C(1) << 32) + ((uint64_t)taken << length);
	return true;
}

static inline void add_events(const struct wm_hw_detector *d, struct entry *e, const struct wm_hw_events *events)
{
	if (d->config.plain)
		e->events.count[WM_HW_INSTRUCTIONS] += events->count[WM_HW_INSTRUCTIONS];
	else
		wm_hw_events_add(&e->events, events);
}

static inline bool operate(struct wm_hw_detector *d, unsigned operations, const struct wm_hw_committed *branch,
	struct wm_hw_finished *finished, bool *done)
{
	struct entry *e = top(d);
	if (operations & (WM_HW_UPDATE | WM_HW_UPDATE_COUNT))
		add_events(d, e, &branch->events);
	if (operations & WM_HW_UPDATE && !record(d, e, branch->taken)) {
		d->stats.split++;
		/* The split ends the path; a pop would only take the empty rest off again. */
		if (!(operations & WM_HW_POP))
			operations |= WM_HW_POP | WM_HW_PUSH;
	}
	if (operations & WM_HW_POP)
		finish_path(d, e, finished, done);
	switch (operations & (WM_HW_POP | WM_HW_PUSH)) {
	case WM_HW_POP:
		d->depth--;
		return true;
	case WM_HW_PUSH:
		return push_entry(d, branch->next, branch->frame);
	case WM_HW_POP | WM_HW_PUSH:
		replace_top(d, e, branch->next);
		return true;
	}
	return true;
}

enum wm_hw_status wm_hw_detector_begin(struct wm_hw_detector *detector, uint64_t start)
{
	return push_entry(detector, start, OUTERMOST) ? WM_HW_OK : WM_HW_NO_MEMORY;
}

/* A stack that a branch left, or found, empty: paths start again where execution continues. */
static enum wm_hw_status resume(struct wm_hw_detector *d, uint64_t start)
{
	d->stats.resumed++;
	return wm_hw_detector_begin(d, start);
}

static enum landing repair(struct wm_hw_detector *d, const struct wm_hw_committed *branch)
{
	if (!d->nests || branch->frame == WM_HW_NO_FRAME)
		return LANDS_IN_CALLER;
	if (branch->type == WM_HW_TYPE_CALL)
		repair_call(d, branch->frame);
	if (branch->type != WM_HW_TYPE_RETURN)
		return LANDS_IN_CALLER;
	if (returns_inside(d, branch->frame))
		return LANDS_IN_CALLER;
	if (top(d)->spanned)
		top(d)->spanned = top(d)->extension = 0;
	return repair_return(d, branch->frame);
}

/* Whether a branch belongs to the top entry, so that nothing is to be repaired. */
static inline bool belongs_to_top(struct wm_hw_detector *d, const struct wm_hw_committed *branch)
{
	if (!d->nests || branch->frame == WM_HW_NO_FRAME)
		return true;
	uint64_t frame = top(d)->frame;
	switch (branch->type) {
	case WM_HW_TYPE_CALL:
		return frame > branch->frame;
	case WM_HW_TYPE_RETURN:
		return frame == branch->frame;
	case WM_HW_TYPE_FORWARD:
	case WM_HW_TYPE_BACKWARD:
	case WM_HW_TYPE_INDIRECT:
	case WM_HW_TYPE_COUNT:
		break;
	}
	return true;
}

/* Most branches; what extension counters change for them is an update, too. */
static inline bool update_quickly(struct wm_hw_detector *d, const struct wm_hw_committed *branch)
{
	if (!d->quick[branch->type] || !d->depth)
		return false;
	struct entry *e = top(d);
	if (!record(d, e, branch->taken))
		return false;
	add_events(d, e, &branch->events);
	d->stats.operations[WM_HW_UPDATE]++;
	d->stats.performed = WM_HW_UPDATE;
	return true;
}

/* Any branch that is more than an update of the current path. */
static enum wm_hw_status process(
	struct wm_hw_detector *d, const struct wm_hw_committed *branch, struct wm_hw_finished *finished, bool *done)
{
	d->stats.performed = 0;
	if (!d->depth)
		return resume(d, branch->next);
	unsigned operations = d->config.control.operations[branch->type];
	if (d->extends || !belongs_to_top(d, branch)) {
		enum landing landing = repair(d, branch);
		if (landing == LANDS_NOWHERE) {
			purge(d);
			return resume(d, branch->next);
		}
		operations = landing == LANDS_IN_PLACE && !top(d)->spanned
				     ? d->config.control.operations[WM_HW_TYPE_INDIRECT]
				     : extended(d, top(d), branch);
	}
	d->stats.operations[operations]++;
	d->stats.performed = operations;
	if (!operate(d, operations, branch, finished, done))
		return WM_HW_NO_MEMORY;
	return d->depth ? WM_HW_OK : resume(d, branch->next);
}

enum wm_hw_status wm_hw_detector_branch(struct wm_hw_detector *detector, const struct wm_hw_committed *branch,
	struct wm_hw_finished *finished, bool *done)
{
	*done = false;
	detector->stats.branches++;
	return update_quickly(detector, branch) ? WM_HW_OK : process(detector, branch, finished, done);
}

/* Performs the first steps that only update the current path.  Returns how many branches these are. */
static inline uint32_t update_many(struct wm_hw_detector *d, struct wm_hw_span *span, uint64_t *instructions)
{
	struct entry *e = d->depth ? top(d) : NULL;
	uint64_t most = d->config.control.max_branches, branches = e ? e->branches : 0;
	uint64_t sum = e ? e->events.count[WM_HW_INSTRUCTIONS] : 0, pending = *instructions;
	const struct wm_hw_run_step *step = span->at;
	uint32_t updates = 0;
	for (; step < span->end; step++) {
		if (step->type == WM_HW_TYPE_COUNT) {
			pending += step->instructions;
			continue;
		}
		uint64_t length = branches >> 32;
		if (!d->quick[step->type] || length == most || !e)
			break;
		branches += (UINT64_C(1) << 32) + ((uint64_t)step->taken << length);
		sum += pending + step->instructions;
		pending = 0;
		updates++;
	}
	if (e) {
		e->branches = branches;
		e->events.count[WM_HW_INSTRUCTIONS] = sum;
	}
	*instructions = pending;
	span->at = step;
	return updates;
}

enum wm_hw_status wm_hw_detector_run(struct wm_hw_detector *detector, struct wm_hw_span *span,
	struct wm_hw_committed *branch, struct wm_hw_finished *finished, bool *done)
{
	uint64_t *instructions = &branch->events.count[WM_HW_INSTRUCTIONS];
	enum wm_hw_status status = WM_HW_OK;
	*done = false;
	while (!*done && !status) {
		uint32_t updates = update_many(detector, span, instructions);
		detector->stats.operations[WM_HW_UPDATE] += updates;
		detector->stats.branches += updates;
		if (span->at == span->end)
			break;
		const struct wm_hw_run_step *step = span->at++;
		*instructions += step->instructions;
		branch->type = (enum wm_hw_type)step->type;
		branch->taken = step->taken;
		branch->next = step->next;
		branch->frame = step->frame;
		detector->stats.branches++;
		status = process(detector, branch, finished, done);
		*instructions = 0;
	}
	return status;
}

/* Handlers that siglongjmp leaves never return: without nesting, nothing else takes what they interrupted off the
 * stack. */
static void forget_interrupted(struct wm_hw_detector *d)
{
	enum { INTERRUPTED_MAX = 32 };
	if (!d->flat || d->depth < INTERRUPTED_MAX)
		return;
	*entry_at(d, 0) = *top(d);
	d->stats.abandoned += d->depth - 1;
	d->depth = 1;
}

enum wm_hw_status wm_hw_detector_interrupt(
	struct wm_hw_detector *detector, uint64_t start, const struct wm_hw_events *events)
{
	if (!detector->depth)
		return resume(detector, start);
	add_events(detector, top(detector), events);
	forget_interrupted(detector);
	if (!push_entry(detector, start, WM_HW_NO_FRAME))
		return WM_HW_NO_MEMORY;
	top(detector)->handler = true;
	return WM_HW_OK;
}

void wm_hw_detector_return(struct wm_hw_detector *detector)
{
	size_t handler = detector->depth;
	while (!detector->nests && handler && !entry_at(detector, handler - 1)->handler)
		handler--;
	if (detector->nests || !handler)
		return;
	detector->stats.abandoned += detector->depth - (handler - 1);
	detector->depth = handler - 1;
}

void wm_hw_detector_end(struct wm_hw_detector *detector)
{
	purge(detector);
}

const struct wm_hw_detector_stats *wm_hw_detector_stats(const struct wm_hw_detector *detector)
{
	return &detector->stats;
}

size_t wm_hw_detector_depth(const struct wm_hw_detector *detector)
{
	return detector->depth;
}

void wm_hw_detector_stats_add(struct wm_hw_detector_stats *sum, const struct wm_hw_detector_stats *more)
{
	for (size_t i = 0; i < 16; i++)
		sum->operations[i] += more->operations[i];
	sum->branches += more->branches;
	sum->finished += more->finished;
	sum->split += more->split;
	sum->dropped += more->dropped;
	sum->spilled += more->spilled;
	sum->abandoned += more->abandoned;
	sum->resumed += more->resumed;
	sum->deepest = more->deepest > sum->deepest ? more->deepest : sum->deepest;
}
