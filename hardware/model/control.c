/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/control.h"
#include <string.h>

enum { OPERATION_BITS = 4, EXTENSION_MAX = 0xffff };

const struct wm_hw_control wm_hw_ball_larus = {
	.operations =
		{
			[WM_HW_TYPE_CALL] = WM_HW_UPDATE_COUNT | WM_HW_PUSH,
			[WM_HW_TYPE_RETURN] = WM_HW_UPDATE_COUNT | WM_HW_POP,
			[WM_HW_TYPE_FORWARD] = WM_HW_UPDATE,
			[WM_HW_TYPE_BACKWARD] = WM_HW_UPDATE | WM_HW_POP | WM_HW_PUSH,
			[WM_HW_TYPE_INDIRECT] = WM_HW_UPDATE | WM_HW_POP | WM_HW_PUSH,
		},
	.max_branches = WM_HW_MAX_BRANCHES,
};

const struct wm_hw_control wm_hw_whole_program = {
	.operations =
		{
			[WM_HW_TYPE_CALL] = WM_HW_UPDATE_COUNT | WM_HW_POP | WM_HW_PUSH,
			[WM_HW_TYPE_RETURN] = WM_HW_UPDATE_COUNT | WM_HW_POP | WM_HW_PUSH,
			[WM_HW_TYPE_FORWARD] = WM_HW_UPDATE,
			[WM_HW_TYPE_BACKWARD] = WM_HW_UPDATE | WM_HW_POP | WM_HW_PUSH,
			[WM_HW_TYPE_INDIRECT] = WM_HW_UPDATE | WM_HW_POP | WM_HW_PUSH,
		},
	.max_branches = WM_HW_MAX_BRANCHES,
};

enum wm_hw_status wm_hw_control_check(const struct wm_hw_control *control)
{
	for (size_t i = 0; i < WM_HW_TYPE_COUNT; i++)
		if (control->operations[i] >> OPERATION_BITS ||
			(control->operations[i] & WM_HW_UPDATE && control->operations[i] & WM_HW_UPDATE_COUNT))
			return WM_HW_BAD_CONFIG;
	if (!control->max_branches || control->max_branches > WM_HW_MAX_BRANCHES)
		return WM_HW_BAD_CONFIG;
	if ((unsigned)control->extension > WM_HW_EXTEND_CALLS || control->extension_max > EXTENSION_MAX)
		return WM_HW_BAD_CONFIG;
	if ((control->extension == WM_HW_EXTEND_NOTHING) != (control->extension_max == 0))
		return WM_HW_BAD_CONFIG;
	return WM_HW_OK;
}

bool wm_hw_control_nests(const struct wm_hw_control *control)
{
	uint8_t call = control->operations[WM_HW_TYPE_CALL], back = control->operations[WM_HW_TYPE_RETURN];
	return (call & (WM_HW_PUSH | WM_HW_POP)) == WM_HW_PUSH && (back & (WM_HW_PUSH | WM_HW_POP)) == WM_HW_POP;
}

/* From bit 0: five operation sets of 4 bits, the length limit (6), the extension (2), its
 * maximum (16). */
uint64_t wm_hw_control_pack(const struct wm_hw_control *control)
{
	uint64_t packed = 0;
	for (size_t i = 0; i < WM_HW_TYPE_COUNT; i++)
		packed |= (uint64_t)control->operations[i] << OPERATION_BITS * i;
	return packed | (uint64_t)control->max_branches << 20 | (uint64_t)control->extension << 26 |
	       (uint64_t)control->extension_max << 28;
}

enum wm_hw_status wm_hw_control_unpack(struct wm_hw_control *control, uint64_t packed)
{
	struct wm_hw_control result = {.max_branches = packed >> 20 & 63,
		.extension = (enum wm_hw_extension)(packed >> 26 & 3),
		.extension_max = packed >> 28 & EXTENSION_MAX};
	for (size_t i = 0; i < WM_HW_TYPE_COUNT; i++)
		result.operations[i] = packed >> OPERATION_BITS * i & 15;
	if (packed >> 44 || wm_hw_control_check(&result))
		return WM_HW_BAD_CONFIG;
	*control = result;
	return WM_HW_OK;
}

bool wm_hw_control_is_whole(const struct wm_hw_control *control)
{
	return memcmp(control->operations, wm_hw_whole_program.operations, sizeof(control->operations)) == 0;
}

enum wm_hw_status wm_hw_control_parse(struct wm_hw_control *control, const char *text)
{
	static const struct {
		const char *name;
		const struct wm_hw_control *control;
	} named[] = {{"acyclic", &wm_hw_ball_larus}, {"wpp", &wm_hw_whole_program}};
	static const char letters[] = "ucop";
	struct wm_hw_control result = *control;
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (strcmp(text, named[i].name) == 0) {
			memcpy(control->operations, named[i].control->operations, sizeof(control->operations));
			return WM_HW_OK;
		}
	memset(result.operations, 0, sizeof(result.operations));
	size_t type = 0;
	for (; *text; text++) {
		const char *letter = strchr(letters, *text);
		if (letter)
			result.operations[type] |= (uint8_t)(1u << (letter - letters));
		else if (*text == ',' && type + 1 < WM_HW_TYPE_COUNT)
			type++;
		else if (*text != '-')
			return WM_HW_BAD_CONFIG;
	}
	if (type + 1 != WM_HW_TYPE_COUNT || wm_hw_control_check(&result))
		return WM_HW_BAD_CONFIG;
	*control = result;
	return WM_HW_OK;
}
