/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of the pass over a module, and its steps, which plugin.c lists and the files pass_*.c do. */
#ifndef WM_PLUGIN_PASS_MODULE_PASS_H
#define WM_PLUGIN_PASS_MODULE_PASS_H

#include "plugin/across/module_unit.h"
#include "plugin/actions/stream_append.h"
#include "plugin/emit/emit.h"
#include "plugin/extract/calls.h"
#include "policy/counting_choice.h"
#include "policy/known_paths.h"

struct wm_subject;
struct wm_use_shape;
struct wm_module_pass {
	LLVMModuleRef module;
	struct wm_shim_analyses *analyses;
	struct wm_options options;
	double executions; /* of all paths of the profile: options.paths, or options.use */
	struct wm_emitter emitter;
	struct wm_files files;
	struct wm_arena arena; /* of the map: lives as long as the pass */
	struct wm_map_module map;
	struct wm_unit unit;
	struct wm_module_unit across; /* paths that cross calls; `subject` NULL: none */
	const char *local_scope; /* part of the identity of local functions */
	LLVMValueRef *record;
	size_t record_count;
	struct wm_unseen unseen;
	struct wm_subject *subject;
	size_t subject_count;
};

/* A function on its way from extraction to emission. */
struct wm_subject {
	LLVMValueRef ir;
	struct wm_map_function *function;
	struct wm_anchors anchors;
	struct wm_unit_function *in_unit; /* graph and call sites; NULL: the function is not part of the unit */
	uint32_t index; /* in the unit */
	struct wm_call_anchors calls;
	struct wm_divided *parts; /* recordings: the plan is that of the parts; else NULL */
	struct wm_plan plan; /* of the function by itself */
	struct wm_weights weights;
	struct wm_store_choice choice; /* what is emitted, and the plan of it */
	const struct wm_across_function *across; /* paths cross calls: what else is emitted; else NULL */
	const struct wm_anchors *probed; /* of the code that gets probes: of the function, its parts or its shape */
	struct wm_anchors shaped;
	struct wm_use use; /* -fwaymark-use: what the profile knows */
	const struct wm_use_shape *shape; /* -fwaymark-use: the function with its superblocks; NULL: it has none */
	struct wm_arena arena; /* of all of these */
	enum wm_status status;
};

/* A step, which is done for all functions before the next one begins. */
struct wm_pass_step {
	const char *name, *summary;
	bool (*wanted)(const struct wm_options *options); /* NULL: always */
	void (*each)(
		struct wm_module_pass *p, struct wm_subject *s); /* for every function that no step has refused; or … */
	enum wm_status (*all)(
		struct wm_module_pass *p); /* … for all together: if it fails, no function is instrumented */
	/* Rows that follow each other and have this are done for one function before the next: objects have things in the order
	 * in which they are emitted. */
	bool in_turn;
	bool finishes; /* is done although a step has failed */
};
/* plugin.c */
void wm_pass_run_steps(struct wm_module_pass *p, const struct wm_pass_step *steps, size_t count);

/* pass_use.c: the steps of a build that is optimised with a profile, which instruments nothing. */
void wm_pass_use(struct wm_module_pass *p);
/* pass_mark.c: the same of a build whose blocks are marked for `waymark hw`. */
void wm_pass_mark(struct wm_module_pass *p);

/* ---- The steps, in the order in which plugin.c does them ------------------------------------------- */

/* pass_list.c: the functions of the module in the map; those that are to be instrumented become subjects. */
enum wm_status wm_pass_list(struct wm_module_pass *p);

