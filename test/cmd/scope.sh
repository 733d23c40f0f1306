#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# scope.sh BUILD: reports are about the project: which functions they leave out, how they say it, and what .waymark and the
# command line change.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

git init -q .
# g++ finds the second header as it finds those of the system
build() { # FILE OPTIONS
	program=$1
	shift
	"$waymark" c++ -O0 -g -Isrc -isystem system "$@" src/main.cpp src/odd.cpp third_party/z/z.cpp tests/check.cpp -o "$program"
}
build program
WAYMARK_FILE=one.wmraw ./program
WAYMARK_FILE=two.wmraw ./program 1
"$waymark" merge -o tests.wmprof one.wmraw >/dev/null

# has NAMES COMMAND...: the functions of the document, by name
names='[(.functions // .paths)[] | .demangled // .name // .function | sub("\\(.*"; "") | sub(".* "; "") | sub("^_Z[0-9]+"; "") | sub("[iPv]+$"; "")] | unique | join(" ")'
has() {
	wanted=$1
	shift
	"$@" >out.json || fail "it does not run: $*"
	found=$(jq -r "$names" out.json)
	[ "$found" = "$wanted" ] || { cat out.json && fail "'$found' instead of '$wanted': $*"; }
}
project='main odd' all='check compress main odd system_one'
left='3 functions of system headers, third-party code and tests are left out (--scope=all shows them)'

# ---- The project, and everything: in all reports alike ----
has "$project" "$waymark" report --json one.wmraw ./program
has "$all" "$waymark" report --json --scope=all one.wmraw ./program
says "$left" "$waymark" report one.wmraw ./program
! "$waymark" report --scope=all one.wmraw ./program | grep -q 'left out' || fail "--scope=all leaves something out"
says 'system_one' "$waymark" report --scope=all one.wmraw ./program
json '.scope.mode == "project" and .scope.left_out == {functions: 3, system_headers: 1, other_directories: 0, third_party: 1,
	tests: 1, excluded: 0, ignored: 0}' "$waymark" report --json one.wmraw ./program
json ".scope.root == \"$(pwd -P)\"" "$waymark" report --json one.wmraw ./program
json '.scope.mode == "all" and .scope.left_out.functions == 0' "$waymark" report --json --scope=all one.wmraw ./program
# totals are those of the project; ids and counts are the same
json '.totals.functions == 2 and .totals.functions_executed == 2' "$waymark" report --json one.wmraw ./program
json '.totals.executions == ([.functions[].paths[].count] | add)' "$waymark" report --json one.wmraw ./program
json '.totals.executions == ([.functions[].paths[].count] | add)' "$waymark" report --json --scope=all one.wmraw ./program
says '2 of 2 functions ran' "$waymark" report one.wmraw ./program
"$waymark" report --json one.wmraw ./program | jq -c '.functions[] | select(.name == "main").paths' >project.json
"$waymark" report --json --scope=all one.wmraw ./program | jq -c '.functions[] | select(.name == "main").paths' >all.json
cmp project.json all.json || fail "the scope changes paths"
says "$left" "$waymark" run -- ./program
"$waymark" report --html pages one.wmraw ./program
says "$left" cat pages/index.html
! grep -q compress pages/index.html || fail "pages show third-party code"
says "$left" "$waymark" report --markdown one.wmraw ./program
for form in --mcdc --prime-paths --correlations=--all; do
	says "$left" "$waymark" report "$form" one.wmraw ./program
done

