#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Others write to the live file; the caller is not to be trusted.
. "$(dirname "$0")/lib.sh"
build subject subject.c
build ordeal ordeal.c -pthread

# Every word of the mapping changes under the program.
fresh
WAYMARK_FILE=live.wmraw inside "$BUILD/test/runtime/sweeper" live.wmraw ../ordeal steps || die "swept"

# Nobody else may write to it, whatever the umask is.
fresh
(umask 0 && inside ../subject count 10 10)
[ "$(stat -c %a run/*.wmraw)" = 600 ] || die "mode: $(ls -l run)"

# A program with more rights than its caller: no file, by any name.  Needs root, and a file system with setuid.
if [ "$(id -u)" = 0 ]; then
	fresh
	chmod a+rx "$WORK"
	chmod a+rwx run
	cp ordeal privileged
	chmod u+s,a+rx privileged
	WAYMARK_FILE=wanted.wmraw inside setpriv --reuid=65534 --regid=65534 --clear-groups ../privileged identity >said.txt 2>error.txt ||
		die "setuid: exit code $?"
	case $(cat said.txt) in
	"0 1") [ -z "$(ls run)" ] || die "setuid: $(ls -l run)" ;; # EPERM
	0*) die "setuid: $(cat said.txt)" ;;
	esac
	[ ! -s error.txt ] || die "setuid: $(cat error.txt)"
fi
