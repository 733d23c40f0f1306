# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For tests of roles, under test/store/postgresql.
fail() {
	echo "FAILED: $*" >&2
	exit 1
}
# as ROLE: the name of the store for that role.
as() {
	echo "postgresql:///test?host=$STORE_SOCKET&user=$1"
}
# sql ROLE TEXT: what the role asks the database directly.
sql() {
	psql -X -q -At -v ON_ERROR_STOP=1 "$(as "$1")" -c "$2"
}
# refused WORDS COMMAND ARGS: the command fails with a sentence that contains the words.
refused() {
	words=$1
	shift
	if "$@" >out 2>&1; then
		fail "$* succeeded"
	fi
	grep -qF -- "$words" out || fail "$*: $(cat out)"
}
