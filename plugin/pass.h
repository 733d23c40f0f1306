/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of the pass over a module, which plugin.c and the files pass_*.c share. */
#ifndef WM_PLUGIN_PASS_H
#define WM_PLUGIN_PASS_H

#include "plugin/calls.h"
#include "plugin/follow.h"
#include "plugin/indirect.h"
#include "plugin/stream.h"
#include "plugin/unit.h"
#include "policy/store.h"

struct wm_pass {
	LLVMModuleRef module;
	struct wm_shim_analyses *analyses;
	struct wm_options options;
	double executions; /* of all paths in options.paths */
	struct wm_emitter emitter;
	struct wm_followers followers;
	struct wm_indirect_targets targets;
	struct wm_files files;
	struct wm_arena arena; /* of the map: lives as long as the pass */
	struct wm_map_module map;
	struct wm_unit unit;
	struct wm_module_unit across; /* paths that cross calls; `subject` NULL: none */
	const char *local_scope; /* part of the identity of local functions */
	LLVMValueRef *record;
	size_t record_count;
	struct wm_unseen unseen;
};

/* A function on its way from extraction to emission. */
struct wm_subject {
	LLVMValueRef ir;
	struct wm_map_function *function;
	struct wm_anchors anchors;
	struct wm_unit_function *in_unit; /* graph and call sites; NULL: the function is not part of the unit */
	struct wm_call_anchors calls;
	struct wm_divided *parts; /* recordings: the plan is that of the parts; else NULL */
	struct wm_plan plan;
	struct wm_weights weights;
	struct wm_store_choice choice;
	struct wm_arena arena; /* of all of these */
	enum wm_status status;
};

/* The steps of the pass that come twice where calls are inlined. */
void wm_pass_extract(struct wm_pass *p, struct wm_subject *s);
enum wm_status wm_pass_make_unit(struct wm_pass *p, struct wm_subject *subject, size_t count);

/* Why the function is not instrumented, as a clause; NULL: it is.  And whether a function of the module is not. */
const char *wm_pass_refuse(struct wm_pass *p, LLVMValueRef ir, const char *name);
bool wm_pass_refuses_any(struct wm_pass *p);

/* Whether the function is the one that clang adds to end the program when an exception leaves a noexcept function.  Functions
 * of system headers call it everywhere, so a path through calls would have to expect it in every call of one. */
bool wm_pass_is_of_clang(const struct wm_pass *p, LLVMValueRef ir);

/* Whether the function has a place in the map. */
bool wm_pass_is_mapped(const struct wm_pass *p, LLVMValueRef ir);

/* Describes the calls of all functions in the map. */
enum wm_status wm_pass_list_calls(struct wm_pass *p, const struct wm_subject *subject, size_t count);

/* In recordings: the creation and joining of threads in functions of system headers. */
void wm_pass_note_threads(struct wm_pass *p);

/* Finds the files of the map and the source of each function, when all functions are extracted. */
void wm_pass_find_sources(struct wm_pass *p, struct wm_subject *subject, size_t count);
/* Says on stderr if the profile of the options knows functions of the module, but no path of any. */
void wm_pass_warn_of_sources(const struct wm_pass *p);

/* Inlines calls as the options say, and extracts the functions and the unit again.  Runs before anything is planned. */
enum wm_status wm_pass_inline(struct wm_pass *p, struct wm_subject *subject, size_t count);

#endif
