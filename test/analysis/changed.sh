#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# changed.sh BUILD: which tests to run for a change of the source, and which changed lines no test executes.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null HOME="$directory"
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@localhost GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@localhost
export GIT_CEILING_DIRECTORIES="$directory/.."

# A program that says itself which of its lines it executes.
mkdir -p tree/src outside
echo words >tree/README
build() {
	"$waymark" cc -O1 -g "$directory/tree/src/program.c" -o "$directory/program"
	rm -rf "$directory/suite" "$directory/lines"
	mkdir "$directory/suite" "$directory/lines"
	for t in none: positive:5:6 negative:-5 mixed:-1:1 zero:0; do
		name=${t%%:*}
		WAYMARK_FILE=$directory/suite/$name.wmraw "$directory/program" "$directory/lines/$name" $(echo "${t#*:}" | tr ':' ' ')
	done
}
build
cd tree
git init -q .
git add .
git commit -qm first
git tag first
tests="$waymark tests $directory/suite $directory/program"

# Every line that the program reports: the tests that the change of this line selects are those whose program reports it.
for line in $(grep -n 'HERE;' src/program.c | cut -d: -f1); do
	printf -- '--- src/program.c\n+++ src/program.c\n@@ -%s +%s @@\n-a\n+b\n' "$line" "$line" >../one.diff
	grep -lx "$line" ../lines/* | sed 's,.*/,,' | sort >../want
	$tests --changed - --list <../one.diff >../list
	sort ../list | cmp - ../want || fail "line $line: $(cat ../list), not $(cat ../want)"
	if [ -s ../want ]; then
		says 'every changed line with code is on a path of a test (1 line)' sh -c "$tests --changed - <../one.diff"
	else
		says "src/program.c:$line  sign" sh -c "$tests --changed - <../one.diff"
		says '1 of 1 changed line with code is on no path of a test' sh -c "$tests --changed - <../one.diff"
	fi
done

# A commit that modifies, adds and removes lines, and changes files without code.
sed -i 's/n = 99;/n = 98;/; s/return -1;/return -2;/; s/^\tHERE;\n\treturn n > 0;/&/' src/program.c
sed -i '/^	out = fopen/a\	if (!out)\n\t\treturn 9;' src/program.c
echo more >>README
git commit -qam second
build
! $tests --changed first 2>&1 | grep -q 'file from which' || fail "a warning"
# Closed standard streams, whose descriptors other files get.
$tests --changed first --list >../list
$tests --changed first --list <&- | cmp - ../list || fail "standard input is closed"
says 'was compiled from the present' $tests --changed first --before
says '2 changed files, of which 1 is in the debug information' $tests --changed first
says '5 of 5 tests take' $tests --changed first
says '2 of 4 changed lines with code are on no path of a test' $tests --changed first
says 'src/program.c:13  sign' $tests --changed first
says 'src/program.c:24  main' $tests --changed first..HEAD
json '.changed | .range == "first" and .paths > 0 and .lines == 4 and .executed == 2 and .other_files == 1 and
	(.not_executed | map([.line, .function]) == [[13, "sign"], [24, "main"]]) and (.files[0].changed == "src/program.c")' \
	$tests --changed first --json
# Best first: a test of the order adds the most changed paths, computed here from what --json says of each path.
json '. as $d | [$d.taken_by[] | [.tests[].test]] as $takers | [.tests[] | select(.judged) | .name] as $order |
	($order | length) == 5 and
	([range($order | length)] | all(. as $i | $order[:$i] as $before | [$takers[] | select(any(. as $t | $before | index($t)) | not)] as $left |
		([$left[] | select(index($order[$i]))] | length) == ([$order[$i:][] as $t | [$left[] | select(index($t))] | length] | max)))' \
	$tests --changed first --json
[ "$($tests --changed first --list | wc -l)" = 5 ] || fail "--list"
[ "$($tests --changed first --print smallest | wc -l)" -lt 5 ] || fail "--print smallest"

# A removal touches the lines beside it.  Lines of the old state: the profiles are from before the change.
cp src/program.c kept.c
git tag second
sed -i '8d' src/program.c # the first HERE
says 'no changed line has code' $tests --changed HEAD
says 'src/program.c is not the file from which' $tests --changed HEAD
! $tests --changed HEAD --before 2>&1 | grep -q 'compiled from' || fail "a warning"
$tests --changed HEAD --list --before | sort | tr '\n' ' ' >../list
[ "$(cat ../list)" = 'mixed negative ' ] || fail "before a removal: $(cat ../list)"
git diff HEAD | $tests --changed - --list --before | sort | tr '\n' ' ' | cmp - ../list || fail "a diff on standard input"
(cd src && $tests --changed HEAD --list --before) | sort | tr '\n' ' ' | cmp - ../list || fail "in a directory of the tree"
# ... and a file that the change has renamed
git mv src/program.c src/renamed.c
$tests --changed HEAD --list --before | sort | tr '\n' ' ' | cmp - ../list || fail "renamed"
git reset -q --hard

# Settings of git do not change what is read.
git config diff.noprefix true
git config diff.external false
git config color.ui always
git config color.diff always
git config diff.mnemonicPrefix true
git config diff.relative true
(cd src && says '5 of 5 tests take' $tests --changed first)
GIT_EXTERNAL_DIFF=false says '5 of 5 tests take' $tests --changed first

# Mistakes
exits 1 $tests --changed nonesuch
says 'fails: fatal: bad revision' $tests --changed nonesuch
exits 1 $tests --changed=--output=stolen
says 'neither a range of commits nor -' $tests --changed=--output=stolen
[ ! -e stolen ] || fail "a range was an option"
exits 1 $tests --changed README
cd ../outside
exits 1 $tests --changed first
says 'needs a working tree of git' $tests --changed first
exits 1 sh -c "printf -- '--- a\n+++ b\n@@ x\n' | $tests --changed -"
says 'standard input, line 3, is not a diff' sh -c "printf -- '--- a\n+++ b\n@@ x\n' | $tests --changed -"
says 'no test takes a path through changed lines' sh -c "$tests --changed - </dev/null"
exits 1 "$waymark" tests --changed - "$directory/suite"
exits 1 $tests --changed - --line program.c:3
exits 1 $tests --before
# A diff that is relative to another directory, and one whose file is not the file of the debug information
printf -- '--- program.c\n+++ program.c\n@@ -7 +7 @@\n-a\n+b\n' >../short.diff
says '4 of 5 tests take' sh -c "$tests --changed - <../short.diff"
says '4 of 5 tests take' sh -c "$tests --changed - --changed-root '$directory/tree/src' <../short.diff"
says 'of which 0 are in the debug information' sh -c "$tests --changed - --changed-root '$directory/tree' <../short.diff"
# Two files of this name: an ambiguity is said.
mkdir other
cp ../tree/src/program.c other/program.c
"$waymark" cc -O1 -g other/program.c -o other/program
says 'the change is ambiguous: its file program.c may be' sh -c "$tests other/program --changed - <../short.diff"
exits 1 sh -c "$tests other/program --changed - <../short.diff"
says '4 of 5 tests take' sh -c "$tests other/program --changed - --changed-root '$directory/tree/src' <../short.diff"
