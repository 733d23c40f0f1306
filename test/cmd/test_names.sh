#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# test_names.sh BUILD: names that a process gives to its tests, or gets from its environment.  Programs that work at random write
# down themselves how often each function ran in each test.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"
export WAYMARK_FILE=/dev/null
mkdir temporary
export TMPDIR="$directory/temporary"
clang=${WAYMARK_CLANG:-clang-19}
"$clang" -O1 -c trace.c

# ran DIR FILE PROGRAM: "FUNCTION COUNT" for each function that ran in a test and is traced
ran() {
	"$waymark" report --json "$1/$2" "$3" |
		jq -r '.functions[] | select((.name | IN("first", "second", "deep")) and .entries > 0) | "\(.name) \(.entries)"' | sort
}
# traced NAME: the same, from the trace
traced() {
	awk -F'|' -v name="$1" '$1 == name { sum[$2] += $3 } END { for (f in sum) print f, sum[f] }' trace.txt | sort
}
# agree DIR PROGRAM OUTSIDE: every test, and what OUTSIDE names, ran what the trace says
agree() {
	jq -r '.tests[] | .name + "|" + .file' "$1/tests.json" >list
	[ "$(wc -l <list)" -ge "$(cut -d'|' -f1 trace.txt | sort -u | wc -l)" ] || fail "$2: tests are missing: $(cat list)"
	while IFS='|' read -r name file; do
		[ "$name" != "$3" ] || name=
		[ "$(ran "$1" "$file" "$2")" = "$(traced "$name")" ] ||
			fail "$2, test '$name': $(ran "$1" "$file" "$2") instead of $(traced "$name")"
	done <list
}
# counts PROFILE PROGRAM: what a profile counts, path by path
counts() {
	"$waymark" report --json "$1" "$2" |
		jq -cS '[.functions[] | {name, entries, scheme, paths: ([.paths[] | {id, count}] | sort)} | select(.entries > 0 or (.paths | length) > 0)] | sort'
}

