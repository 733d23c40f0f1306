#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every linker and kind of executable: counts kept from before the constructor, kill-safe, errno kept.
. "$(dirname "$0")/lib.sh"
export SUBJECT_EARLY=1
for linker in bfd lld; do
	for kind in -pie -no-pie -static -static-pie; do
		build subject subject.c -fuse-ld=$linker $kind -fPIE -Wno-unused-command-line-argument
		fresh
		inside ../subject count 1000 300
		files 1
		all_counts 1100
		flag $KILL_SAFE 1
		for end in _exit abort chdir; do
			fresh
			inside ../subject count 1000 300 $end 2>/dev/null || [ $end = abort ] || die "$linker $kind $end"
			files 1
			all_counts 1100
		done
	done
done

# A program without instrumented code links and leaves no file.
echo 'int main(void) { return 0; }' >empty.c
for linker in bfd lld; do
	for kind in -pie -no-pie -static '-static-pie -fPIE' '-shared -fPIC'; do
		# shellcheck disable=SC2086
		$CC -fuse-ld=$linker $kind empty.c -Wl,--whole-archive "$RUNTIME" -Wl,--no-whole-archive \
			-Wl,-T,"$ROOT/runtime/waymark.ld" -o empty || die "empty: $linker $kind"
		case $kind in *shared*) continue ;; esac
		fresh
		inside ../empty || die "empty: $linker $kind"
		[ -z "$(ls run)" ] || die "empty: $linker $kind leaves a file"
	done
done

# Without the linker script, or with GNU gold, which cannot use it: counts at exit, one warning.
for linker in bfd gold; do
	[ $linker != gold ] || ld.gold --version >/dev/null 2>&1 || continue
	build_unscripted subject subject.c -fuse-ld=$linker
	for scenario in 'count 1000 300' 'threads delta 4 1000 100' 'fork 2' api; do
		fresh
		# shellcheck disable=SC2086
		inside ../subject $scenario 2>error.txt || die "unscripted $scenario"
		[ "$(wc -l <error.txt)" -le 1 ] || die "more than one warning: $(cat error.txt)"
		dump >dump.txt || die "unscripted: damaged"
		flag $KILL_SAFE 0
		flag $SLACK 0
		case $scenario in
		count*) all_counts 1100 ;;
		threads*) counts 22 4100 ;;
		fork*) files 7; all_counts $((100 + 7 * 100 + 60)) ;;
		esac
	done
done
