#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# merge_sums.sh BUILD: inputs of a merge that have runs in common count them once, whatever their order is, and what is left out is named.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

printf 'int main(int argc, char **argv)\n{\n\tfor (int i = 0; i < argc; i++)\n\t\targv[i] = 0;\n\treturn 0;\n}\n' >program.c
"$waymark" cc -O1 -g program.c -o program
for run in 1 2 3 4 5; do
	WAYMARK_FILE=$run.wmraw ./program $(seq $run)
done
"$waymark" merge -o all.wmprof 1.wmraw 2.wmraw 3.wmraw >/dev/null
"$waymark" merge -o one.wmprof 1.wmraw >/dev/null
"$waymark" merge -o pair.wmprof 3.wmraw 4.wmraw >/dev/null
"$waymark" merge -o five.wmprof 1.wmraw 2.wmraw 3.wmraw 4.wmraw 5.wmraw >/dev/null
"$waymark" merge -o four.wmprof 1.wmraw 2.wmraw 3.wmraw 4.wmraw >/dev/null

# merges WANTED INPUT...: the sum is that of the runs of WANTED, and the messages are in the file `out`
merges() {
	want=$1
	shift
	"$waymark" merge -o sum.wmprof "$@" >out 2>&1 || { cat out && fail "merge $*"; }
	cmp sum.wmprof "$want" || { cat out && fail "the sum of $*"; }
}
# left WORDS: a message
left() {
	grep -qF -- "$1" out || { cat out && fail "'$1' is missing"; }
}

# The smaller sum comes first, as a file and from a pipe: the larger one is whole, and the smaller one is left out.
merges all.wmprof one.wmprof all.wmprof
left 'one.wmprof was left out: all.wmprof contains the counts of its run already'
cat one.wmprof | merges all.wmprof - all.wmprof
left '- was left out: all.wmprof contains the counts of its run already'
merges five.wmprof pair.wmprof one.wmprof all.wmprof five.wmprof
left 'pair.wmprof was left out: five.wmprof contains the counts of all its runs already'
left 'merged 1 of 4 inputs; 0 damaged, 0 doubtful, 0 refused, 3 superseded'
# Raw profiles that a sum contains, and others
merges four.wmprof 1.wmraw all.wmprof 4.wmraw 3.wmraw
left '3.wmraw was left out: all.wmprof contains the counts of its run already'
# Sums that have only some runs in common: the larger one counts, and the run is named; its rest counts if its raw profile is there.
merges all.wmprof pair.wmprof all.wmprof
left 'pair.wmprof was left out: it is the sum of 2 runs, of which 1 is in all.wmprof too ('
grep -qE 'too \([0-9a-f]{32}\), and a sum cannot be taken apart; merge the profiles' out || { cat out && fail "the run is not named"; }
merges four.wmprof pair.wmprof all.wmprof 4.wmraw 3.wmraw
left '3.wmraw was left out: all.wmprof contains the counts of its run already'
left 'merged 2 of 4 inputs; 0 damaged, 0 doubtful, 1 refused, 1 superseded'
exits 1 "$waymark" merge --strict -o strict.wmprof pair.wmprof all.wmprof
# Every command that reads several profiles reads them so.
json '.runs == 3' "$waymark" report --json one.wmprof all.wmprof ./program
