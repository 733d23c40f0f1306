# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A daemon that closes its descriptors and enters a chroot before a hash table is needed loses
# the counts of that function only, and the report says why.  A child that is forked in there cannot
# have a file, and says so once.
cat >program.c <<'END'
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define D(i) if (x >> i & 1) r += i; else r ^= i;
__attribute__((noinline)) unsigned big(unsigned x) { unsigned r = 0; D(0) D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16) D(17) D(18) return r; }
__attribute__((noinline)) unsigned small(unsigned x) { return x % 3 ? x + 1 : x - 1; }
int main(int argc, char **argv)
{
	unsigned sum = 0;
	if (chroot(argv[1]) || chdir("/")) return 1;
	if (argc > 2 && argv[2][0] == 'c') closefrom(3);
	for (unsigned i = 0; i < 3000; i++) sum += big(i * 747) + small(i);
	if (argc > 2 && argv[2][0] == 'f' && fork() == 0) { small(sum); exit(0); }
	wait(NULL);
	return 0;
}
END
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
