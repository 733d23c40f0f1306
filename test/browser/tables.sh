#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tables.sh BUILD: the head of the column that orders a table says so, to readers who see its arrow and to those who do
# not; and what a page counts, it counts once.
set -eu
waymark=$(realpath "$1")/waymark
here=$(dirname "$(realpath "$0")")
. "$here/../lib.sh"
. "$here/lib.sh"
trap 'browser_stop; rm -rf "$directory"' EXIT

"$waymark" cc -fwaymark-unfinished=off -O1 -g -fwaymark-conditions=values program.c -o program
for n in 1 2 3 4 5 8; do
	WAYMARK_FILE=run$n.wmraw ./program $n >/dev/null || : # it fails for 4 and 5
done
"$waymark" cc -O1 -g lines.c -o lines.program
WAYMARK_FILE=none.wmraw ./lines.program >/dev/null
WAYMARK_FILE=three.wmraw ./lines.program 1 2 3 >/dev/null
"$waymark" untested --html lines none.wmraw three.wmraw ./lines.program
runs='run1.wmraw run2.wmraw run3.wmraw run4.wmraw run8.wmraw'
# shellcheck disable=SC2086 # lists of words
{
	"$waymark" report --html report $runs ./program
	"$waymark" report --mcdc --html mcdc $runs ./program
	"$waymark" report --correlations --all --html correlations $runs ./program
	"$waymark" report --prime-paths --html primes $runs ./program
	"$waymark" untested --html untested run1.wmraw ./program
	"$waymark" residual --html residual --tested run1.wmraw run8.wmraw ./program
	"$waymark" diff --html diff run2.wmraw run8.wmraw ./program
	"$waymark" blame --html blame --passed run1.wmraw run2.wmraw --failed run4.wmraw run5.wmraw -- ./program
}

# What is wrong with a table, or "": more than one head is marked; the rows are not in the order that it says; a reader does
# not see the mark.
cat >wrong.js <<'END'
const table = document.querySelector(arguments[0]), heads = [...table.tHead.rows[0].cells];
const marked = heads.filter(head => head.getAttribute("aria-sort") !== "none");
if (heads.some(head => !head.querySelector("button"))) return "a head is no button";
const align = cell => getComputedStyle(cell).textAlign;
for (const row of table.tBodies[0].rows)
	for (const cell of row.cells)
		if (heads[cell.cellIndex] && align(cell) !== align(heads[cell.cellIndex])) return "another column is aligned to the right: " + cell.cellIndex;
if (marked.length > 1) return "several columns are marked";
for (const head of heads) {
	const order = head.getAttribute("aria-sort"), arrow = getComputedStyle(head.querySelector("button"), "::after").content;
	const seen = arrow.includes("\u2193") ? "descending" : arrow.includes("\u2191") ? "ascending" : "none";
	if (seen !== order) return head.textContent + ": " + order + " looks like " + seen;
}
if (!marked.length) return arguments[1] ? "no column is marked" : "";
if (arguments[1] && marked[0].textContent !== arguments[1]) return "marked is " + marked[0].textContent;
const column = heads.indexOf(marked[0]), rows = [...table.tBodies[0].rows];
const cell = row => row.cells[column], number = text => text === "" || isNaN(text) ? -Infinity : Number(text);
const key = row => Number(cell(row).dataset.key ?? number(cell(row).textContent.trim().replaceAll(",", ""))), sign = marked[0].getAttribute("aria-sort") === "ascending" ? 1 : -1;
if (rows.length < 2) return "too few rows";
const bad = rows.findIndex((row, i) => i && !(sign * key(rows[i - 1]) <= sign * key(row)));
return bad < 0 ? "" : "row " + bad + " is not in the order of " + marked[0].textContent;
END
# right TABLE COLUMN: "" for the column if the table is in another order
right() {
	wrong=$(browser_js "$(cat wrong.js)" "$@") || fail "$page: $wrong"
	[ "$wrong" = '""' ] || fail "$page: $wrong"
}

