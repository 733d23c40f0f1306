#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lib_test.sh: the functions of lib.sh do what they say, and notice what goes wrong.
set -eu
here=$(dirname "$(realpath "$0")")
. "$here/../lib.sh"
. "$here/lib.sh"
trap 'browser_stop; rm -rf "$directory"' EXIT

cat >page.html <<'END'
<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>
<style>@media (prefers-color-scheme: dark) { body { color: rgb(1, 2, 3) } }</style>
<button onclick="document.title = 'clicked'">push</button><input id="field">
<script>addEventListener("keydown", e => document.title = "key " + e.key); if (location.hash) console.error("wrong " + location.hash);</script>
END
browser_start || fail "no browser"
browser_open page.html
[ "$(browser_js 'return [document.title, arguments[0]]' 'a "text"')" = '["A page","a \"text\""]' ] || fail "browser_js"
[ -z "$(browser_errors)" ] || fail "errors that are none"
browser_click button
[ "$(browser_js 'return document.title')" = '"clicked"' ] || fail "browser_click"
browser_keys j
[ "$(browser_js 'return document.title')" = '"key j"' ] || fail "browser_keys"
browser_type '#field' words
[ "$(browser_js 'return field.value')" = '"words"' ] || fail "browser_type"
browser_narrow
[ "$(browser_js 'return innerWidth')" = 390 ] || fail "browser_narrow"
browser_scheme dark
[ "$(browser_js 'return getComputedStyle(document.body).color')" = '"rgb(1, 2, 3)"' ] || fail "browser_scheme"
browser_picture shot.png
[ "$(head -c 4 shot.png | tail -c 3)" = PNG ] || fail "browser_picture"
cp page.html other.html
browser_open 'other.html#hash'
case $(browser_errors) in *'wrong #hash'*) ;; *) fail "an error is not noticed" ;; esac
! browser_click .absent >/dev/null || fail "a click on nothing"
! browser_js 'throw new Error("x")' >/dev/null || fail "a script that throws"
browser_stop
