#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ci.sh BUILD: the jobs in doc/ci are valid YAML, every command and option of Waymark in them exists, and what the jobs of GitLab
# execute works on a small project, as far as it does not install anything.  action.py tries the action of GitHub and comments.
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
	[ "$(wc -l <uses)" -ge 1 ] || fail "$job uses too little"
done

# job JOB KEY: what the file for GitLab says, with the scripts of the action instead of those of the package
job() {
	python3 -c 'import sys, yaml
value = yaml.safe_load(open(sys.argv[1]))[sys.argv[2]]
for key in sys.argv[3].split("."):
	value = value[key]
print(value if isinstance(value, str) else "\n".join(value))' "$root/doc/ci/gitlab.yml" "$1" "$2" |
		sed "s,/usr/lib/waymark/ci,$root/.github/actions/waymark,"
}

# On a project with a changed line that no test takes.
mkdir bin
ln -s "$waymark" bin/waymark
export PATH="$PWD/bin:$PATH" HOME="$PWD" CC='waymark cc' CXX='waymark c++' BINARIES=build/app PROFILES=profiles GITLAB_CI=true
export CI_API_V4_URL=http://127.0.0.1:1 CI_PROJECT_ID=1 CI_MERGE_REQUEST_IID=7 COMPARE=waymark-base
GATE=$(job paths variables.GATE)
export GATE
cd project
git init -q -b main .
git config user.email a@example.com
git config user.name a
printf 'build\nprofiles\n*.wmprof\ncoverage.xml\nwaymark*\n' >.gitignore
git add .
git commit -qm first
BASE=$(git rev-parse HEAD)
export BASE
job paths script >../script
job base script >../base
sh -eu ../base >log 2>&1 || { cat log; fail "the job that keeps the base"; }
waymark untested --write-baseline .waymark-baseline profiles build/app >/dev/null
git add -f .waymark-baseline
git commit -qm baseline

# Nothing has changed: the gate is open.
sh -eu ../script >log 2>&1 || { cat log; fail "the job fails though nothing has changed"; }
grep -qx '# Waymark: the gate holds' waymark.md || fail "the text for the comment"
xmllint --noout --nonet coverage.xml 2>/dev/null || fail "coverage.xml"
# A new branch that no test takes closes it.
sed -i 's/	return 0;/	if (n == 4)\n		return 7;\n	return 0;/' app.c
git commit -qam change
status=0
sh -eu ../script >log 2>&1 || status=$?
[ $status = 3 ] || { cat log; fail "the job ends with $status though a changed line is not tested"; }
grep -q 'app.c' waymark.md || { cat waymark.md; fail "the job does not say where"; }
grep -q 'no token was given' log || { cat log; fail "without a token the job does not say that there is no comment"; }
grep -qx '# Waymark: the gate does not hold' waymark.md && grep -q "commit $BASE, the new" waymark.md || { cat waymark.md; fail "the text for the comment"; }