browser_start || fail "no browser"
while read -r page first; do
	browser_open "$page/index.html"
	right table.functions "$(echo "$first" | tr _ ' ')"
	second=$(browser_js 'return document.querySelector("table.functions th:nth-child(2)").textContent' | tr -d '"')
	for _ in 1 2; do
		browser_click 'table.functions th:nth-child(2) button'
		right table.functions "$second"
	done
	[ -z "$(browser_errors)" ] || fail "$page: errors in the console"
done <<'END'
report Executions
mcdc
correlations Executions
primes
untested Executions_in_the_tests
residual Executions
diff
blame Rank
END

# ---- Paths: the lines of a block share cells, in which each is beside its number
cat >beside.js <<'END'
const tops = cell => {
	const range = document.createRange();
	range.selectNodeContents(cell);
	return [...new Set([...range.getClientRects()].map(r => r.top))].sort((a, b) => a - b);
};
const rows = [...document.querySelectorAll("details[open] .steps tr")].filter(r => r.cells.length === 3 && r.cells[2].textContent);
if (!rows.some(r => r.cells[0].textContent.includes("\n"))) return "no lines share cells";
const lines = cell => cell.textContent.split("\n");
const bad = rows.find(r => lines(r.cells[0]).length !== lines(r.cells[2]).length || lines(r.cells[0]).some(n => !/^[0-9]+$/.test(n)) ||
	JSON.stringify(tops(r.cells[0])) !== JSON.stringify(tops(r.cells[2])) || tops(r.cells[0]).length !== lines(r.cells[0]).length);
return bad ? "not side by side: " + bad.textContent : "";
END
page=$(ls lines/f/*.html)
browser_open "$page"
wrong=$(browser_js "$(cat beside.js)") || fail "$page: $wrong"
[ "$wrong" = '""' ] || fail "$page: $wrong"

# … and outcomes have colours
colours=$(browser_js 'return [...new Set([...document.querySelectorAll(".steps i.true, .steps i.false")].map(i => getComputedStyle(i).color + " " + getComputedStyle(i).display))].length')
[ "$colours" = 2 ] || fail "$page: true and false look alike, or $colours ways"

# … and a page that is opened at a path shows only its function
page=$(grep -l 'id="f[0-9]*p' untested/f/*.html | head -n 1)
id=$(grep -o 'id="f[0-9]*p[0-9]*"' "$page" | head -n 1 | sed 's/id="//; s/"//')
browser_open "$page#$id"
shown=$(browser_js 'return [...document.querySelectorAll("section.function")].filter(s => s.offsetParent).map(s => s.id).join(" ")')
[ "$shown" = "\"${id%p*}\"" ] || fail "$page#$id shows $shown"
[ "$(grep -c '<section class="function"' "$page")" -gt 1 ] || fail "$page has one function"

# ---- The page of a source: lines and decisions are counted alike in its heading and its buttons
page=$(grep -o 'href="s/[0-9]*\.html"' report/index.html | head -n 1 | grep -o 's/[0-9]*\.html')
browser_open "report/$page"
browser_wait 'return document.querySelector("#source").dataset.ready' || fail "the source is not shown"
heading=$(browser_js 'return document.querySelector(".sub").textContent')
buttons=$(browser_js 'return [...document.querySelectorAll(".nav span")].map(s => s.textContent).join(", ")')
figure() { # TEXT PATTERN: the number before the words
	number=$(printf '%s\n' "$1" | sed -n "s/.*[^0-9]\([0-9][0-9]*\) $2.*/\1/p")
	[ -n "$number" ] || fail "no '$2' in: $1"
	echo "$number"
}
[ "$(figure "$heading" 'did not,')" = "$(figure "$buttons" 'lines\{0,1\} not run')" ] || fail "lines not run: $heading; $buttons"
[ "$(figure "$heading" 'are not known')" -gt 0 ] || fail "no line of an abandoned path: $heading"
[ "$(figure "$heading" 'of [0-9]* lines with code ran')" = "$(figure "$buttons" 'lines\{0,1\} run')" ] || fail "lines run: $heading; $buttons"
[ "$(figure "$heading" half-taken)" = "$(figure "$buttons" 'half-taken decision')" ] || fail "half-taken: $heading; $buttons"
browser_stop
