#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threads under the three kinds of updates.
. "$(dirname "$0")/lib.sh"
build subject subject.c -pthread
for kind in gs atomic delta; do
	case $kind in
	gs) key=1 ;;
	atomic) key=11 ;;
	delta) key=21 ;;
	esac
	fresh
	inside ../subject threads $kind 8 50000 30000
	files 1
	counts $key 400000
	for more in 1 2 3; do counts $((key + more)) 400000; done
	flag $SLACK 0
	flag $SECOND_THREAD 0
done

# Dead threads' cells are given to later ones.
for kind in gs delta; do
	fresh
	inside ../subject threads $kind 4 100 100 200
	files 1
	key=21
	[ $kind = delta ] || key=1
	counts $key 80000
	counts $((key + 1)) 80000
	[ "$(cat run/*.wmraw | wc -c)" -lt 500000 ] || die "200 rounds of 4 threads: $(wc -c run/*.wmraw)"
done

# Cut off between two chunks, where nothing but the noted size can tell.
truncate -s -4096 run/*.wmraw
dump >dump.txt 2>error.txt && die "a missing chunk goes unnoticed"
grep -q 'cut short at byte' error.txt || die "cut: $(cat error.txt)"
awk '$1 == "func" && ($3 == 21 || $3 == 22)' dump.txt | grep . && die "cut: incomplete counts are told"

# Many threads at the same time, and threads in a program whose cells the linker script did not place.
fresh
inside ../subject threads gs 60 100 100
files 1
counts 1 6000
build_unscripted unscripted subject.c -pthread
fresh
inside ../unscripted threads gs 8 1000 500 2>said.txt
files 1
for key in 1 2 3 4; do counts $key 8000; done

fresh
inside ../subject threadfork 20 >said.txt || die "$(cat said.txt)"
files 21
total=$(awk '$1 == "atomic" { print $2 }' said.txt)
counts 11 $((total + 2000))
counts 12 $((total + 2000))
counts 21 $((total + 20 + 2000))
counts 22 $((total + 20 + 2000))
counts 1 $((total + 20 + 2000))
counts 2 $((total + 20 + 2000))
awk '$1 == "func" && $5 < $7' dump.txt | grep . && die "a base with more ends than entries"

# Snapshots of running counters never show more ends than entries; the live file has everything.
fresh
inside ../subject live 20 >said.txt || die "$(cat said.txt)"
dump >dump.txt || die "live: damaged"
awk '$1 == "func" && $6 > $4' dump.txt | grep . && die "a snapshot with more ends than entries"
rm run/snapshot*
files 1
counts 11 "$(awk '$1 == "atomic" { print $2 }' said.txt)"
counts 12 "$(awk '$1 == "atomic" { print $2 }' said.txt)"
counts 22 "$(awk '$1 == "own" { print $2 }' said.txt)"
counts 2 "$(awk '$1 == "own" { print $2 }' said.txt)"

# With atomic updates no count is lost between two files.
fresh
inside ../subject live 20 set_file >said.txt || die "$(cat said.txt)"
rm run/snapshot*
files 21
counts 11 "$(awk '$1 == "atomic" { print $2 }' said.txt)"
counts 12 "$(awk '$1 == "atomic" { print $2 }' said.txt)"

# The child's 10, and 7 after the reset, on their own.
fresh
inside ../subject small || die "small stack: exit code $?"
dump >dump.txt || die "small stack: damaged"
counts 11 17
counts 22 17
