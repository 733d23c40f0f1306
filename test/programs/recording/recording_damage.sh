# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Damage of a raw recording is noticed, and every answer says so; a recording that was killed before its first entry is not taken for
# a program that does not record.
must "$waymark" cc -O2 -fwaymark-wpp program.c -o program

# flip FILE BYTE BIT: leaves flipped.wmraw
flip() {
	cp "$1" flipped.wmraw
	old=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
	printf "\\$(printf %o $((old ^ (1 << $3))))" | dd of=flipped.wmraw bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# One chunk, and several.
for rounds in 5 60; do
	rm -f r.wmraw
	WAYMARK_FILE=r.wmraw ./program $rounds >/dev/null || [ $? = 3 ] || fail "the program"
	"$waymark" wpp --segments 1 r.wmraw ./program >good 2>&1 || fail "wpp"
	grep -q 'stopped early' good && fail "the recording is called damaged without a reason"
	size=$(wc -c <r.wmraw)
	for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
		at=$((4096 + n * 7919 * 31 % (size - 4096)))
		flip r.wmraw $at $((n % 8))
		code=0
		"$waymark" wpp --segments 1 flipped.wmraw ./program >found 2>&1 || code=$?
		cmp -s good found && continue
		[ $code = 0 ] || continue
		grep -q '^stopped early: .*damaged or missing' found || { head -n 3 found; fail "bit $((n % 8)) of byte $at of $size is flipped, and nothing is said"; }
	done
done
flip r.wmraw 9001 3
"$waymark" wpp flipped.wmraw ./program 2>&1 >/dev/null | grep -q 'chunk [0-9]* of stream 0 is damaged' || fail "the chunk is not named"

# A killed program: its last chunk has no checksum.  It kills itself: from outside, the kill may arrive while the file has grown and the
# new chunk has not begun, and a bit that is flipped there changes nothing.
WAYMARK_FILE=killed.wmraw ./program 300 kill >/dev/null 2>&1 || [ $? = 137 ] || fail "the program that kills itself"
"$waymark" wpp --segments 1 killed.wmraw ./program >good || fail "a killed program"
grep -q 'stopped early' good && fail "the recording of a killed program is called damaged"
flip killed.wmraw $(($(wc -c <killed.wmraw) - 1)) 6
"$waymark" wpp --segments 1 flipped.wmraw ./program 2>/dev/null | grep -q '^stopped early: .*damaged or missing' || fail "an entry that was never written is taken for one"

# Killed before the first entry.
must "$waymark" cc -O2 -fwaymark-wpp early.c -o early
WAYMARK_FILE=early.wmraw ./early 2>/dev/null || true
"$waymark" wpp early.wmraw ./early >log 2>&1 && fail "a recording without entries"
grep -q 'early.wmraw is empty: the program ended, or was killed, before it had recorded anything' log || { cat log; fail "a recording without entries"; }
must "$waymark" cc -O2 program.c -o counted
WAYMARK_FILE=counted.wmraw ./counted 5 || [ $? = 3 ] || fail "the program that counts"
"$waymark" wpp counted.wmraw ./counted 2>&1 | grep -q 'counted.wmraw has no recording; compile with' || fail "a program that does not record"