has "$project" "$waymark" untested --json one.wmraw ./program
has 'check compress main odd' "$waymark" untested --json --scope=all one.wmraw ./program
says "$left" "$waymark" untested one.wmraw ./program
json '.scope.left_out.functions == 3 and .changed == null' "$waymark" untested --json one.wmraw ./program
has "$project" "$waymark" residual --json --tested one.wmraw two.wmraw ./program
says "$left" "$waymark" residual --tested one.wmraw two.wmraw ./program
has "$project" "$waymark" diff --json one.wmraw two.wmraw ./program
has 'check compress main odd' "$waymark" diff --json --scope=all one.wmraw two.wmraw ./program
says "$left" "$waymark" diff one.wmraw two.wmraw ./program
has 'main odd' "$waymark" blame --json --all --passed one.wmraw --failed two.wmraw ./program
says "$left" "$waymark" blame --passed one.wmraw --failed two.wmraw ./program
json '.functions == 2 and .scope.left_out.tests == 1' "$waymark" tests --json one.wmraw two.wmraw ./program
json '.functions == 4' "$waymark" tests --json --scope=all one.wmraw two.wmraw ./program
says "$left" "$waymark" tests one.wmraw two.wmraw ./program
# code that is named is in the answer
json '.taken_by | length == 2' "$waymark" tests --json --line z.cpp:3 one.wmraw two.wmraw ./program
json '.taken_by | length == 0' "$waymark" tests --json --scope=project --line z.cpp:3 one.wmraw two.wmraw ./program
says 'third_party/z/z.cpp' "$waymark" report --source z.cpp one.wmraw ./program
for function in compress check; do
	has "$function" "$waymark" report --json --function $function one.wmraw ./program
	has "$function" "$waymark" untested --json --function $function one.wmraw ./program
done
has compress "$waymark" report --json --file third_party/ one.wmraw ./program
has check "$waymark" untested --json --file 'check.*' one.wmraw ./program
has odd "$waymark" report --json --exclude main.cpp one.wmraw ./program

# coverage is about the project; formats of compilers are whole
"$waymark" export --format lcov one.wmraw ./program >coverage.info 2>warnings
grep -q 'src/main.cpp' coverage.info && ! grep -q 'third_party\|tests/' coverage.info || { cat coverage.info && fail "lcov"; }
grep -qF "$left" warnings || { cat warnings && fail "export does not say what is left out"; }
"$waymark" export --format lcov --scope=all one.wmraw ./program >coverage.info
grep -q 'third_party/z/z.cpp' coverage.info || fail "lcov --scope=all"
"$waymark" export --format sample one.wmraw ./program >sample.prof
grep -q compress sample.prof || fail "a profile for a compiler is not whole"
"$waymark" export --format sarif one.wmraw ./program >project.sarif
"$waymark" export --format sarif --scope=all one.wmraw ./program >all.sarif
! grep -q third_party project.sarif && grep -q third_party all.sarif || fail "sarif"

# merged files are whole
"$waymark" merge -o again.wmprof tests.wmprof >/dev/null
cmp tests.wmprof again.wmprof || fail "merging"
has "$all" "$waymark" show --json --function '*' ./program

# ---- Where the report is made, and where the program is ----
mkdir sub
git init -q stranger
for place in sub stranger; do
	(cd $place && has "$project" "$waymark" report --json ../one.wmraw ../program)
done
# without git, the root is what the sources have in common
mv .git elsewhere
has "$project" "$waymark" report --json one.wmraw ./program
(cd sub && json ".scope.root == \"$directory\"" "$waymark" report --json ../one.wmraw ../program)
mv elsewhere .git
# two trees
mkdir -p other/tree
cp -r src third_party tests system other/tree
(cd other/tree && sed -i 's/n > 1/n > 2/' src/odd.cpp && build ../../changed)
WAYMARK_FILE=changed.wmraw ./changed 1
has "$project" "$waymark" diff --json one.wmraw changed.wmraw ./program ./changed

