# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Profiles of `waymark hw` for -fwaymark-use: paths of machine code become paths of the graph `source`.
must clang-19 -O2 program.c -o plain
./plain >expected

# counts PROFILE: how often functions ran, and their paths
counts() {
	"$waymark" report --any-program --json "$1" ./counting | jq -c '[.functions[] | {name, paths: [.paths[]? | [.id, .count]] | sort}] | sort_by(.name)'
}
must "$waymark" cc -O2 program.c -o counting
WAYMARK_FILE=counting.wmraw ./counting >/dev/null
must "$waymark" merge -o counting.wmprof counting.wmraw
must "$waymark" cc -O2 -fwaymark-marks program.c -o marked
! nm marked | grep -q __wm_ || fail "a program with marks has something of the runtime"
./marked | cmp - expected || fail "a program with marks prints something else"
must "$waymark" hw -q --stdout out -o hw.wmprof -- ./marked
must "$waymark" export --format paths -o paths.wmprof hw.wmprof ./marked
cp must.log summary

# Nothing is assumed, and nothing ran more or less often than it did.
grep -q ' 0.0 % have blocks that no fragment has left' summary || { cat summary; fail "blocks are assumed"; }
counts counting.wmprof >exact
counts paths.wmprof >found
ran() { jq -c 'map(.paths | map(.[1]) | add)' "$1"; }
[ "$(ran exact)" = "$(ran found)" ] || { cat exact found; fail "paths ran more or less often"; }
# The paths of `kind`, whose branches are all left, have their counts, but for one execution in a copy of the code.
jq -e -s '[.[][] | select(.name == "kind").paths | map(.[1])] | .[0] as $a | .[1] as $b | ($a | length) == ($b | length) and ([range($a | length) | ($a[.] - $b[.]) | fabs] | add) <= 4' \
	exact found >/dev/null || { cat exact found; fail "the paths of kind have other counts"; }

# A table of 64 entries has a part of it, and the program is the same whatever is known.
must "$waymark" hw -q --stdout out --table 64,4 --from-table -o table.wmprof -- ./marked
must "$waymark" export --format paths -o few.wmprof table.wmprof ./marked
for profile in paths few; do
	must "$waymark" cc -O2 -fwaymark-use=$profile.wmprof program.c -o used
	./used | cmp - expected || fail "with $profile, the program prints something else"
done

# What cannot be done is said.
refused() { # refused TEXT COMMAND…
	text=$1
	shift
	code=0
	"$@" >refused.log 2>&1 || code=$?
	[ $code = 1 ] && grep -q -e "$text" refused.log || { cat refused.log; fail "exit code $code, and does not say: $text"; }
}
must "$waymark" hw -q --stdout out -o unmarked.wmprof -- ./plain
refused 'fwaymark-marks' "$waymark" export --format paths -o no.wmprof unmarked.wmprof ./plain
refused 'takes it as it is' "$waymark" export --format paths -o no.wmprof counting.wmprof ./counting
refused 'needs --table' "$waymark" hw -q --from-table -o no.wmprof -- ./plain
[ ! -e no.wmprof ] || fail "a file is left"

# What a table does not have may have run all the same: nothing is called cold for it, and what ran has been entered.
must "$waymark" cc -O2 -fwaymark-use=few.wmprof -Rpass=waymark -c program.c -o used.o
! grep -q 'never ran' must.log || { cat must.log; fail "a table of 64 entries proves that a function never ran"; }
! grep -q ' 0 entries' must.log || { cat must.log; fail "a function ran without having been entered"; }
