#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# markdown.sh BUILD: --markdown says what the text says, and nothing in the names and lines of a program becomes markup: held
# against the parser of GitHub's dialect.
set -eu
here=$(dirname "$(realpath "$0")")
waymark=$(realpath "$1")/waymark
. "$here/../lib.sh"

name='a|b_c* [x](y) @you `z` <i>.c'
mv odd.c "$name"
"$waymark" cc -g -O1 "$name" -o odd
WAYMARK_FILE=one.wmraw ./odd 3 9 >one
WAYMARK_FILE=two.wmraw ./odd 2 -1 4 >two

# html FILE: what readers of the comment get
html() {
	cmark-gfm --unsafe -e table -e autolink -e strikethrough "$1"
}
# words: the words of HTML, one a line, without what is only in a form: shares, bars and arrows in the text's columns
words() {
	sed 's/<\/*b>//g; s/<\/*code>//g; s/<[^>]*>/ /g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/\xe2\x80\x8b//g; s/&amp;/\&/g' | tr -s ' \t' '\n\n' | sed '/^$/d'
}
# rows: the source lines in blocks of code
rows() {
	sed -n '/<pre>/,/<\/pre>/p' | sed 's/<pre><code>//; s/<\/code><\/pre>//; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' | sed '/^$/d'
}

# same NAME COMMAND...: the lines of paths are those of the text, and every word of the text is there
same() {
	what=$1
	shift
	"$waymark" "$@" >"$what.txt"
	"$waymark" "$@" --markdown >"$what.md"
	html "$what.md" >"$what.html"
	grep -q '<details' "$what.html" || fail "$what has no path"
	[ "$(grep -c '<details' "$what.html")" = "$(grep -c '</details>' "$what.html")" ] || fail "$what: an element is not closed"
	rows <"$what.html" >"$what.rows"
	# Rows of tables begin with a number, and are not about a line.
	grep '^      [> ]' "$what.txt" | grep -vE '^ {6}(line|first seen|new) |^ +rank +score|^ +[0-9]+( to [0-9]+)? +(inf|[0-9.]+) +[0-9]+ of [0-9]+ +[0-9]+ of [0-9]+ ' |
		cmp - "$what.rows" || fail "$what: other lines than the text"
	words <"$what.html" | sort -u >"$what.words"
	tr -s ' \t' '\n\n' <"$what.txt" | sed '/^$/d' | sort -u >"$what.wanted"
	# Heads of tables begin with a capital there.
	comm -23 "$what.wanted" "$what.words" | grep -vxE 'share|executions|entries|paths|ran|function|old|new|appeared|vanished|hotter|colder|rank|score|failed|passed|-' >"$what.lost" || :
	[ ! -s "$what.lost" ] || fail "$what: words of the text are missing: $(cat "$what.lost")"
	# Nothing else than what the report writes.
	sed '/<pre>/,/<\/pre>/d' "$what.html" | grep -o '<[a-z][a-z0-9]*' | sort -u |
		grep -vxE '<(h2|h3|p|b|br|code|table|thead|tbody|tr|th|td|details|summary|ul|li)' >"$what.tags" || :
	[ ! -s "$what.tags" ] || fail "$what: markup of the program: $(cat "$what.tags")"
	! grep -q '@you' "$what.html" || fail "$what notifies somebody"
}
same report report one.wmraw ./odd
same diff diff one.wmraw two.wmraw ./odd
same blame blame --passed one.wmraw --failed two.wmraw ./odd
same untested untested --level path one.wmraw ./odd
same residual residual --tested one.wmraw two.wmraw ./odd

[ "$(html report.md | grep -c '<tr>')" = 3 ] || fail "the table of functions"
[ "$(grep -c 'path [0-9]' report.txt)" = "$(grep -c '<summary>' report.html)" ] || fail "the report has other paths"
! "$waymark" report --markdown --json one.wmraw ./odd 2>said || fail "two forms at a time"
grep -q 'choose one of them' said || fail "$(cat said)"
