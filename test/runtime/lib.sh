# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the tests of the runtime, each run as `SCRIPT BUILD_DIRECTORY`.
set -eu
BUILD=$1
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
CC=${CC:-clang-19}
RAWDUMP=${RAWDUMP:-$BUILD/test/runtime/rawdump}
RUNTIME=${RUNTIME:-$BUILD/libwaymark_rt.a}
WORK=$(mktemp -d)
trap 'chmod -R u+w "$WORK"; rm -rf "$WORK"' EXIT
unset WAYMARK_FILE
cd "$WORK"

build() { # OUTPUT SOURCE FLAG...
	output=$1 source=$ROOT/test/runtime/$2
	shift 2
	$CC -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -I"$ROOT" "$source" "$@" "$RUNTIME" \
		-Wl,-T,"$ROOT/runtime/waymark.ld" -Wl,--build-id -o "$output"
}
build_unscripted() { # the same without the linker script
	output=$1 source=$ROOT/test/runtime/$2
	shift 2
	$CC -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -I"$ROOT" "$source" "$@" "$RUNTIME" -o "$output"
}

die() {
	echo "$0: $*" >&2
	exit 1
}

# Runs in the fresh directory run/; raw profiles are read from there.
fresh() {
	rm -rf run
	mkdir run
}
inside() { (cd run && "$@"); }

dump() { "$RAWDUMP" -s run/*.wmraw; }

# files N: so many raw profiles, all whole.
files() {
	found=$(find run -name '*.wmraw' | wc -l)
	[ "$found" = "$1" ] || die "$found raw profiles instead of $1: $(ls run)"
	[ "$(find run -type f ! -name '*.wmraw' ! -name '*.txt' | wc -l)" = 0 ] || die "litter: $(ls run)"
	dump >dump.txt || die "a raw profile is damaged"
}

# counts KEY N: summed over all files, entries and completed paths are N, none doubtful.
counts() {
	got=$(awk -v key="$1" '$1 == "func" && $3 == key { e += $4; c += $6; d += $9 } END { print e + 0, c + 0, d + 0 }' dump.txt)
	[ "$got" = "$2 $2 0" ] || die "key $1: entries, completed, doubt are $got instead of $2 $2 0"
}
all_counts() {
	for key in 1 2 3 4 11 12 13 14 21 22 23 24; do counts $key "$1"; done
}

# flag COLUMN VALUE: in every file; columns as rawdump.c lists them.
flag() {
	bad=$(awk -v column="$1" -v value="$2" '$1 == "file" && $column != value' dump.txt)
	[ -z "$bad" ] || die "column $1 is not $2: $bad"
}
KILL_SAFE=4 SECOND_THREAD=5 FOREIGN=6 SNAPSHOT=7 INHERITED=8 EPOCH=9 SLACK=12
