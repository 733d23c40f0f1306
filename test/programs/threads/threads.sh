# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threads count exactly, by default and with each kind of update.
for graph in source optimised; do
	for update in default gs delta atomic; do
		[ $update = default ] && option= || option=-fwaymark-update=$update
		must "$waymark" cc -O2 -pthread -fwaymark-cfg=$graph $option program.c -o $update
		rm -f run.wmraw
		must env WAYMARK_FILE=run.wmraw ./$update
		report ./$update run.wmraw
		expect 'total("big") == 1200000 and total("small") == 1200000'
		[ $graph = optimised ] || expect '[f("big").paths[].count] | length == 5000'
		expect 'f("run").entries == 12'
	done
done
# Nobody counts for threads that do not count: the main cells are those of the main thread.
must "$waymark" cc -O2 -pthread program.c -o program
objdump -d program | grep -q 'incq *%gs:' || fail "the default does not count relative to GS"
