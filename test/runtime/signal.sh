#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A storm of signals whose handler counts, through every growth of the tables.
. "$(dirname "$0")/lib.sh"
build subject subject.c
for round in 1 2 3; do
	fresh
	inside ../subject signals 1 >said.txt || die "round $round: exit code $?"
	files 1
	all_counts "$(awk '$1 == "total" { print $2 }' said.txt)"
	flag $SECOND_THREAD 0
	[ "$(awk '$1 == "handled" { print $2 }' said.txt)" -gt 100 ] || die "hardly any signal came"
done
