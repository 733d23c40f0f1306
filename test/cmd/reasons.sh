#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# reasons.sh BUILD: every command says why it cannot read a file.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

"$waymark" cc -O1 -g program.c -o program
WAYMARK_FILE=run.wmraw ./program
clang-19 -O0 program.c -o plain
"$waymark" hw --quiet --record run.wmtrace -- ./plain

mkdir dir
ln -s loop loop
: >empty
echo nonsense >nonsense
head -c 50 run.wmraw >cut
head -c 15 run.wmtrace >cut_trace
printf '\211MWTRC\r\n\143\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0' >new_trace

# cannot WORDS COMMAND...: it fails, names these words, and every message about a file has a reason
cannot() {
	words=$1
	shift
	got=0
	"$@" >out 2>&1 </dev/null || got=$?
	[ "$got" != 0 ] || { cat out && fail "it succeeds: $*"; }
	[ "$got" != 2 ] || { cat out && fail "a defect: $*"; }
	grep -qE "$words" out || { cat out && fail "'$words' is missing in the output of: $*"; }
	! grep -E 'cannot (be )?(read|open|use|write|used|opened|written)[^:(]*$' out || fail "no reason is given by: $*"
}

for name in missing dir loop empty nonsense cut; do
	case $name in
	missing) why='No such file or directory' content=$why ;;
	dir) why='Is a directory' content="$why|holds no .wmraw" ;;
	loop) why='Too many levels of symbolic links' content=$why ;;
	empty) why='it is empty|neither|no trace|no ELF' content='it is empty' ;;
	nonsense) why='it is no (Waymark|raw) profile|neither|no trace|no ELF' content=$why ;;
	cut) why='cut short inside its header|neither|no trace|no ELF' content='cut short inside its header' ;;
	esac
	cannot "$content" "$waymark" report $name ./program
	cannot "$content" "$waymark" residual --tested $name run.wmraw ./program
	cannot "$content" "$waymark" residual --tested run.wmraw $name ./program
	cannot "$content" "$waymark" segments $name ./program
	cannot "$content" "$waymark" crash $name ./program
	cannot "$why" "$waymark" show $name
	cannot "$why" "$waymark" wpp $name ./program
	cannot "$why" "$waymark" hw --replay $name
	cannot "$why" "$waymark" hw -- ./$name
	cannot "$content|does not name|Not a directory" "$waymark" cc -fwaymark-residual=$name -c program.c -o program.o
	[ $name = dir ] || cannot "$content" "$waymark" merge -o out.wmprof $name
	[ $name = dir ] || cannot "$content" "$waymark" tests $name ./program
done
for name in missing dir loop; do
	case $name in
	missing) why='No such file or directory' ;;
	dir) why='Is a directory' ;;
	loop) why='Too many levels of symbolic links' ;;
	esac
	cannot "$why" "$waymark" number $name
	cannot "$why" "$waymark" replay $name
	cannot "$why" "$waymark" cc -fwaymark-allow=$name -c program.c -o program.o
	cannot "$why|No such file" "$waymark" spool $name/spool
	cannot "$why|No such file" "$waymark" report --html $name/pages/pages run.wmraw ./program
	cannot "$why|No such file" "$waymark" merge -o $name/out/out.wmprof run.wmraw
done
cannot 'truncated inside its header' "$waymark" hw --replay cut_trace
cannot 'another version of Waymark' "$waymark" hw --replay new_trace
echo "reasons: all as expected"
