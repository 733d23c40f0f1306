# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `waymark cc` is clang: every way a build calls its compiler works.
cat >a.c <<'END'
int b(int);
int main(int argc, char **argv) { (void)argv; return b(argc) == 2 ? 0 : 1; }
END
echo 'int b(int x) { return x > 1 ? x : x + 1; }' >b.c
run_profiled() {
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./$1
	report ./$1 run.wmraw
	expect 'f("main").entries == 1 and f("b").entries == 1'
}
must "$waymark" cc -c a.c
must "$waymark" cc -c b.c -o sub.o
must "$waymark" cc a.o sub.o -o separate && run_profiled separate
must "$waymark" cc a.c b.c -o together && run_profiled together
must "$waymark" cc -O2 -S b.c -o b.s
must "$waymark" cc a.c b.s -o from_assembly && run_profiled from_assembly
must "$waymark" cc -E b.c -o b.i
grep -q 'x > 1' b.i || fail "-E does not preprocess"
must "$waymark" cc -O1 -x c - -c -o stdin.o <b.c
must "$waymark" cc a.o stdin.o -o from_stdin && run_profiled from_stdin
echo '-O2 a.c b.c -o "from response"' >arguments.rsp
must "$waymark" cc @arguments.rsp && mv 'from response' from_response && run_profiled from_response
must "$waymark" cc -O2 -emit-llvm -c b.c -o b.bc
must "$waymark" cc a.c b.bc -o from_bitcode && run_profiled from_bitcode
must "$waymark" cc -MMD -MF b.d -c b.c -o b.o && grep -q 'b.c' b.d || fail "-MMD"
must "$waymark" cc -r a.o sub.o -o partial.o
must "$waymark" cc partial.o -o from_partial && run_profiled from_partial
ar rcs libb.a sub.o
must "$waymark" cc a.c -L. -lb -o from_archive && run_profiled from_archive
must "$waymark" cc --version && grep -q clang must.log || fail "--version"
must "$waymark" cc -print-file-name=crt1.o
must "$waymark" cc -fsyntax-only b.c

# What cannot be instrumented is compiled as by clang, and one sentence says why.
passed_through() { # passed_through REASON OPTION…
	reason=$1
	shift
	must "$waymark" cc -O1 "$@" -c b.c -o foreign.o
	[ "$(cat must.log)" = "waymark: b.c is not instrumented: it is compiled for $reason" ] || { cat must.log; fail "$*: no reason"; }
	must clang-19 -O1 "$@" -c b.c -o plain.o
	cmp foreign.o plain.o || fail "$* is not passed through untouched"
}
known='and Waymark knows only x86-64 Linux (ELF)'
passed_through "i386-pc-linux-gnu, $known" -m32
passed_through "x86_64-pc-linux-gnux32, $known" -mx32
passed_through "aarch64-unknown-linux-gnu, $known" --target=aarch64-linux-gnu
passed_through "riscv64-unknown-linux-gnu, $known" -target riscv64-linux-gnu
passed_through "x86_64-pc-linux-gnu-macho, $known" --target=x86_64-pc-linux-gnu-macho
passed_through 'a kernel (-mcmodel=kernel), and Waymark knows only programs' -mcmodel=kernel
silent() {
	must "$waymark" cc "$@"
	[ ! -s must.log ] || { cat must.log; fail "prints with $*"; }
}
silent -m32 -fsyntax-only a.c b.c
silent -m32 -fno-waymark -c b.c -o foreign.o
for options in '-m32 -m64' '--target=i686-linux-gnu -m64' '--target=x86_64-linux-gnu' -mcmodel=medium -mcmodel=large '-mcmodel=large -no-pie'; do
	silent -O1 $options a.c b.c -o native
	run_profiled native
done

# Another version of clang is refused before it loads the plugin, and by the plugin, before it does anything.
printf '#!/bin/sh\necho "Debian clang version 16.0.6 (15~deb12u1)"\n' >other-clang
printf '#!/bin/sh\n[ "$1" != --version ] || echo "gcc (Debian) 12.2.0"\nexit 0\n' >other-compiler
chmod +x other-clang other-compiler
refused() { # refused SENTENCE COMMAND…
	sentence=$1 code=0
	shift
	"$@" >out 2>log || code=$?
	[ $code = 1 ] && grep -qxF -- "$sentence" log || { cat log; fail "exit code $code: $*"; }
}
refused 'waymark cc: ./other-clang is clang 16.0.6, which cannot load the plugin: name a clang 19 in WAYMARK_CLANG' \
	env WAYMARK_CLANG=./other-clang "$waymark" cc -c b.c
refused 'waymark c++: ./other-compiler is not clang: name a clang 19 in WAYMARK_CLANGXX' \
	env WAYMARK_CLANGXX=./other-compiler "$waymark" c++ -c b.c
must env WAYMARK_CLANG=./other-clang "$waymark" cc -fno-waymark -c b.c
must env WAYMARK_CLANG="$(llvm-config-19 --bindir)/clang" "$waymark" cc -c b.c
echo 'void LLVMGetVersion(unsigned *a, unsigned *b, unsigned *c) { *a = 16, *b = 0, *c = 6; }' >version.c
must clang-19 -shared -fPIC version.c -o version.so
refused "waymark: the plugin is for LLVM $(llvm-config-19 --version | cut -d . -f 1,2) and cannot be used here, with LLVM 16.0: use clang 19" \
	env LD_PRELOAD=./version.so clang-19 -fpass-plugin="$build/waymark-plugin.so" -c b.c

! "$waymark" cc -c missing.c 2>log || fail "a missing file must fail"
! "$waymark" cc -fwaymark-scheme=nonsense -c b.c 2>log || fail "an unknown scheme must be refused"
grep -q acyclic log || { cat log; fail "the refusal must list the valid schemes"; }
! "$waymark" cc -fwaymark-cfg=nonsense -c b.c 2>log || fail "an unknown graph must be refused"
grep -q optimised log || { cat log; fail "the refusal must list the valid graphs"; }
! WAYMARK_UPDATE=nonsense "$waymark" cc -c b.c -o b.o 2>log || fail "an unknown value in the environment must be refused"
grep -q atomic log || { cat log; fail "the refusal must list the valid values"; }
