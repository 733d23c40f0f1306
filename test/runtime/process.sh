#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fork, exec, vfork, and processes the C library does not know of.
. "$(dirname "$0")/lib.sh"
build subject subject.c
fresh
inside ../subject fork 3
files 15
all_counts $((15 * 100 + 14 * 10))
awk '$1 == "func" && $5 != $7' dump.txt | grep -q . && die "the base is not balanced"
[ "$(awk '$1 == "file" && $8' dump.txt | wc -l)" = 14 ] || die "a child without a base"
flag $SLACK 0

fresh
WAYMARK_FILE=one.wmraw inside ../subject fork 3
files 15
all_counts $((15 * 100 + 14 * 10))

fresh
inside ../subject exec 5
files 6
all_counts 300

fresh
inside ../subject vfork
files 1
all_counts 5020

fresh
inside ../subject rawfork
dump >dump.txt
flag $FOREIGN 1

fresh
inside ../subject signalfork 20 || die "signalfork: exit code $?"
dump >dump.txt || die "signalfork: damaged"
awk '$1 == "func" && ($9 || $4 + $5 != $6 + $7) { print; bad = 1 } END { exit bad }' dump.txt || die "signalfork: a frame open at the fork is lost"
