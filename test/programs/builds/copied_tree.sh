# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A copied tree is built and installed without touching the tree that it was copied from.
mkdir -p original/scripts
cp "$cases/../../Makefile" original
cp "$cases/../../scripts/configure" original/scripts
printf '#!/bin/sh\n' >original/scripts/setup
chmod +x original/scripts/setup
cat >original/meson.build <<'END'
project('mini')
alias_target('installed', custom_target('file', input: 'input', output: 'output', install: true, install_dir: 'share',
	command: ['cp', '@INPUT@', meson.current_build_dir() / 'output']))
END
echo 1 >original/input
must make -C original
state() {
	(cd original && find . -type f -exec sha256sum {} + -exec stat -c '%n %y' {} + | sort)
}
state >before
cp -a original copy
echo 2 >copy/input
must make -C copy install PREFIX="$PWD/prefix"
state | cmp before - || fail "the original changed"
grep -qx 2 prefix/share/output || fail "the copy installs other files"
# What is set up is not set up again, and the sources of another tree are not built by accident.
stat -c %y copy/build/build.ninja >once
must make -C copy
stat -c %y copy/build/build.ninja | cmp once - || fail "set up twice"
! make -C copy BUILD="$PWD/original/build" >log 2>&1 || fail "builds in the directory of other sources"
grep -q "builds other sources than $PWD/copy: remove it" log || { cat log; fail "no reason"; }
state | cmp before - || fail "the original changed"
