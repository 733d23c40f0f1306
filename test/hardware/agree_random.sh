#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# agree_random.sh BUILD: agree.sh on programs of csmith.  The seeds are of programs that end soon.
set -eu
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
header=$(find /usr/include -name csmith.h | head -n 1)
export CPATH="${header%/*}"
for seed in 1 2 3 4 5; do
	csmith --seed $seed --no-volatiles --max-funcs 6 --no-argc >"$work/$seed.c"
	"$here/agree.sh" "$1" "$work/$seed.c"
done
