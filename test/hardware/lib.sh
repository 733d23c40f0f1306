# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the scripts beside it, whose argument is the build directory: goes to a directory of their own, with the
# files of the folder that is named after the script.
set -eu
files=$(realpath "$0") files=${files%.sh}
build=$(realpath "$1")
waymark=$build/waymark
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "${files%/*}/work.h" .
[ ! -d "$files" ] || cp -R "$files/." .

fail() {
	echo "FAILED: $*"
	exit 1
}

# profile STATUS PROGRAM ARGUMENTS: leaves paths of all objects in paths.json and stderr in err
profile() {
	want=$1 got=0
	shift
	"$waymark" hw --quiet -o run.wmprof -- "$@" >out 2>err || got=$?
	[ "$got" = "$want" ] || { cat err; fail "exit code $got instead of $want: $*"; }
	"$waymark" report --json run.wmprof "$1" >paths.json
}

# expect FACT: about paths.json; counts(F) are the frequencies of the paths of function F
expect() {
	jq -e "def counts(\$f): [.paths[] | select(.function == \$f) | .counts.frequency] | sort; $1" paths.json >/dev/null ||
		{ jq -c '.paths[] | select(.object != null) | [.function, .outcomes, .end, .counts.frequency]' paths.json; fail "$1"; }
}

# refused STATUS TEXT ARGUMENTS
refused() {
	want=$1 text=$2 got=0
	shift 2
	"$waymark" hw "$@" >out 2>err || got=$?
	[ "$got" = "$want" ] || { cat err; fail "exit code $got instead of $want: $*"; }
	grep -q "$text" err || { cat err; fail "no '$text' in the message about $*"; }
}

# Of work.h: entry, two ways through the loop, exit: by calls of work(999).
work_paths() {
	expect "counts(\"work\") == [$1, $1, $1 * 332, $1 * 666]"
}
