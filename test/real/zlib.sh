# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package=zlib program=minigzip traced='source optimised'
build_it() { ./configure --static && make -j"$jobs"; }
test_it() { make test; }
use_it() { cat deflate.c inflate.c trees.c | ./minigzip -9 >out.gz && cksum <out.gz; }
train_it() { ./minigzip -1 <zlib.h >train.gz && ./minigzip -d <train.gz | cksum; }
