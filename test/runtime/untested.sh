#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Residual builds: when a path was first seen, and the callback.
. "$(dirname "$0")/lib.sh"
build untested untested.c -pthread
build library.so library.c -shared -fPIC

# said WORD...: the program's words, sorted, are these.
said() {
	printf '%s\n' "$@" | sort >want.txt
	sort said.txt | diff want.txt - || die "$scenario: the callback was told otherwise"
}
# timed: every counted path of every file has one, within the run, and its process.
timed() {
	"$RAWDUMP" run/*.wmraw >paths.txt
	awk -v from="$from" -v to="$(date +%s%6N)" '
		$1 == "file" { pid = $11 }
		$1 == "path" && $5 && ($7 < from || $7 > to || $8 != pid) { print; bad = 1 }
		END { exit bad || !NR }' paths.txt || die "$scenario: times"
}
run() { # SCENARIO FILES ARGUMENT...
	scenario=$1
	fresh
	from=$(date +%s%6N)
	inside ../untested "$1" ${3-} >said.txt || die "$scenario: $(cat said.txt)"
	[ -z "$2" ] || files "$2"
	timed
}

run once 1
said 'told shared:2' 'told shared:3' 'told own:1' 'told own:2' 'told own:3' 'again shared:4'
counts 14 10
counts 24 3

run growth 1
[ "$(sort -u said.txt | wc -l)" = 1000 ] && [ "$(wc -l <said.txt)" = 1000 ] || die "growth: $(wc -l <said.txt) paths told"
counts 24 3000

run inside 1
said 'told shared:1' 'told shared:2'
counts 14 5
counts 24 2

run threads 1
said 'told 10000'
counts 14 40000
counts 24 40000

run forks 2
said 'parent shared:1' 'parent own:1' 'child shared:1' 'child own:1'
counts 14 3
counts 24 3

run resets 2
until=$(awk '$1 == "until" { print $2 }' said.txt)
sed -i /^until/d said.txt
said 'told shared:1' 'told own:1' 'told own:2'
awk -v until="$until" '$1 == "path" && $5 && $4 == 1 && $7 > until { print; bad = 1 } END { exit bad }' paths.txt || die "a reset forgot when a path was first seen"
counts 14 2
counts 24 2

run objects 2 ../library.so
said 'told library_residual:1' 'told shared:2'
counts 14 1
counts 103 5

# First sightings, interrupted at every instruction.  The path itself is also taken in between.
steps() { sed -n "s/instructions //p" said.txt; }
run interrupted 1
counts 14 $((3 * $(steps) + 2))

run jumps_out 1
awk -v n="$(steps)" '$1 == "func" && $3 == 14 && ($6 < 2 * n + 2 || $6 > 3 * n + 1) { print; bad = 1 } END { exit bad }' paths.txt || die "jumps out: counts"

# A child sees its own path and at most the rest of the one it was born in.
run forks_inside ''
awk -v n="$(steps)" '
	$1 == "func" && $3 == 14 { files++; if ($6 == 3 * n + 2) parents++; else if ($6 < 1 || $6 > 2) { print; bad = 1 } }
	END { exit bad || parents != 1 || files != n + 1 }' paths.txt || die "forks inside: counts"

run resets_inside 1
