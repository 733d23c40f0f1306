#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# library.sh BUILD: libwaymark as it is installed.  The example is compiled as its head says, and prints what the JSON of
# `waymark report` has; the header is C11 and C++; only its functions are exported; and nothing leaks, whatever is wrong.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
waymark=$build/waymark
. "$source/test/lib.sh"

DESTDIR=$directory/tree meson install -C "$build" --no-rebuild --quiet >log 2>&1 || { cat log && fail "meson install"; }
PKG_CONFIG_PATH=$(dirname "$(find tree -name waymark.pc)")
PKG_CONFIG_SYSROOT_DIR=$directory/tree
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
cflags=$(pkg-config --cflags waymark) libs=$(pkg-config --libs waymark)
libdir=$(dirname "$(find "$directory/tree" -name libwaymark.so)")
export LD_LIBRARY_PATH="$libdir"

# ---- What is installed ----
[ "$(pkg-config --modversion waymark)" = "$($waymark --version | cut -d' ' -f2)" ] || fail "the version of waymark.pc"
readelf -d "$libdir/libwaymark.so" | grep -q 'SONAME.*libwaymark\.so\.0' || fail "the soname"
sed -n 's/^[a-z].*[ *]\(waymark_[a-z0-9_]*\)(.*/\1/p' "$source/library/waymark/profile.h" | sort -u >declared
nm -D --defined-only "$libdir/libwaymark.so" | awk '$2 == "T" {sub("@.*", "", $3); print $3}' | sort -u >exported
[ "$(nm -D --defined-only "$libdir/libwaymark.so" | awk '$2 != "A" && $2 != "T"' | wc -l)" = 0 ] || fail "data is exported"
cmp -s declared exported || { diff declared exported || true; fail "the header and the library differ"; }

# ---- The library can neither print nor end the process: it is linked with nothing that does.  Streams are in memory. ----
# can_say_nothing FILE NM-OPTION: among the symbols that the file leaves to others
can_say_nothing() {
	nm "$2" "$1" | awk '$(NF - 1) == "U" {sub("@.*", "", $NF); print $NF}' | sort -u >others
	grep -qx malloc others || fail "the symbols of $1"
	! grep -Ex '(_|quick_)?exit|_Exit|abort|__assert_fail|raise|kill|system|popen|execv.*|posix_spawn.*|std(out|err)|_?_?v?[fd]?printf(_chk)?|puts|putchar|perror|psignal|v?(warn|err)x?|v?syslog|p?writev?(64)?|send.*|f(d|re)?open(64)?|fopencookie|syscall' others ||
		fail "$1 can print or end the process"
}
can_say_nothing "$libdir/libwaymark.so" -Du
# What a program gets from the static library that uses all of its functions.
# shellcheck disable=SC2046
clang-19 -nostdlib -r -o whole.o $(sed 's/^/-Wl,-u,/' exported) "$libdir/libwaymark.a"
can_say_nothing whole.o -u

# ---- The header and the example ----
echo '#include <waymark/profile.h>' >header.c
# shellcheck disable=SC2086
{
	clang-19 -std=c11 -Wall -Wextra -Wpedantic -Werror $cflags -fsyntax-only header.c || fail "the header is not C11"
	clang++-19 -std=c++11 -Wall -Wextra -Wpedantic -Werror $cflags -fsyntax-only -x c++ header.c || fail "the header is not C++"
	clang-19 -std=c11 -Wall -Wextra -Werror -g -fsanitize=address "$source/examples/hot_paths.c" $cflags $libs -o hot_paths
	clang-19 "$source/examples/hot_paths.c" $cflags "$libdir/libwaymark.a" $(pkg-config --static --libs waymark | sed 's/-lwaymark//') -o hot_static
}
[ "$(wc -l <"$source/examples/hot_paths.c")" -le 61 ] || fail "the example is longer than it should be"

# what_report_says PROFILE BINARY: the hottest path of every function that ran, with its decisions
what_report_says() {
	"$waymark" report --json --expand "$1" "$2" | jq -r '.functions[] | select(.paths | length > 0) |
		"\(.paths[0].count) times: path \(.paths[0].id) of \(.demangled)",
		(.paths[0].decisions[] |
		"\(.file // "?"):\(.line): \(if .condition then .condition + ": " else "" end)\(.outcome)")'
}
# compare NAME BINARY ARGS…: runs it, and compares
compare() {
	name=$1 binary=$2
	shift 2
	WAYMARK_FILE=$name.wmraw "./$binary" "$@" >/dev/null
	"$waymark" merge -o "$name.wmprof" "$name.wmraw" >/dev/null
	what_report_says "$name.wmprof" "./$binary" >want
	[ -s want ] || fail "$name: nothing was reported"
	for program in hot_paths hot_static; do
		"./$program" "$name.wmprof" "./$binary" | sed 's/^\t *//' >got || fail "$name: $program fails"
		cmp -s want got || { diff want got || true; fail "$name: $program differs from the report"; }
	done
}
for scheme in acyclic kiter=2 loopcontext context piecewise; do
	"$waymark" cc -O1 -g -fwaymark-scheme=$scheme program.c -o "program-$scheme"
	compare "$scheme" "program-$scheme" 9
done
"$waymark" c++ -O2 -g -x c++ "$source/examples/triangle.c" -o triangle
compare triangle triangle 3 3 3 3 4 5 0 1 1

# ---- What is wrong is said, and nothing leaks: hot_paths exits with 23 if something does ----
# wrong WORDS ARGS…
wrong() {
	words=$1
	shift
	exits 1 ./hot_paths "$@"
	grep -qF "$words" out || { cat out && fail "'$words' is missing"; }
}
head -c 60 acyclic.wmprof >damaged.wmprof
objcopy --remove-section .waymark.map program-acyclic stripped
wrong "no profile was given"
wrong "no binary was given" acyclic.wmprof
wrong "missing.wmprof: it cannot be read" missing.wmprof ./program-acyclic
wrong "damaged.wmprof was left out" damaged.wmprof ./program-acyclic
wrong "cannot read ./missing" acyclic.wmprof ./missing
wrong "neither an ELF file nor an archive" acyclic.wmprof program.c
wrong "has no path map" acyclic.wmprof ./stripped
wrong "the profile has no counts of ./triangle" acyclic.wmprof ./triangle
wrong "none of the binaries given has a path map" acyclic.wmprof ./stripped ./missing
sed 's/n & 1 ?/n \& 1 \&\& n != 5 ?/' program.c >other.c
"$waymark" cc -O1 -g other.c -o program-acyclic
exits 0 ./hot_paths acyclic.wmprof ./program-acyclic # another build: functions with the same graph
grep -q ' of sum$' out || fail "a function whose graph is the same was not told"
! grep -q ' of odd$' out || fail "a function whose graph has changed was told"
echo "library: ok"
