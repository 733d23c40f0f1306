/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The map: the graph, the source lines and the scheme of every function, in the section .waymark.map of an object
 * file, which is not loaded.  The numbering is recomputed from the map.
 *
 * The compiler writes one blob per module; the linker concatenates them (possibly
 * with zero padding in between).  A blob is: magic, version, sizes, checksum
 * (XXH3) and a zstd-compressed payload of LEB128 numbers and length-prefixed
 * strings.  After its functions a module has extensions; a reader skips those that it
 * does not know.  doc/formats.md has the layout.
 */
#ifndef WM_PROFILE_MAP_MAP_H
#define WM_PROFILE_MAP_MAP_H

#include "abi/abi.h"
#include "core/graph/checks.h"
#include "core/graph/facts.h"
#include "core/graph/origin.h"
#include "core/graph/unit.h"
#include "core/scheme/scheme.h"

enum wm_cfg_stage { WM_CFG_SOURCE, WM_CFG_OPTIMISED };
enum wm_function_status { WM_EXACT, WM_SPLIT, WM_SKIPPED };

/* What the last instruction of a block decides, so that a path can be told in words. */
enum wm_terminator {
	WM_TERM_NONE,     /* no decision: one successor, or an exit */
	WM_TERM_BRANCH, /* `true_edge` is the successor taken when the condition holds */
	WM_TERM_SWITCH, /* edges carry case values */
	WM_TERM_INDIRECT, /* computed goto */
	WM_TERM_INVOKE, /* first edge: the call returned; second: it threw */
	WM_TERM_ASM_GOTO, /* the last that maps contain */
	WM_TERM_INSTRUCTION, /* a branch of machine code (analysis/machine/machine_trail.h): not taken, taken */
};

/* Of a source file, as the debug information has it: MD5 unless the compiler was told otherwise. */
#define WM_MAP_CHECKSUM_MAX 32
struct wm_map_checksum {
	uint8_t size; /* bytes; 0: not known */
	uint8_t byte[WM_MAP_CHECKSUM_MAX];
};

struct wm_map_line {
	uint32_t file; /* index in wm_map_module.file */
	uint32_t line, column;
};

/* What is known of the condition of a branch. */
enum wm_condition_kind {
	WM_CONDITION_UNSAID, /* the map was written before conditions were described */
	WM_CONDITION_UNKNOWN, /* the optimiser may have inverted or merged the condition */
	/* `decision` is the position of an expression, and `true_edge` is taken when it is true.  Negations around the
	 * expression are not part of it. */
	WM_CONDITION_EXPRESSION,
	WM_CONDITION_WHOLE, /* the same of the whole condition of the statement that contains `decision` */
	/* The value of the switch at `decision` is compared with a range of case labels, and is in the range if `true_edge` is
	 * taken.  Clang adds only small ranges to the switch itself. */
	WM_CONDITION_CASES,
};
/* What it means for the condition of the statement that an edge is taken, if it is known from the compiler. */
enum wm_side {
	WM_SIDE_UNKNOWN,
	WM_SIDE_HOLDS, /* the whole condition is true */
	WM_SIDE_FAILS,
	WM_SIDE_NEXT_IF_TRUE, /* the left operand of && is true, and the right one follows */
	WM_SIDE_NEXT_IF_FALSE, /* the left operand of || is false, and the right one follows */
	WM_SIDE_CHOSEN, /* the condition of ?: is true */
	WM_SIDE_OTHER, /* the condition of ?: is false */
};
struct wm_map_condition {
	uint8_t kind; /* enum wm_condition_kind */
	uint8_t side[2]; /* enum wm_side, per out-edge */
	/* EXPRESSION: the name, in the compiler, of the variable, member or function whose value is tested; "": unknown.  A
	 * source position that has another name is that of a macro, which may contain any expression. */
	const char *name;
};

/*
 * Truth values that the graph alone does not tell: operands of && and || that clang computes as values instead of branching on
 * them, conditions of ?: that become a selection, and constants.
 *
 * The value of && or || is joined in a block: it is a constant if control comes from an operand that decides it, and otherwise
 * the last operand, which `block` computes before it goes on to `join`.
 */
