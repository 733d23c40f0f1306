# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The benchmarks, with a small program instead of the real ones: every script makes its tables, a program that prints an
# error or that does nothing is noticed, and what was interrupted is measured again.
unset BUILT FRESH INSTRUCTIONS LIMIT OTHER SCHEME SHARD SHARDS SHARD_KEPT TABLES # of whoever runs this test
mkdir -p copy/bench copy/scripts copy/tiny
find "$cases/../../bench" -maxdepth 1 -type f -exec cp {} copy/bench \;
ln -s "$(realpath "$cases/../../hardware")" copy/
cp "$cases/../../scripts/shards" copy/scripts
git init -q copy
git -C copy add scripts && git -C copy -c user.name=x -c user.email=x@x commit -q -m x
printf '#!/bin/sh\necho "%s/copy/tiny"\n' "$PWD" >copy/scripts/source
chmod +x copy/scripts/source
mv programs.sh copy/bench
export LAYOUTS=1 ROUNDS=1 UPDATES=gs
mkdir copy/made
printf '/made/\n/bench/results/\n' >copy/.gitignore
ln -s "$build/waymark" "$build/waymark-plugin.so" "$build"/*.a "$build/waymark.ld" "$build/waymark.h" "$build/waymark-cache.h" "$build/meson-info" copy/made/

for script in run iterations across recording segments threads crash instructions use; do
	copy/bench/$script copy/made tiny >$script.md 2>$script.log || { cat $script.log $script.md; fail "bench/$script"; }
	grep -q '^| tiny |' $script.md || { cat $script.md; fail "bench/$script has no rows"; }
	! grep -E 'nan|inf|null|\| *\| [0-9]|\| 0\.000 \|' $script.md || fail "bench/$script has a hole"
done

# Two variants that print the same error are no measurement, and neither are two that do nothing.
unmeasured() { # unmeasured PROGRAM TEXT
	! copy/bench/threads copy/made "$1" >out 2>&1 || { cat out; fail "$1 is measured"; }
	grep -q "$2" out || { cat out; fail "$1: does not say: $2"; }
	[ ! -e "copy/made/bench/kept/threads/$1" ] || fail "a measurement of $1 is kept"
}
unmeasured wrong 'no-such-option'
unmeasured silent 'silent_use fails or prints an error'
unmeasured short 'short_use ends too soon to be measured'

# Tables say when the machine was busy, and only then.
times=copy/made/bench/kept/threads/tiny/times
sed -i '/^load /d' $times
copy/bench/threads copy/made tables tiny >quiet.md
! grep -i busy quiet.md || fail "the machine is called busy"
echo 'load 1.7 3.25' >>$times
copy/bench/threads copy/made tables tiny >busy.md
grep -q 'busy.* tiny (1.7 other running tasks, load average 3.25)' busy.md || { cat busy.md; fail "the machine is not called busy"; }

# make bench: what failed is measured again, what is measured is not, and tables are made of what there is.
export PROGRAMS='tiny wrong'
all() {
	code=0
	copy/bench/all made across >all.txt 2>&1 || code=$?
}
all
[ $code = 1 ] && [ "$(tail -n 1 all.txt)" = '1 passed, 1 failed' ] || { cat all.txt; fail "exit code $code"; }
grep -q 'to repeat it: bench/across made measure wrong' all.txt || fail "no command to repeat it"
grep -q '^Not measured: wrong.$' all.txt || { cat all.txt; fail "nobody says what is missing"; }
cp copy/made/shards/bench/*/kept/across/tiny/times before
all
grep -q '^1 of 2 shards are known' all.txt || { cat all.txt; fail "a measurement is not kept"; }
cmp before copy/made/shards/bench/*/kept/across/tiny/times || fail "a measurement is repeated"
ROUNDS=2 all
grep -q '^0 of 2 shards are known' all.txt || { cat all.txt; fail "a measurement of other rounds is counted"; }
