#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# No space, no permission, a file size limit: the program runs on, and no wrong count is printed.
. "$(dirname "$0")/lib.sh"
build subject subject.c
build ordeal ordeal.c

# No more than one of a kind: that counts come late, and that they are lost.
one_warning() {
	[ -z "$(cut -d ' ' -f 2-4 error.txt | sort | uniq -d)" ] || die "one warning twice: $(cat error.txt)"
	[ "$(wc -l <error.txt)" -le 2 ] || die "too many warnings: $(cat error.txt)"
}

# A limit reached while it runs, and kept: counts that did not reach the file are marked.
fresh
inside ../ordeal xfsz 40000 2>error.txt || die "file size limit: exit code $?"
one_warning
dump >dump.txt || die "damaged"
awk '$1 == "func" && ($3 == 2 || $3 == 12 || $3 == 22) && !$9 { bad = 1 } END { exit bad }' dump.txt || die "losses are not marked"
flag $KILL_SAFE 0

# Lifted before the end: everything is there and nobody doubts it.
fresh
inside ../ordeal xfsz 40000 lifted 2>error.txt || die "lifted limit: exit code $?"
files 1
all_counts 20000
flag $KILL_SAFE 1

# From the start.
fresh
(cd run && ulimit -f 8 && ../subject count 1000 300 2>../error.txt) || die "ulimit: exit code $?"
one_warning
grep -q waymark: error.txt || die "no warning"

# A warning for which its own file has no room ends nothing.
fresh
(cd run && ulimit -f 1 && head -c 500 /dev/zero >full.txt && ../subject count 10 10 2>>full.txt) || die "warning: exit code $?"

# A directory that cannot be written; root can, so use one that nobody can.
fresh
WAYMARK_FILE=/proc/nowhere/%p.wmraw inside ../subject count 1000 300 2>error.txt || die "no directory: exit code $?"
one_warning
grep -q 'counts are lost' error.txt || die "no directory: $(cat error.txt)"
as_user=
[ "$(id -u)" != 0 ] || as_user='setpriv --reuid=65534 --regid=65534 --clear-groups'
chmod a+rx "$WORK" && chmod a-w run
# shellcheck disable=SC2086
inside $as_user ../subject fork 2 2>error.txt || die "read-only: exit code $?"
chmod u+w run
[ -z "$(ls run)" ] || die "read-only: $(ls run)"
grep -q 'permission denied' error.txt && one_warning || die "read-only: $(cat error.txt)"

# Removed while it runs.
fresh
WAYMARK_FILE=mine.wmraw inside ../ordeal gone mine.wmraw 2>error.txt || die "removed: exit code $?"
one_warning
fresh
WAYMARK_FILE=/dev/null inside ../subject fork 2 2>error.txt || die "/dev/null"
[ ! -s error.txt ] && [ -z "$(ls run)" ] || die "/dev/null: $(cat error.txt)"

# Truncated while it runs: it is not made to look whole again.
fresh
WAYMARK_FILE=mine.wmraw inside ../ordeal cut mine.wmraw 2>error.txt || die "truncated: exit code $?"
grep -q 'mine.wmraw: it was truncated' error.txt || die "truncated: $(cat error.txt)"
dump >dump.txt 2>error.txt && die "a truncated profile looks whole"
grep -q 'cut short' error.txt || die "truncated: $(cat error.txt)"
awk '$1 == "func" && ($3 == 1 || $3 == 2)' dump.txt | grep . && die "truncated: incomplete counts are told"

# A full disk, where mounting is allowed.
mkdir full
if mount -t tmpfs -o size=128k tmpfs full 2>/dev/null; then
	trap 'umount "$WORK/full"; rm -rf "$WORK"' EXIT
	for scenario in 'count 100000 100000' 'fork 4' 'threads delta 32 1000 100'; do
		# shellcheck disable=SC2086
		WAYMARK_FILE=$WORK/full/%p.wmraw ./subject $scenario 2>error.txt || die "full disk, $scenario: exit code $?"
		"$RAWDUMP" -s full/*.wmraw >dump.txt || die "full disk, $scenario: damaged"
		case $scenario in count*)
			awk '$1 == "func" && ($4 != $6 || $4 != 100000) && !$9 { bad = 1 } END { exit bad }' dump.txt || die "losses are not marked"
			;;
		esac
		rm -f full/*
	done
fi
