# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# On the source graph, ids and blocks agree across -O1, -O2, -O3, with and without -g.
for seed in 3 5 8; do
	"$build/test/gen" $seed >program.c
	for flags in '-O1' '-O2' '-O3' '-O1 -g' '-O2 -g' '-O3 -g'; do
		must "$waymark" cc -w $flags program.c -o program
		rm -f run.wmraw
		WAYMARK_FILE=run.wmraw ./program >/dev/null || true
		report ./program run.wmraw
		jq -c '[.functions[] | {name, status, paths_possible, paths: [.paths[] | [.id, .count, .blocks, .start, .end]]}] | sort' \
			report.json >now
		[ -f first ] || mv now first
		[ ! -f now ] || cmp first now || fail "seed $seed $flags: another profile"
	done
	rm -f first now
done
