#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# outputs.sh BUILD: how every command writes its output files: to a temporary file first; devices, FIFOs and
# descriptors are written to; links are followed, but not those of another user in a directory like /tmp.
set -eu
waymark=$(realpath "$1")/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"

"$waymark" cc -O1 -g program.c -o program
"$waymark" cc -O1 -g -fwaymark-wpp program.c -o recorded
WAYMARK_FILE=run.wmraw ./program
WAYMARK_FILE=sequence.wmraw ./recorded
clang-19 -O0 program.c -o plain

# write_to COMMAND FILE
write_to() {
	case $1 in
	merge) "$waymark" merge -o "$2" run.wmraw ;;
	run) "$waymark" run -o "$2" -- ./program ;;
	compress) "$waymark" wpp --compress "$2" sequence.wmraw ./recorded ;;
	profile) "$waymark" hw -o "$2" --quiet -- ./plain ;;
	record) "$waymark" hw --record "$2" --quiet -- ./plain ;;
	wpp) "$waymark" hw --wpp "$2" --quiet -- ./plain ;;
	esac
}
commands='merge run compress profile record wpp'

nothing_left() {
	[ -z "$(find . -name '*.??????' ! -name '*.wmprof' ! -name '*.wmraw')" ] || { ls -a && fail "a temporary file is left by $1"; }
}

mkdir names
mkfifo names/fifo
ln -s /dev/null names/null
for command in $commands; do
	# A new file, with the usual rights, and again.
	rm -f names/plain
	(umask 027 && write_to "$command" names/plain >/dev/null 2>&1) || fail "$command does not write a file"
	[ -s names/plain ] || fail "$command wrote nothing"
	[ "$(stat -c %a names/plain)" = 640 ] || fail "$command does not obey the umask"
	write_to "$command" names/plain >/dev/null 2>&1 || fail "$command does not replace a file"
	nothing_left "$command"

	# A FIFO and a device.
	timeout 60 cat names/fifo >got &
	write_to "$command" names/fifo >/dev/null 2>&1 || fail "$command does not write to a FIFO"
	wait $! || fail "$command does not end what it wrote to a FIFO"
	[ -p names/fifo ] || fail "$command replaced a FIFO"
	[ "$(stat -c %s got)" -gt 20 ] || fail "$command wrote nothing to a FIFO"
	write_to "$command" names/null >/dev/null 2>&1 || fail "$command does not write to a device"
	[ -L names/null ] && [ -c /dev/null ] || fail "$command replaced a link to a device"

	# A descriptor, behind what was written to it before.
	{ echo head; write_to "$command" /dev/fd/3 3>&1 >/dev/null 2>&1; } >got || fail "$command does not write to a descriptor"
	[ "$(head -n 1 got)" = head ] && [ "$(stat -c %s got)" -gt 20 ] || fail "$command overwrote what was in a descriptor's file"

	# A link to a file that is there, and to one that is not.
	mkdir -p elsewhere
	echo old >elsewhere/file
	rm -f elsewhere/new
	for file in file new; do
		ln -sf "../elsewhere/$file" names/link
		write_to "$command" names/link >/dev/null 2>&1 || fail "$command does not follow a link"
		[ -L names/link ] && [ -s "elsewhere/$file" ] && [ "$(head -c 3 "elsewhere/$file")" != old ] || fail "$command replaced a link"
	done

	# What cannot be written is said with its reason, and nothing is left.
	write_to "$command" names >out 2>&1 && fail "$command wrote a directory" || :
	grep -q 'cannot write names: Is a directory' out || { cat out && fail "$command does not say why"; }
	ln -sf loop names/loop
	write_to "$command" names/loop >out 2>&1 && fail "$command wrote a link to itself" || :
	grep -q 'cannot write names/loop: Too many levels' out || { cat out && fail "$command does not say why"; }
	nothing_left "$command"
done

# A directory of pages is an output, too.
"$waymark" report --html pages run.wmraw ./program
nothing_left report
[ "$(stat -c %a pages/index.html)" = 644 ] || [ "$(umask)" != 0022 ] || fail "pages do not obey the umask"

if [ "$(id -u)" != 0 ]; then
	echo "outputs: all as expected, but only root can make devices and links of another user"
	exit 0
fi
mkdir -m 1777 sticky
mkdir victim_pages
mknod names/device c 1 3
ln -s ../victim sticky/link
ln -s ../victim_pages sticky/pages
ln -s ../victim sticky/own
chown -h 65534:65534 sticky/link sticky/pages
for command in $commands; do
	write_to "$command" names/device >/dev/null 2>&1 || fail "$command does not write to a device"
	[ -c names/device ] || fail "$command replaced a device"
	echo victim >victim
	write_to "$command" sticky/link >out 2>&1 && fail "$command follows a link of another user" || :
	grep -q 'sticky/link is a link of another user' out || { cat out && fail "$command does not say why"; }
	[ "$(cat victim)" = victim ] || fail "$command wrote through a link of another user"
	write_to "$command" sticky/own >/dev/null 2>&1 || fail "$command does not follow an own link"
	[ "$(head -c 6 victim)" != victim ] || fail "$command does not write through an own link"
done
for name in sticky/pages sticky/pages/; do
	exits 1 "$waymark" report --html $name run.wmraw ./program
	grep -q 'link of another user' out || { cat out && fail "report does not say why"; }
done
[ -z "$(ls victim_pages)" ] || fail "report wrote through a link of another user"
echo victim >victim
exits 1 "$waymark" hw --stdout sticky/link -- ./plain
[ "$(cat victim)" = victim ] || fail "the output of a program went through a link of another user"
echo "outputs: all as expected"
