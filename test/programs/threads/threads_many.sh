# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Many threads, libraries that are opened and closed while threads run, forks in threads.
cat >library.c <<'END'
int library(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? 1 : 2; return s; }
END
must "$waymark" cc -O2 -fPIC -shared library.c -o library.so
# run WHAT…: runs the program; its files are in run/
run() {
	rm -rf run
	mkdir run
	WAYMARK_FILE=run/%p.wmraw ./program "$@" >said.txt || fail "$*: exit code $?: $(cat said.txt)"
	must "$waymark" merge -o all.wmprof run/*.wmraw
	"$waymark" report --json all.wmprof ./program ./library.so >report.json
}
for options in "" -no-pie; do
	must "$waymark" cc -O2 -g -pthread $options program.c -o program
	run many 4000 1000
	expect 'f("work").entries == 6000 and f("briefly").entries == 4000'
	run late 0 ./library.so
	expect 'f("library").entries == 4000 and f("work").entries == 4003'
	run late 1 ./library.so
	expect 'f("library").entries == 4000 and f("work").entries == 4003'
	run forks
	expect "f(\"work\").entries == $(cat said.txt)"
done
run cycles 1000 ./library.so
expect "f(\"library\").entries == $(cat said.txt)"
# A program that may have a seccomp filter ends without a system call.
for static in "" -static; do
	must "$waymark" cc -O1 $static filter.c -o filter
	rm -f run.wmraw
	must env WAYMARK_FILE=run.wmraw ./filter
	report ./filter run.wmraw
	expect 'f("work").entries == 1'
done
