#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# source.sh BUILD: the pages of `waymark report --html` as a reader uses them.
set -eu
waymark=$(realpath "$1")/waymark
here=$(dirname "$(realpath "$0")")
. "$here/../lib.sh"
. "$here/lib.sh"
trap 'browser_stop; rm -rf "$directory"' EXIT

# value SCRIPT WANTED WORDS: the page says so
value() {
	got=$(browser_js "$1") || fail "$3: $got"
	[ "$got" = "$2" ] || fail "$3: $got instead of $2"
}
quiet() {
	errors=$(browser_errors)
	[ -z "$errors" ] || fail "$1: $errors"
}

# ---- A program: many paths, decisions that go one way only, code that does not run, hostile text and names
mkdir -p 'src/deep <b>'
{
	echo 'static int many(unsigned n)'
	echo '{'
	echo '	int sum = 0;'
	for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
		printf '\tif (n >> %d & 1)\n\t\tsum += %d;\n' $i $i
	done
	echo '	return sum;'
	echo '}'
} >src/many.h
mv src/evil.h 'src/deep <b>/evil.h'
printf 'static int odd(int n) /* \033]0;title\007 \200 */\n{\n\treturn n %% 2 && n > 1 ? 3 : 4;\n}\n' >src/odd.h
"$waymark" cc -O1 -g src/main.c -o program
WAYMARK_FILE=run.wmraw ./program >/dev/null
"$waymark" report --html pages run.wmraw ./program
"$waymark" report --json --expand run.wmraw ./program >report.json
"$waymark" report --source main.c --json run.wmraw ./program >main.json
! grep -rl 'http:\|https:' pages | grep -v '\.js$' || fail "a page names something on the network"

# every link of every page leads to a file of the report
for page in pages/index.html pages/[fs]/*.html; do
	grep -o '\(href\|src\)="[^"]*"' "$page" | sed 's/^[a-z]*="//; s/"$//; s/#.*//' | sort -u | while read -r link; do
		[ -e "$(dirname "$page")/$link" ] || fail "$page: $link leads nowhere"
	done
	# … and to the section of the function
	grep -o 'href="[^"]*#f[0-9]*"' "$page" | sed 's/^[a-z]*="//; s/"$//' | sort -u | while read -r link; do
		grep -q "<section class=\"function\" id=\"${link#*#}\"" "$(dirname "$page")/${link%#*}" || fail "$page: there is no $link"
	done
done

page_of() { # FILE: the page of a source file
	grep -o "href=\"s/[0-9]*\.html\"><code title=\"[^\"]*$1\"" pages/index.html | grep -o 's/[0-9]*\.html'
}
number_of() { # FUNCTION
	grep -o "href=\"f/[0-9]*\.html#f[0-9]*\"><code>$1<" pages/index.html | grep -o 'f/[0-9]*\.html#f[0-9]*'
}

browser_start || fail "no browser"
ready='return document.querySelector("#source").dataset.ready'
panel='return document.querySelector(".panel .body") && document.querySelector(".panel .body").dataset.ready'

# ---- The index: a tree that can be sorted
browser_open pages/index.html
value 'return [...document.querySelectorAll(".tree tbody tr")].map(r => r.cells[0].textContent).join(" ")' \
	'"src/ deep <b>/ evil.h main.c many.h odd.h"' "the tree"
value 'return [...document.querySelectorAll(".tree tbody tr")].find(r => r.textContent.includes("main.c")).cells[2].textContent' \
	"$(jq '"\(.totals.lines_ran)/\(.totals.lines)"' main.json)" "lines of main.c"
browser_click '.tree th:nth-child(5) button'
value 'return [...document.querySelectorAll(".tree tbody tr")].filter(r => r.offsetParent).map(r => r.cells[0].textContent).slice(0, 1).join(" ")' \
	'"main.c"' "sorted by half-taken decisions"
browser_click '.functions th:nth-child(4) button'
value 'return document.querySelector(".functions tbody tr").cells[6].querySelector("code").textContent' '"many"' "functions by paths"
browser_type '#search' odd
value 'return document.querySelector("#shown").textContent' '"1 of 5 functions"' "the search for functions"
quiet "the index"

# ---- A line: counts, decisions, and the paths through it
browser_open "pages/$(page_of main.c)"
browser_wait "$ready" || fail "the source is not shown"
for line in 8 17 20 22 25 26; do
	value "return document.querySelector('.row[data-line=\"$line\"] .cnt').textContent.replaceAll(',', '')" \
		"$(jq ".lines[] | select(.line == $line) | \"\(.count)\"" main.json)" "the count of line $line"
