/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths named by their pieces (core/sequence.h): the runtime keeps and counts them. */
#include "core/kiter.h"
#include "core/sequence.h"
#include "plugin/emission.h"

LLVMTypeRef wm_pieces_type(const struct wm_emission *e)
{
	uint64_t words = sizeof(struct wm_pieces) / sizeof(uint64_t) + wm_sequence_room(e->plan);
	return LLVMArrayType2(e->emitter->i64, words);
}

void wm_begin_pieces(struct wm_emission *e)
{
	const uint64_t fields[] = {0, WM_NO_LOOP, 0};
	_Static_assert(offsetof(struct wm_pieces, loop) == 8 && offsetof(struct wm_pieces, iterations) == 16, "order");
	for (unsigned i = 0; i < 3; i++) {
		LLVMValueRef index = wm_constant(e->emitter, i);
		LLVMBuildStore(e->builder, wm_constant(e->emitter, fields[i]),
			LLVMBuildGEP2(e->builder, e->emitter->i64, e->pieces, &index, 1, ""));
	}
}

LLVMValueRef wm_has_no_piece(struct wm_emission *e)
{
	_Static_assert(offsetof(struct wm_pieces, length) == 0, "order");
	return LLVMBuildIsNull(e->builder, LLVMBuildLoad2(e->builder, e->emitter->i64, e->pieces, ""), "");
}

static void call(struct wm_emission *e, const char *name, LLVMValueRef *arguments, unsigned count)
{
	wm_call_runtime(e, name, LLVMVoidTypeInContext(e->emitter->context), arguments, count);
}

void wm_push_piece(struct wm_emission *e, struct wm_total id)
{
	const struct wm_iterations *iterations = e->plan->iterations;
	uint32_t loop = iterations->of[e->block];
	LLVMValueRef loop_and_k = wm_constant(e->emitter, (uint64_t)iterations->iterated[loop].k << 32 | loop);
	LLVMValueRef arguments[] = {e->record, wm_head_address(e), e->pieces, loop_and_k, wm_total_sum(e, id)};
	call(e, "__wm_sequence_push", arguments, 5);
}

void wm_end_pieces(struct wm_emission *e, struct wm_total id)
{
	LLVMValueRef arguments[] = {e->record, wm_head_address(e), e->pieces, wm_total_sum(e, id)};
	call(e, "__wm_sequence_end", arguments, 4);
}
