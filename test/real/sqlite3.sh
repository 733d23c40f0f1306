# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The amalgamation and the shell, and a part of the test suite that runs in minutes.
package=sqlite3 program=sqlite3 traced='source'
build_it() { ./configure --disable-shared --disable-readline --with-tcl=/usr/lib/tcl8.6 && make -j"$jobs" sqlite3; }
test_it() {
	make -j"$jobs" testfixture
	for test in select1 select2 where join index func expr trans vacuum trigger1 json101 fts3aa rtree1 window1; do
		[ ! -f test/$test.test ] || { ./testfixture test/$test.test >log.$test 2>&1 && grep -q '^0 errors out of' log.$test; } ||
			{ tail -n 20 log.$test; return 1; }
	done
}
use_it() { rm -f x.db && ./sqlite3 x.db <"$here/sqlite3.sql"; }
train_it() { echo "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2), (3, 4); SELECT sum(a * b) FROM t WHERE a > 0 ORDER BY 1;" | ./sqlite3 :memory:; }
