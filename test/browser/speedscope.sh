#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# speedscope.sh BUILD: speedscope itself, from npm, opens what `waymark export --format speedscope` writes, in headless Chromium,
# and shows the functions of the recording.  Needs the network for npm.
set -eu
root=$(cd "$(dirname "$(realpath "$0")")/../.." && pwd)
build=$(realpath "$1")
waymark=$build/waymark
. "$root/test/lib.sh"
. "$root/test/browser/lib.sh"
trap 'browser_stop; rm -rf "$directory"' EXIT

command -v npm >/dev/null || { echo "skipped: npm is missing" && exit 77; }
npm install --silent --no-fund --no-audit --prefix npm speedscope@1 >npm.log 2>&1 || { cat npm.log; fail "npm cannot install speedscope"; }
page=$PWD/npm/node_modules/speedscope/dist/release/index.html
[ -f "$page" ] || fail "the package has no page"

cat >program.c <<'END'
__attribute__((noinline)) static int inner_leaf(int n) { int s = 0; while (n-- > 0) s += n & 1 ? 2 : 3; return s; }
__attribute__((noinline)) static int middle_part(int n) { return inner_leaf(n) + inner_leaf(n * 2); }
int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += middle_part(i); return s == 1; }
END
"$waymark" cc -O1 -g -fwaymark-wpp program.c -o program
WAYMARK_FILE=run.wmraw ./program
"$waymark" export --format speedscope -o run.speedscope.json run.wmraw ./program
total=$(jq '.profiles[0].endValue' run.speedscope.json)
# what the command of the package does, without a desktop
printf 'speedscope.loadFileFromBase64("run.speedscope.json", "%s")\n' "$(base64 -w 0 run.speedscope.json)" >load.js

browser_start
browser_open "$page#localProfilePath=$PWD/load.js" || fail "the page"
shown() {
	browser_js 'return document.body.innerText'
}
for _ in $(seq 100); do
	[ "$(browser_js 'return document.title')" = '"recording - speedscope"' ] && break
	sleep 0.1
done
[ "$(browser_js 'return document.title')" = '"recording - speedscope"' ] || { shown; browser_js 'return document.title'; fail "speedscope does not open the file"; }
# the table of functions: the view of key 3
browser_keys 3
for _ in $(seq 50); do
	shown | grep -q inner_leaf && break
	sleep 0.1
done
shown >text
for name in main middle_part inner_leaf; do
	grep -q "$name" text || { cat text; fail "speedscope does not show $name"; }
done
grep -q "$total" text || { cat text; fail "speedscope does not show the $total blocks of main"; }
