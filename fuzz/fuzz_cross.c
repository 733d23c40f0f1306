/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of call sites, and what they say about calls. */
#include "policy/site_list.h"
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_call(struct wm_site_list *list, const char *caller, uint32_t block, const char *callee)
{
	struct wm_map_line line = {.line = 11};
	struct wm_map_block blocks[] = {{.line_count = 1, .line = &line}, {0}, {0}, {0}};
	struct wm_map_function function = {.name = caller, .block = blocks};
	struct wm_call call = {.block = block};
	const struct wm_cross_rule *rule = wm_site_list_find(list, &function, &call, callee);
	enum wm_cross_choice choice = wm_site_list_choose(list, &function, &call, callee);
	CHECK((choice == WM_CROSS_BY_WEIGHT) == !rule && (!rule || rule->matched));
	CHECK(!rule || rule->never == (choice == WM_CROSS_NEVER));
	size_t targets = 0;
	for (struct wm_cross_rule *target = wm_site_list_target(list, NULL, &function, &call); target;
		target = wm_site_list_target(list, target + 1, &function, &call))
		CHECK(target->has_place && !target->never && target->block == block && ++targets <= list->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wm_site_list list;
	char error[300] = "", *text = malloc(size + 1);
	CHECK(text);
	memcpy(text, data, size);
	text[size] = 0;
	bool good = wm_site_list_parse(&list, text, error);
	CHECK(good || *error);
	for (size_t i = 0; good && i < list.count; i++)
		CHECK(list.rule[i].callee && (!list.rule[i].has_place || list.rule[i].caller));
	for (uint32_t block = 0; good && block < 4; block++) {
		check_call(&list, "main", block, "parse");
		check_call(&list, "f", block, "log");
	}
	wm_site_list_release(&list);
	return 0;
}
