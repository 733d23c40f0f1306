# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Filters that the kernel refuses, also while another thread installs one, or that hold for a child of vfork only, and a lock that is held where a filter allows neither to
# wait for it nor to block signals.
must "$waymark" cc -O1 -g -I"$cases/../.." program.c -o program
must "$waymark" cc -O1 -g -I"$cases/../.." -fwaymark-update=delta program.c -o delta
for mode in refused vforks; do
	WAYMARK_FILE="$mode-%p.wmraw" must timeout 60 ./program $mode
done
for turn in 1 2 3 4 5 6 7 8; do
	WAYMARK_FILE=at_once.wmraw must timeout 60 ./program at_once
done
report ./program refused-*.wmraw
expect 'f("many").entries == 4000 and f("many").status == "exact"'

# A child that may not enlarge a table loses counts; its parent may, when the child has ended, and so may a child of fork.
[ "$(echo vforks-*.wmraw | wc -w)" = 2 ] || fail "a forked child has no file: $(echo vforks-*.wmraw)"
for raw in vforks-*.wmraw; do
	report ./program "$raw"
	expect '(f("many").paths | length) == 4000'
done
report ./program vforks-*.wmraw
expect 'f("work").entries == 22'

WAYMARK_FILE=locked.wmraw must timeout 20 ./delta locked
report ./delta locked.wmraw
expect 'f("few").status != "exact"'
echo 'refused filters, two threads, filters of children, a lock that is held'
