# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian wraps libtool and its own paths around Lua; Lua as its authors ship it is wanted here.
package=lua5.4 program=src/lua traced='source optimised'
build_it() {
	for patch in 0002-lua-modules-paths 0001-build-system; do patch -R -p1 -s <debian/patches/$patch.patch; done
	make -j"$jobs" linux CC="$CC -std=gnu99" MYCFLAGS="$CFLAGS"
}
test_it() { make test && src/lua "$here/lua.lua" | tail -n 1 | grep -q '^ok$'; }
use_it() { src/lua "$here/lua.lua" 3; }
