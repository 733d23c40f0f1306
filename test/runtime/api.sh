#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# waymark.h, and the letters of WAYMARK_FILE.
. "$(dirname "$0")/lib.sh"
for kind in -pie -static; do
	build subject subject.c $kind -fPIE -Wno-unused-command-line-argument
	fresh
	WAYMARK_FILE=live.wmraw inside ../subject api .
	files 4
	flag $SLACK 0
	check() { # FILE EPOCH SEQUENCE SNAPSHOT ENTRIES BASE
		awk -v f="run/$1" -v e="$2" -v s="$3" -v p="$4" -v n="$5" -v b="$6" '
			$2 != f { next }
			$1 == "file" && ($9 != e || $10 != s || $7 != p) { print; bad = 1 }
			$1 == "func" && ($4 != n || $6 != n || $5 != b || $7 != b || $9) { print; bad = 1 }
			{ seen = 1 }
			END { exit bad || !seen }' dump.txt || die "$kind: $1"
	}
	check snapshot.wmraw 0 1 1 100 0
	check live.1.wmraw 0 2 1 100 0
	check live.wmraw 1 0 0 7 110
	check second.wmraw 0 0 0 5 117
done

build subject subject.c
fresh
TMPDIR=$WORK/run/ WAYMARK_FILE='%tdeep/a%%-%h-%p-%b-%m.wmraw' inside ../subject count 10 10
name=$(cd run/deep && ls)
build_id=$(readelf -n subject | awk '/Build ID/ { print $3 }')
echo "$name" | grep -qE "^a%-$(uname -n)-[0-9]+-$build_id-[0-9a-f]{16}\.wmraw$" || die "name: $name"
fresh
WAYMARK_FILE='%z-%p.wmraw' inside ../subject fork 1 2>error.txt
[ "$(wc -l <error.txt)" = 1 ] && [ -n "$(find run -name '%z-[0-9]*.wmraw')" ] || die "unknown letter: $(cat error.txt)"
fresh
for i in 1 2 3; do WAYMARK_FILE=no_extension inside ../subject count 10 10; done
[ "$(cd run && echo *)" = "no_extension no_extension.1 no_extension.2" ] || die "suffix: $(ls run)"
