#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every way to leave activations: each one is recorded once, with its path, and the program ends as it would without.
. "$(dirname "$0")/lib.sh"
replaced='pthread_create thrd_create clone prctl syscall longjmp _longjmp siglongjmp __longjmp_chk _exit _Exit quick_exit
pthread_exit thrd_exit sigaction signal sysv_signal __sysv_signal _Unwind_SetIP'
watch="$BUILD/libwaymark_spawn.a -Wl,-u,__wm_sees_threads,-u,prctl,-u,longjmp,-u,_exit,-u,sigaction,-u,_Unwind_SetIP"
watch_static="$(for name in $replaced; do printf ' -Wl,--wrap=%s' "$name"; done) $BUILD/libwaymark_spawn_static.a \
	-Wl,-u,__wrap_pthread_create,-u,__wrap_longjmp,-u,__wrap__exit,-u,__wrap_sigaction,-u,__wrap__Unwind_SetIP"
echo '#include "test/runtime/left_calls.h"' >calls.c
$CC -std=gnu11 -O2 -fPIC -I"$ROOT" -c calls.c

# ended STATUS HOW…: the exit code of the shell is the status of the program.
ended() {
	status=$1 got=0
	shift
	fresh
	(cd run && exec timeout 60 "$@") >said.txt 2>&1 || got=$?
	[ "$got" = "$status" ] || die "$*: $got instead of $status: $(cat said.txt)"
}

# left 'KEY SITE SUM COUNT'…: what is recorded in all files together.
left() {
	"$RAWDUMP" run/*.wmraw >dump.txt || die "$way: damaged"
	awk '$1 == "unfinished" && $7 != "test" { count[$3 " " $4 " " $5] += $6 } $7 == "base" && $1 == "unfinished" { print "base" }
		END { for (path in count) print path, count[path] }' dump.txt | sort >got.txt
	printf '%s\n' "$@" | sed '/^$/d' | sort >wanted.txt
	diff wanted.txt got.txt >difference.txt || die "$way: $(cat difference.txt)"
}

nest() { left '101 1 17 1' '102 2 1002 1' '103 3 2 1' '104 2147483652 4 1' '105 5 7 1'; }

# try STATUS WAY: all activations of the nest are left.
try() {
	way=$2
	ended "$1" ../leaver "$2"
	nest
}

ways() {
	for way in exit _exit quick_exit; do try 3 $way; done
	try 3 sort
	for way in thread main_thread; do try 0 $way; done
	try 143 term
	try 139 segv
	try 136 division
	try 139 null_call
	try 134 abort

	way=unknown
	ended 3 ../leaver unknown
	left '107 7 40 1' '108 8 45 1'
	way=jump
	ended 0 ../leaver jump
	left '102 2 1000 4' $(:) "$(seq 1001 2999 | sed 's/.*/102 2 & 1/')"
	way=inner_jump
	ended 0 ../leaver inner_jump
	left '103 3 199 1'
	way=signal_jump
	ended 0 ../leaver signal_jump
	left '103 3 300 5'
	way=fork
	ended 3 ../leaver fork
	left '102 2 1001 1' '103 3 10 2'
	files 2
	way=vfork
	ended 0 ../leaver vfork
	left ''
	way=reset
	ended 0 ../leaver reset
	left '102 2 1001 1' '102 2 1002 1'
	way=tests
	ended 0 ../leaver tests
	left '102 2 1001 2' '102 2 1002 1'
	[ "$(awk '$1 == "unfinished" && $7 == "test" { print $5, $6 }' dump.txt | tr '\n' ';')" = '1001 1;1002 1;1001 1;' ] ||
		[ "$(awk '$1 == "unfinished" && $7 == "test" { print $5, $6 }' dump.txt | tr '\n' ';')" = '1001 1;1001 1;1002 1;' ] ||
		die "tests: $(grep unfinished dump.txt)"
	ended 0 ../leaver says_default
}

exceptions() {
	for way in caught:0 uncaught:134; do
		ended ${way#*:} ../thrower ${way%:*}
		left '101 1 17 1' '102 2 1002 1' '103 3 2 1'
	done
	for way in rethrown:0 sorted:0 broken_promise:134 thread:0; do
		ended ${way#*:} ../thrower ${way%:*}
		left '102 2 1002 1' '103 3 2 1'
	done
	way=nested
	ended 0 ../thrower nested
	left '102 2 1002 1' '103 3 2 1' '104 2147483652 4 1'
	way=often
	ended 0 ../thrower often
	left '103 3 2 1000'
}

# shellcheck disable=SC2086
for linker in bfd lld; do
	for kind in '-pie -fPIE' '-no-pie' '-static' '-static-pie -fPIE'; do
		case $kind in -static*) notify=$watch_static ;; *) notify=$watch ;; esac
		build leaver leaver.c $kind -fuse-ld=$linker -Wno-unused-command-line-argument $notify -pthread
		${CXX:-clang++-19} -std=c++17 -O2 $kind -fuse-ld=$linker "$ROOT/test/runtime/thrower.cpp" calls.o $notify "$RUNTIME" \
			-Wl,-T,"$ROOT/runtime/waymark.ld" -Wl,--build-id -pthread -o thrower
		ways
		exceptions
	done
done

# Without what replaces the functions of the C library: the end of the process and faults.
build leaver leaver.c -pthread
try 3 exit
try 139 segv
way='term, not watched'
ended 143 ../leaver term
left ''
export WAYMARK_SIGNALS=0
way='segv, not watched'
ended 139 ../leaver segv
left ''
unset WAYMARK_SIGNALS

# A signal that was ignored stays ignored; with a file nowhere, nothing is watched.
# shellcheck disable=SC2086
build leaver leaver.c $watch -pthread
way=/dev/null
WAYMARK_FILE=/dev/null ended 143 ../leaver term

# In pools, also when the chunks of a pool are added up.
fresh
for i in 1 2 3; do (cd run && WAYMARK_FILE=%m.wmraw ../leaver exit) || [ $? = 3 ] || die 'in a pool'; done
files 1
way=pool
left '101 1 17 3' '102 2 1002 3' '103 3 2 3' '104 2147483652 4 3' '105 5 7 3'
for i in $(seq 260); do (cd run && WAYMARK_FILE=%m.wmraw ../leaver exit) || [ $? = 3 ] || die 'in a pool'; done
left '101 1 17 263' '102 2 1002 263' '103 3 2 263' '104 2147483652 4 263' '105 5 7 263'
[ "$(wc -c <"$(ls run/*.wmraw)")" -lt 1000000 ] || die 'the pool was not added up'

# Shared objects record what is left of them, and may be unloaded.
cat >library.c <<'END'
#define KEYS 100
#include "test/runtime/left_calls.h"
void library_call(void (*callee)(void *), void *argument, uint64_t sum);
void library_call(void (*callee)(void *), void *argument, uint64_t sum)
{
	call_register(callee, argument, sum);
}
END
$CC -std=gnu11 -O2 -fPIC -shared -I"$ROOT" library.c "$RUNTIME" -Wl,-T,"$ROOT/runtime/waymark.ld" -Wl,--build-id -o liblibrary.so
way=library
ended 3 ../leaver library "$WORK/liblibrary.so"
left '202 2 1002 2' '103 3 5 1' '103 3 6 1'
