# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Paths that wait for calls in very many threads: 2,000 threads, one after the other, use the memory of a few, and the child
# of a fork keeps its own.  A path for which there is no memory is abandoned.

for scheme in context=pending piecewise=pending; do
	must "$waymark" cc -fwaymark-scheme=$scheme -fwaymark-update=delta -O1 -pthread threads.c -o threads
	rm -f ./*.wmraw
	(ulimit -v 2000000 && WAYMARK_FILE=run-%p.wmraw must ./threads) || exit 1
	report ./threads run-*.wmraw
	expect 'all(.units[].balance; .abandoned == 0)'
	expect 'sum(.functions[].paths[] | select(.end == "call") | .count) == 1007'
	WAYMARK_FILE=poor.wmraw must ./threads poor
	report ./threads poor.wmraw
	expect 'all(.units[].balance; .abandoned == 1)'
done
