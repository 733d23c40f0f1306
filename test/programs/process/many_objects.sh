# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Programs that open many instrumented objects while threads run, close half of them and open them again: every call of every
# thread is counted.  A shared object needs none of the static thread-local storage, which is scarce in a running program.
cat >plug.c <<'END'
__attribute__((noinline)) static int step(int x) { int n = 0; for (; x > 1; x = x % 2 ? 3 * x + 1 : x / 2) n++; return n; }
int plug(int x) { return x > 10 ? step(x % 64) : x % 2 ? -x : x; }
END
# plug OPTION…: COUNT copies of an object; it has no thread-local variables
plug() {
	must "$waymark" cc -O2 -w -fPIC -shared "$@" plug.c -o plug.so
	readelf -dlW plug.so >sections.txt
	! grep -E 'STATIC_TLS|^  TLS' sections.txt || fail "$*: static thread-local storage"
	copies 0 12
}
copies() {
	tee $(seq -f 'objects/%g.so' "$1" $(($2 - 1))) <plug.so >/dev/null
}
# run PROGRAM COUNT: its files are in run/
run() {
	rm -rf run
	mkdir run
	WAYMARK_FILE=run/%p.wmraw "$@" >said.txt 2>errors.txt || { cat said.txt errors.txt; fail "$*: exit code $?"; }
	[ ! -s errors.txt ] || { cat errors.txt; fail "$* prints something"; }
}
# counted: what the objects counted
counted() {
	find run -name '*.wmraw' -print0 | xargs -0 "$waymark" merge -o all.wmprof >/dev/null || fail "merge"
	"$waymark" report --json all.wmprof ./plug.so >report.json || fail "report"
}
mkdir objects
must clang-19 -O2 -pthread program.c -o plain
must "$waymark" cc -O2 -pthread program.c -o program
must "$waymark" cc -O2 -static program.c -o static 2>errors.txt # the linker warns of dlopen
plug
for program in plain program static; do
	run ./$program 12
	counted
	expect "f(\"plug\").entries == $(cat said.txt) and total(\"plug\") == $(cat said.txt)"
done
for graph in source optimised; do
	plug -fwaymark-cfg=$graph
	run ./plain 12
	counted
	cp all.wmprof train.wmprof
	for options in -fwaymark-update=delta -fwaymark-update=atomic -fwaymark-scheme=kiter=2 -fwaymark-scheme=context \
		-fwaymark-scheme=piecewise '-fwaymark-scheme=piecewise -fwaymark-update=delta' -fwaymark-crash \
		'-fwaymark-crash -fwaymark-update=delta' -fwaymark-residual=train.wmprof; do
		plug -fwaymark-cfg=$graph $options
		run ./program 12
		counted
		case $options in
		*residual*) expect '[f("plug").paths[]] | length == 0' ;;
		*) expect "f(\"plug\").entries == $(cat said.txt)" ;;
		esac
	done
	plug -fwaymark-cfg=$graph -fwaymark-wpp
	run ./plain 12
done
plug
copies 12 500
copies 500 1000
for program in program static; do
	run ./$program 1000
	counted
	expect "f(\"plug\").entries == $(cat said.txt) and total(\"plug\") == $(cat said.txt)"
done
# Code that was not compiled for shared objects does not ask whether the object is attached to its thread.
must "$waymark" cc -O2 -shared plug.c -o plug.so
copies 0 12
run ./program 12
counted
expect "f(\"plug\").entries == $(cat said.txt)"
