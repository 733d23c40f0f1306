#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# test_command.sh BUILD: `waymark test` under ctest, meson, the test driver of automake, make, and a script.
set -eu
waymark=$(realpath "$1")/waymark
# Under `make check`, make would print the directories that it enters.
unset MAKEFLAGS MAKELEVEL MFLAGS
. "$(dirname "$(realpath "$0")")/../lib.sh"

# The function `work` runs as often as the first argument says, and once more in a forked child; the third makes it fail.
export WAYMARK_FILE=/dev/null
mkdir temporary
export TMPDIR="$directory/temporary"
"$waymark" cc -O1 -g program.c -o program

# ran DIR TEST: how often `work` ran in a test
ran() {
	"$waymark" report --json "$1/$2.wmprof" "$directory/program" | jq '[.functions[] | select(.name == "work") | .executions] | add // 0'
}
# is DIR TEST COUNT
is() {
	[ "$(ran "$1" "$2")" = "$3" ] || fail "work ran $(ran "$1" "$2") times in the test $2, not $3"
}
names() {
	jq -r '.tests[].name' "$1/tests.json" | tr '\n' '|'
}
result() {
	jq -r --arg name "$2" '.tests[] | select(.name == $name) | .result' "$1/tests.json"
}

# ctest: names, parallel tests, scripts and their children, the same command in two directories, failures, the exit status
mkdir cmake
cat >cmake/CMakeLists.txt <<END_CMAKE
cmake_minimum_required(VERSION 3.19)
project(suite NONE)
enable_testing()
add_test(NAME one COMMAND $directory/program 1)
add_test(NAME "two/with a blank" COMMAND $directory/program 2)
add_test(NAME child COMMAND $directory/program 3 fork)
add_test(NAME script COMMAND sh $directory/several.sh)
add_test(NAME runs_itself COMMAND $directory/executable.sh 7)
add_test(NAME here COMMAND $directory/program 11)
add_test(NAME there COMMAND $directory/program 11)
set_tests_properties(there PROPERTIES WORKING_DIRECTORY $directory)
add_test(NAME fails COMMAND $directory/program 5 fork fail)
add_test(NAME nothing COMMAND true)
END_CMAKE
printf '%s 1 &\n%s 20\nwait\nsh -c "%s 300 fork; true"\n' "$directory/program" "$directory/program" "$directory/program" >several.sh
printf '#!/bin/sh\n%s "$1"\n' "$directory/program" >executable.sh
chmod +x executable.sh
cmake -S cmake -B cmake/build >/dev/null
(cd cmake/build && ctest -V >"$directory/plain.txt" 2>&1) || true
got=0
(cd cmake/build && "$waymark" test -q -o "$directory/ct" -- ctest -V >"$directory/under.txt" 2>&1) || got=$?
[ "$got" = 8 ] || fail "ctest exits with 8, and waymark test with $got"
# The output of the command goes through unchanged, but for what ctest itself changes from run to run.
for f in plain under; do
	sed -E 's/[0-9]+\.[0-9]+ sec//; s/Total Test time.*//; s/  +/ /g' $f.txt | sort >$f.sorted
done
cmp plain.sorted under.sorted || { diff plain.sorted under.sorted; fail "the output of the tests changed"; }
[ "$(names ct)" = 'child|fails|here|one|runs_itself|script|there|two/with a blank|' ] || fail "names: $(names ct)"
check_ctest() {
	is $1 one 1
	is $1 'two%2Fwith a blank' 2
	is $1 child 4
	is $1 script 322
	is $1 runs_itself 7
	is $1 here 11
	is $1 there 11
	is $1 fails 6
	[ "$(result $1 fails)" = failed ] && [ "$(result $1 one)" = passed ] || fail "results: $(cat $1/tests.json)"
}
check_ctest ct
# In parallel, started by make, in the same directory again; and the table.
printf 'all:\n\t@ctest -j8 --test-dir cmake/build >/dev/null\n' >Makefile
says '8 tests take' "$waymark" test -o ct make
exits 2 "$waymark" test -o ct -- make
says 'and 1 failed; the profiles are in ct' "$waymark" test -o ct -- make
check_ctest ct
grep -E '^ +5 +0  failed   fails$' out >/dev/null || { cat out; fail "the table"; }
json '.schema == "waymark.test/1" and .exit_status == 2 and (.tests | length) == 8 and ([.tests[].runner] | unique == ["ctest"])' sh -c \
	"'$waymark' test --json -o ct -- make 2>/dev/null || true"
