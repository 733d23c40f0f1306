/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/paths/diagram.h"
#include <string.h>

bool wm_diagram_is_valid(const struct wm_diagram *diagram)
{
	for (uint32_t c = 0; c < diagram->count; c++) {
		bool reached = c == 0;
		for (uint32_t before = 0; before < c; before++)
			reached |= diagram->next[before][0] == c || diagram->next[before][1] == c;
		for (unsigned v = 0; v < 2; v++) {
			uint32_t next = diagram->next[c][v];
			if (!wm_is_outcome(next) && (next <= c || next >= diagram->count))
				return false;
		}
		if (!reached)
			return false;
	}
	return diagram->count > 0;
}

uint32_t wm_diagram_outcome(const struct wm_diagram *diagram, const uint8_t *value)
{
	uint32_t node = 0;
	while (!wm_is_outcome(node) && value[node] != WM_NOT_EVALUATED)
		node = diagram->next[node][value[node]];
	return node;
}

/* Nodes lead to larger ones, so one pass in their order finds all that are reached. */
bool wm_diagram_decides(const struct wm_diagram *diagram, const uint8_t *value, uint32_t condition, uint8_t *work)
{
	uint32_t outcome = wm_diagram_outcome(diagram, value);
	if (value[condition] == WM_NOT_EVALUATED)
		return false;
	memset(work, 0, diagram->count);
	uint32_t other = diagram->next[condition][!value[condition]];
	if (wm_is_outcome(other))
		return other != outcome;
	work[other] = 1;
	for (uint32_t node = other; node < diagram->count; node++) {
		for (unsigned v = 0; v < 2 && work[node]; v++) {
			uint32_t next = diagram->next[node][v];
			if (value[node] != WM_NOT_EVALUATED && value[node] != v)
				continue;
			if (wm_is_outcome(next) && next != outcome)
				return true;
			if (!wm_is_outcome(next))
				work[next] = 1;
		}
	}
	return false;
}

uint32_t wm_diagram_unique_pair(const struct wm_diagram *diagram, const uint8_t *a, const uint8_t *b)
{
	uint32_t found = WM_OUTCOME_FALSE;
	if (wm_diagram_outcome(diagram, a) == wm_diagram_outcome(diagram, b))
		return found;
	for (uint32_t c = 0; c < diagram->count; c++) {
		if (a[c] == WM_NOT_EVALUATED || b[c] == WM_NOT_EVALUATED || a[c] == b[c])
			continue;
		if (found != WM_OUTCOME_FALSE)
			return WM_OUTCOME_FALSE;
		found = c;
	}
	return found;
}

/* Completes an evaluation with the lowest values. */
static void complete(const struct wm_diagram *diagram, uint8_t *value)
{
	uint32_t node;
	while (!wm_is_outcome(node = wm_diagram_outcome(diagram, value)))
		value[node] = 0;
}

bool wm_diagram_step(const struct wm_diagram *diagram, uint8_t *value)
{
	bool more = value[0] == WM_NOT_EVALUATED;
	for (uint32_t c = diagram->count; c-- > 0 && !more;) {
		if (value[c] == 0) {
			value[c] = 1;
			more = true;
		} else {
			value[c] = WM_NOT_EVALUATED;
		}
	}
	if (more)
		complete(diagram, value);
	return more;
}
