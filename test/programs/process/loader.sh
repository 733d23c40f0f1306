# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threads that are created while the loader holds its lock, and what dlerror says after.
for linker in bfd lld mold; do
	for kind in -pie -no-pie; do
		must "$waymark" cc -O1 -fuse-ld=$linker $kind main.c -o main
		must "$waymark" cc -O1 -fuse-ld=$linker -shared -fPIC plugin.c -o plugin.so
		must env WAYMARK_FILE=/dev/null ./main
		[ "$(cat must.log)" = loaded ] || fail "$linker $kind: $(cat must.log)"
	done
done
# The loader as a command, which then is the program that the kernel knows of.
must env WAYMARK_FILE=/dev/null "$(readelf -l main | sed -n 's/.*interpreter: \(.*\)]/\1/p')" ./main
[ "$(cat must.log)" = loaded ] || fail "by the loader: $(cat must.log)"
