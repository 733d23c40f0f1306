#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# writers.sh BUILD (under test/store/postgresql): a writer that was granted one program cannot make another program's counts, tests or reports wrong,
# and what is granted to a role is replaced, inherited and taken away.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
waymark=$(realpath "$1")/waymark
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/lib.sh"

"$waymark" cc -O1 -g "$here/program.c" -o program
for i in 0 1 2 3 4 5 6 7 8 9; do
	WAYMARK_FILE=$i.wmraw ./program $((i * 5 + 1)) >/dev/null
done
"$waymark" store init "$STORE_URL"
for role in evil honest ci member other; do
	sql postgres "CREATE ROLE $role LOGIN"
done
sql postgres 'CREATE ROLE crew; GRANT crew TO member'
"$waymark" store grant --program evil "$STORE_URL" evil
"$waymark" store grant --program program "$STORE_URL" honest
"$waymark" store grant --program program --tests "$STORE_URL" ci
"$waymark" store grant --reader "$STORE_URL" other
refused 'for roles with --program' "$waymark" store grant --tests "$STORE_URL" other
refused 'needs a value' "$waymark" store grant --program '' "$STORE_URL" other

# untested: how many paths of the program are untested, and what they have counted.
untested() {
	"$waymark" untested --json --field "$STORE_URL" ./program | jq -c '[.functions[].paths[].count] | [length, add]'
}
"$waymark" store push "$STORE_URL" 4.wmraw >/dev/null
"$waymark" store push --test t "$(as ci)" 0.wmraw >/dev/null
refused 'may not push tests of the program' "$waymark" store push --test t "$(as honest)" 1.wmraw
refused 'may not push tests of the program' "$waymark" store push --label test=t,kind=field "$(as honest)" 1.wmraw
refused 'the kinds field and test' "$waymark" store push --label kind=any "$(as honest)" 1.wmraw
before=$(untested)
[ "${before#\[0,}" = "$before" ] || fail "no untested path: $before"

# Everything that the program counted in the field, as values for the stage.
trusted="build = (SELECT id FROM waymark.build WHERE program = '')"
functions=$(sql postgres "SELECT string_agg(format('(%s, 0, %s, %s, %s, FLAGS%s, 0, %s)', id, key, graph, source, flags, 1), ', ') FROM waymark.function WHERE apart = 0 AND $trusted")
paths=$(sql postgres "SELECT string_agg(DISTINCT format('(%s, %s, 1000)', function, path), ', ') FROM waymark.path p JOIN waymark.function f ON f.id = p.function WHERE path >= 0 AND $trusted")
build_id=$(sql postgres "SELECT build_id FROM waymark.build LIMIT 1")
# claim ROLE: pushes them by hand; kind, any, id, program and flags, which are set in a subshell, change what is said of them.
claim() {
	run=$(od -An -N7 -tu8 /dev/urandom)
	sql "$1" "BEGIN; SELECT waymark.push_begin();
	INSERT INTO pg_temp.stage_bundle (labels, runs, unsafe, any_program, first, last, machine) VALUES ('kind=${kind:-field}', ${runs:-1}, 0, ${any:-0}, 5, 6, 'evil');
	INSERT INTO pg_temp.stage_label (key, value) VALUES ('kind', '${kind:-field}');
	INSERT INTO pg_temp.stage_run (high, low, epoch, part, start) VALUES ($run, 7, ${epoch:-0}, 0, 5);
	INSERT INTO pg_temp.stage_object (object, build_id, program, runs) VALUES (0, '${id-abcd}', '${program:-evil}', ${runs:-1});
	INSERT INTO pg_temp.stage_function (function, object, key, graph, source, flags, apart, entries) VALUES $(echo "$functions" | sed "s/FLAGS/${flags-}/g");
	INSERT INTO pg_temp.stage_path (function, path, count) VALUES $paths;
	SELECT waymark.push_end(); COMMIT" >/dev/null
}
same() {
	[ "$(untested)" = "$before" ] || fail "$1: $(untested), and $before before"
}

