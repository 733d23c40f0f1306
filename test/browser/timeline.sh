#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# timeline.sh BUILD: the timelines of `waymark wpp --html` and `waymark hw --html` as a reader uses them.
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

# The main thread grows first, as long as it shrinks then; another thread does it the other way round.
"$waymark" cc -O1 -g -fwaymark-wpp -pthread phases.c -o phases
WAYMARK_FILE=run.wmraw ./phases >/dev/null
"$waymark" wpp --html pages run.wmraw ./phases

browser_start || fail "no browser"
browser_open pages/index.html
value 'return document.querySelectorAll(".timeline canvas").length' 2 "a lane for each thread"
value 'return [...document.querySelectorAll(".timeline")].every(t => ["grow", "shrink", "main"].every(n => [...t.querySelectorAll(".names div")].some(d => d.textContent === n)))' true "names of functions"
# where a function has most of the time, in hundredths of the time of the thread
lead='const t = document.querySelectorAll(".timeline")[arguments[0]].timeline, at = x => t.rows[t.leader(x * t.columns, x * t.columns + 1)].name; return [at(0.05), at(0.45), at(0.55), at(0.95)].join(" ")'
[ "$(browser_js "$lead" 0)" = '"grow grow shrink shrink"' ] || fail "the main thread: $(browser_js "$lead" 0)"
[ "$(browser_js "$lead" 1)" = '"shrink shrink grow grow"' ] || fail "the other thread: $(browser_js "$lead" 1)"
total=$(grep -o '[0-9,]* blocks</p>' pages/index.html | head -n 1 | sed 's/ blocks.*//')
value 'return document.querySelector(".where").textContent' "\"0 – $total of $total blocks\"" "the axis tells the time"

# zoom by buttons, keys and the wheel; the other lane stays
span='const t = document.querySelector(".timeline").dataset, n = document.querySelector(".timeline").timeline.columns; return [t.from / n, t.to / n]'
browser_click '.timeline button[aria-label^="zoom in"]'
value "$span" '[0.25,0.75]' "zoom by a button"
browser_click '.timeline canvas'
browser_keys '+'
value "$span" '[0.375,0.625]' "zoom by a key"
browser_keys "$(printf '\356\200\224')" # right arrow
value "$span" '[0.4375,0.6875]' "move by a key"
browser_js 'const c = document.querySelector("canvas"); c.dispatchEvent(new WheelEvent("wheel", {deltaY: -100, bubbles: true, cancelable: true})); return 1' >/dev/null
value 'const t = document.querySelector(".timeline").dataset, n = document.querySelector(".timeline").timeline.columns; return Math.round(1000 * (t.to - t.from) / n)' 200 "zoom by the wheel"
browser_keys 0
value "$span" '[0,1]' "everything again"
value 'return document.querySelectorAll(".timeline")[1].dataset.from' '"0"' "the other lane"

# the tooltip names the function and its share
browser_js 'const c = document.querySelector("canvas"), r = c.getBoundingClientRect(); c.dispatchEvent(new PointerEvent("pointermove", {clientX: r.left + r.width / 4, clientY: r.top + 30, bubbles: true})); return 1' >/dev/null
case $(browser_js 'const t = document.querySelector(".tip"); return t.hidden ? "" : t.textContent') in
'"grow: '*' % at '*' blocks"') ;;
*) fail "the tooltip: $(browser_js 'return document.querySelector(".tip").textContent')" ;;
esac

# A phone, and dark: the picture is drawn in other colours, and nothing is wider than the phone.
browser_narrow
browser_scheme dark
browser_open pages/index.html
value 'return document.documentElement.scrollWidth <= innerWidth' true "the page is wider than a phone"
value 'return document.querySelector("canvas").clientWidth > 150' true "the picture on a phone"
errors=$(browser_errors)
[ -z "$errors" ] || fail "the recording: $errors"

# Phases of machine code.
clang-19 -O0 -g -pthread phases.c -o plain
"$waymark" hw --html machine --window 5000 --stdout /dev/null -- ./plain 2>hw.log || { cat hw.log; fail "hw"; }
browser_open machine/index.html
value 'return document.querySelectorAll(".timeline canvas").length' 1 "phases"
value 'return document.querySelector(".names").textContent.includes("phase 2")' true "names of phases"
value 'const t = document.querySelector(".timeline").timeline; return t.total === t.columns && t.columns > 5 && [...Array(t.columns).keys()].every(c => t.rows.reduce((s, r) => s + t.share(r, c, c + 1), 0) > 0.999)' true "every window is in a phase"
value 'return document.documentElement.scrollWidth <= innerWidth' true "the page of hw is wider than a phone"
errors=$(browser_errors)
[ -z "$errors" ] || fail "hw: $errors"
browser_stop
