# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program of GCC's test suite: BUILD, SOURCE and WORKDIR are the arguments of the script.  Goes to WORKDIR, compiles the
# program with plain clang, and leaves its output in plain.out and plain.err, the driver in $driver and its flags in $flags.
# A program that plain clang cannot use ends the script with exit code 77.
build=$(realpath "$1") source=$(realpath "$2") work=$(realpath -m "$3")
here=$(realpath "$(dirname "$0")")
waymark=$build/waymark
rm -rf "$work"
mkdir -p "$work"
cd "$work"
unset WAYMARK_FILE WAYMARK_TEST WM_TRACE_FILE
. "$here/../programs/lib.sh"

number=$(basename "$source" | cksum | cut -d ' ' -f 1)
choose() {
	shift $(($1 % ($# - 1) + 1))
	echo "$1"
}
level=${LEVEL-$(choose "$number" -O0 -O1 -O2 -O3)}

# What the program asks of its compiler, as far as clang has it.
flags="-w -Wno-int-conversion -Wno-incompatible-function-pointer-types -Wno-return-type $(sed -n \
	's/.*{ *dg-\(additional-\)\{0,1\}options "\([^"]*\)" *}.*/\2/p' "$source" | tr '\n' ' ')"
case $source in
*.C) driver=c++ plain=clang++-19 flags="-std=gnu++14 -Wno-narrowing $flags" ;;
*) driver=cc plain=clang-19 flags="-std=gnu89 $flags" ;;
esac
flags="$flags $(choose $((number / 72)) '' -g)"

# runs BINARY: in $code, output in BINARY.out
runs() {
	code=0
	timeout "$limit" "./$1" >"$1.out" 2>"$1.err" </dev/null || code=$?
}
limit=2
$plain $level $flags "$source" -lm -o plain >plain.log 2>&1 || exit 77
runs plain
[ $code = 0 ] || exit 77
limit=100
