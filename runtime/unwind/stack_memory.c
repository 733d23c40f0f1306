/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/unwind/stack_memory.h"

#include "runtime/system/elf.h"
#include "runtime/system/sys.h"

#include <errno.h>
#include <sys/auxv.h>

#define PAGE 4096ull
#define MAIN_STACK (64ull << 20) /* addresses so close to the end of the stack of the main thread are on it */

struct wm_stack wm_stack_at(uint64_t sp)
{
	uint64_t end = __getauxval(AT_EXECFN) & ~UINT64_C(7);
	bool is_main = sp < end && end - sp < MAIN_STACK;
	return is_main ? (struct wm_stack){sp, end} : (struct wm_stack){0, 0};
}

/* The kernel reads the mask before it refuses to do anything with it. */
static bool is_readable(uint64_t page)
{
	enum { NOTHING_TO_DO = -1 };
	return page && sys6(SYS_rt_sigprocmask, NOTHING_TO_DO, (long)page, 0, sizeof(uint64_t), 0, 0) == -EINVAL;
}

static bool extend(struct wm_stack *stack, uint64_t at)
{
	uint64_t page = at & ~(PAGE - 1);
	if (!is_readable(page))
		return false;
	if (stack->high == page)
		stack->high = page + PAGE;
	else if (stack->low == page + PAGE)
		stack->low = page;
	else
		*stack = (struct wm_stack){page, page + PAGE};
	return true;
}

bool wm_stack_read(struct wm_stack *stack, uint64_t at, uint64_t *value)
{
	if (at % sizeof *value || ((at < stack->low || at >= stack->high) && !extend(stack, at)))
		return false;
	*value = *(const uint64_t *)at;
	return true;
}
