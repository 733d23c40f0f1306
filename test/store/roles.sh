#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# roles.sh BUILD (under test/store/postgresql): what the three roles of a store may do, and what a hostile writer cannot.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
waymark=$build/waymark
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/lib.sh"

"$waymark" cc -O1 -g "$here/program.c" -o program
for i in 1 2 3 4; do
	WAYMARK_FILE=$i.wmraw ./program $((i * 5)) >/dev/null
done
"$waymark" store init "$STORE_URL"
sql postgres "CREATE ROLE writer LOGIN; CREATE ROLE bound LOGIN; CREATE ROLE small LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE other LOGIN;
	CREATE ROLE \"odd\"\"'; DROP\" LOGIN"
"$waymark" store grant "$STORE_URL" writer
"$waymark" store grant "$STORE_URL" "odd\"'; DROP"
"$waymark" store grant --program "it's" --program xz "$STORE_URL" bound
"$waymark" store grant --rows-per-push 3 "$STORE_URL" small
"$waymark" store grant --reader "$STORE_URL" reader
refused 'does not exist' "$waymark" store grant "$STORE_URL" nobody-has-this-name
refused 'permission denied' "$waymark" store grant "$(as writer)" other

# A writer adds, and does nothing else.
"$waymark" store push --label "note=a 'quoted\" \\ value" "$(as writer)" 1.wmraw 2.wmraw
"$waymark" store push "$(as writer)" 1.wmraw | grep -q '^0 stored, 1 known' || fail 'a second push'
refused 'permission denied' "$waymark" store pull -o x.wmprof "$(as writer)"
refused 'permission denied' "$waymark" store list "$(as writer)"
refused 'permission denied' "$waymark" store prune --before 2100-01-01 "$(as writer)"
refused 'permission denied' "$waymark" store roll-up --before 2100-01-01 "$(as writer)"
refused 'permission denied' "$waymark" store push "$(as other)" 3.wmraw
for table in bundle run path path_0 tally function label content writer_program meta; do
	refused 'permission denied' sql writer "SELECT * FROM waymark.$table"
	refused 'permission denied' sql writer "DELETE FROM waymark.$table"
	refused 'permission denied' sql writer "INSERT INTO waymark.$table OVERRIDING SYSTEM VALUE SELECT * FROM waymark.$table"
done
for call in 'push_check()' 'push_check_bound()' 'push_check_kinds()' 'push_check_limits()' 'push_check_stage()' 'push_is_bound()' 'push_roles()' "revoke_role('reader')" "grant_role('writer', 'reader')" 'rows_per_push()' 'new_bundle()'; do
	refused 'permission denied' sql writer "SELECT waymark.$call"
done

# A reader reads.
refused 'permission denied' "$waymark" store push "$(as reader)" 3.wmraw
"$waymark" store pull -o pulled.wmprof "$(as reader)#note=a 'quoted\" \\ value" >/dev/null
"$waymark" merge -o merged.wmprof 1.wmraw 2.wmraw >/dev/null
cmp pulled.wmprof merged.wmprof || fail 'the reader got something else'

# A writer of certain programs, and a limit of rows.
refused 'may not push' "$waymark" store push "$(as bound)" 3.wmraw
refused 'reached maximum value' "$waymark" store push "$(as small)" 3.wmraw

# A prepared table, view, or function of the session is not used.
trap_function="CREATE FUNCTION pg_temp.harm() RETURNS bigint LANGUAGE sql AS 'SELECT 1'"
refused 'a table of its own' sql writer "$trap_function; CREATE TEMP VIEW stage_run AS SELECT pg_temp.harm() AS high; SELECT waymark.push_begin()"
refused 'a table of its own' sql writer 'CREATE TEMP TABLE stage_path (function bigint); SELECT waymark.push_begin()'
refused 'the stage is missing' sql writer 'CREATE TEMP TABLE stage_run (high bigint); SELECT waymark.push_compare()'
refused 'must be owner' sql writer "SELECT waymark.push_begin(); $trap_function; DROP TABLE pg_temp.stage_run"
refused 'must be owner' sql writer 'SELECT waymark.push_begin(); CREATE RULE harm AS ON INSERT TO pg_temp.stage_run DO ALSO SELECT 1'
refused 'permission denied' sql writer 'SELECT waymark.push_begin(); SELECT * FROM pg_temp.stage_run'
refused 'permission denied' sql writer 'BEGIN; SELECT waymark.push_begin(); INSERT INTO pg_temp.stage_run (high, n) OVERRIDING SYSTEM VALUE VALUES (1, 5)'
# Tables with the names of those of the store are not mistaken for them.
sql writer 'CREATE TEMP TABLE run (high bigint); CREATE TEMP TABLE bundle (id bigint); SELECT waymark.push_begin()' >/dev/null

# What a reader would refuse is not stored.  begin FACTS: a push by hand.
push_by_hand() {
	sql writer "BEGIN; SELECT waymark.push_begin();
	INSERT INTO pg_temp.stage_bundle (labels, runs, unsafe, any_program, first, last, machine) VALUES ('kind=field', ${runs:-1}, ${unsafe:-0}, 0, 5, ${last:-6}, '');
	INSERT INTO pg_temp.stage_label (key, value) VALUES ('${key:-kind}', 'field');
	INSERT INTO pg_temp.stage_run (high, low, epoch, part, start) VALUES (${high:-7}, ${low:-7}, 0, 0, 5);
	INSERT INTO pg_temp.stage_object (object, build_id, program, runs) VALUES (0, '${id:-ab}', E'${program:-p}', ${object_runs:-1});
	INSERT INTO pg_temp.stage_function (function, object, key, graph, source, flags, apart, doubt) VALUES (0, ${object:-0}, 1, 2, 0, ${flags:-0}, 0, ${doubt:-0});
	INSERT INTO pg_temp.stage_path (function, path, count, first_seen) VALUES (${function:-0}, 3, ${count:-4}, ${seen:-NULL});
	${unfinished-INSERT INTO pg_temp.stage_unfinished (function, site, sum, count) VALUES (${left_function:-0}, ${site:-1}, 3, ${left:-1});}
	SELECT waymark.push_end(); ${end:-ROLLBACK}"
}
push_by_hand >/dev/null || fail 'a push by hand'
(unfinished='' && push_by_hand >/dev/null) || fail 'a push of an earlier version'
for bad in 'runs=-1' 'runs=2' 'runs=9223372036854775807' 'unsafe=2' 'object_runs=2' 'last=1' 'key=other' 'high=0 low=0' 'id=abc' 'id=xy' 'program=a\nb' 'object=9' 'flags=-1' 'flags=4294967296' 'doubt=1' 'function=9' \
	'count=0' 'seen=5' 'left_function=9' 'site=0' 'site=NULL' 'site=4294967296' 'left=0' 'left=NULL'; do
	(
		# shellcheck disable=SC2163
		for word in $bad; do eval "${word%%=*}='${word#*=}'"; done
		if push_by_hand >out 2>&1; then fail "$bad was stored"; fi
		grep -qE 'make no sense' out || fail "$bad: $(cat out)"
	)
done

# After all that, the store is the sum of what was pushed.
"$waymark" store push "$STORE_URL" 3.wmraw 4.wmraw >/dev/null
"$waymark" store pull -o pulled.wmprof "$(as reader)" >/dev/null
"$waymark" merge -o merged.wmprof 1.wmraw 2.wmraw 3.wmraw 4.wmraw >/dev/null
cmp pulled.wmprof merged.wmprof || fail 'the store differs from the merge of the files'
echo 'three roles'
