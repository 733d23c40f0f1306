#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# store.sh BUILD: the pages of `waymark store --html`, from two versions on three machines.
set -eu
waymark=$(realpath "$1")/waymark
here=$(dirname "$(realpath "$0")")
. "$here/../lib.sh"
. "$here/lib.sh"
trap 'browser_stop; rm -rf "$directory"' EXIT

value() {
	got=$(browser_js "$1") || fail "$3: $got"
	[ "$got" = "$2" ] || fail "$3: $got instead of $2"
}

"$waymark" cc -O1 -g shop.c -o tested
WAYMARK_FILE=test.wmraw ./tested 1 0 0 0 1 0 >/dev/null
"$waymark" store init fleet.db
"$waymark" store push --test prices fleet.db test.wmraw >/dev/null
"$waymark" store known -o known.wmprof fleet.db
"$waymark" cc -O1 -g -fwaymark-residual=known.wmprof shop.c -o shop
WAYMARK_FILE=a.wmraw ./shop 1 1 0 1 1 0 >/dev/null
WAYMARK_FILE=b.wmraw ./shop 1 1 0 >/dev/null
WAYMARK_FILE=c.wmraw ./shop 1 1 0 0 0 1 >/dev/null
"$waymark" store push --label version=1.0 --machine one fleet.db a.wmraw >/dev/null
"$waymark" store push --label version=1.0 --machine two fleet.db b.wmraw >/dev/null
"$waymark" store push --label 'version=2.0 <b>&amp;' --machine three fleet.db c.wmraw >/dev/null
"$waymark" store --html pages fleet.db ./shop
# the same pages
"$waymark" untested --field fleet.db --html same ./shop
diff -r pages same >/dev/null || fail "untested --html writes other pages"

browser_start || fail "no browser"
browser_open pages/index.html
value 'return document.querySelectorAll(".cards").length' 1 "cards"
cell='return [...document.querySelectorAll("#versions tbody tr")].map(r => [...r.cells].slice(0, 4).map(c => c.textContent).join(" | "))'
value "$cell" '["1.0 | 1 | 1 | 2","2.0 <b>&amp; | 2 | 1 | 1"]' "versions"
value 'return [...document.querySelectorAll("#days tbody tr")].reduce((n, r) => n + Number(r.cells[1].textContent), 0)' 2 "days"
value 'return [...document.querySelectorAll("#days tbody tr")].every(r => /^20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/.test(r.cells[0].textContent))' true "dates"
browser_picture "${PICTURES:-.}/index.png"
browser_click 'table.functions tbody a'
browser_wait 'return document.querySelector("h1") && document.querySelector("h1").textContent.includes("price")' || fail "the page of the function"
value 'return [...document.querySelectorAll("details p.soft")].filter(p => p.textContent.startsWith("seen")).map(p => p.textContent.replace(/, first.*/, "")).sort()' \
	'["seen on 1 machine in 1 run, in version 2.0 <b>&amp;","seen on 3 machines in 3 runs, in version 1.0, 2.0 <b>&amp;"]' "machines, runs and versions"
value 'return document.querySelectorAll("details code").length >= 2' true "triage ids"
value 'return document.body.textContent.includes("if (coupon)")' true "the source"
browser_picture "${PICTURES:-.}/function.png"
[ -z "$(browser_errors)" ] || fail "errors: $(browser_errors)"