# waymark tests knows the names.
"$waymark" tests ct ./program --print order | sort | tr '\n' '|' >order
[ "$(cat order)" = 'child|fails|here|one|runs_itself|script|there|two/with a blank|' ] || fail "order: $(cat order)"
says '8 tests take' "$waymark" tests ct ./program
"$waymark" tests --print order 'ct/two%2Fwith a blank.wmprof' ct/one.wmprof ./program | grep -qx 'two/with a blank' || fail "a single file"

# meson; two tests that only the environment tells apart are one
mkdir meson
cat >meson/meson.build <<END_MESON
project('suite')
program = find_program('$directory/program')
test('one', program, args: '1')
test('fails', program, args: ['5', 'fork', 'fail'])
test('a', program, args: '9', env: ['V=1'])
test('b', program, args: '9', env: ['V=2'])
test('script', find_program('$directory/executable.sh'), args: '7')
test('twice', program, args: '2', suite: 'x')
test('twice', program, args: '3', suite: 'y')
END_MESON
meson setup meson/build meson >/dev/null
exits 1 "$waymark" test -o mt -- meson test -C meson/build
[ "$(names mt)" = 'a or b|fails|one|script|suite:x:twice|suite:y:twice|' ] || fail "names: $(names mt)"
is mt one 1
is mt fails 6
is mt 'a or b' 18
is mt script 7
is mt suite:y:twice 3
[ "$(result mt fails)$(result mt one)" = failedpassed ] || fail "results: $(cat mt/tests.json)"

# automake: its driver, as its Makefiles call it
driver=$(ls /usr/share/automake*/test-driver | tail -n 1)
mkdir -p am/lib
cat >am/Makefile <<END_MAKE
check: first
	@\$(MAKE) -C lib check
first:
	@sh $driver --test-name first --log-file first.log --trs-file first.trs --color-tests no -- $directory/program 4
END_MAKE
cat >am/lib/Makefile <<END_MAKE
check:
	@sh $driver --test-name first --log-file f.log --trs-file f.trs --color-tests no -- sh -c '$directory/program 2; exit 1'
	@sh $driver --test-name third --log-file t.log --trs-file t.trs --color-tests no -- $directory/program 6 fork
END_MAKE
(cd am && "$waymark" test -o ../amt -- make check >../am.out)
[ "$(names amt)" = 'first|lib/first|lib/third|' ] || fail "names: $(names amt)"
is amt first 4
is amt lib%2Ffirst 2
is amt lib%2Fthird 7
[ "$(result amt lib/first)$(result amt lib/third)" = failedpassed ] || fail "results: $(cat amt/tests.json)"

# a script, and recipes of make: programs and arguments; the same command twice is one test
printf './program 1\n./program 2\n./program 2\nsh several.sh\n' >all.sh
"$waymark" test -q -o st -- sh all.sh >/dev/null
[ "$(names st)" = 'program 1|program 2|sh several.sh|' ] || fail "names: $(names st)"
is st 'program 2' 4
is st 'sh several.sh' 322
printf 'check:\n\t@./program 1; ./program 2 fork >/dev/null\n\t@$(MAKE) -f Other.mk\n' >Check.mk
printf 'all:\n\t@sh several.sh\n' >Other.mk
"$waymark" test -q -o mk -- make -f Check.mk check >/dev/null
[ "$(names mk)" = 'program 1|program 2 fork|sh several.sh|' ] || fail "names: $(names mk)"
is mk 'program 2 fork' 3
"$waymark" test -q -o st -- ./program 3 >/dev/null
[ "$(names st)" = 'program 3|' ] || fail "tests of an earlier run are left: $(names st)"
[ "$(ls st | wc -l)" = 2 ] || fail "files of an earlier run are left: $(ls st)"

# A process that has left its family is named after its program.
"$waymark" cc -O1 -g daemon.c -o daemon
"$waymark" test -q -o dt -- sh -c './daemon; while [ ! -e orphaned ]; do sleep 0.1; done' || fail "a daemon"
[ "$(names dt)" = 'daemon|daemon orphan|' ] || fail "names: $(names dt)"

# The command lines of processes above the command are not written down, nor is anything without the variable.
members() {
	rm -f f.wmraw*
	"$@" >/dev/null
	[ ! -e f.wmraw.family ] || grep -a -cE '^[0-9]+ [0-9]+ [0-9]+ [0-9]+$' f.wmraw.family
}
[ "$(members env WAYMARK_FILE=f.wmraw WAYMARK_FAMILY=$$ sh -c './program 1; true')" = 3 ] ||
	fail "a family of the program, its shell, and a part of this script"