# Tests of another program, and counts for any program.
(kind=test && refused 'may not push tests of the program' claim evil)
(kind=test any=1 && refused 'count for any program' claim evil)
(any=1 && refused 'count for any program' claim evil)
(program=program && refused 'may not push profiles of the program' claim evil)
same 'refused pushes'
# The same functions, in a build of its own, without a build-id, and with that of the program.
claim evil
(id='' && claim evil)
same 'functions of another program'
(id=$build_id && claim evil)
same 'a claimed build-id'
"$waymark" store pull -o pulled.wmprof "$STORE_URL#program=program&kind=field" >/dev/null
"$waymark" merge -o merged.wmprof 4.wmraw >/dev/null
cmp pulled.wmprof merged.wmprof || fail 'the filter program= reads what another program claims'
# Whoever is bound to the program is not locked out, and its counts are added to those of others.
"$waymark" store push "$(as honest)" 1.wmraw 2.wmraw | grep -q '^2 stored' || fail 'an honest writer is locked out'
"$waymark" store pull -o pulled.wmprof "$STORE_URL#program=program&kind=field" >/dev/null
"$waymark" merge -o merged.wmprof 1.wmraw 2.wmraw 4.wmraw >/dev/null
cmp pulled.wmprof merged.wmprof || fail 'two writers of one build differ from the merge of their files'
sql postgres "SELECT string_agg(program, ',' ORDER BY program) FROM waymark.build WHERE build_id = '$build_id'" | grep -qx ',evil,program' ||
	fail 'builds of bound writers are not told apart'

# Only bound writers: each counts for its own program, whatever build-ids they claim.
"$waymark" store prune "$STORE_URL#program=program" >/dev/null
"$waymark" store push --test t "$(as ci)" 3.wmraw >/dev/null
refused 'has no counts of ./program; it has counts of evil' "$waymark" untested --field "$STORE_URL" ./program
"$waymark" store push "$(as honest)" 0.wmraw 5.wmraw | grep -q '^1 stored, 1 known' || fail 'after a prune'
before=$(untested)
"$waymark" untested --json --field 5.wmraw 3.wmraw ./program | jq -c '[.functions[].paths[].count] | [length, add]' | grep -qxF "$before" || fail "beside a claim: $before"
(id=$build_id && claim evil)
same 'two claims'
"$waymark" store pull -o pulled.wmprof "$STORE_URL#program=program&kind=field" >/dev/null
"$waymark" merge -o merged.wmprof 5.wmraw >/dev/null
cmp pulled.wmprof merged.wmprof || fail 'the filter program= reads what another program claims'

# Both kinds of counts in one build, and untested paths as tests, would make the store unreadable for everybody.
(flags=64+ kind=test program=program id=ef && refused 'no profile of a test' claim ci)
(flags=64+ && refused 'only the untested ones in another' claim evil)
(flags=64+ id=$build_id && refused 'only the untested ones in another' claim evil)
(flags=64+ id=$build_id program=program && refused 'only the untested ones in another' claim honest)
same 'residual functions'
"$waymark" store known -o known.wmprof "$STORE_URL"
"$waymark" store pull -o pulled.wmprof "$STORE_URL" >/dev/null
# Two builds of one program may differ; a program that has both kinds is left out, and others are read.
(flags=64+ id=ee && claim evil)
"$waymark" untested --field "$STORE_URL" ./program >/dev/null 2>left.txt
grep -q '^waymark untested: evil is left out' left.txt || fail "two kinds of builds: $(cat left.txt)"
same 'two kinds of builds of another program' 2>/dev/null
"$waymark" store pull -o pulled.wmprof "$STORE_URL" >/dev/null 2>&1 || fail 'pull beside two kinds of builds'
refused 'selects profiles with all paths' "$waymark" store pull -o pulled.wmprof "$STORE_URL#program=evil"
"$waymark" store prune "$STORE_URL#program=evil" >/dev/null
(flags=64+ id=ee && claim evil)
same 'a residual build of another program'
"$waymark" untested --fail-if-untested=100 --field "$STORE_URL" ./program >/dev/null || fail 'a percentage beside a residual build of another program'
# Profiles without ids may have many runs, and still no sum of them exceeds what a number holds.
(epoch=-1 runs=4294967296 && claim evil && claim evil)
(epoch=-1 runs=9223372036854775807 && refused 'make no sense' claim evil)
sql postgres 'UPDATE waymark.content SET runs = 9223372036854775807'
"$waymark" store list "$STORE_URL" >listed.txt
"$waymark" store pull -o pulled.wmprof "$STORE_URL" >/dev/null