done
value 'return document.querySelector(".row[data-line=\"21\"] .txt").textContent.trim()' '"if (i % 3 == 1)"' "the text of a line"
value 'return [...document.querySelectorAll(".row[data-line=\"21\"] .tag")].map(t => t.textContent).join(" ")' '"true 2,000 false 4,000"' "both counts"
browser_click '.row[data-line="22"]'
browser_wait "$panel" || fail "the panel"
value 'return document.querySelector(".panel .body > p").textContent' '"This line ran 2,000 times."' "the panel"
value 'return [...document.querySelectorAll(".panel .call code")].map(c => c.textContent).sort().join(" ")' '"evil odd"' "callees"
value 'return [...document.querySelectorAll(".panel .call a")].every(a => /\/f\/\d+\.html#f\d+$/.test(a.href))' true "links to callees"
browser_click '.row[data-line="21"]'
browser_wait "$panel" || fail "the panel"
paths=$(jq '[.functions[] | select(.name == "main").paths[] | select(any(.lines[]; endswith("main.c:21")))] | "\(length) paths, \(map(.count) | add | tostring | sub("(?<a>.)(?<b>...)$"; "\(.a),\(.b)")) executions"' report.json)
value 'return document.querySelector(".panel .found").textContent' "$paths" "the paths through a line"

# ---- Keys: next path, half-taken decision, line that did not run, hot line, search, close
browser_keys j
value 'return [document.querySelectorAll(".steps").length, document.querySelector("[aria-expanded=true]").textContent.includes("path"), document.querySelector(".row[data-line=\"21\"]").classList.contains("onpath")]' \
	'[1,true,true]' "the chosen path"
first=$(browser_js 'return location.hash')
browser_keys j
[ "$(browser_js 'return location.hash')" != "$first" ] || fail "j does not choose the next path"
browser_keys k
value 'return location.hash' "$first" "the previous path"
browser_keys n
value 'return location.hash' '"#L24"' "the next half-taken decision"
browser_keys u
value 'return location.hash' '"#L25"' "the next line that did not run"
browser_keys h
value "return document.querySelector('.row.current .cnt').textContent" "$(jq '.lines | max_by(.count).count | tostring | sub("(?<a>.)(?<b>...)$"; "\(.a),\(.b)")' main.json)" "the hottest line"
browser_wait "$panel"
browser_keys /
value 'return document.activeElement.type' '"search"' "the search by a key"
browser_keys "$(printf '\356\200\214\356\200\214')" # Escape, twice: leaves the field, closes the panel
value 'return document.querySelector(".panel").hidden' true "the panel closes"
quiet "the source"

# a page that is opened at a line and a path
browser_open "pages/$(page_of main.c)#L6"
browser_wait "$panel"
value 'return document.querySelector(".panel .body > p").textContent' '"This line never ran."' "a line that never ran"

# ---- A function with thousands of paths, and its drawing
browser_open "pages/$(number_of many)"
browser_wait 'return document.querySelector(".pathlist li")' || fail "no paths"
value 'return document.querySelector(".found").textContent' '"4,096 paths, 6,000 executions"' "all paths"
value 'return document.querySelectorAll(".pathlist li").length' 50 "not all paths are elements"
browser_type '.paths input' 'line 4 true, line 6 false, line 26 true'
wanted=$(jq '[.functions[] | select(.name == "many").paths[] | select([.decisions[] | select(.line == 4 or .line == 6 or .line == 26).outcome] == ["true", "false", "true"]).count] | "\(length) of 4,096, \(add) executions"' report.json | sed 's/ of/ paths of/')
value 'return document.querySelector(".found").textContent' "$wanted" "the search for paths"
browser_js 'const s = document.querySelector(".paths select"); s.value = "id"; s.dispatchEvent(new Event("change")); return 1' >/dev/null
browser_click '.pathlist li:first-child button'
value 'return [...document.querySelectorAll(".steps td:last-child")].some(c => c.textContent === "\tif (n >> 11 & 1)")' true "the text of the lines of a path"
id=$(browser_js 'return document.querySelector(".pathlist li").dataset.id' | tr -d '"')
value 'return document.querySelectorAll(".box.on").length' "$(jq --argjson id "$id" '.functions[] | select(.name == "many").paths[] | select(.id == $id).blocks | length' report.json)" "the blocks of the path in the drawing"
value 'return document.querySelectorAll(".edge.on").length' "$(jq --argjson id "$id" '.functions[] | select(.name == "many").paths[] | select(.id == $id).blocks | length - 1' report.json)" "the edges of the path in the drawing"
value 'return document.querySelectorAll(".box").length' "$(jq '.functions[] | select(.name == "many").blocks' report.json)" "the blocks of the drawing"
value 'return [...document.querySelectorAll("section:target .calls a")].map(a => a.textContent).join(" ")' '"main line 20"' "callers"
quiet "the function"

# ---- Hostile text is text
for file in evil.h odd.h; do
	browser_open "pages/$(page_of $file)#L4"
	browser_wait "$panel" || fail "no panel of $file"
	browser_keys j
	value 'return [typeof window.pwned, document.querySelectorAll("#source img, #source script").length]' '["undefined",0]' "hostile text of $file"
	quiet "$file"