[ "$(members env WAYMARK_FILE=f.wmraw WAYMARK_FAMILY=999999999 sh -c './program 1; true')" = 1 ] || fail "no such ancestor"
[ -z "$(members env WAYMARK_FILE=f.wmraw sh -c './program 1; true')" ] || fail "a family that nobody asked for"
# A program that cannot write more than its profile keeps running.
(ulimit -f 16 && WAYMARK_FILE=f.wmraw WAYMARK_FAMILY=$$ ./program 1) >/dev/null || fail "a limit of the size of files"

# A failure of the command is not hidden by one of this command, as on a full disk; a success is.
mkdir tmp
for status in 0 7; do
	exits $((status ? status : 1)) env TMPDIR="$PWD/tmp" "$waymark" test -o lost -- sh -c "./program 1; rm -r lost; exit $status"
	grep -q '^waymark test: cannot write lost/' out || { cat out; fail "no message"; }
	for command in 'test -o kept' run; do
		got=0
		"$waymark" $command -- sh -c "./program 1; exit $status" >/dev/full 2>out || got=$?
		[ $got = $((status ? status : 1)) ] || fail "$command: exit code $got after $status"
		grep -q 'cannot write standard output: No space left' out || { cat out; fail "$command: no message"; }
	done
done
exits 143 env TMPDIR="$PWD/tmp" "$waymark" test -o lost -- sh -c './program 1; rm -r lost; kill -TERM $$'
[ -z "$(ls tmp)" ] || fail "temporary files are left: $(ls tmp)"

# waymark run in a test has profiles of its own.
"$waymark" test -q -o nested -- sh -c "./program 1; '$waymark' run -- ./program 2" >out 2>&1 || fail "waymark run in a test"
! grep -qi 'family\|not a profile\|waymark run:' out || { cat out; fail "waymark run in a test warns"; }
[ "$(names nested)" = 'program 1|' ] || fail "names: $(names nested)"

# ctest does not write which tests were skipped.
mkdir skip
cat >skip/CMakeLists.txt <<END_CMAKE
cmake_minimum_required(VERSION 3.19)
project(suite NONE)
enable_testing()
add_test(NAME code COMMAND $directory/program 1 fork skip)
add_test(NAME words COMMAND $directory/program 2)
add_test(NAME fails COMMAND $directory/program 3 fork fail)
add_test(NAME one COMMAND $directory/program 4)
set_tests_properties(code PROPERTIES SKIP_RETURN_CODE 1)
set_tests_properties(words PROPERTIES SKIP_REGULAR_EXPRESSION "program 2")
set_tests_properties(fails PROPERTIES SKIP_RETURN_CODE 77)
END_CMAKE
cmake -S skip -B skip/build >/dev/null
exits 8 "$waymark" test -o skt -- ctest --test-dir skip/build
[ "$(result skt code) $(result skt words) $(result skt fails) $(result skt one)" = 'unknown unknown failed passed' ] ||
	fail "results: $(cat skt/tests.json)"

# Tests of one name in two build trees are two tests, with the results of each.
exits 8 "$waymark" test -q -o two -- sh -c 'ctest --test-dir cmake/build -R "^one$"; ctest --test-dir skip/build -R "^(one|fails)$"'
[ "$(names two)" = 'fails|one|one|' ] || fail "names: $(names two)"
is two one 1
is two 'one #2' 4

# `make ctest` names a target, not ctest.
printf 'ctest:\n\t@./program 1; ./program 2\n\t@ctest --test-dir skip/build -R "^one$$"\n' >Target.mk
"$waymark" test -q -o target -- make ctest -f Target.mk >/dev/null
[ "$(names target)" = 'one|program 1|program 2|' ] || fail "names: $(names target)"
jq -e '[.tests[].runner] == ["ctest", "programs", "programs"]' target/tests.json >/dev/null || fail "the runners under make ctest"

# A result that was written just before the command is none of this run.
echo '"$@"' >driver.sh
echo ':test-result: PASS' >old.trs
sleep 0.1
"$waymark" test -q -o old -- sh -c 'sh driver.sh ./program 1 --test-name old --trs-file old.trs; true' >/dev/null
[ "$(names old)$(result old old)" = 'old|unknown' ] || fail "an old result: $(cat old/tests.json)"

# Ctrl-C while profiles are merged: here, while the runner is asked for its tests.
mkdir fake
printf '#!/bin/sh\n[ "$1" != --show-only=json-v1 ] || { kill -INT $PPID; echo "{}"; exit; }\n./program 1\n./program 2\n' >fake/ctest
chmod +x fake/ctest
exits 130 sh -c "PATH='$directory/fake:$PATH' '$waymark' test -o interrupted -- ctest"
[ -z "$(ls "$TMPDIR")" ] || fail "files are left: $(ls "$TMPDIR")"

