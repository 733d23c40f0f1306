#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The live file is out of reach or out of room when it has to grow: what can be kept is kept.
. "$(dirname "$0")/lib.sh"
build subject subject.c
build ordeal ordeal.c

# kept KEY...: complete, and nobody doubts it.
kept() {
	for key; do counts "$key" 5000; done
}
# doubted KEY...: whatever is there is not to be printed.
doubted() {
	for key; do
		awk -v key="$key" '$1 == "func" && $3 == key && $9 { seen = 1 } END { exit !seen }' dump.txt || die "key $key: a loss is not marked"
	done
}
once() { # TEXT
	[ "$(grep -c "$1" error.txt)" = 1 ] || die "said not once, $1: $(cat error.txt)"
	[ -z "$(cut -d ' ' -f 2-4 error.txt | sort | uniq -d)" ] || die "a warning twice: $(cat error.txt)"
}

if [ "$(id -u)" = 0 ]; then
	mkdir empty
	for scenario in "jail $WORK/empty" drop; do
		fresh
		# shellcheck disable=SC2086
		inside ../ordeal $scenario 2>error.txt || die "$scenario: exit code $?"
		files 1
		kept 1 2 3 4 11 12 13 14 21 22 23 24
		flag $KILL_SAFE 1
		[ ! -s error.txt ] || die "$scenario: $(cat error.txt)"

		# The program has closed the descriptor, too: arrays are still whole.
		fresh
		# shellcheck disable=SC2086
		inside ../ordeal $scenario close 2>error.txt || die "$scenario, closed: exit code $?"
		dump >dump.txt || die "$scenario, closed: damaged"
		kept 1 11
		doubted 2 4 12 14 21 22 24
		flag $KILL_SAFE 0
		once 'counts are lost, cannot write'
		once 'until the file can grow'
	done
fi

# A file size limit and a small disk.
fresh
inside ../ordeal xfsz 32768 2>error.txt || die "limit: exit code $?"
dump >dump.txt || die "limit: damaged"
counts 1 20000
counts 11 20000
doubted 2 4 12 14
once 'until the file can grow: .*: file size limit'
once 'counts are lost, cannot write .*: file size limit'
mkdir disk
if mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
	trap 'umount "$WORK/disk"; rm -rf "$WORK"' EXIT
	WAYMARK_FILE=$WORK/disk/live.wmraw ./subject count 5000 5000 2>error.txt || die "64 KiB: exit code $?"
	"$RAWDUMP" -s disk/*.wmraw >dump.txt || die "64 KiB: damaged"
	kept 1 11
	doubted 2 4 12 14
	once 'counts are lost, cannot write .*: no space left'
	rm -f disk/*
	# Small tables take small chunks.
	WAYMARK_FILE=$WORK/disk/live.wmraw ./subject count 5000 10 2>error.txt || die "64 KiB: exit code $?"
	"$RAWDUMP" -s disk/*.wmraw >dump.txt || die "64 KiB: damaged"
	kept 1 2 3 4 11 12 13 14
fi

# The descriptor is not in the program's way, and not missed where the program closes it.
fresh
(ulimit -Sn 256 && inside ../ordeal descriptors) >said.txt 2>error.txt || die "descriptors: $(cat said.txt)"
[ "$(cat said.txt)" = "descriptors 0" ] && [ ! -s error.txt ] || die "descriptors: $(cat said.txt error.txt)"
files 1
all_counts 20000

# What is data is not written to.
fresh
inside ../ordeal stderr data.txt || die "stderr: exit code $?"
[ "$(cat run/data.txt)" = data ] || die "a warning in the program's data: $(cat run/data.txt)"
fresh
inside ../ordeal stderr data.txt 2>&- || die "no stderr: exit code $?"
[ "$(cat run/data.txt)" = data ] || die "a warning in the program's data: $(cat run/data.txt)"

# No system call is left to be made at the end, nor while counters have room.
fresh
inside ../ordeal seccomp kill >said.txt || die "seccomp kill: exit code $?"
[ "$(cat said.txt)" = "counted 5000" ] || die "seccomp kill: $(cat said.txt)"
files 1
all_counts 5000
fresh
inside ../ordeal seccomp errno >said.txt 2>error.txt || die "seccomp errno: exit code $?"
[ "$(cat said.txt)" = "counted 5000" ] || die "seccomp errno: $(cat said.txt)"
dump >dump.txt || die "seccomp errno: damaged"
kept 1 11 21
doubted 2 4 12 14
