/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of stores with filters, and labels: any text is understood or refused, and labels are read back as they were. */
#include "store/url.h"
#include "support/attempt.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void parse_url(void *text)
{
	struct wm_store_url url;
	wm_store_url_parse(&url, text, 1800000000);
	if (!*url.location || url.filter.labels.count > WM_LABELS_MAX)
		__builtin_trap();
	for (size_t i = 0; i < url.filter.labels.count; i++)
		if (!wm_label_key_is_valid(url.filter.labels.label[i].key) ||
			!wm_label_value_is_valid(url.filter.labels.label[i].value))
			__builtin_trap();
	wm_store_url_release(&url);
}

static void parse_labels(void *text)
{
	struct wm_label_list list = {0}, again = {0};
	wm_label_list_parse(&list, text);
	char *printed = wm_label_list_text(&list);
	wm_label_list_parse(&again, printed);
	char *twice = wm_label_list_text(&again);
	if (strcmp(printed, twice))
		__builtin_trap();
	free(printed);
	free(twice);
	wm_label_list_release(&list);
	wm_label_list_release(&again);
}

static void attempt(void (*work)(void *), char *text)
{
	struct wm_heap heap = {0};
	struct wm_attempt attempt = {.heap = &heap};
	wm_attempt_run(&attempt, work, text);
	wm_heap_release(&heap);
	/* The sentence is in no heap. */
	(free)(attempt.sentence);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	attempt(parse_url, text);
	attempt(parse_labels, text);
	free(text);
	return 0;
}