enum wm_value_kind {
	/* The last operand; no branch on it, unless `use` says so.  It is the expression at `place`, or its negation if not
	 * `truth`. */
	WM_VALUE_OPERAND,
	WM_VALUE_CONSTANT, /* the last operand, which is the constant `truth` */
	WM_VALUE_NESTED, /* the last operand is the value that is joined in `block`, or its negation if not `truth` */
	/* The same, but `block` ends in a branch on it, both sides of which go on to `join` (-fwaymark-conditions=values). */
	WM_VALUE_SPLIT,
	WM_VALUE_CHOICE, /* the condition of ?:, for which `block` does not branch; no join */
	WM_VALUE_FIXED, /* `block` ends in a branch on the constant `truth`; no join */
};
enum wm_value_use {
	WM_USE_OTHER, /* the value is stored, passed, compared, … */
	WM_USE_BRANCH, /* the branch at the end of `teller` takes its `true_edge` if the value is true */
	WM_USE_INVERTED, /* … if it is false */
};
struct wm_map_value {
	uint8_t kind, use; /* enum wm_value_kind, enum wm_value_use */
	bool disjunction; /* joined: of ||; false: of && */
	bool truth;
	uint32_t block, join; /* join: WM_NONE if there is none */
	uint32_t teller; /* `join`, or a block that follows it after destructors of C++; use OTHER: WM_NONE */
	struct wm_map_line place; /* of the operand or condition; line 0: unknown */
	const char *name; /* as wm_map_condition.name */
};

struct wm_map_case {
	uint32_t edge_ordinal; /* out-edge of the block, 0 = first */
	int64_t value;
};

struct wm_map_block {
	uint32_t line_count;
	struct wm_map_line *line; /* source lines in the order they stand in the block, runs folded */
	struct wm_map_condition condition; /* BRANCH */
	uint8_t terminator; /* enum wm_terminator */
	uint32_t true_edge; /* BRANCH: ordinal of the out-edge taken when true (0 or 1) */
	struct wm_map_line decision; /* line 0: unknown */
	uint32_t case_count; /* SWITCH; edges without a case are the default's */
	struct wm_map_case *cases;
	uint32_t default_edge; /* SWITCH: ordinal of the default edge, or WM_NONE */
};

/* Of a function whose paths cross calls (core/scheme/unit_scheme.h). */
struct wm_map_unit {
	bool *crossed; /* per call site: crossed when the file is numbered alone */
	uint32_t edge_count; /* of its DAG */
	bool *tree; /* per DAG edge: in the spanning tree */
};

/* Of a function of a build that inlines calls (core/graph/supergraph.h).  Its graph is the supergraph. */
struct wm_map_inlined {
	struct wm_origins origins; /* context_count 0: nothing was inlined, and blocks are their own origins */
	uint8_t *kept; /* per call site: enum wm_inline_choice, why it was not inlined */
};

struct wm_map_function {
	const char *name; /* linkage name */
	const char *scheme; /* as in -fwaymark-scheme */
	const char *reason; /* SKIPPED: one clause; else "" */
	uint64_t key;
	uint64_t graph_hash; /* of graph and scheme */
	uint64_t own_source; /* which source its file has (profile/map/identity.h); 0: not known */
	uint64_t source; /* the same, with the functions that are inlined into it */
	uint32_t own_code; /* which code it has (profile/map/identity.h); 0: not known */
	uint32_t code; /* the same, with the functions that are inlined into it */
	uint32_t file, line; /* of the definition; file WM_NONE: unknown */
	uint8_t stage, status, update; /* enum wm_cfg_stage, wm_function_status, wm_update */
	bool has_entries; /* cells begin with an entry counter */
	bool has_resumed;
	bool local; /* internal linkage: other files may have one of this name */
	struct wm_graph graph; /* SKIPPED: block_count may be 0 */
	struct wm_map_block *block; /* graph.block_count */
	uint32_t call_count;
	struct wm_call *call; /* by block, then by position; wm_map_callee() names the callee */
	/* Per call site: how many of the lines of its block are of code up to the call, its own line included.  NULL: unknown. */
	uint32_t *call_line;
	struct wm_map_unit *unit; /* NULL: its paths do not cross calls, and no call is known to be opaque */
	struct wm_map_inlined *inlined; /* NULL: the build does not inline calls */
	struct wm_facts facts; /* about tested values; count 0: nothing is known */
	/* Per edge: the failures of checks to which it leads, a set of enum wm_check.  NULL: none, or not known. */
	const uint8_t *failure;
	uint32_t value_count;
	struct wm_map_value *value; /* by block */
};

/* Another name of a function of the module, which is not local: `__attribute__((alias))`, or the complete constructor or
 * destructor of a C++ class. */
