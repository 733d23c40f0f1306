#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ci.sh BUILD: the jobs in doc/ci are valid YAML, every command and option of Waymark in them exists, and what the job of GitLab
# executes works on a small project, as far as it does not install anything.
set -eu
root=$(cd "$(dirname "$(realpath "$0")")/../.." && pwd)
build=$(realpath "$1")
waymark=$build/waymark
. "$root/test/lib.sh"

for job in "$root"/doc/ci/*.yml; do
	yamllint -d '{extends: relaxed, rules: {line-length: {max: 140}}}' "$job" || fail "$job"
	grep -v '^ *#' "$job" | tr '\n' ' ' | sed 's/waymark /\nwaymark /g' | grep '^waymark [a-z]' | sed 's/ - .*//' >uses
	while read -r _ command rest; do
		case $command in cc* | c++* | deb) continue ;; esac
		"$waymark" "$command" --help-all >help.txt || fail "$job: there is no command $command"
		for option in $(printf '%s\n' "${rest%% -- *}" | grep -oE '(^| )--[a-z][a-z-]*'); do
			grep -qE "^  (-., )?$option( |\$|\[)" help.txt || fail "$job: waymark $command has no option $option"
		done
	done <uses
	[ "$(wc -l <uses)" -ge 3 ] || fail "$job uses too little"
done

# The script of the job, on a project with a changed line that no test takes.
mkdir bin
ln -s "$waymark" bin/waymark
export PATH="$PWD/bin:$PATH" HOME="$PWD" CC='waymark cc' CXX='waymark c++'
cd project
git init -q -b main .
git config user.email a@example.com
git config user.name a
printf 'build\nprofiles\n*.wmprof\ncoverage.xml\n' >.gitignore
git add .
git commit -qm first
CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse HEAD)
export CI_MERGE_REQUEST_DIFF_BASE_SHA
sed -n '/^  script:/,/^  artifacts:/s/^    - //p' "$root/doc/ci/gitlab.yml" >../script
[ "$(wc -l <../script)" = 6 ] || fail "the job has another script"
cmake -S . -B build >log 2>&1 && cmake --build build >log 2>&1 || { cat log; fail "cmake"; }
waymark test -q -o profiles -- ctest --test-dir build >log 2>&1 || { cat log; fail "waymark test"; }
waymark untested --write-baseline .waymark-baseline profiles build/app >/dev/null
git add -f .waymark-baseline
git commit -qm baseline

# Nothing has changed: the gate is open.
sh -eu ../script >log 2>&1 || { cat log; fail "the job fails though nothing has changed"; }
xmllint --noout --nonet coverage.xml 2>/dev/null || fail "coverage.xml"
# A new branch that no test takes closes it.
sed -i 's/	return 0;/	if (n == 4)\n		return 7;\n	return 0;/' app.c
git commit -qam change
status=0
sh -eu ../script >log 2>&1 || status=$?
[ $status = 3 ] || { cat log; fail "the job ends with $status though a changed line is not tested"; }
grep -q 'app.c' log || { cat log; fail "the job does not say where"; }
