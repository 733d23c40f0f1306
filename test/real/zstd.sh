# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# zstd runs worker threads: it needs counters that survive them.
export WAYMARK_UPDATE=thread
package=libzstd program=programs/zstd traced=
build_it() { make -j"$jobs" -C programs zstd CC="$CC" CFLAGS="$CFLAGS" HAVE_LZMA=0 HAVE_LZ4=0 HAVE_ZLIB=0; }
test_it() { make -j"$jobs" check CC="$CC" CFLAGS="$CFLAGS" HAVE_LZMA=0 HAVE_LZ4=0 HAVE_ZLIB=0; }
use_it() { programs/zstd -q -19 -T2 -c lib/compress/zstd_opt.c | programs/zstd -dc | cksum; }
