#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# residual_build.sh BUILD: a program that records only what its tests never took, from
# its tests to the line in its log.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

"$waymark" cc -O1 -g program.c -o whole
WAYMARK_FILE=one.wmraw ./whole 1 0 >/dev/null 2>log.txt
[ ! -s log.txt ] || fail "a whole build calls the callback"
WAYMARK_FILE=two.wmraw ./whole 0 1 0 1 >/dev/null
"$waymark" merge -o tests.wmprof one.wmraw two.wmraw >/dev/null
"$waymark" cc -O1 -g -fwaymark-residual=tests.wmprof program.c -o field

# what the tests do leaves nothing behind
WAYMARK_FILE=quiet.wmraw ./field 1 0 >/dev/null 2>log.txt
[ ! -s log.txt ] || fail "a tested path is told: $(cat log.txt)"
"$waymark" merge -o quiet.wmprof quiet.wmraw >/dev/null
says '0 untested paths ran in the field, 0 times' "$waymark" residual quiet.wmprof ./field
exits 0 "$waymark" residual --fail-if-untested quiet.wmprof ./field
says 'took no untested path' "$waymark" report quiet.wmprof ./field

from=$(date +%s%6N)
WAYMARK_FILE=field.wmraw ./field 1 1 1 1 1 1 0 1 >/dev/null 2>log.txt
until=$(date +%s%6N)
"$waymark" merge -o field.wmprof field.wmraw >merge.txt
grep -q '^residual ' merge.txt || fail "merge does not say that the profile is residual"
[ "$(cat log.txt)" = 'untested price:0' ] || fail "the callback was told: $(cat log.txt)"

for profile in field.wmraw field.wmprof; do
	json ".residual and .summary.paths == null and .summary.untested_percent == null and .summary.untested_paths == 1 and
		(.functions[] | select(.name == \"price\") | .entries == null and .balance == null and (.paths | length) == 1 and
		 (.paths[0] | .count == 3 and .first_seen >= $from and .first_seen <= $until and .pid > 0 and .nearest.id == 1 and
		  .parts_at.outcome == \"true\"))" "$waymark" residual --any-program --json --tested tests.wmprof $profile ./field
	json '.summary.untested_edges == null and (.functions[0].paths[0].nearest == null)' "$waymark" residual --json $profile ./field
done
says '1 untested path ran in the field, 3 times; the number of tested paths is not known' "$waymark" residual field.wmprof ./field
says 'first seen 20' "$waymark" residual field.wmprof ./field
says 'no untested edge: edge coverage cannot see this path' "$waymark" residual --any-program --tested tests.wmprof field.wmprof ./field
says 'only untested paths were counted' "$waymark" report field.wmprof ./field
json '.functions[] | select(.name == "price") | .residual and .paths[0].first_seen > 0' "$waymark" report --json field.wmprof ./field
"$waymark" residual --html pages field.wmprof ./field
grep -q 'first seen 20' pages/f/*.html || fail "the pages do not say when"
"$waymark" report --html report field.wmprof ./field
page_data report/f/*.js | grep -q '"seen":\[\["20[0-9-]* [^"]*",[0-9]*\]' || fail "the report's pages do not say when"

# the builds have different names, but the same source
says 'no untested edge: edge coverage cannot see this path' "$waymark" residual --tested tests.wmprof field.wmprof ./field

# gates
exits 3 "$waymark" residual --fail-if-untested field.wmprof ./field
exits 1 "$waymark" residual --fail-if-untested=10 field.wmprof ./field

# a later profile of the tests has it
WAYMARK_FILE=three.wmraw ./whole 1 1 >/dev/null
says '1 path that the program counted as untested is in the profile of the tests' \
	"$waymark" residual --tested three.wmraw field.wmprof ./field
says '0 untested paths' "$waymark" residual --tested three.wmraw field.wmprof ./field

# from the log to the source
says 'path 0  entry -> return' "$waymark" show --path "$(sed 's/untested //' log.txt)" ./field
says 'if (coupon)' "$waymark" show --path price:0 ./field
json '.schema == "waymark.show/1" and (.functions[0].paths[0] | .id == 0 and (.decisions | length) == 2 and has("count") == false)' \
	"$waymark" show --json --path price:0 ./field
says 'function price has 4 paths, with ids from 0; there is no path 4' "$waymark" show --path price:4 ./field
says "no function is called 'prize'" "$waymark" show --path prize:0 ./field
says '--path needs FUNCTION:ID' "$waymark" show --path price ./field
exits 1 "$waymark" show --path price:0 --dot ./field

# the two kinds are not mixed
says 'field.wmraw was left out: it has only untested paths of functions of which one.wmraw has all' \
	"$waymark" merge --any-program -o mixed.wmprof one.wmraw field.wmraw
exits 0 "$waymark" merge --strict -o mixed.wmprof one.wmraw field.wmraw
exits 1 "$waymark" residual --tested field.wmprof field.wmprof ./field
exits 1 "$waymark" tests field.wmprof ./field
exits 1 "$waymark" residual one.wmraw ./whole
