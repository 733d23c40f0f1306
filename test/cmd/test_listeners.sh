#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# test_listeners.sh BUILD: a profile per test of GoogleTest and of Catch2, with the files in examples/.
set -eu
waymark=$(realpath "$1")/waymark
examples=$(dirname "$(realpath "$0")")/../../examples
. "$(dirname "$(realpath "$0")")/../lib.sh"
export WAYMARK_FILE=/dev/null
"$waymark" cc -O1 -g -c work.c -o work.o

# told DIR PROGRAM: how often `work` ran in each test that the program named
told() {
	jq -r '.tests[] | select(.runner == "names") | .file' "$1/tests.json" | while read -r file; do
		printf '%s %s|' "${file%.wmprof}" "$("$waymark" report --json "$1/$file" "$2" |
			jq '[.functions[] | select(.name == "work") | .entries] | add // 0')"
	done
}

"$waymark" c++ -O1 -g google.cpp "$examples/name_googletest.cpp" work.o -o google -lgtest -lgtest_main -pthread
exits 1 "$waymark" test -q -o google.tests -- ./google
want='Some%2FValues.All%2F0 20|Some%2FValues.All%2F1 300|Work.Fails 2|Work.Once 1|Work.Throws 2|WorkDeathTest.Dies 1|'
[ "$(told google.tests ./google)" = "$want" ] || fail "GoogleTest: $(told google.tests ./google)"
# Under ctest, each test is a process whose test has the name already.
mkdir each
cat >each/CMakeLists.txt <<END_CMAKE
cmake_minimum_required(VERSION 3.19)
project(suite NONE)
enable_testing()
add_test(NAME Work.Once COMMAND $directory/google --gtest_filter=Work.Once)
add_test(NAME Work.Fails COMMAND $directory/google --gtest_filter=Work.Fails)
END_CMAKE
cmake -S each -B each/build >/dev/null
exits 8 "$waymark" test -q -o each.tests -- ctest --test-dir each/build
jq -e '[.tests[] | .name + " " + .runner + " " + .result] == ["Work.Fails ctest failed", "Work.Once ctest passed"]' \
	each.tests/tests.json >/dev/null || { cat each.tests/tests.json; fail "the tests of ctest"; }

"$waymark" c++ -O1 -g catch.cpp catch_main.cpp "$examples/name_catch2.cpp" work.o -o catch
exits 1 "$waymark" test -q -o catch.tests -- ./catch
want='work in sections 4|work once 1|work throws 1|'
[ "$(told catch.tests ./catch)" = "$want" ] || fail "Catch2: $(told catch.tests ./catch)"
"$waymark" tests catch.tests ./catch --print order | grep -qx 'work once' || fail "waymark tests does not know the names"

# Without Waymark, the files do nothing, and need neither library.
for file in name_googletest name_catch2; do
	"${WAYMARK_CLANGXX:-clang++-19}" -nostdinc -Wall -Wextra -Werror -c "$examples/$file.cpp" -o plain.o || fail "$file without Waymark"
done
