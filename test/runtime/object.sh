#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Several objects in one process; dlopen and dlclose.
. "$(dirname "$0")/lib.sh"
for linker in bfd lld; do
	build subject subject.c -fuse-ld=$linker -pthread
	build one.so library.c -fuse-ld=$linker -shared -fPIC
	build two.so library.c -fuse-ld=$linker -shared -fPIC -DKEY=201
	fresh
	inside ../subject dlopen 3 ../one.so ../two.so >said.txt
	files 7
	for key in 101 102 201 202; do counts $key 9000; done
	all_counts 100

	# Neither mappings nor pages pile up: the kernel joins mappings of neighbouring pages.
	fresh
	inside ../subject dlopen 1 ../one.so >first.txt
	fresh
	inside ../subject dlopen 50 ../one.so >said.txt
	files 51
	counts 102 150000
	said() { awk -v what="$1" '$1 == what { print $2 }' "$2"; }
	[ "$(said maps said.txt)" -le "$(($(said maps first.txt) + 2))" ] || die "mappings: $(cat first.txt said.txt)"
	[ "$(said pages said.txt)" -le "$(($(said pages first.txt) + 20))" ] || die "pages: $(cat first.txt said.txt)"
done

# Loaded from the start, into a program that is not instrumented itself; fork reaches every object.
build libone.so library.c -shared -fPIC
$CC "$ROOT/test/runtime/object/main.c" -L. -lone -Wl,-rpath,"$WORK" -o main
fresh
inside ../main
files 2
counts 101 110
counts 102 110
