# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For the scripts of the folders beside it, which set $waymark first: a directory to work in, with the
# files of the folder that is named after the script, and words to check with.
files=$(realpath "$0") files=${files%.sh}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
[ ! -d "$files" ] || cp -R "$files/." .

fail() {
	echo "FAILED: $*"
	exit 1
}

# says WORDS COMMAND...: the command prints these words, on either stream
says() {
	words=$1
	shift
	"$@" >out 2>&1 || true
	grep -qF -- "$words" out || { cat out && fail "'$words' is missing in the output of: $*"; }
}

# exits CODE COMMAND...
exits() {
	want=$1
	shift
	got=0
	"$@" >out 2>&1 || got=$?
	[ "$got" = "$want" ] || { cat out && fail "exit code $got instead of $want: $*"; }
}

# json FILTER COMMAND...: the JSON it prints satisfies the filter
json() {
	filter=$1
	shift
	"$@" >out.json || fail "it does not run: $*"
	jq -e "$filter" out.json >/dev/null || { cat out.json && fail "not so: $filter"; }
}

# page_data FILE...: the objects in data files of pages of --html, a line of JSON each
page_data() {
	cat "$@" | sed -n 's/^waymark("\(.*\)");$/\1/p' |
		python3 -c 'import base64, sys, zlib
for line in sys.stdin: print(zlib.decompress(base64.b64decode(line.strip(), validate=True)).decode())'
}
