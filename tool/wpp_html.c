/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/wpp.h"
void wm_wpp_html(const struct wm_wpp_view *view, const struct wm_wpp_options *options)
{
	(void)view, (void)options;
}
