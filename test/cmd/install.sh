#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `make install PREFIX=...` installs there, whatever prefix the build directory was set up with.  The Makefile is run
# on a project of one file, because a build of Waymark takes long.
set -eu
fail() { echo "install: $*" >&2; exit 1; }
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset PREFIX BUILD MAKEFLAGS MAKELEVEL || true
mkdir scripts
printf '#!/bin/sh\n' >scripts/setup
chmod +x scripts/setup
echo text >file
cp "$root/Makefile" .
cp "$root/scripts/configure" scripts/
cat >meson.build <<'EOF'
project('small', version: '1')
alias_target('installed', custom_target('file', input: 'file', output: 'copy', command: ['cp', '@INPUT@', '@OUTPUT@']))
install_data('file', install_dir: get_option('prefix') / 'lib')
EOF

make PREFIX="$work/first" >log 2>&1 || { cat log; fail "make"; }
make install >log 2>&1 || { cat log; fail "make install"; }
[ -f first/lib/file ] || fail "make install ignores the prefix of the build directory"
make install PREFIX="$work/second" >log 2>&1 || { cat log; fail "make install PREFIX="; }
[ -f second/lib/file ] || { cat log; fail "make install PREFIX= installs elsewhere"; }
PREFIX="$work/third" make install >log 2>&1 || { cat log; fail "make install with PREFIX in the environment"; }
[ -f third/lib/file ] || fail "PREFIX in the environment is ignored"
echo "install: ok"
