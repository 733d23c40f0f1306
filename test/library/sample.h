/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fixture of test/analysis as files: a profile, and a binary with the functions `walk` and `a::bare()`. */
#ifndef TEST_LIBRARY_SAMPLE_H
#define TEST_LIBRARY_SAMPLE_H

#include "library/waymark/profile.h"
#include "test/analysis/fixture.h"
#include "test/library/image.h"

struct sample {
	struct fixture fixture;
	struct image profile, binary;
};

/* `change` may change the profile before it is written; NULL: nothing is changed. */
void sample_open(struct sample *sample, void (*change)(struct fixture *fixture));
void sample_close(struct sample *sample);

/* waymark_open of these two files. */
enum waymark_status sample_read(
	const char *profile, const char *binary, struct waymark **counts, struct waymark_error *error);

#endif
