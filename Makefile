# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A thin front for Meson.  `make demo` and `make check` install what they need.
export CC = clang-19
export CXX = clang++-19
BUILD ?= build
PREFIX ?= /usr/local

# What users run and install; `make all` builds the tests as well.
waymark: configured
	ninja -C $(BUILD) installed

all: configured
	ninja -C $(BUILD)

setup:
	scripts/setup

configured:
	scripts/configure $(BUILD) --prefix=$(PREFIX)

check: setup
	scripts/check $(BUILD)

# Each test, and each program of each benchmark, is a shard whose result is kept: what was interrupted continues.
# SHARD=2/5 runs every fifth, FRESH=1 begins again, and BENCH names some of the benchmarks.
check-all: setup
	scripts/check $(BUILD) all

demo: setup
	$(MAKE) waymark
	scripts/demo $(BUILD)

bench: setup
	$(MAKE) all
	bench/all $(BUILD) $(BENCH)

bench-use: setup
	$(MAKE) all
	bench/all $(BUILD) use

hardware-tables: setup
	$(MAKE) all
	bench/hardware $(BUILD)

sanitize: setup
	scripts/sanitize $(BUILD)

fuzz: setup
	scripts/fuzz $(BUILD)

format:
	scripts/format

# A PREFIX that is given wins over the one with which the build directory was set up.
install: waymark
ifneq ($(filter command% environment%,$(origin PREFIX)),)
	meson configure $(BUILD) -Dprefix=$(PREFIX)
	ninja -C $(BUILD) installed
endif
	meson install -C $(BUILD) --no-rebuild

# A Debian package, in $(BUILD); scripts/check-deb installs it on a new machine and tries it.
deb: setup
	scripts/deb $(BUILD)

clean:
	rm -rf $(BUILD)

.PHONY: waymark all setup configured check check-all demo bench bench-use hardware-tables sanitize fuzz format install deb clean
