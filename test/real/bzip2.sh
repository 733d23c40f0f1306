# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package='bzip2 upstream' program=bzip2 traced='source optimised'
flags() { echo "-Wall -Winline -D_FILE_OFFSET_BITS=64 $CFLAGS"; }
build_it() { make -j"$jobs" CC="$CC" CFLAGS="$(flags)" bzip2 bzip2recover; }
test_it() { make CC="$CC" CFLAGS="$(flags)" test; }
use_it() { ./bzip2 -9 -c sample2.ref | cksum && cat sample1.bz2 | ./bzip2 -dc | cksum; }
train_it() { ./bzip2 -1 -c sample3.ref | cksum && ./bzip2 -dc sample3.bz2 | cksum; }
