# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A crossed call that LLVM inlines on the graph `source` does not use the mailbox, whether the callee has one return or
# several: the caller accesses the mailbox as often as a function without the call does.
accesses() { # accesses FUNCTION: volatile accesses in its body
	sed -n "/^define.* @$1(/,/^}/p" inlined.ll | grep -c ' volatile '
}
for scheme in context piecewise; do
	"$waymark" cc -O2 -fwaymark-cfg=source -fwaymark-scheme=$scheme -S -emit-llvm inlined.c -o inlined.ll
	! grep -q '__wm_message' inlined.ll || fail "$scheme: messages are left"
	[ "$(accesses with_half)" = "$(accesses without)" ] || fail "$scheme: an inlined call uses the mailbox"
	[ "$(accesses with_sign)" = "$(accesses with_both)" ] || fail "$scheme: an inlined call with several returns uses the mailbox"
done
