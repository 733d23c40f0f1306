#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# export_llvm.sh BUILD: llvm-profdata and clang read what `waymark export --format sample` writes, and its numbers are those of
# the program; --format sarif is what `waymark untested --sarif` writes.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

"$waymark" cc -g -O1 program.c -o program
WAYMARK_FILE=run.wmraw ./program 1000 >/dev/null
"$waymark" export --format sample -o run.prof run.wmraw ./program

# The program calls hot 1000 times, with 900 numbers that 10 does not divide.  Lines are counted from the definitions.
grep -v '^ ' run.prof | sort >heads
printf 'hot:3000:1000\nmain:2005:1\n' | cmp - heads || { cat run.prof; fail "totals and entries"; }
for line in ' 2: 1000' ' 3: 900' ' 4: 100' ' 5: 1000'; do
	sed -n '/^hot/,/^main/p' run.prof | grep -qx "$line" || { cat run.prof; fail "line$line of hot"; }
done
for line in ' 3: 1001' ' 4: 1000 hot:1000' ' 7: 1 printf:1'; do
	sed -n '/^main/,/^hot/p' run.prof | grep -qx "$line" || { cat run.prof; fail "line$line of main"; }
done
! grep -q '^cold' run.prof || fail "cold did not run"

llvm-profdata-19 show --sample --function=hot run.prof >shown || fail "llvm-profdata does not read the profile"
grep -q 'Function: hot: 3000, 1000, ' shown || { cat shown; fail "llvm-profdata reads other numbers"; }
llvm-profdata-19 merge --sample --extbinary -o run.extbinary run.prof || fail "llvm-profdata merge"
clang-19 -O2 -gmlt -fprofile-sample-use=run.prof -S -emit-llvm program.c -o used.ll 2>clang.log || { cat clang.log; fail "clang"; }
[ ! -s clang.log ] || { cat clang.log; fail "clang complains"; }
# clang adds 1 to the count of entries
id=$(sed -n 's/^define .* @hot(.* !prof !\([0-9]*\) .*/\1/p' used.ll)
grep -q "^!$id = !{!\"function_entry_count\", i64 1001}" used.ll || fail "clang does not use the entries of hot"
grep -q 'branch_weights' used.ll || fail "clang does not use the lines"

# Names: those with other letters stay; those that the format cannot hold are left out, and it is said.
"$waymark" cc -g -O1 names.c -o names
WAYMARK_FILE=names.wmraw ./names || fail names
"$waymark" export --format sample -o names.prof names.wmraw ./names 2>warned
grep -q '^größe:[0-9]*:1$' names.prof || { cat names.prof; fail "a name in UTF-8 is left out"; }
grep -qE '^ [0-9]+: 1 größe:1$' names.prof || { cat names.prof; fail "a call of a name in UTF-8"; }
! grep -qE 'odd|main:9:9' names.prof || { cat names.prof; fail "a name forges a record"; }
grep -q '1 function and 1 call are left out' warned || { cat warned; fail "it does not say what is left out"; }

# SARIF
"$waymark" export --format sarif -o export.sarif run.wmraw ./program
"$waymark" untested --sarif untested.sarif run.wmraw ./program >/dev/null
cmp export.sarif untested.sarif || fail "the two commands write different documents"
"$waymark" export --format sarif run.wmraw ./program | cmp - untested.sarif || fail "standard output"
jq -e '.version == "2.1.0" and (.runs[0].results | length > 0)' export.sarif >/dev/null || fail "SARIF"
# Both options reach `waymark untested`: another program counts, and the debug file is found.
sed 's/program/other/' program.c >other.c
"$waymark" cc -g -O1 other.c -o other
WAYMARK_FILE=other.wmraw ./other 77 >/dev/null
"$waymark" export --format sarif -o own.sarif run.wmraw other.wmraw ./program 2>/dev/null
"$waymark" export --format sarif --any-program -o any.sarif run.wmraw other.wmraw ./program
"$waymark" untested --sarif untested.sarif --any-program run.wmraw other.wmraw ./program >/dev/null
cmp any.sarif untested.sarif || fail "the two commands differ with --any-program"
! cmp -s any.sarif own.sarif || fail "--any-program changes nothing"
if command -v eu-strip >/dev/null; then
	mkdir debug
	cp program stripped
	eu-strip -f debug/stripped.debug stripped
	exits 1 "$waymark" export --format sarif run.wmraw ./stripped
	"$waymark" export --format sarif --debug-dir debug run.wmraw ./stripped >stripped.sarif || fail "--debug-dir"
	jq -e '.runs[0].results | length > 0' stripped.sarif >/dev/null || fail "nothing is untested with --debug-dir"
fi
