/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/document/deflated.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <zlib.h>

uint8_t *wm_deflated(const void *data, size_t size, enum wm_deflated_form form, size_t *compressed)
{
	static const int window_bits[] = {[WM_DEFLATED_ZLIB] = MAX_WBITS, [WM_DEFLATED_GZIP] = 16 + MAX_WBITS};
	z_stream stream = {.next_in = (uint8_t *)data, .avail_in = (uInt)size};
	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits[form], 9, Z_DEFAULT_STRATEGY) != Z_OK)
		wm_no_memory();
	size_t room = deflateBound(&stream, size);
	uint8_t *to = wm_xmalloc(room);
	stream.next_out = to;
	do
		stream.avail_out = (uInt)(room - stream.total_out < UINT32_MAX ? room - stream.total_out : UINT32_MAX);
	while (deflate(&stream, Z_FINISH) == Z_OK);
	*compressed = stream.total_out;
	deflateEnd(&stream);
	return to;
}
