/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The walk repeats the steps of the detector (hardware/model/detector.c), with the outcomes of the descriptor in place
 * of those of the program.  After a call that is not part of the path, the walk continues at the next instruction.
 * Time is linear in the number of instructions visited.
 */
#include "analysis/machine/descriptor_walk.h"

/* A path visits an instruction twice only in loops of extended paths, and there the number of outcomes limits its
 * length.  INSNS_MAX limits a walk over code that is not the code that was executed. */
enum { INSNS_MAX = 1 << 20 };

struct walk {
	const struct wm_code *code;
	const struct wm_hw_path *path;
	const struct wm_hw_control *control;
	uint64_t at;
	uint32_t used; /* outcomes */
	uint32_t extension;
	uint64_t back[WM_HW_CALLS_MAX]; /* return addresses of calls that are part of the path */
	size_t depth;
	enum wm_hw_end end;
};

const char *wm_hw_end_name(enum wm_hw_end end)
{
	switch (end) {
	case WM_HW_END_RETURN:
		return "return";
	case WM_HW_END_BACKWARD:
		return "backward branch";
	case WM_HW_END_INDIRECT:
		return "indirect jump";
	case WM_HW_END_CALL:
		return "call";
	case WM_HW_END_FORWARD:
		return "forward branch";
	case WM_HW_END_SPLIT:
		return "split";
	case WM_HW_END_UNKNOWN:
		return "unknown";
	}
	return "";
}

static enum wm_hw_end end_of(enum wm_hw_type type)
{
	switch (type) {
	case WM_HW_TYPE_CALL:
		return WM_HW_END_CALL;
	case WM_HW_TYPE_RETURN:
		return WM_HW_END_RETURN;
	case WM_HW_TYPE_FORWARD:
		return WM_HW_END_FORWARD;
	case WM_HW_TYPE_BACKWARD:
		return WM_HW_END_BACKWARD;
	case WM_HW_TYPE_INDIRECT:
		return WM_HW_END_INDIRECT;
	case WM_HW_TYPE_COUNT:
		break;
	}
	return WM_HW_END_UNKNOWN;
}

static bool stop_walk(struct walk *walk, enum wm_hw_end end)
{
	walk->end = end;
	return false;
}

/* Whether the path is extended over this branch; updates the extension counter. */
static bool extends(struct walk *walk, enum wm_hw_type type)
{
	const struct wm_hw_control *control = walk->control;
	bool more = walk->extension < control->extension_max;
	if (control->extension == WM_HW_EXTEND_LOOPS && type == WM_HW_TYPE_BACKWARD && more) {
		walk->extension++;
		return true;
	}
	if (control->extension != WM_HW_EXTEND_CALLS)
		return false;
	if (type == WM_HW_TYPE_CALL && more) {
		walk->extension++;
		return true;
	}
	if (type == WM_HW_TYPE_RETURN && walk->extension) {
		walk->extension--;
		return true;
	}
	return false;
}

/* Moves to the target of a branch that is part of the path. */
static bool follow_branch(struct walk *walk, const struct wm_hw_insn *insn, bool taken, bool inside)
{
	uint64_t behind = insn->address + insn->size;
	switch ((enum wm_hw_branch)insn->branch) {
	case WM_HW_CALL:
	case WM_HW_CALL_INDIRECT:
		if (!inside) {
			walk->at = behind;
			return true;
		}
		if (!insn->target || walk->depth == WM_HW_CALLS_MAX)
			return stop_walk(walk, WM_HW_END_UNKNOWN);
		walk->back[walk->depth++] = behind;
		walk->at = insn->target;
		return true;
	case WM_HW_RETURN:
		if (!walk->depth)
			return stop_walk(walk, WM_HW_END_UNKNOWN);
		walk->at = walk->back[--walk->depth];
		return true;
	case WM_HW_CONDITIONAL:
	case WM_HW_JUMP:
		walk->at = taken ? insn->target : behind;
		return true;
	case WM_HW_JUMP_INDIRECT:
	case WM_HW_NO_BRANCH:
	case WM_HW_BRANCH_COUNT:
		break;
	}
	return stop_walk(walk, WM_HW_END_UNKNOWN);
}

static bool pass_branch(struct walk *walk, const struct wm_hw_insn *insn, struct wm_hw_visit *visit)
{
	/* The type of a conditional branch depends on its outcome.  If no outcome is left, the path was split here. */
	bool conditional = insn->branch == WM_HW_CONDITIONAL, left = walk->used < walk->path->length;
	bool taken = !conditional || (left && walk->path->outcomes >> walk->used & 1);
	enum wm_hw_type type = wm_hw_branch_type(insn, taken ? insn->target : insn->address + insn->size);
	bool inside = extends(walk, type);
	unsigned operations = inside ? WM_HW_UPDATE : walk->control->operations[type];
	if (operations & WM_HW_UPDATE) {
		if (!left)
			return stop_walk(walk, walk->path->length == walk->control->max_branches ? WM_HW_END_SPLIT
												 : WM_HW_END_UNKNOWN);
		walk->used++;
		visit->branches = conditional;
		visit->taken = taken;
	}
	if (operations & WM_HW_POP)
		return stop_walk(walk, walk->used == walk->path->length ? end_of(type) : WM_HW_END_UNKNOWN);
	bool goes_on = follow_branch(walk, insn, taken, inside);
	visit->crosses = goes_on && inside && (type == WM_HW_TYPE_CALL || type == WM_HW_TYPE_RETURN);
	return goes_on;
}

bool wm_hw_fetch(const struct wm_code *code, uint64_t address, struct wm_hw_insn *insn)
{
	size_t size;
	const uint8_t *bytes = wm_code_bytes(code, address, &size);
	return bytes && wm_hw_decode(code->decoder, bytes, size, address, insn);
}

enum wm_hw_end wm_hw_walk(const struct wm_code *code, const struct wm_hw_path *path,
	const struct wm_hw_control *control, void (*visit)(void *closure, const struct wm_hw_visit *visit),
	void *closure)
{
	struct walk walk = {
		.code = code, .path = path, .control = control, .at = path->start, .end = WM_HW_END_UNKNOWN};
	struct wm_hw_insn insn;
	bool goes_on = code != NULL;
	for (size_t i = 0; goes_on && i < INSNS_MAX && wm_hw_fetch(code, walk.at, &insn); i++) {
		struct wm_hw_visit this = {.insn = &insn};
		walk.at = insn.address + insn.size;
		if (insn.branch != WM_HW_NO_BRANCH)
			goes_on = pass_branch(&walk, &insn, &this);
		if (visit)
			visit(closure, &this);
	}
	return walk.end;
}
