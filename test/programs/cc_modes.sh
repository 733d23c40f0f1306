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

must "$waymark" cc --target=aarch64-linux-gnu -c b.c -o foreign.o
must clang-19 --target=aarch64-linux-gnu -c b.c -o plain.o
cmp foreign.o plain.o || fail "a foreign target is not passed through untouched"
! "$waymark" cc -c missing.c 2>log || fail "a missing file must fail"
! "$waymark" cc -fwaymark-scheme=nonsense -c b.c 2>log || fail "an unknown scheme must be refused"
grep -q acyclic log || { cat log; fail "the refusal must list the valid schemes"; }
! "$waymark" cc -fwaymark-cfg=nonsense -c b.c 2>log || fail "an unknown graph must be refused"
grep -q optimised log || { cat log; fail "the refusal must list the valid graphs"; }
! WAYMARK_UPDATE=nonsense "$waymark" cc -c b.c -o b.o 2>log || fail "an unknown value in the environment must be refused"
grep -q atomic log || { cat log; fail "the refusal must list the valid values"; }
