#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# manual.sh BUILD: what `waymark help` prints has no mistakes of typesetting, and scripts/check-man finds those that there
# were.
set -eu
waymark=$(realpath "$1")/waymark
scripts=$(realpath "$(dirname "$0")/../../scripts")
. "$(dirname "$(realpath "$0")")/../lib.sh"
export LC_ALL=C.UTF-8

"$waymark" help test | sed 's/.\x08//g' | tr '\n' ' ' | sed 's/  */ /g' >page.txt
grep -qF 'runner (“ctest”, “meson”, “automake”' page.txt || fail "quotes are not around the words they belong to"

# page LINE...: a manual page with these lines
page() {
	printf '.Dd January 1, 2025\n.Dt PAGE 1\n.Os\n.Sh NAME\n.Nm page\n.Nd a page\n.Sh DESCRIPTION\nWords.\n' >page.1
	printf '%s\n' "$@" >>page.1
}
page '.Dq one , two' or '.Ql three .'
"$scripts/check-man" page.1 || fail "a correct page is refused"

# refused WORDS LINE...: the page with these lines is refused, and the words are printed
refused() {
	words=$1
	shift
	page "$@"
	exits 1 "$scripts/check-man" page.1
	grep -qF "$words" out || fail "'$words' is not told of: $*"
}
refused '“one, “two”' '.Pq Dq one , Dq two'
refused '“ orjoins' '.Dq \ or\' 'joins names.'
refused 'b : ...' '.No {"a":\ ..., "b":\ ...} ,'
refused 'Words , and' 'Words ,' 'and more.'
refused 'the Ar file' 'Words the Ar file .'
