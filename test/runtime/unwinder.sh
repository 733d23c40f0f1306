#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The unwinder against that of the compiler: in every kind of executable, with both compilers, with and without frame pointers.
. "$(dirname "$0")/lib.sh"
scenarios='plain deep sorts alignment signals other_stack threads every_step library smashed smashed_in_thread bad_call'

try() { # NAME COMPILER FLAG...
	name=$1 compiler=$2
	shift 2
	"$compiler" -std=gnu11 -D_GNU_SOURCE -Wno-unused-command-line-argument -I"$ROOT" "$@" "$ROOT/test/runtime/unwinder.c" "$RUNTIME" -pthread -o unwinder ||
		die "$name: not built"
	for scenario in $scenarios; do
		timeout 60 ./unwinder "$scenario" >said.txt 2>&1 || die "$name: $scenario: $? $(cat said.txt)"
	done
}

for compiler in "$CC" gcc; do
	command -v "$compiler" >/dev/null || continue
	try "$compiler O0" "$compiler" -O0
	try "$compiler O2" "$compiler" -O2
	try "$compiler O2 with frame pointers" "$compiler" -O2 -fno-omit-frame-pointer
	try "$compiler static" "$compiler" -O2 -static -Wl,--eh-frame-hdr
	try "$compiler static-pie" "$compiler" -O2 -static-pie -fPIE
	try "$compiler no-pie" "$compiler" -O1 -no-pie
	try "$compiler lazy" "$compiler" -O2 -Wl,-z,lazy
done

# A shared object on the stack.
$CC -std=gnu11 -D_GNU_SOURCE -O2 -I"$ROOT" -DLIBRARY -fPIC -shared "$ROOT/test/runtime/unwinder.c" -o libcallback.so
try 'shared object' "$CC" -O2 -DPROGRAM "$WORK/libcallback.so"
