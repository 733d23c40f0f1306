#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Names that are taken, or that no file can have.
. "$(dirname "$0")/lib.sh"
build subject subject.c

# calls: how many system calls a run makes.
calls() {
	inside strace -f -qq -o ../calls.txt ../subject count 10 10 || die "strace"
	wc -l <calls.txt
}
if strace -qq -o calls.txt true 2>/dev/null; then
	fresh
	export WAYMARK_FILE=one.wmraw
	first=$(calls)
	for i in $(seq 3000); do : >"run/one.$i.wmraw"; done
	later=$(calls)
	[ -f run/one.3001.wmraw ] || die "the next name is not the next number: $(ls run | tail -n 3)"
	[ "$later" -le $((first + 60)) ] || die "$first system calls for the first name, $later for the 3001st"
	unset WAYMARK_FILE
fi

# refused PATTERN WHY: the program runs, nothing appears, and the reason is told.
refused() {
	fresh
	before=$(ls -a / /dev)
	WAYMARK_FILE=$1 inside ../subject count 10 10 >said.txt 2>error.txt || die "$1: exit code $?"
	[ "$before" = "$(ls -a / /dev)" ] && [ -z "$(ls run)" ] && [ ! -s said.txt ] || die "$1 leaves something: $(ls run)"
	grep -q "$2" error.txt || die "$1: $(cat error.txt)"
}
refused /dev/full 'not a regular file'
refused /dev/stdout 'not a regular file'
refused / 'is a directory'
refused ./ 'is a directory'
refused . 'is a directory'
refused missing/directory/x.wmraw 'no such directory'
fresh
WAYMARK_FILE=missing/x.wmraw inside ../subject count 10 10 || die "a directory to be made: exit code $?"
[ -f run/missing/x.wmraw ] || die "the last directory is not made"
