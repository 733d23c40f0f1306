#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# impostor.sh BUILD: when `waymark hw` has been killed, another user who serves its socket gets nothing, and the program
# goes on unprofiled.  Only root can act as another user.
. "$(dirname "$0")/lib.sh"

cat >plain.c <<'C'
#include "work.h"
#include <stdio.h>
int main(void) { printf("%d\n", work(999)); return 3; }
C
clang-19 -O0 -g plain.c -o plain
clang-19 -O0 forks.c -o forks

# await COMMAND: until it succeeds, for ten seconds
await() {
	for _ in $(seq 500); do
		! "$@" || return 0
		sleep 0.02
	done
	fail "waited in vain for: $*"
}
two_lines() {
	[ "$(wc -l <after)" = 2 ]
}

# take_over WORDS: runs the impostor by these words after the command has been killed
take_over() {
	rm -f started go serving deceived after
	"$waymark" hw --quiet -o run.wmprof -- ./forks >after 2>err &
	command=$!
	await test -e started
	name=$(tr '\0' '\n' </proc/"$(pgrep -P $command)"/cmdline | sed -n 's/.*,socket=//p')
	[ -n "$name" ] || fail "the program has no socket"
	kill -9 $command
	wait $command 2>/dev/null || :
	"$@" ./impostor "$name" &
	impostor=$!
	await test -e serving
	touch go
	await two_lines
	wait $impostor || :
}

cp "$build/test/hardware/impostor" .
# An impostor of the same user is believed: this shows that the impostor works.
take_over env
[ -e deceived ] || fail "the impostor does not work"
if [ "$(id -u)" != 0 ]; then
	echo "skipped: only root can act as another user"
	exit 77
fi
chmod 777 .
take_over setpriv --reuid=65534 --regid=65534 --clear-groups
[ ! -e deceived ] || fail "a program took memory of another user"
echo "all agree"