# ---- .waymark ----
# configured WORDS-OF-FILE NAMES OPTIONS
configured() {
	printf "$1" >.waymark
	wanted=$2
	shift 2
	has "$wanted" "$waymark" report --json "$@" one.wmraw ./program
}
configured 'include = src/main.cpp' main
configured 'include = third_party/\n' compress
configured 'include = src/, third_party/z/' 'compress main odd'
configured 'exclude = odd.*' main
json '.scope.left_out.excluded == 1' "$waymark" report --json one.wmraw ./program
says '4 functions of system headers, third-party code, tests and files that .waymark excludes are left out' "$waymark" report one.wmraw ./program
configured 'tests = src/odd.cpp' 'check main'
configured 'tests =' 'check main odd'
configured 'ignore = od?' main
says '4 functions of system headers, third-party code, tests and those that .waymark ignores are left out' "$waymark" untested one.wmraw ./program
has main "$waymark" untested --json one.wmraw ./program
configured 'ignore = asserts, throws' "$project"
# failures of checks
"$waymark" c++ -O0 -g src/strict.cpp -o strict
WAYMARK_FILE=strict.wmraw ./strict
# leaves_out OUTCOMES OPTIONS
leaves_out() {
	wanted=$1
	shift
	json ".summary.left_out_outcomes == $wanted" "$waymark" untested --json "$@" strict.wmraw ./strict
	json ".totals.left_out_outcomes == $wanted" "$waymark" report --json "$@" strict.wmraw ./strict
}
printf 'ignore = noreturn' >.waymark
leaves_out 1
printf 'ignore = throws asserts' >.waymark
leaves_out 1
leaves_out 0 --checks
leaves_out 0 --scope=all
printf 'ignore = throws noreturn' >.waymark
leaves_out 2
# the command line wins
configured 'include = src/main.cpp' "$all" --scope=all
configured 'include = src/main.cpp' odd --file odd.cpp
configured 'exclude = odd.*\nignore = odd' odd --function odd

# a budget, as --budget: a number, or a file of the root
printf 'budget = 0' >.waymark
exits 3 "$waymark" untested one.wmraw ./program
exits 0 "$waymark" untested --budget 9 one.wmraw ./program
printf 'odd 0\n' >allowed
printf 'budget = allowed' >.waymark
(cd sub && exits 3 "$waymark" untested ../one.wmraw ../program)
says 'and its budget is 0' "$waymark" untested one.wmraw ./program
printf 'odd 9\nmain 0\n' >allowed
exits 0 "$waymark" untested one.wmraw ./program
printf 'budget = absent' >.waymark
exits 1 "$waymark" untested one.wmraw ./program
exits 0 "$waymark" report one.wmraw ./program

# the base branch, of --changed base: what changed in the working tree since it left the branch
git config user.name Name
git config user.email name@example.org
git add src third_party tests
git commit -qm base
git branch trunk
printf 'base = trunk' >.waymark
sed -i 's/n & 1/n \& 3/' src/odd.cpp
git commit -qam change
git checkout -q trunk
sed -i 's/n > 2/n > 3/' tests/check.cpp
git commit -qam "another change"
git checkout -q -
build program
WAYMARK_FILE=three.wmraw ./program
has odd "$waymark" untested --json --level edge --changed base three.wmraw ./program
json '.asked == "trunk" and [.changed.files[].changed] == ["src/odd.cpp"]' "$waymark" tests --json --changed base three.wmraw ./program
printf 'base = nothing' >.waymark
says '`git diff --merge-base nothing` fails' "$waymark" tests --changed base three.wmraw ./program
rm .waymark
says '`git diff base` fails' "$waymark" tests --changed base three.wmraw ./program
# a change of code that is not of the project selects its tests, too
sed -i 's/n \/ 2/n \/ 3/' third_party/z/z.cpp
build program
WAYMARK_FILE=four.wmraw ./program
[ "$("$waymark" tests --list --changed HEAD four.wmraw ./program)" = four ] || fail "a change of third-party code selects no test"

# what is wrong is said in one sentence
printf '\n\nincludes = src/\n' >.waymark
for command in report untested; do
	exits 1 "$waymark" $command one.wmraw ./program
	[ "$(cat out)" = "waymark $command: $(pwd -P)/.waymark, line 3: the key 'includes' is unknown; keys are include, exclude, tests, ignore, budget and base" ] ||
		{ cat out && fail "$command does not say what is wrong"; }
done
rm .waymark && mkdir .waymark
exits 1 "$waymark" report one.wmraw ./program
says '.waymark is not a file' "$waymark" report one.wmraw ./program
rmdir .waymark
exits 1 "$waymark" report --scope=some one.wmraw ./program
echo "scope: ok"
