/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Guides libFuzzer by paths: an input that takes a path which neither the tests nor an earlier input took is kept.
 * Link this file into a fuzz target that is compiled with -fwaymark-residual; doc/fuzzing.md has an example.
 *
 * Waymark calls report_path once for each such path.  libFuzzer treats a byte of the section as a counter of its own:
 * an input that makes one non-zero for the first time is interesting.
 */
#include <waymark.h>

enum { COUNTERS = 1 << 16 };
__attribute__((section("__libfuzzer_extra_counters"))) static volatile unsigned char counter[COUNTERS];

__attribute__((no_profile_instrument_function)) static void report_path(
	const struct waymark_untested *path, void *closure)
{
	(void)closure;
	counter[(path->path + path->graph_hash) * 0x9E3779B97F4A7C15u >> 48] = 1;
}

__attribute__((constructor, no_profile_instrument_function)) static void begin(void)
{
	waymark_on_untested(report_path, 0);
}
