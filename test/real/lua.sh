# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package='lua5.4 upstream' program=src/lua traced='source optimised'
# Hashes that depend neither on the time nor on addresses.
same="'-Dluai_makeseed(L)=5u' -DSTRCACHE_N=1 -DSTRCACHE_M=1"
build_it() { make -j"$jobs" linux CC="$CC -std=gnu99" MYCFLAGS="$CFLAGS"; }
test_it() { make test && src/lua "$here/lua.lua" | tail -n 1 | grep -q '^ok$'; }
use_it() { src/lua "$here/lua.lua" 3; }
train_it() { src/lua -e 'local t = {} for i = 1, 5000 do t[i] = tostring(i):rep(i % 7) end table.sort(t) print(#table.concat(t, ","))'; }