# mistakes
exits 1 "$waymark" test
exits 127 "$waymark" test -o none -- ./nonesuch
mkdir foreign
cp st/*.wmprof foreign
exits 1 "$waymark" test -o foreign -- ./program 1
says 'contains the file program 3.wmprof, which `waymark test` did not write' "$waymark" test -o foreign -- ./program 1
[ "$(ls foreign | wc -l)" = 1 ] || fail "foreign files are removed"
# A file that only has the name of the index does not make the files of a directory ours, nor does an index that does not list them.
for index in '{"tests": [{"file": "program 3.wmprof"}]}' '{"schema": "waymark.tests/1", "tests": [{"file": "program 3.wmprof"}]}' '[' \
	'{"schema": "waymark.test/1", "tests": [{"file": "../foreign/program 3.wmprof"}, {"file": 1}, 1]}'; do
	echo "$index" >foreign/tests.json
	exits 1 "$waymark" test -o foreign -- ./program 1
	[ "$(ls foreign)$(cat foreign/tests.json)" = "program 3.wmprof
tests.json$index" ] || fail "foreign files are removed"
done
mkdir other
echo '{}' >other/tests.json
says 'contains the file tests.json, which' "$waymark" test -o other -- ./program 1
[ "$(cat other/tests.json)" = '{}' ] || fail "a foreign index is overwritten"
cp st/*.wmprof 'other/a%20b.wmprof'
"$waymark" tests --print order 'other/a%20b.wmprof' foreign/*.wmprof ./program | grep -qxF 'a%20b' || fail "a name that is not ours is decoded"
mkdir listed 'listed/a.wmprof'
echo '{"schema": "waymark.test/1", "tests": [{"file": "a.wmprof"}]}' >listed/tests.json
exits 1 "$waymark" test -o listed -- ./program 1
says 'cannot remove listed/a.wmprof' "$waymark" test -o listed -- ./program 1

# After a failure, the directory is still ours, and nothing is left elsewhere.
exits 1 "$waymark" test -o failed -- sh -c './program 1; ./program 2; mkdir "failed/program 2.wmprof"'
[ "$(ls failed | tr '\n' '|')" = 'program 1.wmprof|program 2.wmprof|tests.json|' ] || fail "a failure: $(ls failed)"
rmdir 'failed/program 2.wmprof'
exits 0 "$waymark" test -o failed -- ./program 3
[ "$(ls failed | tr '\n' '|')" = 'program 3.wmprof|tests.json|' ] || fail "after a failure: $(ls failed)"
exits 1 "$waymark" test -o gone -- sh -c './program 1; rm -r gone'
[ -z "$(ls "$TMPDIR")" ] || fail "files are left: $(ls "$TMPDIR")"
# Programs that count only untested paths: the status of the command, and a table without numbers
"$waymark" cc -O1 -g -fwaymark-residual='st/program 3.wmprof' program.c -o residual
for again in 1 2; do
	exits 1 "$waymark" test -o rt -- ./residual 2 fork fail
	grep -q 'the numbers of paths are not known' out || { cat out; fail "residual"; }
	grep -qE '^ +- +-  -        residual 2 fork fail$' out || { cat out; fail "the table of residual programs"; }
done
jq -e '.exit_status == 1 and .paths == null and .tests[0].paths == null and .tests[0].only_here == null' rt/tests.json >/dev/null ||
	fail "residual: $(cat rt/tests.json)"
# No profile: a sentence and a status of its own, also without a table and where no profile can be used; the command's own
# failure comes first.
exits 3 "$waymark" test -o empty -- sh -c 'exit 3'
for options in '-o empty' '-q -o empty' '--json -o empty'; do
	exits 5 "$waymark" test $options -- true
	grep -q '^waymark test: no test wrote a profile, and empty contains none: build' out || { cat out; fail "no profile: no sentence"; }
done
exits 5 "$waymark" test -o empty -- sh -c 'echo nothing >"${WAYMARK_FILE%/*}/1.wmraw"'
[ "$(ls empty)" = tests.json ] || fail "without a profile: $(ls empty)"
exits 143 sh -c "'$waymark' test -o empty -- sh -c 'kill -TERM \$\$'"
[ -z "$(ls "$TMPDIR")" ] || fail "files are left: $(ls "$TMPDIR")"
