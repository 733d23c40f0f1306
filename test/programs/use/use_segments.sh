# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# -fwaymark-use with a profile of paths through calls (-fwaymark-segments): the calls that the profile goes through are inlined
# where LLVM would not inline them, each copy has the counts of its own call, and cold calls stay calls.
must "$waymark" cc -O2 program.c -o first
WAYMARK_FILE=first.wmraw ./first >expected
"$waymark" segments --sites --least 1000 first.wmraw first >sites 2>log || { cat log; fail "the list of calls"; }
must "$waymark" cc -O2 -fwaymark-segments=1 -fwaymark-sites=sites program.c -o second
WAYMARK_FILE=second.wmraw ./second >actual
cmp expected actual || fail "the second build prints something else"
must "$waymark" merge -o second.wmprof second.wmraw
segments="-fwaymark-segments=1 -fwaymark-sites=sites -fwaymark-use=second.wmprof"

must "$waymark" cc -O2 $segments -Rpass-missed=waymark program.c -o used
! grep -q 'another graph' must.log || fail "a function is stale: $(cat must.log)"
./used >actual
cmp expected actual || fail "the program prints something else"
! nm used | grep -q __wm_ || fail "the program contains code of Waymark"

# calls_of FILE FUNCTION: how often it calls work
calls_of() {
	sed -n "/^define .*@$2(/,/^}/p" "$1" | grep -c 'call .*@work(' || true
}
must "$waymark" cc -O2 -fwaymark-use=first.wmraw -S -emit-llvm program.c -o edges.ll
must "$waymark" cc -O2 $segments -S -emit-llvm program.c -o segments.ll
[ "$(calls_of edges.ll often)" = 1 ] || fail "LLVM inlines the call by itself"
[ "$(calls_of segments.ll often)" = 0 ] || fail "the frequent call is not inlined"
[ "$(calls_of segments.ll seldom)" = 1 ] || fail "the rare call is inlined"

# The linker inlines for full link-time optimisation.
must "$waymark" cc -O2 -flto -fwaymark-segments=1 -fwaymark-sites=sites program.c -o second
rm second.wmraw
WAYMARK_FILE=second.wmraw ./second >actual
must "$waymark" cc -O2 -flto -fwaymark-segments=1 -fwaymark-sites=sites -fwaymark-use=second.wmraw program.c -o used
! grep -q 'another graph' must.log || fail "a function is stale in the linker: $(cat must.log)"
./used >actual
cmp expected actual || fail "the program prints something else after link-time optimisation"
! nm used | grep -q __wm_ || fail "the program contains code of Waymark after link-time optimisation"
