# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CC="waymark cc" in make, autoconf, CMake and Meson projects.
cat >hello.c <<'END'
#include <stdio.h>
int greet(int n) { return n > 2 ? printf("many\n") : printf("few\n"); }
int main(int argc, char **argv) { (void)argv; for (int i = 0; i < 5; i++) greet(i + argc); return 0; }
END
check() {
	rm -f -- run.wmraw
	must env WAYMARK_FILE="$PWD/run.wmraw" "$1"
	report "$1" run.wmraw
	expect 'f("greet").entries == 5 and f("main").entries == 1'
}
mkdir m && cp hello.c m/
must make -C m CC="$waymark cc" CFLAGS=-O2 hello && check m/hello

mkdir -p a && cp hello.c a/
printf 'bin_PROGRAMS = hello\nhello_SOURCES = hello.c\n' >a/Makefile.am
(cd a && must autoreconf -i && must ./configure CC="$waymark cc" && must make && grep -q 'ac_cv_sizeof_long=8' config.log) ||
	fail "autoconf project"
check a/hello

mkdir c && cp hello.c c/
printf 'cmake_minimum_required(VERSION 3.10)\nproject(hello C)\nadd_executable(hello hello.c)\n' >c/CMakeLists.txt
must env CC="$waymark cc" cmake -S c -B c/build
must cmake --build c/build && check c/build/hello

mkdir n && cp hello.c n/
printf "project('hello', 'c')\nexecutable('hello', 'hello.c')\n" >n/meson.build
must env CC="$waymark cc" meson setup n/build n
must ninja -C n/build && check n/build/hello