/* pass_sources.c: finds the code of a function (plugin/extract/function_code.h). */
void wm_pass_sum_code(struct wm_module_pass *p, struct wm_subject *s);
/* pass_extract.c: where calls are inlined, these run again after that. */
void wm_pass_extract(struct wm_module_pass *p, struct wm_subject *s);
/* All functions that were extracted, with their call sites. */
enum wm_status wm_pass_make_unit(struct wm_module_pass *p);
/* pass_inline.c: inlines calls as the options say, and extracts the functions and the unit again. */
enum wm_status wm_pass_inline(struct wm_module_pass *p);
void wm_pass_apply_reasons(const struct wm_subject *s); /* to the call sites of the unit */
/* pass_calls.c: describes the calls of all functions in the map. */
enum wm_status wm_pass_list_calls(struct wm_module_pass *p);
/* pass_sources.c: finds the files of the map and the source of each function. */
enum wm_status wm_pass_find_sources(struct wm_module_pass *p);

/* pass_plan.c */
void wm_pass_number(struct wm_module_pass *p, struct wm_subject *s);
void wm_pass_divide(struct wm_module_pass *p, struct wm_subject *s);
void wm_pass_weigh(struct wm_module_pass *p, struct wm_subject *s);
void wm_pass_choose_store(struct wm_module_pass *p, struct wm_subject *s);
void wm_pass_record(struct wm_module_pass *p, struct wm_subject *s);
enum wm_status wm_pass_plan_across(struct wm_module_pass *p);

/* pass_emit.c */
void wm_pass_emit_crash(struct wm_module_pass *p, struct wm_subject *s);
void wm_pass_trace(struct wm_module_pass *p, struct wm_subject *s);
void wm_pass_clone(struct wm_module_pass *p, struct wm_subject *s);
void wm_pass_emit(struct wm_module_pass *p, struct wm_subject *s);
/* Describes the calls of functions without probes: into which calls are inlined (plugin/sites/described_calls.h). */
enum wm_status wm_pass_describe_others(struct wm_module_pass *p);
/* pass_calls.c, in recordings: the creation and joining of threads in functions of system headers. */
enum wm_status wm_pass_note_threads(struct wm_module_pass *p);

/* pass_list.c: refuses functions that the map cannot describe, and says so on stderr. */
enum wm_status wm_pass_check_map(struct wm_module_pass *p);
/* pass_list.c: gives functions that were refused their reason, and releases what is known of subjects. */
enum wm_status wm_pass_list_refused(struct wm_module_pass *p);
/* pass_sources.c: says on stderr if the profile of the options knows functions of the module, but no path of any. */
enum wm_status wm_pass_warn_of_sources(struct wm_module_pass *p);
/* pass_emit.c.  Attributes of declarations too, because the definition in another module may be instrumented. */
enum wm_status wm_pass_drop_attributes(struct wm_module_pass *p);
enum wm_status wm_pass_retain(struct wm_module_pass *p);
enum wm_status wm_pass_write_map(struct wm_module_pass *p);

/* ---- What they share ------------------------------------------------------------------------------- */

size_t wm_pass_count_functions(LLVMModuleRef module); /* definitions */
/* Paths that cross calls cross tail calls too, which then are ordinary calls. */
bool wm_pass_ends_at_tail_calls(const struct wm_module_pass *p);

/* The scheme of the function, to whose text the loops that -fwaymark-k names are added.  pass_plan.c. */
enum wm_status wm_pass_choose_loops(
	struct wm_module_pass *p, struct wm_map_function *function, struct wm_scheme_choice *choice);

/* Why the function is not instrumented, as a clause; NULL: it is.  And whether a function of the module is not. */
const char *wm_pass_refuse(struct wm_module_pass *p, LLVMValueRef ir, const char *name);
bool wm_pass_refuses_any(struct wm_module_pass *p);

/* Whether the function is the one that clang adds to end the program when an exception leaves a noexcept function.  Functions
 * of system headers call it everywhere, so a path through calls would have to expect it in every call of one. */
bool wm_pass_is_of_clang(const struct wm_module_pass *p, LLVMValueRef ir);

/* Whether the function has a place in the map. */
bool wm_pass_is_mapped(const struct wm_module_pass *p, LLVMValueRef ir);

#endif
