# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A daemon that closes its descriptors and enters a chroot before a hash table is needed loses
# the counts of that function only, and the report says why.  A child that is forked in there cannot
# have a file, and says so once.
if [ "$(id -u)" != 0 ]; then exit 0; fi
must "$waymark" cc -O1 program.c -o program
mkdir jail
must env WAYMARK_FILE=open.wmraw ./program jail
[ ! -s must.log ] || fail "$(cat must.log)"
report ./program open.wmraw
expect 'total("big") == 3000 and total("small") == 3000'
must env WAYMARK_FILE=closed.wmraw ./program jail closed
[ "$(grep -c '^waymark: ' must.log)" = 2 ] || fail "$(cat must.log)"
report ./program closed.wmraw
expect 'f("big") | .status == "refused" and (.reason | test("could not grow.*chroot"))'
expect 'total("small") == 3000'
must env WAYMARK_FILE=forked.wmraw ./program jail forked
[ "$(grep -c 'counts are lost, cannot write .*: no such directory' must.log)" = 1 ] || fail "$(cat must.log)"
report ./program forked.wmraw
expect 'total("small") == 3000'
[ -z "$(ls jail)" ] || fail "the child leaves $(ls jail)"
# With a directory of that name in the chroot, it can; even without /proc.
mkdir -p "jail$PWD"
must env WAYMARK_FILE=inside.wmraw ./program jail forked
[ ! -s must.log ] || fail "$(cat must.log)"
report ./program "jail$PWD/inside.wmraw"
expect 'total("small") == 1'
