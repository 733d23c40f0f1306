#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The runtime itself under ThreadSanitizer, where that works.
. "$(dirname "$0")/lib.sh"
flags='-std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=thread -fno-builtin'
echo 'int main(void) { return 0; }' >probe.c
# shellcheck disable=SC2086
{ $CC $flags probe.c -o probe && ./probe; } >probe.txt 2>&1 || exit 77
for source in "$ROOT"/runtime/*/*.c; do
	case $source in */notify/*) continue ;; esac # the sanitizer has its own pthread_create
	# shellcheck disable=SC2086
	$CC $flags -fPIC -fvisibility=hidden -I"$ROOT" -c "$source" -o "$(basename "$source" .c).o"
done
ar rcs race.a ./*.o
RUNTIME=race.a build subject subject.c -fsanitize=thread -g
for scenario in 'threads atomic 8 20000 5000' 'threads delta 8 5000 2000 4' 'threads gs 8 5000 2000 4'; do
	fresh
	# shellcheck disable=SC2086
	inside ../subject $scenario || die "$scenario"
	files 1
	counts 11 "$(awk -v s="$scenario" 'BEGIN { print s ~ /atomic/ ? 160000 : 0 }')"
	counts 22 "$(awk -v s="$scenario" 'BEGIN { print s ~ /delta/ ? 160000 : 0 }')"
	counts 2 "$(awk -v s="$scenario" 'BEGIN { print s ~ /gs/ ? 160000 : 0 }')"
done
