#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# test_command.sh BUILD: `waymark test` under ctest, meson, the test driver of automake, make, and a script.
set -eu
waymark=$(realpath "$1")/waymark
# Under `make check`, make would print the directories that it enters.
unset MAKEFLAGS MAKELEVEL MFLAGS
. "$(dirname "$(realpath "$0")")/lib.sh"

# The function `work` runs as often as the first argument says, and once more in a forked child; the third makes it fail.
cat >program.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n)
{
	if (n > 100)
		return puts("large");
	return n;
}
int main(int argc, char **argv)
{
	int sum = 0;
	printf("program %s\n", argc > 1 ? argv[1] : "");
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 0); i++)
		sum += work(i);
	fflush(stdout);
	if (argc > 2) {
		if (fork() == 0) {
			sum += work(1);
			exit(0);
		}
		wait(NULL);
	}
	return argc > 3;
}
END_C
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
cat >daemon.c <<'END_C'
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	pid_t parent = getpid();
	if (argc == 1 && fork() == 0) {
		while (getppid() == parent && usleep(1000) == 0)
			;
		execl(argv[0], argv[0], "orphan", (char *)0);
	}
	if (argc == 2)
		close(open("orphaned", O_CREAT | O_WRONLY, 0600));
	return argc > 3;
}
END_C
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

# mistakes
exits 1 "$waymark" test
exits 127 "$waymark" test -o none -- ./nonesuch
mkdir foreign
cp st/*.wmprof foreign
exits 1 "$waymark" test -o foreign -- ./program 1
says 'contains profiles that `waymark test` did not write' "$waymark" test -o foreign -- ./program 1
[ "$(ls foreign | wc -l)" = 1 ] || fail "foreign files are removed"
exits 3 "$waymark" test -o empty -- sh -c 'exit 3'
says 'no test wrote a profile' "$waymark" test -o empty -- true
exits 143 sh -c "'$waymark' test -o empty -- sh -c 'kill -TERM \$\$'"
[ -z "$(ls "$TMPDIR")" ] || fail "files are left: $(ls "$TMPDIR")"
