# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A new machine for a command: scripts/bare and .ci/run, with a debootstrap that takes the programs of this machine.
[ "$(id -u)" = 0 ] && unshare --mount --pid --fork mount -t tmpfs none . 2>/dev/null || exit 77
mkdir -p stubs temporary tree/scripts tree/.ci
chmod +x stubs/debootstrap
cp "$cases/../../scripts/bare" tree/scripts
cp "$cases/../../.ci/run" tree/.ci
printf 'check:\n\t@[ ! -e slow ] || sleep 600\n\t@cat result && ! grep -q "[1-9] failed" result\n' >tree/Makefile
echo '1 passed, 2 failed' >tree/result
(cd tree && git init -q && git add -A && git -c user.name=test -c user.email=test@localhost commit -q -m test)
echo '3 passed, 0 failed' >tree/result
chown -R 65534 tree
export FAILS="$PWD/fails" TMPDIR="$PWD/temporary"
PATH=$PWD/stubs:$PATH
unset MAKELEVEL MAKEFLAGS MFLAGS # of the make that runs the tests: another one would print the directory last
bare() {
	code=0
	timeout 60 tree/scripts/bare "$@" >out 2>err || code=$?
	[ -z "$(ls temporary)" ] || fail "bare $* leaves $(ls temporary)"
}
exits() {
	[ $code = "$1" ] || { cat out err; fail "exit code $code, not $1"; }
}

cat /proc/self/mounts >mounts
# The command, its input and its output; the committed tree, and nothing of this machine.
echo input >input
bare sh -c 'cat; pwd; cat result; env | sort; ls -d "$1" /home; exit 7' sh "$PWD" <input
exits 7
cat >wanted <<END_WANTED
input
/waymark
1 passed, 2 failed
HOME=/root
LANG=C.UTF-8
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
PWD=/waymark
TERM=${TERM:-dumb}
END_WANTED
grep -v _proxy= out | diff wanted - || fail "another environment"
grep -qx 'bare: what is not committed is not tried' err || fail "does not tell of changes"
# Signals, terminals and shared memory work; what was left behind by the command does not live on and hold its output.
bare sh -c 'setsid sleep 600 & python3 -c "import os, pty, signal
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
pty.openpty()
open(\"/dev/shm/file\", \"w\").close()"' <&-
exits 0
[ ! -e /dev/shm/file ] || fail "shared memory of this machine"

# The machine has replaced a device that is mounted where this runs, as one that a linker wrote to as root.
if cp -a /dev/full device 2>/dev/null; then
	code=0
	unshare --mount sh -c 'mount --bind device /dev/full && rm device && timeout 60 tree/scripts/bare [ -c /dev/full ]' >out 2>err || code=$?
	exits 0
fi

# Interrupted, or killed from outside: nothing is left.
for signal in INT:130 TERM:143 HUP:129; do
	env --default-signal=INT,TERM,HUP tree/scripts/bare sh -c 'echo runs; sleep 600' >pipe.out 2>&1 &
	started=$!
	until grep -q runs pipe.out; do sleep 0.05; done
	kill -"${signal%:*}" $started
	code=0
	wait $started || code=$?
	exits "${signal#*:}"
	[ -z "$(ls temporary)" ] || fail "$signal leaves $(ls temporary)"
done
bare sh -c 'kill -KILL -1; sleep 600 & kill -KILL $!; wait $!'
exits 137
cmp mounts /proc/self/mounts || fail "the mounts of this machine changed"

# A check that fails is a failure; only where there is no new machine, this one is tried.
code=0
tree/.ci/run >out 2>err </dev/null || code=$?
exits 2
[ "$(tail -n 1 out)" = '1 passed, 2 failed' ] || fail "another last line"
touch tree/slow
(cd tree && git -c safe.directory='*' add slow && git -c safe.directory='*' -c user.name=test -c user.email=test@localhost commit -q -m slow slow)
tree/.ci/run >out 2>err </dev/null &
started=$!
until grep -qs ready temporary/*/ready; do sleep 0.05; done
kill -TERM $started
until [ -z "$(ls temporary)" ]; do sleep 0.05; done
rm tree/slow
touch fails
bare true
exits 125
grep -q 'no such release' err && grep -qx 'bare: no system of its own could be made' err || fail "does not say why"
code=0
tree/.ci/run >out 2>err </dev/null || code=$?
exits 0
[ "$(tail -n 1 out)" = '3 passed, 0 failed' ] && grep -q 'there is no new machine' out || fail "not tried on this machine"
bare
exits 125
