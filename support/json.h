/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON values and documents, by Jansson. */
#ifndef WM_SUPPORT_JSON_H
#define WM_SUPPORT_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* A document {"schema": "waymark.<command>/1"}, and a function that prints a document with a newline and releases
 * it. */
json_t *wm_json_document(const char *command);
void wm_json_print(json_t *document);
/* json_dumpf without control characters. */
int wm_json_dumpf(const json_t *value, FILE *out, size_t flags);

/* A JSON string of valid UTF-8 for any bytes; new reference. */
json_t *wm_json_text(const char *text);
json_t *wm_json_optional(const char *text); /* null for NULL */
/* A number, which is at most 2^63-1. */
json_t *wm_json_count(uint64_t number);
/* Ends in wm_bug if the value is NULL. */
json_t *wm_json_checked(json_t *value);
/* Prints the value and releases it. */
void wm_json_dump(json_t *value, FILE *out, size_t flags);
#endif