# Limits of a group bind its members, but not an owner of the store.
"$waymark" store grant --program xz --rows-per-push 500 "$STORE_URL" crew
refused "may not push profiles of the program 'program'" "$waymark" store push "$(as member)" 6.wmraw
"$waymark" store grant --program program --rows-per-push 1000 "$STORE_URL" member
"$waymark" store push "$(as member)" 6.wmraw | grep -q '^1 stored' || fail 'the programs of a role and its group'
"$waymark" store grant --rows-per-push 3 "$STORE_URL" crew
refused 'reached maximum value' "$waymark" store push "$(as member)" 9.wmraw
sql postgres 'GRANT postgres TO member'
"$waymark" store push --test t "$(as member)" 7.wmraw | grep -q '^1 stored' || fail 'a member of the owner is bound'
sql postgres 'REVOKE postgres FROM member'

# Every staged row counts for a day.
"$waymark" store grant --program evil --rows-per-day 30 "$STORE_URL" evil
(functions='(0, 0, 1, 1, 1, FLAGS0, 0, 1)' paths='(0, 0, 1)' && claim evil && claim evil && claim evil && claim evil && claim evil && refused 'may store 30 rows a day' claim evil)

# hold ROLE STATEMENTS: a session of the role executes them and waits; `let_go` ends it.
hold() {
	PGAPPNAME=holder psql -X -q -At "$(as "$1")" -c "BEGIN; $2; SELECT pg_sleep(100)" >held.txt 2>&1 &
	holder=$!
	until [ "$(sql postgres "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holder' AND wait_event = 'PgSleep'")" = 1 ]; do
		kill -0 "$holder" 2>/dev/null || fail "$1: $(cat held.txt)"
		sleep 0.05
	done
}
let_go() {
	sql postgres "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'holder'" >/dev/null
	wait "$holder" || true
}
# soon ROLE: the store for a command that waits for half a second.
soon() {
	echo "$(as "$1")&options=-c%20lock_timeout%3D500"
}
# Nobody can stop others by locks, except those who work with the store, and only for a time.
sql postgres 'CREATE ROLE nobody LOGIN'
hold nobody 'SELECT pg_advisory_lock(2003, n) FROM generate_series(0, 9) n; SELECT pg_advisory_lock(2004, n) FROM generate_series(0, 99) n'
"$waymark" store pull -o pulled.wmprof "$(soon other)" >/dev/null 2>&1
"$waymark" store push "$(soon honest)" 9.wmraw | grep -q '^1 stored' || fail 'a push beside advisory locks'
let_go
for table in roll_up_lock push_lock run_lock; do
	for role in nobody honest; do
		refused 'permission denied' sql $role "BEGIN; LOCK TABLE waymark.$table IN ACCESS SHARE MODE"
	done
	refused 'permission denied' sql other "BEGIN; LOCK TABLE waymark.$table IN SHARE MODE"
done
refused 'permission denied' sql other 'SELECT * FROM waymark.run_lock FOR UPDATE'
hold other 'LOCK TABLE waymark.roll_up_lock IN ACCESS SHARE MODE; LOCK TABLE waymark.push_lock IN ACCESS SHARE MODE'
"$waymark" store pull -o pulled.wmprof "$(soon other)" >/dev/null 2>&1
WAYMARK_FILE=10.wmraw ./program 3 >/dev/null
"$waymark" store push "$(soon honest)" 10.wmraw | grep -q '^1 stored' || fail 'a push beside a reader'
refused 'is busy' "$waymark" store prune --before 1980-01-01 "$(soon postgres)"
let_go
hold postgres 'LOCK TABLE waymark.roll_up_lock IN ACCESS EXCLUSIVE MODE'
refused 'is busy' "$waymark" store pull -o pulled.wmprof "$(soon other)"
WAYMARK_FILE=11.wmraw ./program 4 >/dev/null
"$waymark" store push "$(soon honest)" 11.wmraw | grep -q '^1 stored' || fail 'a push beside a roll-up'
let_go
hold postgres 'LOCK TABLE waymark.push_lock IN ACCESS EXCLUSIVE MODE'
WAYMARK_FILE=12.wmraw ./program 5 >/dev/null
refused 'is busy' "$waymark" store push "$(soon honest)" 12.wmraw
let_go
# A bound writer that does not end a push of many runs, with the labels of others, holds nobody up; who pushes the same run does.
staged() {
	echo "SELECT waymark.push_begin(); INSERT INTO pg_temp.stage_run (high, low, epoch, part, start) $2; SELECT waymark.push_compare();
		INSERT INTO pg_temp.stage_bundle (labels, runs, unsafe, any_program, first, last, machine) VALUES ('$1', 1, 0, 0, 1, 1, '');
		INSERT INTO pg_temp.stage_label (key, value) SELECT split_part(l, '=', 1), split_part(l, '=', 2) FROM regexp_split_to_table('$1', ',') l;
		SELECT waymark.push_end()"
}
"$waymark" store grant --program evil "$STORE_URL" evil
hold evil "$(staged kind=field,version=new 'SELECT n, n * n, 0, 0, 0 FROM generate_series(1, 5000) n')"
for role in honest postgres; do
	WAYMARK_FILE=$role.wmraw ./program 5 >/dev/null
	"$waymark" store push --label version=new "$(soon $role)" $role.wmraw | grep -q '^1 stored' || fail "$role: a push beside a transaction of a bound writer"
done
let_go
"$waymark" store list "$STORE_URL#version=new" >listed.txt
[ "$(grep -c version=new listed.txt)" = 2 ] || fail "labels of several writers: $(cat listed.txt)"
WAYMARK_FILE=same.wmraw ./program 5 >/dev/null
"$waymark" store push --machine same "$STORE_URL" same.wmraw >/dev/null
same=$(sql postgres "SELECT high, low, epoch, 7, start FROM waymark.run JOIN waymark.machine m USING (bundle) WHERE m.machine = 'same'" | tr '|' ,)
hold honest "SELECT waymark.push_begin(); INSERT INTO pg_temp.stage_run (high, low, epoch, part, start) VALUES ($same); SELECT waymark.push_compare()"
refused 'is busy' "$waymark" store push "$(soon honest)" same.wmraw
let_go
"$waymark" store push "$(soon honest)" 12.wmraw | grep -q '^1 stored' || fail 'a push after a busy store'
[ "$(sql postgres 'SELECT count(*) FROM waymark.run_lock')" = 0 ] || fail 'locks are left'

# What was granted before is replaced, and can be taken away.
"$waymark" store grant --reader "$STORE_URL" honest
refused 'permission denied' "$waymark" store push "$(as honest)" 8.wmraw
"$waymark" store list "$(as honest)" >/dev/null
"$waymark" store grant "$STORE_URL" honest
refused 'permission denied' "$waymark" store list "$(as honest)"
"$waymark" store push "$(as honest)" 8.wmraw >/dev/null
for role in honest ci evil member other crew; do
	"$waymark" store revoke "$STORE_URL" "$role"
done
refused 'permission denied' "$waymark" store push "$(as honest)" 1.wmraw
refused 'ask its owner' "$waymark" store list "$(as other)"
[ "$(sql postgres 'SELECT count(*) FROM waymark.writer_program, waymark.writer_limit, waymark.writer_day')" = 0 ] || fail 'limits are left'
# Nothing in the database refers to the roles any more.
sql postgres 'DROP ROLE honest; DROP ROLE ci; DROP ROLE evil; DROP ROLE member; DROP ROLE other; DROP ROLE crew'
refused 'owns the store' "$waymark" store grant "$STORE_URL" postgres
refused 'owns the store' "$waymark" store revoke "$STORE_URL" postgres
refused 'does not exist' "$waymark" store revoke "$STORE_URL" honest
echo 'writers of certain programs'
