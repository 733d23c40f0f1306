/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A document in the Static Analysis Results Interchange Format, SARIF 2.1.0, one result at a time:
 *
 *     wm_sarif_begin(&sarif, out, rules, rule_count);
 *     wm_sarif_add(&sarif, &result);        for each result
 *     wm_sarif_end(&sarif);
 *
 * Files below the current directory are named relative to it, with the base %SRCROOT%, as code hosts expect; other files
 * have absolute URIs.  Texts may contain any bytes.
 */
#ifndef WM_VIEW_UNTESTED_SARIF_H
#define WM_VIEW_UNTESTED_SARIF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct wm_sarif_rule {
	const char *id, *name; /* "untested-path", "UntestedPath" */
	const char *summary; /* one sentence */
};

enum wm_sarif_level { WM_SARIF_NOTE, WM_SARIF_WARNING, WM_SARIF_ERROR };

struct wm_sarif_place {
	const char *file; /* NULL: not known; the place is then left out */
	uint32_t line, column; /* 0: not known */
	const char *message; /* NULL: none */
};

struct wm_sarif_result {
	size_t rule; /* index */
	enum wm_sarif_level level;
	const char *message; /* plain text */
	struct wm_sarif_place place;
	const char *function; /* NULL: none */
	size_t related_count, flow_count;
	const struct wm_sarif_place *related;
	const struct wm_sarif_place *flow; /* what is executed, in this order; none: no code flow */
	uint64_t fingerprint; /* stays the same when lines move; 0: none */
};

struct wm_sarif {
	FILE *out;
	const struct wm_sarif_rule *rule;
	size_t rule_count, count;
};

void wm_sarif_begin(struct wm_sarif *sarif, FILE *out, const struct wm_sarif_rule *rule, size_t count);
void wm_sarif_add(struct wm_sarif *sarif, const struct wm_sarif_result *result);
void wm_sarif_end(struct wm_sarif *sarif);

#endif
