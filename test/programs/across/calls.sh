# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The map has the call sites of every function, with their callees by name.
must "$waymark" cc -x c++ -O0 -g case.cpp -o case -lstdc++
must ./case
"$waymark" show --json --calls ./case >report.json || fail "show --calls"
expect 'f("hidden").calls | map([.callee, .may_not_return]) == [["exit", true]]'
expect 'f("outer").calls | map(select(.callee == "hidden")) | length == 2'
expect 'f("outer").calls | map(select(.callee == null)) | length == 1'
# What hidden() calls does not throw, as the compiler knows; the pointer may lead anywhere.
expect 'f("outer").calls | map(select(.unwinds) | [.block, .position, .callee]) == [[0, 1, null]]'
expect 'f("outer") as $f | all($f.calls[]; .block < $f.blocks and .crossed == false and (.reason | length > 0))'
expect 'f("outer").calls | map([.block, .position]) | . == sort and . == unique'
expect 'any(.functions[]; .name | test("guard")) and any(.functions[].calls[]; .callee | strings | test("guard"))'
# Intrinsics are no call sites.
expect 'all(.functions[].calls[]; .callee | strings | startswith("llvm.") | not)'
"$waymark" show --calls --function hidden ./case >text || fail "show --calls without --json"
grep -q 'call 0 of block [0-9]*: exit, may not return$' text || { cat text; fail "the text does not list the call"; }
# Without the option nothing is listed.
"$waymark" show --json ./case >report.json || fail "show"
expect 'all(.functions[]; has("calls") | not)'

# What schemes of paths across calls would cross, by estimates and by a profile.
"$waymark" show --json --calls --scheme piecewise ./case >report.json || fail "show --calls --scheme"
expect 'f("outer").calls | map(select(.callee == "hidden") | .crossed) == [true, true]'
expect 'f("outer").calls | map(select(.callee == null) | [.crossed, .reason]) == [[false, "the callee is not in the unit"]]'
expect '.summary | .scheme == "piecewise" and .crossed_sites == .sites and .sites >= 3 and (has("calls") | not)'
WAYMARK_FILE=calls.wmraw must ./case
must "$waymark" merge -o calls.wmprof calls.wmraw
"$waymark" show --json --calls --scheme context --weights calls.wmprof ./case >report.json || fail "show --weights"
expect 'f("outer").calls | map(select(.callee == "hidden") | .count) == [1, 1]'
expect '.summary | .calls >= 3 and .crossed_calls == .calls'
"$waymark" show --calls --scheme context --profile calls.wmprof --function outer ./case >text || fail "show --profile"
grep -q 'call 0 of block [0-9]*: hidden, crossed (ran 1 times)$' text || { cat text; fail "the text does not say what is crossed"; }
! "$waymark" show --scheme context ./case 2>text || fail "--scheme without --calls"
grep -q 'needs --calls' text || fail "the message does not say what is missing"
! "$waymark" show --calls --scheme acyclic ./case 2>text || fail "--scheme acyclic"
grep -q 'not a scheme of paths across calls' text || fail "the message does not name the scheme"
