# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# MC/DC of many random expressions is what follows from the values that the program prints: operands of all kinds, in all places.
# What is called the text of a condition is its text, and its values are those of that text.
suites=$cases/../mcdc
cp "$suites/witness.h" .
for seed in $(seq 3 42); do
	python3 "$suites/random_suite.py" "$seed" 50 >random.marked || fail "random_suite.py"
	python3 "$suites/check.py" split random.marked plain.c witness.c || fail "check.py split"
	must clang-19 -w -DWITNESS witness.c -o witness
	./witness 3 40 >witness.txt || fail "the witness of seed $seed"
	for build in '-O0 branches' '-O2 values'; do
		set -- $build
		must "$waymark" cc $1 -g -w -fwaymark-conditions=$2 plain.c -o plain
		rm -f run.wmraw
		must env WAYMARK_FILE=run.wmraw ./plain 3 40
		"$waymark" report --mcdc --json run.wmraw ./plain >mcdc.json || fail "report --mcdc --json"
		python3 "$suites/check.py" report random.marked witness.txt mcdc.json || fail "seed $seed, $build: the report is wrong"
	done
done
