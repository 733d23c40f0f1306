/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asynchronous input and output that starts a thread when it is done.  The C library reads the event of a request when the
 * request is done, so the request itself is changed. */
#undef _FILE_OFFSET_BITS /* gives aio_read the name aio_read64 */
#include "runtime/notify/announce.h"

#include <aio.h>
#include <errno.h>

static int no_function(void)
{
	errno = ENOSYS;
	return -1;
}

/* Each function exists with two names, which differ in the type of the request. */
#define TRANSFER(name, type) \
	WM_REPLACE(int, name, struct type *request) \
	{ \
		wm_announce_event(&request->aio_sigevent); \
		return WM_REAL(name) ? WM_REAL(name)(request) : no_function(); \
	}
#define FSYNC(name, type) \
	WM_REPLACE(int, name, int operation, struct type *request) \
	{ \
		wm_announce_event(&request->aio_sigevent); \
		return WM_REAL(name) ? WM_REAL(name)(operation, request) : no_function(); \
	}
#define LIST(name, type) \
	WM_REPLACE(int, name, int mode, struct type *const list[], int count, struct sigevent *event) \
	{ \
		struct sigevent copy; \
		for (int i = 0; i < count; i++) \
			if (list[i]) \
				wm_announce_event(&list[i]->aio_sigevent); \
		return WM_REAL(name) ? WM_REAL(name)(mode, list, count, wm_announced_event(event, &copy)) \
				     : no_function(); \
	}

TRANSFER(aio_read, aiocb)
TRANSFER(aio_read64, aiocb64)
TRANSFER(aio_write, aiocb)
TRANSFER(aio_write64, aiocb64)
FSYNC(aio_fsync, aiocb)
FSYNC(aio_fsync64, aiocb64)
LIST(lio_listio, aiocb)
LIST(lio_listio64, aiocb64)
