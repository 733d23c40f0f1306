# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A random program: $build, $kind, $seed and $work are given; leaves its source in $source,
# the driver in $cc, its flags in $flags, what it is linked with in $objects, and its output and exit code in plain.out.
# A program that runs too long ends the script with exit code 77.

cc=cc reference=clang-19 source=$work/program.c flags=-w objects=
case $kind in
csmith-c) cd "$work" && csmith --seed "$seed" --max-funcs 6 --max-block-depth 4 -o "$source" ;;
csmith-cpp)
	cc=c++ reference=clang++-19 source=$work/program.cpp
	cd "$work"
	csmith --seed "$seed" --lang-cpp --max-funcs 6 --max-block-depth 4 | sed 's/\bNULL\b/nullptr/g' >"$source"
	;;
graph) "$build/test/gen" "$seed" >"$source" ;;
left)
	"$build/test/gen" "$seed" left >"$source"
	clang++-19 -O1 -c "$(dirname "$(realpath "$0")")/catch.cpp" -o "$work/catch.o"
	flags="$flags -fexceptions" objects="$work/catch.o -lstdc++"
	;;
*) echo "one: unknown kind $kind" >&2 && exit 1 ;;
esac
case $kind in csmith-*) flags="$flags -I/usr/include/csmith -Wno-narrowing" ;; esac
case $seed in *[13579]) flags="$flags -g" ;; esac

fail() {
	echo "FAILED: $kind seed $seed: $*; see $work"
	exit 1
}

# run BINARY OUTPUT: output and exit code in one file
run() {
	code=0
	timeout "$limit" "$1" >"$2" 2>&1 || code=$?
	echo "exit code $code" >>"$2"
}

$reference -O1 $flags "$source" $objects -o "$work/plain" || fail "the plain compiler refuses it"
limit=1
run "$work/plain" "$work/plain.out"
[ $code -ne 124 ] || { rm -rf "$work"; exit 77; }
limit=100