done
value 'return document.querySelector(".row[data-line=\"1\"] .txt").textContent' '"static int odd(int n) /* \\x1b]0;title\\x07 \\x80 */"' "control characters"
browser_open "pages/$(page_of evil.h)"
browser_wait "$ready"
value 'return document.querySelector(".row[data-line=\"1\"] .txt").textContent.endsWith("<!--<script> */")' true "a comment with markup"

# ---- Tests by name: only one of them calls never, by a path of main that the other does not take
mkdir -p suite
cp run.wmraw suite/alpha.wmraw
WAYMARK_FILE=suite/beta.wmraw ./program 1 2 3 4 5 6 >/dev/null || :
"$waymark" report --html tested --tests suite suite/alpha.wmraw suite/beta.wmraw ./program
function_of() { # FUNCTION
	sed -n 's/.*href="\(f\/[0-9]*\.html#f[0-9]*\)"><code>'"$1"'<.*/\1/p' tested/index.html
}
browser_open "tested/$(function_of never)"
browser_wait 'return document.querySelector("section:target .pathlist li")' || fail "no paths of never"
value 'return [...document.querySelectorAll("section:target .links .tests code")].map(t => t.textContent).join(" ")' '"beta"' "the tests of a function"
browser_open "tested/$(function_of main)"
browser_wait 'return document.querySelector("section:target .pathlist li")' || fail "no paths of main"
value 'return [...document.querySelectorAll("section:target .links .tests code")].map(t => t.textContent).join(" ")' '"alpha beta"' "the tests of main"
browser_type 'section:target .paths input' 'line 24 true'
browser_click 'section:target .pathlist li button'
value 'return [document.querySelectorAll("section:target .pathlist li").length, document.querySelector("section:target .pathlist .tests").textContent]' '[1,"Tests: beta"]' "the tests of a path"
browser_js 'const s = document.querySelector("section:target .paths input"); s.value = "line 24 false, test alpha"; s.dispatchEvent(new Event("input")); return 1' >/dev/null
value 'return document.querySelectorAll("section:target .pathlist li").length' 1 "paths by test"
quiet "tests"
says '--tests belongs to --html' "$waymark" report --tests suite run.wmraw ./program

# ---- A page of several functions: one alone, all of them, a path
main=$(function_of main)
shown='return [...document.querySelectorAll("section.function")].filter(s => s.offsetParent).length'
all=$(grep -c '<section class="function"' "tested/${main%#*}")
[ "$all" -gt 1 ] || fail "main has a page alone"
browser_open tested/index.html
browser_open "tested/$main"
browser_wait 'return document.querySelector("section:target .pathlist li")' || fail "no paths of main"
value "$shown" 1 "the other functions are hidden"
id=$(browser_js 'return document.querySelector("section:target .pathlist li").dataset.id' | tr -d '"')
browser_keys j
value 'return location.hash' "\"#${main#*#}p$id\"" "the address of a path"
browser_open tested/index.html
browser_open "tested/${main}p$id"
browser_wait 'return document.querySelector("section:target [aria-expanded=true]")' || fail "the path is not shown"
value 'return document.querySelector("section:target [aria-expanded=true]").parentElement.dataset.id' "\"$id\"" "a page that is opened at a path"
value "$shown" 1 "the other functions are hidden at a path"
browser_click 'a[href="#"]'
value "$shown" "$all" "all functions of the file"
quiet "functions of a file"

# what is printed is drawn, though it never came into view; what is hidden is not
browser_devtools Emulation.setDeviceMetricsOverride '{"width": 390, "height": 300, "deviceScaleFactor": 1, "mobile": true}'
browser_open pages/index.html
browser_open "tested/${main%#*}"
browser_wait 'return document.querySelector(".drawn .pathlist li")' || fail "no function is drawn"
drawn='return document.querySelectorAll(".drawn .pathlist").length'
[ "$(browser_js "$drawn")" -lt "$all" ] || fail "all functions are drawn before they come into view"
browser_devtools Page.printToPDF '{}'
value "$drawn" "$all" "the functions in print"
browser_open pages/index.html
browser_open "tested/$main"
browser_wait 'return document.querySelector("section:target .pathlist li")' || fail "main is not drawn"
browser_devtools Page.printToPDF '{}'
value "$drawn" 1 "one function in print"
browser_wide
quiet "print"

# ---- Dark, and narrow: nothing is wider than a phone
browser_narrow
for page in index.html "$(page_of main.c)#L20" "$(number_of many)"; do
	browser_scheme light
	browser_open "pages/$page"
	browser_wait 'return !document.querySelector("#source, .drawn") || document.querySelector(".row, .pathlist li")'
	light=$(browser_js 'return getComputedStyle(document.body).backgroundColor')
	value 'return document.documentElement.scrollWidth <= innerWidth' true "$page is wider than a phone"
	browser_scheme dark
	[ "$(browser_js 'return getComputedStyle(document.body).backgroundColor')" != "$light" ] || fail "$page is not dark"
	quiet "$page"
done
browser_stop
