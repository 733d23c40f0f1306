#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# installed.sh BUILD: what `make install` installs works from there: the command, completions of three shells, the scripts of
# jobs, pkg-config, and find_package(Waymark) with waymark_profile() in a project of CMake.
set -eu
build=$(realpath "$1")
waymark=$build/waymark
. "$(dirname "$(realpath "$0")")/../lib.sh"
meson install -C "$build" --no-rebuild --quiet --destdir "$PWD/root" >install.log 2>&1 || { cat install.log; fail "meson install"; }
prefix=$PWD/root$(meson introspect --buildoptions "$build" | jq -r '.[] | select(.name == "prefix").value')
installed=$prefix/bin/waymark
[ "$("$installed" --version)" = "$("$waymark" --version)" ] || fail "the installed command"

# bash: commands, every option that --help-all lists, formats
completes() {
	bash complete.bash "$prefix/share/bash-completion/completions/waymark" waymark "$@" | sort
}
completes '' >listed
for command in $("$waymark" --help | awk '/^  [a-z+]+ / && !/^  waymark / { print $1 }'); do
	grep -qx -- "$command" listed || fail "bash does not complete the command $command"
	case $command in cc | c++ | dev) continue ;; esac
	"$waymark" "$command" --help-all | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' | sort >options
	completes "$command" -- >/dev/null 2>&1 || true
	completes "$command" - | grep -e '^--' | cmp - options || fail "bash does not complete the options of $command"
done
[ "$(completes export --format lc)" = lcov ] || fail "bash does not complete formats"
[ "$(completes dev nu)" = number ] || fail "bash does not complete commands of developers"
[ "$(completes cc -fwaymark-sch)" = -fwaymark-scheme= ] || fail "bash does not complete options of the compiler"
zsh -n "$prefix/share/zsh/site-functions/_waymark" || fail "zsh"
grep -q "^	'--balance:print the balance" "$prefix/share/zsh/site-functions/_waymark" || fail "zsh does not describe options"
# as zsh does it, with a terminal
timeout 60 zsh -f complete.zsh "$prefix/share/zsh/site-functions/_waymark" >zsh.log 2>&1 </dev/null || true
grep -q completed zsh.log || { cat -v zsh.log; fail "zsh does not complete --balance"; }
export HOME="$PWD"
asks_fish() {
	fish --no-config -c "source '$prefix/share/fish/vendor_completions.d/waymark.fish'; complete -C '$1'" | cut -f 1 | sort
}
asks_fish 'waymark report --bal' | grep -qx -- --balance || fail "fish does not complete --balance"
asks_fish 'waymark export --format lc' | grep -q lcov || fail "fish does not complete formats"
asks_fish 'waymark unt' | grep -qx untested || fail "fish does not complete commands"

# what jobs execute
for name in action.yml comment judge keep; do
	cmp "$prefix/lib/waymark/ci/$name" "$(dirname "$0")/../../.github/actions/waymark/$name" || fail "lib/waymark/ci/$name"
	[ "$name" = action.yml ] || [ -x "$prefix/lib/waymark/ci/$name" ] || fail "lib/waymark/ci/$name cannot be executed"
done

# pkg-config
libraries=$(dirname "$(dirname "$(find "$prefix" -name waymark.pc)")")
[ "$(PKG_CONFIG_PATH=$libraries/pkgconfig pkg-config --modversion waymark)" = "$("$installed" --version | cut -d ' ' -f 2)" ] || fail "pkg-config"

# CMake: one profiled static library in C, a profiled executable in C++, and one that is not profiled
echo 'int inner(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 2 ? 3 : 5; return s; }' >project/inner.c
cat >project/main.cpp <<'END'
#include <cstdio>
extern "C" int inner(int n);
int main(int argc, char **) { std::printf("%d\n", inner(argc * 7)); }
END
for generator in Ninja 'Unix Makefiles'; do
	rm -rf tree
	CC=clang-19 CXX=clang++-19 cmake -G "$generator" -S project -B tree -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" >cmake.log 2>&1 ||
		{ cat cmake.log; fail "cmake -G $generator"; }
	cmake --build tree >cmake.log 2>&1 || { cat cmake.log; fail "cmake --build with $generator"; }
	WAYMARK_FILE=tree/run.wmraw tree/profiled >profiled.txt
	tree/plain | cmp - profiled.txt || fail "the profiled program prints something else"
	json 'any(.functions[]; .name == "inner" and .entries == 1 and .executions == 8) and any(.functions[]; .name == "main" and .entries == 1)' \
		"$installed" report --json tree/run.wmraw tree/profiled
	says 'plain has no path map' "$installed" show tree/plain
	json 'all(.functions[] | select(.name == "inner"); .scheme == "kiter=2")' "$installed" show --json tree/across
done
sed -i 's/find_package(Waymark 0.1/find_package(Waymark 7.1/' project/CMakeLists.txt
! cmake -S project -B other -DCMAKE_PREFIX_PATH="$prefix" >cmake.log 2>&1 || fail "version 7.1 is found"
