/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Executables made by hand, for the link step: a map, link records, empty tables and function records, as the compiler and
 * the linker leave them.  There is no code.
 */
#ifndef TEST_TOOL_BINARY_H
#define TEST_TOOL_BINARY_H

#include "abi/unit_tables.h"
#include "core/scheme/unit_plan.h"
#include "profile/map/map.h"

/* A module of functions whose paths cross calls.  `unit`: callees are indices of its functions or WM_NONE. */
struct test_module {
	const char *source;
	uint32_t count;
	const uint32_t *member; /* indices of functions of the unit */
	uint32_t taken_count;
	const char **taken;
};
/* Everything is in the arena. */
void test_module_describe(struct wm_map_module *map, const struct wm_unit *unit, const struct test_module *module,
	const struct wm_scheme *scheme, struct wm_arena *arena);

struct test_binary {
	uint32_t module_count;
	const struct wm_map_module *module;
	bool stripped; /* without the map */
	uint32_t tested; /* with an empty set of tested paths of 2^tested slots; 0: none */
};
/* Writes the executable. */
void test_binary_write(const struct test_binary *binary, const char *path);

#endif
