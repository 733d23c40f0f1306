/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/roots.h"

bool wm_is_entry(struct wm_entry_facts facts)
{
	return facts.main || facts.visible || facts.taken || facts.replaced;
}

bool wm_may_be_handler(struct wm_entry_facts facts)
{
	return facts.taken && facts.handler_type;
}
