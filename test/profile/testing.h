/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cmocka with the headers it wants first, and a generator with a fixed seed. */
#ifndef WM_TEST_PROFILE_TESTING_H
#define WM_TEST_PROFILE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545F4914F6CDD1Dull;
}

static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((random_next(state) >> 32) * limit >> 32);
}

#endif
