/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file of a baseline: any bytes are read or refused, and what was read can be asked. */
#include "support/fail.h"
#include "view/untested/baseline_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wm_baseline baseline;
	struct wm_baseline_error error;
	if (!wm_baseline_parse(&baseline, (const char *)data, size, &error)) {
		if (baseline.count || baseline.function || !error.text[0])
			wm_bug("a refused baseline is not empty, or nothing says why");
		return 0;
	}
	for (size_t i = 0; i < baseline.count; i++)
		for (size_t j = 0; j < baseline.function[i].outcome_count; j++)
			if (!wm_baseline_outcome(&baseline.function[i], baseline.function[i].outcome[j].label))
				wm_bug("an outcome is not found by its label");
	wm_baseline_release(&baseline);
	return 0;
}
