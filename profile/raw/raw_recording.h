/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recording (waymark cc -fwaymark-wpp): the streams of a process, from its raw profile (.wmraw) and, if `waymark spool`
 * has moved chunks out of the raw profile while the program ran, from the spool file beside it (.wmspool).  Both are
 * hostile input, and the raw profile may still be written to.
 *
 * A stream is the entries of one thread (abi/stream.h), in order.  Streams are in the order in which their threads
 * began to record.  Of a program that was killed, everything that was written is there; the stream of a thread that was
 * killed lacks the subpath that was not finished, and for each of its frames that had reserved a word without having
 * written it there is a hole.
 *
 * Damage: what a chunk has sealed is compared with its checksum.  Words that are not sealed (the last ones of a program that was
 * killed, and those after a hole) must be entries that some thread can have written.
 */
#ifndef WM_PROFILE_RAW_RAW_RECORDING_H
#define WM_PROFILE_RAW_RAW_RECORDING_H

#include "abi/abi.h"
#include "abi/stream.h"
#include "profile/base/function_counts.h"

struct wm_raw_recording_chunk;
struct wm_raw_recording_stream {
	uint64_t number; /* unique in the recording, as PARENT entries of other recordings name it */
	uint64_t parent_low,
		parent_high; /* run id of the recording in which the stream of the thread that forked is, or 0 */
	enum wm_stream_stop stop; /* why the recording ended before the thread did; 0: it did not */
	size_t first, count; /* of its chunks */
	uint64_t most_entries; /* upper bound of the number of its entries */
};
struct wm_raw_recording {
	uint64_t run_id_low, run_id_high;
	uint64_t pid, flags; /* WM_RAW_* */
	uint8_t build_id[WM_BUILD_ID_MAX];
	uint32_t build_id_size;
	uint64_t func_count;
	struct wm_raw_func *func; /* the functions that entries name by their index; of key and graph hash */
	size_t stream_count;
	struct wm_raw_recording_stream *stream;
	size_t chunk_count;
	struct wm_raw_recording_chunk *chunk; /* by stream, then by number */
};

/* `spool` may be NULL.  The images must stay until the recording is released.  WM_PROFILE_DAMAGED: a part of a file
 * could not be read; what was read before it can be used.  WM_PROFILE_REFUSED: the first file is not a raw profile,
 * or the spool file belongs to another run.  *recording need not be released if the result is another than OK and DAMAGED. */
enum wm_profile_status wm_raw_recording_open(struct wm_raw_recording *recording, const uint8_t *raw, size_t raw_size,
	const uint8_t *spool, size_t spool_size, struct wm_profile_error *error);
void wm_raw_recording_close(struct wm_raw_recording *recording);

/* Gives the entries of a stream in order; `take` says whether to go on.  Where the recording stopped, the last entry is
 * STOP.  WM_PROFILE_DAMAGED: a chunk is missing or damaged; the entries before it were given, then STOP. */
typedef bool wm_raw_recording_take(void *closure, const uint64_t *entry, size_t count);
enum wm_profile_status wm_raw_recording_read(const struct wm_raw_recording *recording, size_t stream,
	wm_raw_recording_take *take, void *closure, struct wm_profile_error *error);

#endif