struct wm_map_alias {
	const char *name; /* linkage name */
	uint32_t function; /* in the module */
	bool weak; /* another definition of the name may win at link time */
};

/* A call by a function of which the map does not describe the calls, because it is not instrumented or is counted elsewhere;
 * or the caller is an alias of the callee.  Both are indices as wm_call.callee.  callee WM_NONE: the call is indirect, or the
 * caller itself is counted elsewhere. */
struct wm_map_unseen_call {
	uint32_t caller, callee;
};

struct wm_map_module {
	const char *source; /* main file of the translation unit */
	uint32_t file_count;
	const char **file; /* as the debug information names them, normalised; relative ones to `directory` */
	const char *directory; /* the compilation directory, as the debug information names it; NULL: unknown */
	struct wm_map_checksum source_sum; /* of `source` */
	const struct wm_map_checksum *file_sum; /* per file; NULL: not known */
	/* Per file: without a checksum of its own, that of `source` stands for it, whose #line directives name the file.  NULL:
	 * none is. */
	const bool *in_main;
	uint32_t function_count;
	struct wm_map_function *function;
	uint32_t outside_count;
	const char **outside; /* linkage names of functions that are called here and not in `function` */
	uint32_t taken_count;
	/* Where paths cross calls: functions of the module or others whose address is taken here, or that functions call which
	 * are not instrumented. */
	const char **taken;
	uint32_t alias_count;
	struct wm_map_alias *alias; /* where paths cross calls: of functions with `unit` */
	uint32_t unseen_count;
	struct wm_map_unseen_call
		*unseen; /* where paths go through calls: ascending callers, then callees; no duplicates */
	bool has_values; /* wm_map_function.value is known: the map was not written before truth values were described */
	uint32_t crash_paths; /* how many finished paths `waymark crash` prints, at most WM_CRASH_PATHS */
};

struct wm_map {
	uint32_t module_count;
	struct wm_map_module *module;
};

/* Identity of a function across builds: its linkage name and, when local, what tells
 * its file from others (plugin/llvm/scope.h). */
uint64_t wm_function_key(const char *name, const char *scope_or_null);
/* The name of a function that the modules call and do not define; NULL: none of them has this key. */
const char *wm_map_find_outside(const struct wm_map *map, uint64_t key);
/* Hash of everything that gives a path id its meaning: graph, ends, scheme, WM_NUMBERING. */
uint64_t wm_map_graph_hash(const struct wm_graph *graph, const char *scheme);
/* The same, with the origins of its blocks, for a function into which calls were inlined. */
uint64_t wm_map_inlined_hash(const struct wm_map_module *module, const struct wm_map_function *function);
/* Whether calls were inlined into the function. */
bool wm_map_has_origins(const struct wm_map_function *function);

/* The linkage name that a call site names; NULL: the call is indirect.  wm_call.callee is here an index of
 * `function`, or, plus function_count, of `outside`, or WM_NONE.  The linker decides which definition the name has. */
const char *wm_map_callee(const struct wm_map_module *module, const struct wm_call *call);
/* The same for an index of this kind; WM_NONE: NULL. */
const char *wm_map_function_name(const struct wm_map_module *module, uint32_t function);
/* The linkage name of the function of a context. */
const char *wm_map_context_name(const struct wm_map_module *module, const struct wm_context *context);

/* Whether the blocks that a truth value names end as its kind says. */
bool wm_map_value_fits(const struct wm_map_function *function, const struct wm_map_value *value);

/* Encodes one module; *data is malloc'd.  WM_BAD_GRAPH: the module breaks an invariant of this header. */
enum wm_status wm_map_encode(const struct wm_map_module *module, uint8_t **data, size_t *size);
/* Why a module cannot be encoded. */
struct wm_map_fault {
	uint32_t function; /* whose description is wrong; WM_NONE: that of the module */
	const char *part; /* what of it, as a noun; static text */
};
/* WM_OK: the module can be encoded.  WM_BAD_GRAPH: *fault is the first thing that is wrong.  WM_NO_MEMORY. */
enum wm_status wm_map_find_fault(const struct wm_map_module *module, struct wm_map_fault *fault);

/*
 * Decodes the whole section; hostile input.  Sizes are checked before memory is
 * taken, graphs are validated.  On WM_BAD_GRAPH `error` says what was wrong; the
 * modules before the damage stay in *map (outputs are the one exception here).
 */
enum wm_status wm_map_decode(
	struct wm_map *map, const uint8_t *data, size_t size, char error[160], struct wm_arena *arena);

#endif
