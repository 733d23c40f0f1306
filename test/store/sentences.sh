#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sentences.sh BUILD [URL]: what the commands of a store say, above all when they refuse something.  URL is that of a server, from
# test/store/postgresql; without it, the store is a file.
set -eu
waymark=$(realpath "$1")/waymark
here=$(dirname "$(realpath "$0")")
. "$here/../lib.sh"
url=${2-$PWD/fleet.db}

# refuses WORDS COMMAND...: a mistake of the user, in one sentence
refuses() {
	words=$1
	shift
	exits 1 "$@"
	grep -qF -- "$words" out || { cat out && fail "'$words' is missing in the output of: $*"; }
	[ "$(wc -l <out)" = 1 ] || { cat out && fail "not one sentence: $*"; }
}

"$waymark" cc -O1 -g "$here/program.c" -o program
for i in 1 2 3; do
	WAYMARK_FILE=$i.wmraw ./program $((i * 5)) >/dev/null
done

# filters that a command does not heed are refused, before it does anything
for command in init roll-up migrate; do
	refuses 'leave the filters out' "$waymark" store $command "$url#program=program"
	refuses 'leave the filters out' "$waymark" store $command "$url#since=1d"
done
[ $# = 2 ] || [ ! -e fleet.db ] || fail 'a refused init created a file'
refuses '`waymark store init`' "$waymark" store list "${2-nosuch.db}"

"$waymark" store init "$url"
refuses 'there is a store in' "$waymark" store init "$url"
for i in 1 2 3; do
	"$waymark" store push --label version=1 --machine "m$i" "$url" $i.wmraw >/dev/null
done
says '1 run  1 machine  ' "$waymark" store list "$url#machine=m1"
says '3 runs  3 machines  ' "$waymark" store list "$url"
says '1 run of 1 object' "$waymark" store pull -o x.wmprof "$url#machine=m1"
json '.profiles | length == 1 and .[0].machines == 2' "$waymark" store list --json "$url#machine=m1&machine=m3"
"$waymark" store roll-up --before 2100-01-01 "$url" | grep -qx '1 sum' || fail 'the roll-up'
for command in 'pull -o x.wmprof' list prune; do
	refuses '(`waymark store roll-up`)' "$waymark" store $command "$url#machine=m1"
done
says '3 runs  3 machines  ' "$waymark" store list "$url"

# triaged paths: an id names a path in a program
refuses 'takes only the filter program=' "$waymark" store untriage "$url#version=1" 000000000001
refuses 'takes only the filter program=' "$waymark" store triaged "$url#since=1d"
triage() {
	text="INSERT INTO ${3}triage (id, build_id, program, key, graph, source, flags, path, time, function, note, author)
		VALUES (171, '', '$1', 1, 2, 3, 0, 4, 5, 'mix', '$2', '')"
	if [ -n "$3" ]; then psql -X -q -d "$url" -c "$text"; else sqlite3 fleet.db "$text"; fi
}
schema=$([ $# = 2 ] && echo waymark. || true)
triage one first "$schema"
triage two second "$schema"
refuses 'several programs' "$waymark" store untriage "$url" 0000000000ab
json '.triaged | length == 1 and .[0].note == "second"' "$waymark" store triaged --json "$url#program=two"
"$waymark" store untriage "$url#program=one" 0000000000ab
refuses 'no id of a triaged path' "$waymark" store untriage "$url#program=one" 0000000000ab
json '.triaged | map(.program) == ["two"]' "$waymark" store triaged --json "$url"
"$waymark" store untriage "$url" 0000000000ab

if [ $# = 1 ]; then
	echo text >other.txt
	sqlite3 other.db 'CREATE TABLE mine (a)'
	refuses 'has other tables already' "$waymark" store init other.db
	refuses 'there is no store' "$waymark" store push nosuch.db 1.wmraw
	exit 0
fi

# passwords are told to nobody
secret="postgresql://postgres:secret1@/test?host=$STORE_SOCKET&password=secret2"
quiet() {
	"$@" >out 2>&1 || true
	if grep -q 'secret[12]' out; then cat out && fail "a password is printed by: $*"; fi
}
WAYMARK_FILE=4.wmraw ./program 3 >/dev/null
"$waymark" store push --test small "$secret" 4.wmraw >/dev/null
quiet "$waymark" store pull -o x.wmprof "$secret#program=none"
quiet "$waymark" store known -o x.wmprof "$secret#program=none"
quiet "$waymark" store prune "$secret"
quiet "$waymark" store init "$secret"
quiet "$waymark" store list "${secret}nowhere&port=1"
quiet "$waymark" report "$secret#program=none" ./program
quiet "$waymark" report "$secret"
quiet "$waymark" untested "$secret" ./program
quiet "$waymark" untested --field "$secret" ./program
quiet "$waymark" untested --field "$secret" --triage 000000000001 ./program
quiet "$waymark" merge -o - --json "$secret" "$secret" 1.wmraw
quiet "$waymark" merge -o x.wmprof "$secret" "$secret" 1.wmraw
quiet "$waymark" tests "$secret" ./program
quiet "$waymark" store --html pages "$secret" ./program
! grep -rq 'secret[12]' pages || fail 'a password is in the pages'

# an init that was killed after its shards were done says what to do
psql -X -q -d "$url" -c 'CREATE DATABASE half' -c 'CREATE DATABASE front'
psql -X -q -d "postgresql:///half?host=$STORE_SOCKET&user=postgres" -c 'CREATE SCHEMA waymark'
echo "postgresql:///half?host=$STORE_SOCKET&user=postgres" >shards
refuses 'DROP SCHEMA waymark CASCADE' "$waymark" store init --shards shards "postgresql:///front?host=$STORE_SOCKET&user=postgres"
psql -X -q -d "postgresql:///half?host=$STORE_SOCKET&user=postgres" -c 'DROP SCHEMA waymark CASCADE'
"$waymark" store init --shards shards "postgresql:///front?host=$STORE_SOCKET&user=postgres"