# Every test by itself, and the sum of all tests and the rest, which is the profile without names
try() { # NAME FLAG...
	kind=$1
	shift
	"$waymark" cc -O1 -g "$@" suite.c trace.o -o "$kind" -pthread
	for seed in 1 2; do
		rm -rf trace.txt plain
		TRACE=trace.txt "$waymark" test -q -o tests -- "./$kind" $seed 40 >/dev/null
		[ "$kind" = piecewise ] || [ "$kind" = context ] || agree tests "./$kind" "$kind $seed 40"
		"$waymark" merge -o sum.wmprof tests/*.wmprof >/dev/null
		NAMELESS=1 TRACE=/dev/null WAYMARK_FILE=plain/%p.wmraw "./$kind" $seed 40 >/dev/null
		"$waymark" merge -o plain.wmprof plain/*.wmraw >/dev/null
		[ "$(counts sum.wmprof "./$kind")" = "$(counts plain.wmprof "./$kind")" ] || fail "$kind: the sum is not the whole"
		for part in tests/*.wmprof; do
			! "$waymark" report "$part" "./$kind" 2>&1 | grep -E 'do not balance|left out' || fail "$kind: $part"
		done
	done
}
for update in gs atomic delta; do
	try $update -fwaymark-update=$update
	WAYMARK_TEST=array-limit=1 try hash-$update -fwaymark-update=$update
done
try iterations -fwaymark-scheme=kiter=3
WAYMARK_TEST=array-limit=1 try pieces -fwaymark-scheme=kiter=12
# Where paths cross calls, entries are not all calls.
try piecewise -fwaymark-scheme=piecewise
try context -fwaymark-scheme=context

# What becomes of names in the life of a process.
"$waymark" cc -O1 -g life.c -o life -pthread -rdynamic
"$waymark" cc -O1 -g -shared -fPIC plug.c -o plug.so
# lives 'TEST:COUNT…' ARGUMENT...: how often `work` ran in each test; the rest is called `rest`
lives() {
	want=$1
	shift
	"$waymark" test -q -o life.tests -- "$@" >out 2>&1 || true
	[ "$(told)" = "$want" ] || { cat out; fail "$*: $(told) instead of $want"; }
}
told() {
	jq -r '.tests[] | "\(.runner)|\(.file)"' life.tests/tests.json | while IFS='|' read -r runner file; do
		name=${file%.wmprof}
		[ "$runner" = names ] || name=rest
		printf '%s:%s ' "$name" "$("$waymark" report --json "life.tests/$file" ./life 2>/dev/null |
			jq '[.functions[] | select(.name == "work") | .entries] | add // 0')"
	done
}
lives 'a:2 b:3 rest:5 ' ./life 4 begin=a 2 begin=b 3 end 1
lives 'a:6 rest:1 ' ./life begin=a 2 end 1 begin=a 4 end end
lives 'a:2 rest:4 ' ./life 4 begin=a 2 kill
lives 'a:2 rest:4 ' ./life 4 begin=a 2 abort
lives 'a:2 rest:4 ' ./life 4 begin=a 2 _exit
lives 'a:12 b:7 rest:4 ' ./life 4 begin=a 2 fork 10 begin=b 7
lives 'a:5 rest:4 ' ./life 4 begin=a 2 load=./plug.so
lives 'a:9 rest:4 ' ./life 4 begin=a 2 dump 7
lives 'a:7 ' ./life 4 begin=a 2 reset 7
lives 'a:5 rest:4 ' sh -c './life 4 begin=a 2 "file=$WAYMARK_FILE" 3'
lives 'rest:3 ' ./life end 3
exits 0 env WAYMARK_FILE=mistakes.wmraw ./life mistakes
lives 'a%0Ab:1 rest:4 ' ./life 4 begin="a
b" 1
# From the environment: of one process and its children, and until a test that begins.
lives 'e:6 ' env WAYMARK_TEST_NAME=e ./life 4 fork 2
lives 'a:2 e:5 ' env WAYMARK_TEST_NAME=e ./life 4 begin=a 2 end 1
lives 'x:9 y:9 ' sh -c 'WAYMARK_TEST_NAME=x ./life 4 exec; WAYMARK_TEST_NAME=y ./life 9'
# From a file, which is read again in each child, wherever that is.
printf 'f \r\nsecond line\n' >name.txt
lives 'f:4 ' env WAYMARK_TEST_NAME_FILE=name.txt WAYMARK_TEST_NAME=e ./life 4
lives 'e:2 f:4 ' env WAYMARK_TEST_NAME_FILE=name.txt WAYMARK_TEST_NAME=e ./life 4 write=name.txt fork 2
mkfifo pipe
for odd in pipe . missing/name /dev/zero "$directory/$(printf '%05000d' 0)"; do
	lives 'rest:4 ' env WAYMARK_TEST_NAME_FILE="$odd" ./life 4
done
head -c 5000 /dev/zero | tr '\0' x >name.txt
lives "$(head -c 225 name.txt):4 " env WAYMARK_TEST_NAME_FILE=name.txt ./life 4
[ "$(jq -r '.tests[0].name' life.tests/tests.json)" = "$(head -c 1023 name.txt)" ] || fail "a long name: $(cat life.tests/tests.json)"

# While other threads count: no count is lost, and none is there twice.
for update in gs atomic delta; do
	"$waymark" cc -O1 -g -fwaymark-update=$update life.c -o busy -pthread -rdynamic
	"$waymark" test -q -o busy.tests -- ./busy busy >sum
	"$waymark" merge -o sum.wmprof busy.tests/*.wmprof >/dev/null
	got=$("$waymark" report --json sum.wmprof ./busy | jq '.functions[] | select(.name == "work") | .entries')
	[ "$got" = "$(cat sum)" ] || fail "$update: threads worked $(cat sum) times, and the tests say $got"
	[ "$(jq '.tests | length' busy.tests/tests.json)" = 11 ] || fail "busy: $(cat busy.tests/tests.json)"
done

# Killed at any moment, also while a mark is written, and where the file cannot grow any more: nothing is damaged, and what the
# tests and the rest count is what the file counts.
"$waymark" cc -O1 -g forever.c -o forever
sum() {
	"$waymark" report --json "$1" ./forever | jq '[.functions[] | select(.name == "work") | .entries] | add // 0'
}
for i in 1 2 3 4; do
	limit=unlimited
	[ $i -lt 4 ] || limit=700
	rm -rf copy
	"$waymark" test -q -o killed -- sh -c "ulimit -f $limit; timeout -s KILL 0.$((1 + i)) ./forever; cp -R \"\${WAYMARK_FILE%/*}\" copy" >out 2>&1
	! grep 'waymark' out || fail "killed: $(cat out)"
	"$waymark" merge -o whole.wmprof copy/*.wmraw >/dev/null
	"$waymark" merge -o sum.wmprof killed/*.wmprof >/dev/null
	[ "$(sum whole.wmprof)" = "$(sum sum.wmprof)" ] || fail "killed: $(sum sum.wmprof) instead of $(sum whole.wmprof)"
	[ "$(jq '.tests | length' killed/tests.json)" -gt 10 ] || fail "killed: $(cat killed/tests.json)"
done
