# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# C++ with exceptions: parse errors are thrown.
package=libjsoncpp program=build/bin/jsontestrunner_exe traced='source optimised'
build_it() {
	cmake -S . -B build -DBUILD_SHARED_LIBS=OFF -DBUILD_OBJECT_LIBS=OFF -DBUILD_STATIC_LIBS=ON -DJSONCPP_WITH_POST_BUILD_UNITTEST=OFF -DCMAKE_BUILD_TYPE=
	cmake --build build -j"$jobs" ${target:+--target $target}
}
test_it() { cd build && ctest --output-on-failure; }
use_it() {
	for file in test/data/*.json; do
		build/bin/jsontestrunner_exe "$file" 2>&1 || echo "exit code $?"
	done
	cat test/data/*.actual | cksum
}
train_it() {
	for file in test/data/test_*0*.json; do
		build/bin/jsontestrunner_exe "$file" 2>&1 || echo "exit code $?"
	done
}
