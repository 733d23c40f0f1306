/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/hw.h"

void wm_hw_print_html(const struct wm_hw_story *story, const struct wm_hw_feed *feed, const char *directory)
{
	(void)story, (void)feed, (void)directory;
}
