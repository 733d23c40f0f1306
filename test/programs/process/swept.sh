# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Another process overwrites every word of the live profile (test/runtime/sweeper.c): compiled
# code finds its tables in private memory, under every kind of update.
must "$waymark" cc -O1 program.c -o program
must env WAYMARK_FILE=tests.wmraw ./program </dev/null
must "$waymark" merge -o tests.wmprof tests.wmraw
for kind in -fwaymark-update=gs -fwaymark-update=atomic -fwaymark-update=delta -fwaymark-residual=tests.wmprof -fwaymark-scheme=kiter=200; do
	must "$waymark" cc -O2 $kind program.c -o program
	rm -f live*.wmraw
	must env SWEEPS=2 WAYMARK_FILE=live.wmraw "$build/test/runtime/sweeper" live.wmraw ./program
done
