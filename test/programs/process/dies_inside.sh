# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# No build counts a path before its end: a program that dies inside a path shows only those that had ended.
must "$waymark" cc -O2 -g program.c -o plain
must env WAYMARK_FILE=plain.wmraw ./plain 1000
must "$waymark" merge -o plain.wmprof plain.wmraw
must "$waymark" cc -O2 -g -fwaymark-interesting=plain.wmprof program.c -o program
for build in plain program; do
	rm -f run.wmraw
	! WAYMARK_FILE=run.wmraw ./$build 10 x 2>log || fail "$build does not die"
	report ./$build run.wmraw
	cp report.json $build.json
	"$waymark" report --balance --function f merged.wmprof ./$build >$build.txt || fail "report of $build"
done
for build in plain program; do
	jq -e '.functions[] | select(.name == "f") | .executions == 10' $build.json >/dev/null || fail "$build counts a path before its end"
	grep -q '= 10 completed + 0 abandoned' $build.txt || fail "the balance of $build"
done

# A function that ran only on an abandoned path is not known to have run, and the report says so.
for scheme in context piecewise; do
	must "$waymark" cc -O1 -g -fwaymark-scheme=$scheme killed.c -o killed
	rm -f ended.wmraw killed.wmraw
	WAYMARK_FILE=ended.wmraw must ./killed
	WAYMARK_FILE=killed.wmraw ./killed 1 2>/dev/null && fail "$scheme: it survived"
	report ./killed ended.wmraw
	expect '.notes == []'
	report ./killed killed.wmraw
	expect '.totals.functions_executed == 1 and (.notes | length == 1 and (.[0] | startswith("1 path across calls was abandoned")))'
	"$waymark" report killed.wmraw ./killed | grep -q '^1 function never ran, or only on abandoned paths' || fail "$scheme: in words"
	"$waymark" report ended.wmraw ./killed | grep -q '^1 function never ran (' || fail "$scheme: in words, ended"
done
