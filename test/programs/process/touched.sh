# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A process pays for what it has touched: the file of a program with many cells is small when the program or a forked child has
# ended, and the counts are exact, in the file systems that tell what was written to and where there is none.
{
	echo 'volatile unsigned sink;'
	for i in $(seq 60); do
		echo "__attribute__((noinline)) void f$i(unsigned x) {"
		for k in 0 1 2 3 4 5 6 7 8 9 10 11; do echo "if (x >> $k & 1) sink += $k;"; done
		echo '}'
	done
	echo "void (*const all[])(unsigned) = {$(seq -f 'f%g,' 60 | tr -d '\n')};"
} >functions.h
must "$waymark" cc -O1 program.c -o program
size=$(readelf -SW program | awk '$2 == "wm_cells" || $3 == "wm_cells" { for (i = 1; i < NF; i++) if ($i == "NOBITS") print $(i + 3) }')
[ $((0x$size)) -ge $((60 * 4096 * 8)) ] || fail "only $size bytes of cells"

# used DIRECTORY: the allocated bytes of the largest file
used() { stat -c '%b %B' "$1"/*.wmraw | awk '{ if ($1 * $2 > most) most = $1 * $2 } END { print most }'; }
# counted EXPECTED WHAT [PROGRAM]: the sum of the counts of f1 to f60
counted() {
	must "$waymark" merge --json -o merged.wmprof "$directory"
	report "./${3-program}" merged.wmprof
	found=$(jq '[.functions[] | select(.name | test("^f[0-9]+$")) | .paths[].count] | add' report.json)
	[ "$found" = "$1" ] || fail "$2 on $(stat -f -c %T "$directory"): $found counts instead of $1"
}
# ramfs refuses to punch holes and does not tell what was written to.
mkdir ram
mount -t ramfs none ram 2>/dev/null || rmdir ram
trap 'umount -l ram 2>/dev/null || :' EXIT
for place in . /dev/shm ram; do
	[ -d $place ] || continue
	directory=$(mktemp -d "$place/wm-touched-XXXXXX")
	export WAYMARK_FILE="$directory/%p.wmraw"
	must ./program 100 3
	[ "$(ls "$directory" | wc -l)" = 4 ] || fail "files: $(ls "$directory")"
	[ $place = ram ] || [ "$(used "$directory")" -lt 102400 ] || fail "$(used "$directory") bytes for 100 paths"
	counted $((3 + 100 + 1 + 3 * 100)) ended
	rm "$directory"/*
	code=0
	./program 50 1 kill || code=$?
	[ $code = 137 ] || fail "exit code $code"
	counted $((3 + 50 + 1 + 100)) killed
	rm -r "$directory"
done
# On a full disk, what counts after the runtime has ended does not fail.
must "$waymark" cc -O1 late.c -o late
mkdir small
if mount -t tmpfs -o size=3m none small 2>/dev/null; then
	trap 'umount -l ram small 2>/dev/null || :' EXIT
	code=0
	WAYMARK_FILE=small/late.wmraw ./late || code=$?
	[ $code = 7 ] || fail "full disk: exit code $code"
	[ -s small/late.wmraw ] || fail "no file on the small disk"
	directory=small
	counted 120 "full disk" late
	umount -l small
fi
# Without a file, until the program ends.
directory=$PWD/again
mkdir again
WAYMARK_FILE=/dev/null must ./program 100 2
export WAYMARK_FILE="$PWD/again/%p.wmraw"
must ./program 7 0
counted $((3 + 7 + 1)) again
