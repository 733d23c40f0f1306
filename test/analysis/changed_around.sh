#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# changed_around.sh BUILD: which tests to run for changed lines of which no path says who executes them: lines without code, and
# lines that activations executed which were left inside calls, if it is not known what those did.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"
export WAYMARK_UNFINISHED=off
export GIT_CEILING_DIRECTORIES="$directory/.."

mkdir -p src/config suite
printf '#include "config/limits.h"\n' >src/all.h
printf 'words\n' >README
"$waymark" cc -O1 -g src/main.c src/other.c -o program
run() {
	WAYMARK_FILE=$directory/suite/$1.wmraw ./program $2 $3 >/dev/null
}
run none 0 0
run one 1 1
run large 1 7
run left 1 99
run two 2 1
run three 3 1
run four 4 1

# selects FILE REMOVED ADDED TEST...: the tests that a change of lines (as in "@@ -7 +7 @@") selects, in any order
selects() {
	{
		printf -- '--- %s\n+++ %s\n@@ -%s +%s @@\n' "$1" "$1" "$2" "$3"
		lines "$2" -
		lines "$3" +
	} >change.diff
	shift 3
	"$waymark" tests suite ./program --changed - --list <change.diff 2>why | sort | tr '\n' ' ' >list
	want=$([ $# = 0 ] || printf '%s\n' "$@" | sort | tr '\n' ' ')
	[ "$(cat list)" = "$want" ] || { cat change.diff why && fail "selected: $(cat list), not $want"; }
}
# lines EXTENT SIGN: as many lines as the extent has
lines() {
	count=${1#*,}
	[ "$count" != "$1" ] || count=1
	while [ "$count" -gt 0 ]; do
		echo "$2 text"
		count=$((count - 1))
	done
}
# why WORDS: said on standard error
why() {
	grep -qF -- "$1" why || { cat why && fail "'$1' is missing"; }
}
line() {
	grep -nF -- "$1" "$2" | head -n 1 | cut -d: -f1
}

# A declaration inside a function, over lines without any code: the tests of the function, also the one that completes no path of it.
selects src/main.c 12 12 large left one
why 'has no code of its own (src/main.c:12 in one): the tests that execute the function around it are selected'
# A global variable: all tests of the file; a header that the debug information does not name: those of the file that includes it.
selects src/main.c 3 3 large left none one two three four
why 'is outside of every function whose counts are known (src/main.c:3): the tests that execute any function of a file that uses it'
selects src/config/limits.h 1 1 four
selects src/other.c 2 2 four
# Removed: beside code of the function, and outside of functions.
selects src/other.c 2 1,0 four
# A blank line and a comment change nothing; where the file is another one, nobody knows.
selects src/main.c 23,2 23,2
why 'no test is selected: the changed lines are blank or comments'
selects README 1 1
why 'no test is selected: no changed line is in a file that the binaries use'
: >change.diff
"$waymark" tests suite ./program --changed - --list <change.diff 2>why | cmp - /dev/null
why 'no test is selected: the change is empty'

# Lines of activations that were left: only tests in which that happened, whether or not others execute the line, too.
selects src/main.c 17 17 large left one
why 'may have been executed by activations that were left inside calls (src/main.c:17 in one)'
selects src/main.c "$(line 'puts("before")' src/main.c)" "$(line 'puts("before")' src/main.c)" three
"$waymark" tests suite ./program --changed - <change.diff >text
grep -q '^1 of 7 tests takes 0 paths' text || { cat text && fail "the table"; }
grep -q '^    1.        0         0    0.00%            0  three$' text || { cat text && fail "the table"; }
json '.changed.around | length == 1 and .[0].selected == "abandoned" and .[0].function == "three"' \
	sh -c "'$waymark' tests --json suite ./program --changed - <change.diff"
[ "$("$waymark" tests --print smallest suite ./program --changed - <change.diff 2>/dev/null)" = three ] || fail "--print smallest"

# The lines of a generated parser are told by the names of the grammar; the file that was compiled is none of them.
printf 'int parse(int n);\nint main(int argc, char **argv)\n{\n\treturn parse(argc) == 0;\n}\n' >src/user.c
"$waymark" cc -O1 -g src/grammar.c src/user.c -o program
rm suite/*
run parser 1 1
selects src/grammar.c 1 1 parser
selects src/grammar.y 1 1 parser
selects src/grammar.y 5 5 parser
