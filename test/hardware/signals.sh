#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# signals.sh BUILD: `waymark hw` on programs with signal handlers and longjmp: every path is exact.
. "$(dirname "$0")/lib.sh"

clang-19 -O0 -g signals.c -o signals
profile 0 ./signals
work_paths 700
expect 'counts("handle") | length == 1 and .[0] >= 5'


# Signals that arrive between an indirect call, jump or return and its target, in a handler that the
# program also calls, before and after it installs the handler.
clang-19 -O0 -g indirect.c -o indirect
profile 0 ./indirect
read -r handled called <out
expect "counts(\"handle\") == [$handled] and counts(\"callee\") == [$called]"

# A handler whose first block is a loop of its own, on a stack of its own, left by siglongjmp.
clang-19 -O0 -g loops.c -o loops
profile 0 ./loops
# From the handler's start: two more iterations end a path each, the first one likewise; the fourth leaves.
expect '[.paths[] | select(.function == "handle" and .outcomes == "1") | .counts.frequency] == [150]'
expect '[.paths[] | select(.function == "main" and .end == "backward branch") | .counts.frequency] | add == 50'

# AArch64 keeps return addresses in a register.  No library is needed.
clang-19 --target=aarch64-linux-gnu -O0 -g -ffreestanding -nostdlib -static -fuse-ld=lld foreign.c -o foreign
profile 7 ./foreign
work_paths 5
expect 'counts("handle") | add == 40 and length == 2'
expect 'counts("callee") | length == 1 and .[0] >= 3000'
expect '[.paths[] | select(.function == "_start" and .end == "backward branch") | .counts.frequency] | sort | .[-2:][0] == 499'
"$waymark" hw --json --stdout /dev/null -- ./foreign >all.json || :
jq -e '.deepest < 20' all.json >/dev/null || fail "entries that longjmp skipped stay on the path stack"
echo "all agree"
